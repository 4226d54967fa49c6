"""Dot-product kernels: Schoenberg's theorem as three abstract methods."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import clone

from ..compute.numbers import is_number
from .base import Array, Kernel
from .inner_product import InnerProduct, squared_norms
from .power_series import PowerSeriesKernel


class DotProductKernel(PowerSeriesKernel):
    """k(x, y) = f(<x, y>) with f(t) = sum_n a_n t^n and every a_n >= 0.

    That is exactly the class of functions of the inner product that are positive definite in every dimension
    (Schoenberg 1942). A subclass writes ``profile``, ``coefficients`` and ``radius``.
    """

    @property
    def base(self) -> Kernel:
        return InnerProduct()

    def times(self, other: Kernel) -> Kernel:
        if isinstance(other, DotProductKernel):
            return DotProductProduct(self, other)
        return super().times(other)


class DotProductProduct(DotProductKernel):
    """k(x, y) = left(<x, y>) right(<x, y>): the coefficients of a product are the convolution of the coefficients."""

    def __init__(self, left: DotProductKernel, right: DotProductKernel) -> None:
        self.left = left
        self.right = right

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .exponential_dot import ExponentialDot
        from .polynomial import Polynomial

        return [cls(Polynomial(2), ExponentialDot())]

    @property
    def radius(self) -> float:
        return min(self.left.radius, self.right.radius)

    def profile(self, t: Array) -> Array:
        return self.left.profile(t) * self.right.profile(t)

    def coefficients(self, n_terms: int) -> Array:
        return np.convolve(self.left.coefficients(n_terms), self.right.coefficients(n_terms))[:n_terms]

    def resolve(self, rows: Any, weight: Array | None = None) -> DotProductProduct:
        return DotProductProduct(self.left.resolve(rows, weight), self.right.resolve(rows, weight))


def mean_square_norm(rows: Any, weight: Array | None) -> float:
    """Weighted mean of ||x||²: what the word "norm" among the parameters of a dot-product kernel stands for."""
    mean = float(np.average(squared_norms(rows), weights=weight))
    if mean <= 0:
        raise ValueError("The word 'norm' cannot be resolved: every row is zero; give the parameter as a number.")
    return mean


def with_parameter(kernel: Any, **parameter: float) -> Any:
    """Return a copy of the kernel with one parameter replaced."""
    return clone(kernel).set_params(**parameter)


def checked_positive(value: Any, name: str, word: str = "norm") -> float:
    """A finite number > 0, or one clear sentence."""
    if isinstance(value, str):
        raise ValueError(
            f"{name}={value!r} is resolved from data: fit a map with this kernel, or call kernel.resolve(X) first."
            if value == word
            else f"{name} must be a number or {word!r}, not {value!r}."
        )
    if not (is_number(value) and value > 0):
        raise ValueError(f"{name} must be a finite number greater than 0, but it is {value}.")
    return float(value)

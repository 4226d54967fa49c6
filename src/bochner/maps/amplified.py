"""Fourier features times what a kernel has beside its shift-invariant part: a constant, or the lengths of rows."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ..compute.factor_products import overflowed
from ..kernels import Composed, ExponentialDot, ShiftInvariantKernel
from ..kernels.inner_product import squared_norms
from .design import Array
from .features import DenseFeatures
from .products import overflow_message


class ExponentialFeatures(DenseFeatures):
    """z(x) = exp(rate ||x||²) inner(x): with features of exp(-rate ||x - y||²), those of exp(2 rate <x, y>)."""

    def __init__(self, inner: DenseFeatures, rate: float) -> None:
        self.inner = inner
        self.rate = rate
        self.n_features_in = inner.n_features_in
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    @property
    def output_dtype(self) -> np.dtype:
        return self.inner.output_dtype

    def write(self, X: Any, out: Array) -> None:
        self.inner.write(X, out)
        with np.errstate(over="ignore", invalid="ignore"):
            out *= np.exp(self.rate * squared_norms(X)).astype(self.dtype)[:, None]
        if overflowed(out.real):
            raise ValueError(overflow_message(X, self.dtype))


@singledispatch
def amplified(kernel: Any, inner: DenseFeatures) -> Any:  # noqa: ARG001
    """The features of a kernel sqrt(k(x, x) k(y, y)) κ(x - y) from those of κ."""
    raise TypeError(f"{type(kernel).__name__} does not say what it is beside its shift-invariant part.")


@amplified.register
def _(kernel: ShiftInvariantKernel, inner: DenseFeatures) -> Any:  # noqa: ARG001
    return inner


@amplified.register
def _(kernel: Composed, inner: DenseFeatures) -> Any:
    return inner.joined([float(kernel.diagonal(np.zeros((1, inner.n_features_in)))[0])], [inner])


@amplified.register
def _(kernel: ExponentialDot, inner: DenseFeatures) -> Any:
    return ExponentialFeatures(inner, 0.5 / kernel.checked_sigma() ** 2)

"""The polynomial kernel."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy.special import gammaln

from ..compute.numbers import is_number
from .base import Array
from .dot_product import DotProductKernel, checked_positive, mean_square_norm, with_parameter


class Polynomial(DotProductKernel):
    """k(x, y) = (offset + scale <x, y>)^degree, with a_n = C(degree, n) scale^n offset^(degree - n).

    Parameters
    ----------
    degree : int, default=2
        At least 1.
    offset : float, default=1.0
        At least 0; 0 gives the homogeneous polynomial kernel, whose only term is of degree ``degree``.
    scale : float or "norm", default=1.0
        Greater than 0. "norm" is resolved at fit: one over the mean squared norm of the rows.
        In scikit-learn's terms scale is gamma and offset is coef0.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Polynomial(degree=3)
    >>> kernel.coefficients(5)
    array([1., 3., 3., 1., 0.])
    >>> kernel([[1.0, 2.0]], [[0.5, 1.0]])
    array([[42.875]])
    """

    def __init__(self, degree: int = 2, offset: float = 1.0, scale: float | Literal["norm"] = 1.0) -> None:
        self.degree = degree
        self.offset = offset
        self.scale = scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(3, offset=0.5), cls(2, offset=0.0, scale=0.7)]

    @classmethod
    def instead(cls, name: str) -> str | None:
        own = {"gamma": "scale", "coef0": "offset"}
        return f"{own[name]} is what other libraries call {name}" if name in own else super().instead(name)

    @property
    def radius(self) -> float:
        return np.inf

    def checked(self) -> tuple[int, float, float]:
        """Degree, offset and scale, or one clear sentence."""
        if not (is_number(self.offset) and self.offset >= 0):
            raise ValueError(f"offset must be a finite number of at least 0, but it is {self.offset}.")
        return checked_degree(self.degree), float(self.offset), checked_positive(self.scale, "scale")

    def profile(self, t: Array) -> Array:
        degree, offset, scale = self.checked()
        return (offset + scale * np.asarray(t)) ** degree

    def coefficients(self, n_terms: int) -> Array:
        degree, offset, scale = self.checked()
        values = np.zeros(n_terms)
        powers = np.arange(min(n_terms, degree + 1))
        if offset == 0.0:
            values[degree:] = np.where(np.arange(degree, n_terms) == degree, scale**degree, 0.0)
            return values
        if degree <= 60:  # binomials of this size are exact in float64 up to one rounding
            binomials = np.ones(degree + 1)
            binomials[1:] = np.cumprod((degree - np.arange(degree)) / np.arange(1.0, degree + 1))
            values[powers] = np.rint(binomials[powers]) * scale**powers * offset ** (degree - powers)
            return values
        logarithms = gammaln(degree + 1) - gammaln(powers + 1) - gammaln(degree - powers + 1)
        logarithms += powers * np.log(scale) + (degree - powers) * np.log(offset)
        with np.errstate(over="ignore"):
            values[powers] = np.exp(logarithms)
        return values

    def resolve(self, rows: Any, weight: Array | None = None) -> Polynomial:
        return with_parameter(self, scale=1.0 / mean_square_norm(rows, weight)) if self.scale == "norm" else self


def checked_degree(degree: Any) -> int:
    """A whole number of at least 1, or one clear sentence."""
    if isinstance(degree, bool) or not isinstance(degree, int | np.integer) or degree < 1:
        raise ValueError(f"degree must be a whole number of at least 1, but it is {degree!r}.")
    return int(degree)

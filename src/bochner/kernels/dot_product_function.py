"""Any function of the inner product as a kernel: its Maclaurin series found numerically, or refused."""

from __future__ import annotations

from typing import Self

import numpy as np

from .base import Array
from .dot_product import DotProductKernel
from .maclaurin_series import Function, maclaurin_series


class DotProduct(DotProductKernel):
    """k(x, y) = function(<x, y>) for any function whose Maclaurin coefficients are all >= 0 (Schoenberg 1942).

    The coefficients are found numerically, by Cauchy integrals; a function with a negative one is not positive
    definite in every dimension, and is refused with that coefficient named.

    Parameters
    ----------
    function : callable
        Acts on each element of an array; must accept complex numbers and be analytic at 0.
    convergence_radius : float, default=None
        Radius of convergence of the Maclaurin series; None: found numerically, to about one per cent.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> bo.DotProduct(np.cosh).coefficients(5).round(6)
    array([1.      , 0.      , 0.5     , 0.      , 0.041667])
    >>> bo.DotProduct(np.tanh).coefficients(5)
    Traceback (most recent call last):
    ...
    ValueError: The function of DotProduct is not positive definite: ... coefficient a_3 = -0.333333 is negative.
    """

    def __init__(self, function: Function, convergence_radius: float | None = None) -> None:
        self.function = function
        self.convergence_radius = convergence_radius

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(np.cosh)]

    @property
    def radius(self) -> float:
        if self.convergence_radius is not None:
            return float(self.convergence_radius)
        return maclaurin_series(self.checked_function()).radius

    def checked_function(self) -> Function:
        """The function, or one clear sentence."""
        if not callable(self.function):
            raise TypeError(f"function must be a function of inner products, not {type(self.function).__name__}.")
        return self.function

    def profile(self, t: Array) -> Array:
        t = np.asarray(t, dtype=np.float64)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.asarray(self.checked_function()(t))
        hole = (t == 0.0) & np.isnan(values)  # of a quotient such as -log(1 - t)/t, whose limit is a_0
        return np.where(hole, self.coefficients(1)[0], values) if hole.any() else values

    def coefficients(self, n_terms: int) -> Array:
        found = maclaurin_series(self.checked_function()).coefficients
        negative = np.flatnonzero(found < 0)
        if negative.size:
            raise ValueError(
                "The function of DotProduct is not positive definite: its Maclaurin coefficient "
                f"a_{negative[0]} = {found[negative[0]]:.6g} is negative."
            )
        values = np.zeros(n_terms)
        values[: min(n_terms, len(found))] = found[:n_terms]
        return values

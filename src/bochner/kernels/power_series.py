"""Kernels that are power series of another kernel: the capability that the random Maclaurin map needs."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.numbers import refuse_no_numbers
from .base import Array, Kernel


class PowerSeriesKernel(Kernel):
    """k(x, y) = g(x) g(y) f(b(x, y)) with f(t) = sum_n a_n t^n, all a_n >= 0, and b the ``base`` kernel.

    The base is the inner product for dot-product kernels, and any kernel with an unbiased scalar feature for
    compositions. Products and sums with non-negative weights of positive definite functions are positive definite
    (Schur, Schoenberg), so k is a kernel.
    """

    @property
    @abstractmethod
    def base(self) -> Kernel:
        """The kernel b of which k is a power series."""

    @property
    @abstractmethod
    def radius(self) -> float:
        """Radius of convergence of f: k exists only where |b(x, y)| is smaller (or equal, if f is finite there)."""

    @abstractmethod
    def profile(self, t: Array) -> Array:
        """f(t)."""

    @abstractmethod
    def coefficients(self, n_terms: int) -> Array:
        """a_0, ..., a_{n_terms - 1}, each >= 0; zeros beyond the degree of a polynomial."""

    def amplitude(self, X: Any) -> Array:
        """g(x) for each row, shape (n,): 1 unless the kernel depends on norms too."""
        return np.ones(X.shape[0])

    def refuse_outside(self, values: Array) -> None:
        """Raise if a value of the base kernel lies where the series does not converge."""
        if np.isinf(self.radius) or not values.size:
            return
        largest = float(np.abs(values).max())
        if largest < self.radius:
            return
        with np.errstate(all="ignore"):
            at_edge = largest == self.radius and np.isfinite(self.profile(np.array([largest]))[0])
        if not at_edge:
            raise ValueError(
                f"The kernel {type(self).__name__} exists only where {type(self.base).__name__}(x, y) is smaller than "
                f"{self.radius:g} in size, but the data reach {largest:.6g}: scale the data down."
            )

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X, Y = as_table(X), None if Y is None else as_table(Y)
        left = self.amplitude(X)
        right = left if Y is None else self.amplitude(Y)
        return left[:, None] * self._at(self.base(X, Y)) * right

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.amplitude(X) * self._at(self.base.rowwise(X, Y)) * self.amplitude(Y)

    def diagonal(self, X: Any) -> Array:
        X = as_table(X)
        return self.amplitude(X) ** 2 * self._at(self.base.diagonal(X))

    def _at(self, values: Array) -> Array:
        self.refuse_outside(values)
        return self.profile(values)


def as_table(X: Any) -> Any:
    """A two-dimensional float64 array, or the sparse matrix itself."""
    if sp.issparse(X):
        return X
    refuse_no_numbers(X)
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"A kernel needs a table of rows and columns, but it was given {X.ndim} dimension(s).")
    return X

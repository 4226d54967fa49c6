"""Additive homogeneous kernels: what features of histograms need."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Array, Kernel
from .power_series import as_table


class HomogeneousKernel(Kernel):
    """k(x, y) = sum_j (x_j y_j)^a K(log(y_j / x_j)) for entries >= 0, with K(o) = ∫ κ(l) cos(o l) dl.

    Each term is homogeneous of degree 2a, so it is a power of the geometric mean times a signature K of the ratio,
    which is a shift-invariant kernel of logarithms (Vedaldi and Zisserman 2012). κ is a probability density, and k is
    positive definite for every exponent a >= 0 if and only if K is (Bochner).
    """

    def __init__(self, exponent: float = 0.5) -> None:
        self.exponent = exponent

    @abstractmethod
    def of_degree_one(self, x: Array, y: Array) -> Array:
        """sqrt(xy) K(log(y/x)) of single entries x, y >= 0, by broadcasting; 0 where either is 0."""

    @abstractmethod
    def signature_at(self, log_ratio: Array) -> Array:
        """K(o), with K(0) = 1."""

    @abstractmethod
    def spectrum_at(self, frequency: Array) -> Array:
        """κ(l); infinite at 0 for a point mass."""

    @abstractmethod
    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        """N independent draws of l from κ."""

    def period(self, order: int, window: str) -> float | None:
        """Published period of the signature for ``order`` sampled frequencies besides 0, where there is one."""
        return None

    def checked_exponent(self) -> float:
        """The exponent a, or one clear sentence."""
        value = self.exponent
        if isinstance(value, bool) or not (isinstance(value, Real) and 0 <= float(value) < np.inf):
            raise ValueError(f"exponent must be a finite number of at least 0, but it is {value!r}.")
        return float(value)

    def entrywise(self, x: Array, y: Array) -> Array:
        """(xy)^a K(log(y/x)) of single entries x, y >= 0, by broadcasting; 0 where either is 0, unless a is 0."""
        values, more = self.of_degree_one(x, y), self.checked_exponent() - 0.5
        if more == 0.0:
            return values
        return values * np.where(x > 0, x, 1.0) ** more * np.where(y > 0, y, 1.0) ** more

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = self.checked_entries(X)
        Y = X if Y is None else self.checked_entries(Y)
        values = np.zeros((X.shape[0], Y.shape[0]))
        for x, y in zip(X.T, Y.T):
            values += self.entrywise(x[:, None], y[None, :])
        return values

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.entrywise(self.checked_entries(X), self.checked_entries(Y)).sum(axis=1)

    def diagonal(self, X: Any) -> Array:
        return (self.checked_entries(X) ** (2.0 * self.checked_exponent())).sum(axis=1)

    def checked_entries(self, X: Any) -> Array:
        """A dense table without negative entries (or zeros, if the exponent is 0), or one clear sentence."""
        X = as_table(X)
        X = X.toarray() if sp.issparse(X) else X
        refuse_entries(X, self.checked_exponent())
        return X


def refuse_entries(values: Any, exponent: float) -> None:
    """Raise if an entry is negative, or 0 where the exponent is 0; of sparse rows too."""
    stored = values.data if sp.issparse(values) else values
    if stored.size and stored.min() < 0:
        raise ValueError(
            f"Additive kernels are defined for entries >= 0, but the data contain {stored.min():.6g}: "
            "Negative values in data are not allowed; use counts, frequencies or other non-negative columns."
        )
    if exponent == 0.0 and (np.count_nonzero(stored) < np.prod(values.shape)):
        raise ValueError(
            "A homogeneous kernel of exponent 0 sees ratios only, but the data contain 0: give a larger one."
        )


def quotient_or_zero(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0)

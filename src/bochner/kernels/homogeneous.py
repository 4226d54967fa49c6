"""Additive homogeneous kernels: what features of histograms need."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Array, Kernel
from .power_series import as_table


class HomogeneousKernel(Kernel):
    """k(x, y) = sum_j sqrt(x_j y_j) K(log(y_j / x_j)) for entries >= 0, with K(o) = ∫ κ(l) cos(o l) dl.

    Each term is homogeneous of degree 1, so it is its value on the geometric mean times a signature K of the ratio,
    which is a shift-invariant kernel of logarithms (Vedaldi and Zisserman 2012). κ is a probability density.
    """

    @abstractmethod
    def entrywise(self, x: Array, y: Array) -> Array:
        """K of single entries x, y >= 0, by broadcasting; 0 where either is 0."""

    @abstractmethod
    def signature(self, log_ratio: Array) -> Array:
        """K(o), with K(0) = 1."""

    @abstractmethod
    def spectrum(self, frequency: Array) -> Array:
        """κ(l); infinite at 0 for a point mass."""

    @abstractmethod
    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        """N independent draws of l from κ."""

    @abstractmethod
    def period(self, order: int, window: str) -> float:
        """Published period of the signature for ``order`` sampled frequencies besides 0 (Vedaldi and Zisserman)."""

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = checked_entries(X)
        Y = X if Y is None else checked_entries(Y)
        values = np.zeros((X.shape[0], Y.shape[0]))
        for x, y in zip(X.T, Y.T):
            values += self.entrywise(x[:, None], y[None, :])
        return values

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.entrywise(checked_entries(X), checked_entries(Y)).sum(axis=1)

    def diagonal(self, X: Any) -> Array:
        return checked_entries(X).sum(axis=1)


def checked_entries(X: Any) -> Array:
    """A dense table without negative entries, or one clear sentence."""
    X = as_table(X)
    X = X.toarray() if sp.issparse(X) else X
    refuse_negative(X)
    return X


def refuse_negative(values: Array) -> None:
    """Raise if an entry is negative."""
    if values.size and values.min() < 0:
        raise ValueError(
            f"Additive kernels are defined for entries >= 0, but the data contain {values.min():.6g}: "
            "Negative values in data are not allowed; use counts, frequencies or other non-negative columns."
        )


def quotient_or_zero(numerator: Array, denominator: Array) -> Array:
    """Numerator / denominator, and 0 where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.zeros(np.shape(numerator)), where=denominator > 0)

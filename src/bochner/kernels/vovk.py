"""Vovk's polynomial kernels, finite and infinite."""

from __future__ import annotations

from typing import Self

import numpy as np

from .base import Array
from .dot_product import DotProductKernel
from .polynomial import checked_degree


class Vovk(DotProductKernel):
    """k(x, y) = 1 + t + ... + t^{degree - 1} with t = <x, y>; the infinite one is 1 / (1 - t), for |t| < 1 only.

    Parameters
    ----------
    degree : int or None, default=None
        Number of terms, at least 1, so that (1 - t^degree) / (1 - t) = degree at t = 1. None: the infinite series.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Vovk(degree=5)([[0.31]], [[1.0]]).round(6)
    array([[1.445126]])
    >>> bo.Vovk()([[0.5]], [[0.5]]).round(6)
    array([[1.333333]])
    """

    def __init__(self, degree: int | None = None) -> None:
        self.degree = degree

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(), cls(4)]

    @property
    def radius(self) -> float:
        return 1.0 if self.degree is None else np.inf

    def profile(self, t: Array) -> Array:
        t = np.asarray(t)
        if self.degree is None:
            return 1.0 / (1.0 - t)
        values = np.zeros_like(t, dtype=np.result_type(t, np.float64))
        for _ in range(checked_degree(self.degree)):  # Horner: no 0/0 at t = 1
            values = values * t + 1.0
        return values

    def coefficients(self, n_terms: int) -> Array:
        values = np.ones(n_terms)
        if self.degree is not None:
            values[checked_degree(self.degree) :] = 0.0
        return values

"""The arc-cosine kernels: infinitely wide layers of step and of rectified linear units."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np

from .base import Array, Kernel
from .inner_product import Cosine, squared_norms
from .power_series import PowerSeriesKernel


class ArcCosine(PowerSeriesKernel):
    """k(x, y) = ||x||^order ||y||^order f(t), t the cosine of the angle between x and y (Cho and Saul 2009).

    Order 0: f(t) = 1 - arccos(t)/π = 1/2 + arcsin(t)/π.
    Order 1: f(t) = (sqrt(1 - t²) + t (π - arccos t)) / π.

    With s_k = C(2k, k) / (4^k (2k + 1)), arcsin t = sum_k s_k t^{2k+1}, and f' of order 1 is f of order 0, so
    a_0 = 1/2, a_{2k+1} = s_k/π for order 0; a_0 = 1/π, a_1 = 1/2, a_{2k+2} = s_k / (π (2k + 2)) for order 1.
    The series is in the cosine, not in <x, y>: k is a function of the inner product on the unit sphere only.

    Parameters
    ----------
    order : {0, 1}, default=1

    Examples
    --------
    >>> import bochner as bo
    >>> bo.ArcCosine(order=0)([[1.0, 0.0]], [[0.0, 3.0]])
    array([[0.5]])
    >>> bo.ArcCosine(order=1).coefficients(5).round(6)
    array([0.31831 , 0.5     , 0.159155, 0.      , 0.013263])
    """

    def __init__(self, order: Literal[0, 1] = 1) -> None:
        self.order = order

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(0), cls(1)]

    @property
    def base(self) -> Kernel:
        return Cosine()

    @property
    def radius(self) -> float:
        return 1.0

    def checked_order(self) -> int:
        """0 or 1, or one clear sentence."""
        if isinstance(self.order, bool) or self.order not in (0, 1):
            raise ValueError(f"order must be 0 or 1, but it is {self.order!r}.")
        return int(self.order)

    def amplitude(self, X: Any) -> Array:
        return squared_norms(X) ** (0.5 * self.checked_order())

    def profile(self, t: Array) -> Array:
        angle = np.arccos(t)
        if self.checked_order() == 0:
            return 1.0 - angle / np.pi
        return (np.sqrt(1.0 - np.square(t)) + t * (np.pi - angle)) / np.pi

    def coefficients(self, n_terms: int) -> Array:
        k = np.arange(n_terms // 2 + 1)
        ratios = np.where(k > 0, (2.0 * k - 1.0) / np.maximum(2.0 * k, 1.0), 1.0)
        odd = np.cumprod(ratios) / (2.0 * k + 1.0) / np.pi
        values = np.zeros(2 * len(k) + 1)
        if self.checked_order() == 0:
            values[0], values[1::2] = 0.5, odd
        else:
            values[0], values[1], values[2::2] = 1.0 / np.pi, 0.5, odd / (2.0 * k + 2.0)
        return values[:n_terms]

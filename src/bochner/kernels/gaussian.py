"""The Gaussian kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy.special import gammaincinv, ndtri

from ..compute.exponential import gaussians
from .base import Array
from .scaled_kernel import RadialKernel, from_products
from .scaling import LengthScale, Metric, checked_gamma


class Gaussian(RadialKernel):
    """k(Δ) = exp(-||Δ||² / (2 l²)), with frequencies w ~ N(0, I / l²) and E||w||² = d / l².

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
        "auto" is "std" for raw tables, found in a fit. In scikit-learn's terms gamma = 1 / (2 l²): ``from_gamma``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Gaussian(length_scale=2.0)([[0.0, 0.0]], [[2.0, 0.0]]).round(4)
    array([[0.6065]])
    """

    def __init__(self, length_scale: LengthScale = "auto") -> None:
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3), cls(Metric(np.eye(dim) - 0.3 * np.eye(dim, k=1))), cls(np.linspace(0.7, 2.0, dim))]

    @classmethod
    def from_gamma(cls, gamma: float) -> Self:
        """exp(-gamma ||Δ||²), as scikit-learn's "rbf" has it: l = 1 / sqrt(2 gamma).

        Examples
        --------
        >>> import bochner as bo
        >>> bo.Gaussian.from_gamma(0.125).length_scale
        2.0
        """
        return cls(1.0 / float(np.sqrt(2.0 * checked_gamma(gamma))))

    def unit_values(self, X: Any, Y: Any) -> Array:
        values = from_products(gaussians, X, Y)
        return super().unit_values(X, Y) if values is None else values

    def unit_single(self, X: Any, Y: Any) -> Array:
        values = from_products(gaussians, X, Y, np.float32)
        return super().unit_single(X, Y) if values is None else values

    def profile(self, r: Array) -> Array:
        return np.exp(-0.5 * np.square(r))

    def slope(self, r: Array, values: Array) -> Array:
        return values

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        return ndtri(uniforms)

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        return np.sqrt(2.0 * gammaincinv(0.5 * dim, uniforms))  # chi with d degrees of freedom

    def unit_density(self, radius: Array, dim: int) -> Array:
        return np.exp(-0.5 * np.square(radius)) / (2.0 * np.pi) ** (0.5 * dim)

    def unit_second_moment(self, dim: int) -> float:
        return float(dim)

"""The Gaussian kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaincinv, ndtri

from ..compute.exponential import gaussians
from .base import Array
from .length_scale import LengthScale
from .shift_invariant import RadialKernel, from_products


class Gaussian(RadialKernel):
    """k(Δ) = exp(-||Δ||² / (2 l²)), with frequencies w ~ N(0, I / l²) and E||w||² = d / l².

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std" or "auto", default=1.0
        "auto" is "std" for raw tables. In scikit-learn's terms gamma = 1 / (2 l²).

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Gaussian(length_scale=2.0)([[0.0, 0.0]], [[2.0, 0.0]]).round(4)
    array([[0.6065]])
    """

    def __init__(self, length_scale: LengthScale = 1.0) -> None:
        self.length_scale = length_scale

    def __call__(self, X: Any, Y: Any = None) -> Array:
        values = from_products(gaussians, X, Y, self.length_scale)
        return super().__call__(X, Y) if values is None else values

    def single(self, X: Any, Y: Any) -> Array:
        values = from_products(gaussians, X, Y, self.length_scale, np.float32)
        return super().single(X, Y) if values is None else values

    def profile(self, r: Array) -> Array:
        return np.exp(-0.5 * np.square(r))

    def n_uniforms(self, dim: int) -> int:
        return dim

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        return ndtri(uniforms)

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        return np.sqrt(2.0 * gammaincinv(0.5 * dim, uniforms))  # chi with d degrees of freedom

    def unit_density(self, radius: Array, dim: int) -> Array:
        return np.exp(-0.5 * np.square(radius)) / (2.0 * np.pi) ** (0.5 * dim)

    def unit_second_moment(self, dim: int) -> float:
        return float(dim)

"""The rational quadratic kernel."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaincinv, ndtri

from .base import Array
from .length_scale import LengthScale
from .shift_invariant import RadialKernel


class RationalQuadratic(RadialKernel):
    """k(Δ) = (1 + ||Δ||² / (2 α l²))^(-α): Gaussians of gamma-distributed precision.

    Frequencies w = g sqrt(τ) / l with g normal and τ ~ Gamma(shape α, rate α); E||w||² = d / l² for every α.

    Parameters
    ----------
    length_scale : float, array of one per column, "median" or "std", default=1.0
    alpha : float, default=1.0

    Examples
    --------
    >>> import bochner as bo
    >>> bo.RationalQuadratic(alpha=1.0)([[0.0]], [[1.0]]).round(6)
    array([[0.666667]])
    """

    def __init__(self, length_scale: LengthScale = 1.0, alpha: float = 1.0) -> None:
        self.length_scale = length_scale
        self.alpha = alpha

    def _checked_alpha(self) -> float:
        if not (self.alpha > 0 and np.isfinite(self.alpha)):
            raise ValueError(f"RationalQuadratic needs a finite alpha > 0, but alpha is {self.alpha}.")
        return float(self.alpha)

    def profile(self, r: Array) -> Array:
        alpha = self._checked_alpha()
        return (1.0 + np.square(r) / (2.0 * alpha)) ** -alpha

    def n_uniforms(self, dim: int) -> int:
        return dim + 1

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        alpha = self._checked_alpha()
        precision = gammaincinv(alpha, uniforms[:, dim:]) / alpha
        return ndtri(uniforms[:, :dim]) * np.sqrt(precision)

    def unit_second_moment(self, dim: int) -> float:
        return float(dim)

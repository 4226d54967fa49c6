"""The rational quadratic kernel."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Self

import numpy as np
from scipy.special import gammainc, gammaincc, gammaincinv, gammaln, kve, ndtri

from ..compute.numbers import is_number
from .base import Array
from .radius_law import gamma_nodes, tabulated_quantile
from .scaled_kernel import RadialKernel
from .scaling import LengthScale

NEARLY_ZERO = 1e-12  # arguments of Bessel's function that stand for 0


class RationalQuadratic(RadialKernel):
    """k(Δ) = (1 + ||Δ||² / (2 α l²))^(-α): Gaussians of gamma-distributed precision.

    Frequencies w = g sqrt(τ) / l with g normal and τ ~ Gamma(shape α, rate α); E||w||² = d / l² for every α.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
    alpha : float, default=1.0

    Examples
    --------
    >>> import bochner as bo
    >>> bo.RationalQuadratic(1.0, alpha=1.0)([[0.0]], [[1.0]]).round(6)
    array([[0.666667]])
    """

    def __init__(self, length_scale: LengthScale = "auto", alpha: float = 1.0) -> None:
        self.length_scale = length_scale
        self.alpha = alpha

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3, 0.5), cls(np.linspace(0.7, 2.0, dim), 2.0)]

    def _checked_alpha(self) -> float:
        if not (is_number(self.alpha) and self.alpha > 0):
            raise ValueError(f"RationalQuadratic needs a finite alpha > 0, but alpha is {self.alpha}.")
        return float(self.alpha)

    def profile(self, r: Array) -> Array:
        alpha = self._checked_alpha()
        return (1.0 + np.square(r) / (2.0 * alpha)) ** -alpha

    def slope(self, r: Array, values: Array) -> Array:
        return values / (1.0 + np.square(r) / (2.0 * self._checked_alpha()))

    def unit_uniforms(self, dim: int) -> int:
        return dim + 1

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        alpha = self._checked_alpha()
        precision = gammaincinv(alpha, uniforms[:, dim:]) / alpha
        return ndtri(uniforms[:, :dim]) * np.sqrt(precision)

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        alpha = self._checked_alpha()
        return np.exp(0.5 * (np.log(2.0 / alpha) + _log_product_quantile(alpha, 0.5 * dim)(uniforms)))

    def unit_density(self, radius: Array, dim: int) -> Array:
        """2 α^α / (Γ(α) (2π)^{d/2}) (ρ² / 2α)^{c/2} K_c(sqrt(2α) ρ), c = α - d/2; infinite at 0 where c <= 0."""
        alpha = self._checked_alpha()
        c = alpha - 0.5 * dim
        z = np.maximum(np.sqrt(2.0 * alpha) * np.asarray(radius, dtype=np.float64), NEARLY_ZERO)
        log_size = alpha * np.log(alpha) - gammaln(alpha) - 0.5 * dim * np.log(2.0 * np.pi)
        with np.errstate(over="ignore"):
            log_bessel = np.log(2.0 * kve(c, z)) - z + c * np.log(z / (2.0 * alpha))
        at_zero = gammaln(c) - c * np.log(alpha) if c > 0 else np.inf
        return np.exp(log_size + np.where(z > NEARLY_ZERO, log_bessel, at_zero))

    def unit_second_moment(self, dim: int) -> float:
        return float(dim)


@lru_cache(maxsize=64)
def _log_product_quantile(one: float, other: float) -> Callable[[Array], Array]:
    """Logarithmic quantile function of the product of two independent gamma numbers of these shapes.

    P(G_a G_b <= y) = E P(G_a <= y / G_b), b the larger shape: the smooth law of one, averaged over the sharper one.
    """
    smooth, sharp = sorted((one, other))
    points, weights = gamma_nodes(sharp)

    def averaged(tail: Callable[[float, Array], Array], log_product: Array) -> Array:
        return np.asarray(tail(smooth, np.exp(np.minimum(log_product[:, None] - np.log(points), 700.0))) @ weights)

    return tabulated_quantile(lambda t: averaged(gammainc, t), lambda t: averaged(gammaincc, t))

"""Exponentials of powers of the distance."""

from __future__ import annotations

from typing import Self

import numpy as np
from scipy.special import ndtri

from ..compute.numbers import is_number
from .base import Array
from .gaussian import Gaussian
from .scaled_kernel import RadialKernel
from .scaling import LengthScale
from .stable import log_quantile, log_stable, stable_gamma

MOST = 69.0  # logarithm of the longest frequency, 1e30: angles have lost all digits long before


class PoweredExponential(RadialKernel):
    """k(Δ) = exp(-(||Δ|| / l)^a), 0 < a <= 2: the smaller the exponent a, the rougher.

    Its frequencies follow the symmetric stable law of index a: w = (g / l) sqrt(2A), g normal and A positive stable of
    index a/2, E exp(-sA) = exp(-s^{a/2}), one A for all columns of a frequency. E||w||² is infinite for a < 2.
    a = 1 is Matern's kernel with ν = 1/2, a = 2 the Gaussian of length scale l / sqrt(2). The product over columns is
    ``StretchedExponential``, which has a pitch law too.

    For small exponents some frequencies are so long that angles w'x have lost all digits, which makes features count
    them as 0 and kernel values too large: by 1e-5 for a = .3 and .02 for a = .1 in double precision, by .0001 for
    a = .5, .004 for a = .3 and .13 for a = .1 in single precision.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
    exponent : float, default=1.5

    Examples
    --------
    >>> import bochner as bo
    >>> bo.PoweredExponential(1.0, exponent=1.5)([[0.0, 0.0]], [[2.0, 0.0]]).round(4)
    array([[0.0591]])
    """

    def __init__(self, length_scale: LengthScale = "auto", exponent: float = 1.5) -> None:
        self.length_scale = length_scale
        self.exponent = exponent

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [*(cls(1.3, exponent) for exponent in (0.7, 1.3, 1.8, 2.0)), cls(np.linspace(0.7, 2.0, dim), 1.5)]

    def checked_exponent(self) -> float:
        """The exponent a, or one clear sentence."""
        if not (is_number(self.exponent) and 0.0 < self.exponent <= 2.0):
            raise ValueError(f"exponent must be greater than 0 and at most 2, but it is {self.exponent}.")
        return float(self.exponent)

    def profile(self, r: Array) -> Array:
        return np.exp(-(np.asarray(r, dtype=np.float64) ** self.checked_exponent()))

    def unit_uniforms(self, dim: int) -> int:
        return dim + 2

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        log_mixing = log_stable(uniforms[:, dim], uniforms[:, dim + 1], 0.5 * self.checked_exponent())
        return ndtri(uniforms[:, :dim]) * np.exp(np.minimum(0.5 * (np.log(2.0) + log_mixing), MOST))[:, None]

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        """||w||² = 4 A G, G of the gamma law of shape d/2."""
        exponent = self.checked_exponent()
        if exponent == 2.0:
            return np.sqrt(2.0) * Gaussian().radius_quantile(uniforms, dim)
        return np.exp(np.minimum(np.log(2.0) + 0.5 * log_quantile(0.5 * exponent, 0.5 * dim)(ndtri(uniforms)), MOST))

    def unit_density(self, radius: Array, dim: int) -> Array:
        """E (4πA)^{-d/2} exp(-ρ² / 4A), found numerically: the stable law has no closed form."""
        exponent = self.checked_exponent()
        if exponent == 2.0:
            return Gaussian(np.sqrt(0.5)).spectral_density(np.multiply.outer(radius, np.eye(dim)[0]))
        log_values = 2.0 * np.log(np.maximum(0.5 * np.ravel(radius), np.finfo(np.float64).tiny))
        law = stable_gamma(0.5 * exponent, 0.5 * dim)
        return law.density_of_frequencies(log_values).reshape(np.shape(radius))

    def unit_second_moment(self, dim: int) -> float:
        return 2.0 * dim if self.checked_exponent() == 2.0 else np.inf

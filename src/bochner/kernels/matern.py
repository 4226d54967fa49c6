"""Matern kernels of any smoothness."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.polynomial.polynomial import polyval
from scipy.special import gammaincinv, gammaln, kve, ndtri

from ..compute.exponential import materns
from .base import Array
from .gaussian import Gaussian
from .length_scale import LengthScale
from .shift_invariant import RadialKernel, from_products

# k = p(s) exp(-s) where nu - 1/2 is a whole number: coefficients of p from the constant up.
POLYNOMIALS = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}


class Matern(RadialKernel):
    """k(Δ) = 2^(1-ν)/Γ(ν) s^ν K_ν(s) with s = sqrt(2ν) ||Δ|| / l.

    Its frequencies follow the multivariate t law with 2ν degrees of freedom: w = (g / l) sqrt(2ν / u), g normal,
    u ~ chi²(2ν), one u for all columns of a frequency. E||w||² = d ν / ((ν - 1) l²), infinite for ν <= 1.
    ν = 1/2 is the isotropic exponential exp(-||Δ|| / l); ν = inf is the Gaussian.

    Parameters
    ----------
    length_scale : float, array of one per column, "median" or "std", default=1.0
    nu : float, default=1.5

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Matern(nu=1.5)([[0.0]], [[1.0]]).round(6)
    array([[0.483358]])
    """

    def __init__(self, length_scale: LengthScale = 1.0, nu: float = 1.5) -> None:
        self.length_scale = length_scale
        self.nu = nu

    def _checked_nu(self) -> float:
        if not self.nu > 0:
            raise ValueError(f"Matern needs nu > 0, but nu is {self.nu}.")
        return float(self.nu)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        if np.isinf(self._checked_nu()):
            return Gaussian(self.length_scale)(X, Y)
        values = self._from_products(X, Y, np.float64)
        return super().__call__(X, Y) if values is None else values

    def single(self, X: Any, Y: Any) -> Array:
        if np.isinf(self._checked_nu()):
            return Gaussian(self.length_scale).single(X, Y)
        values = self._from_products(X, Y, np.float32)
        return super().single(X, Y) if values is None else values

    def _from_products(self, X: Any, Y: Any, dtype: type) -> Array | None:
        nu = self._checked_nu()
        if nu not in POLYNOMIALS:
            return None
        finish = partial(materns, scale=float(np.sqrt(2.0 * nu)), polynomial=POLYNOMIALS[nu])
        return from_products(finish, X, Y, self.length_scale, dtype)

    def profile(self, r: Array) -> Array:
        nu = self._checked_nu()
        if np.isinf(nu):
            return Gaussian().profile(r)
        s = np.sqrt(2.0 * nu) * np.asarray(r, dtype=np.float64)
        if nu in POLYNOMIALS:
            return polyval(s, POLYNOMIALS[nu]) * np.exp(-s)
        # kve(nu, s) = K_nu(s) e^s; logarithms so that large nu neither overflows nor loses s -> 0.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_value = (1 - nu) * np.log(2.0) - gammaln(nu) + nu * np.log(s) + np.log(kve(nu, s)) - s
        return np.where(np.isfinite(log_value), np.exp(np.minimum(log_value, 0.0)), np.where(s < 1, 1.0, 0.0))

    def n_uniforms(self, dim: int) -> int:
        return dim + 1

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        nu = self._checked_nu()
        normal = ndtri(uniforms[:, :dim])
        if np.isinf(nu):
            return normal
        half_chi_squared = gammaincinv(nu, uniforms[:, dim:])  # u / 2 for u ~ chi²(2 nu)
        return normal * np.sqrt(nu / np.maximum(half_chi_squared, np.finfo(np.float64).tiny))

    def unit_second_moment(self, dim: int) -> float:
        nu = self._checked_nu()
        if np.isinf(nu):
            return float(dim)
        return dim * nu / (nu - 1.0) if nu > 1 else np.inf

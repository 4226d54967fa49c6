"""Matern kernels of any smoothness."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.polynomial import Polynomial
from numpy.polynomial.polynomial import polyval
from scipy.special import betaincinv, gammaincinv, gammaln, kve, ndtri

from ..compute.exponential import materns
from .base import Array
from .gaussian import Gaussian
from .scaled_kernel import NEAREST, RadialKernel, from_products
from .scaling import LengthScale

# k = p(s) exp(-s) where nu - 1/2 is a whole number: coefficients of p from the constant up.
POLYNOMIALS = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}

# Ridge on landmarks with nu = 2.5, 28 tables of up to 20,000 rows, means of two seeds at 0.7, 1, 1.4, 2: parkinsons
# .761 .767 .771 .770, krkopt .557 .558 .561 .561, bike .932 .939 .943 .946, elevators .848 .860 .864 .865, CASP .532
# .530 .529 .526, pol .942 .939 .937 .935; of the others none differs by more than .004 between 1 and 2. The same with
# nu = 1.5; the Gaussian prefers 0.7 to 1.
AUTO_FACTOR = 1.4
SMOOTH, DEBYE_TERMS = 50.0, 8  # nu from which so many terms of Debye's expansion are exact to the last digits
SMALLEST = np.finfo(np.float64).tiny


class Matern(RadialKernel):
    """k(Δ) = 2^(1-ν)/Γ(ν) s^ν K_ν(s) with s = sqrt(2ν) ||Δ|| / l.

    Its frequencies follow the multivariate t law with 2ν degrees of freedom: w = (g / l) sqrt(2ν / u), g normal,
    u ~ chi²(2ν), one u for all columns of a frequency. E||w||² = d ν / ((ν - 1) l²), infinite for ν <= 1.
    ν = 1/2 is the isotropic exponential exp(-||Δ|| / l); ν = inf is the Gaussian. Values are exact to 1e-12 for
    every ν: from 50 on they come from Debye's expansion of K_ν, where K_ν itself overflows.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
        "auto": 1.4 times "std", for raw tables (1 times where nu = inf).
    nu : float, default=1.5

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Matern(1.0, nu=1.5)([[0.0]], [[1.0]]).round(6)
    array([[0.483358]])
    """

    def __init__(self, length_scale: LengthScale = "auto", nu: float = 1.5) -> None:
        self.length_scale = length_scale
        self.nu = nu

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [*(cls(1.3, nu) for nu in (0.5, 0.8, 1.5, 2.5, np.inf)), cls(np.linspace(0.7, 2.0, dim))]

    def _checked_nu(self) -> float:
        if not (isinstance(self.nu, Real) and not isinstance(self.nu, bool) and self.nu > 0):
            raise ValueError(f"Matern needs nu > 0, but nu is {self.nu}.")
        return float(self.nu)

    def unit_values(self, X: Any, Y: Any) -> Array:
        if np.isinf(self._checked_nu()):
            return Gaussian().unit_values(X, Y)
        values = self._from_products(X, Y, np.float64)
        return super().unit_values(X, Y) if values is None else values

    def unit_single(self, X: Any, Y: Any) -> Array:
        if np.isinf(self._checked_nu()):
            return Gaussian().unit_single(X, Y)
        values = self._from_products(X, Y, np.float32)
        return super().unit_single(X, Y) if values is None else values

    def _from_products(self, X: Any, Y: Any, dtype: type) -> Array | None:
        nu = self._checked_nu()
        if nu not in POLYNOMIALS:
            return None
        finish = partial(materns, scale=float(np.sqrt(2.0 * nu)), polynomial=POLYNOMIALS[nu])
        return from_products(finish, X, Y, dtype)

    def profile(self, r: Array) -> Array:
        nu = self._checked_nu()
        if np.isinf(nu):
            return Gaussian().profile(r)
        r = np.minimum(np.asarray(r, dtype=np.float64), 1e100)  # the kernel is 0 long before
        s = np.sqrt(2.0 * nu) * r
        if nu in POLYNOMIALS:
            return polyval(s, POLYNOMIALS[nu]) * np.exp(-s)
        if nu >= SMOOTH:
            return debye_profile(nu, r)
        # kve(nu, s) = K_nu(s) e^s. It overflows only where s < 3e-5, and there k is 1 up to s² / (4 (nu - 1)).
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            log_value = (1 - nu) * np.log(2.0) - gammaln(nu) + nu * np.log(s) + np.log(kve(nu, s)) - s
        return np.where(np.isfinite(log_value), np.exp(np.minimum(log_value, 0.0)), np.where(s < 1, 1.0, 0.0))

    def slope(self, r: Array, values: Array) -> Array:
        """k_{ν-1}(r sqrt(ν/(ν-1))) ν/(ν-1) for ν > 1, k/r for ν = 1/2, numerically in between."""
        nu = self._checked_nu()
        if np.isinf(nu):
            return values
        if nu > 1.0:
            ratio = nu / (nu - 1.0)
            return ratio * Matern(nu=nu - 1.0).profile(r * np.sqrt(ratio))
        return values / np.maximum(r, NEAREST) if nu == 0.5 else super().slope(r, values)

    @property
    def auto_factor(self) -> float:
        return Gaussian().auto_factor if np.isinf(self._checked_nu()) else AUTO_FACTOR

    def unit_uniforms(self, dim: int) -> int:
        return dim + 1

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        nu = self._checked_nu()
        normal = ndtri(uniforms[:, :dim])
        if np.isinf(nu):
            return normal
        half_chi_squared = gammaincinv(nu, uniforms[:, dim:])  # u / 2 for u ~ chi²(2 nu)
        return normal * np.sqrt(nu / np.maximum(half_chi_squared, SMALLEST))

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        """||w||² / d has the F law of d and 2ν degrees of freedom: ||w||² = 2ν b / (1 - b), b ~ Beta(d/2, ν)."""
        nu = self._checked_nu()
        if np.isinf(nu):
            return Gaussian().radius_quantile(uniforms, dim)
        upper = betaincinv(nu, 0.5 * dim, 1.0 - uniforms)  # 1 - b, exact in the tail of large radii
        lower = betaincinv(0.5 * dim, nu, np.minimum(uniforms, 0.5))
        ratio = np.where(uniforms < 0.5, lower / (1.0 - lower), (1.0 - upper) / np.maximum(upper, SMALLEST))
        return np.sqrt(2.0 * nu * ratio)

    def unit_density(self, radius: Array, dim: int) -> Array:
        """Γ(ν + d/2) / (Γ(ν) (2νπ)^{d/2}) (1 + ρ²/2ν)^{-(ν + d/2)}."""
        nu = self._checked_nu()
        if np.isinf(nu):
            return Gaussian().unit_density(radius, dim)
        log_size = gammaln(nu + 0.5 * dim) - gammaln(nu) - 0.5 * dim * np.log(2.0 * nu * np.pi)
        return np.exp(log_size - (nu + 0.5 * dim) * np.log1p(np.square(radius) / (2.0 * nu)))

    def unit_second_moment(self, dim: int) -> float:
        nu = self._checked_nu()
        if np.isinf(nu):
            return float(dim)
        return dim * nu / (nu - 1.0) if nu > 1 else np.inf


def debye_profile(nu: float, r: Array) -> Array:
    """The kernel at scaled distance r for large nu, without overflow and without cancellation.

    With q = sqrt(1 + 2r²/ν) and u = q - 1 = (2r²/ν) / (1 + q), Debye's uniform expansion of K_ν gives

        log k = ν [log(1 + u/2) - u] - log(q) / 2 + log S(1/q) - log S(1),    S(t) = sum_k (-1)^k U_k(t) / ν^k.

    Examples
    --------
    >>> import numpy as np
    >>> debye_profile(200.0, np.array([0.0, 0.1, 1.0])).round(8)
    array([1.        , 0.99498754, 0.60539324])
    """
    ratio = r * np.sqrt(2.0 / nu)
    q = np.hypot(1.0, ratio)
    u = ratio * (ratio / (1.0 + q))
    series = sum((polynomial / (-nu) ** k for k, polynomial in enumerate(DEBYE)), Polynomial([0.0]))
    return np.exp(nu * (np.log1p(0.5 * u) - u) - 0.5 * np.log(q) + np.log(series(1.0 / q) / series(1.0)))


def debye_polynomials(count: int) -> list[Polynomial]:
    """U_0 = 1, U_{k+1}(t) = t²(1 - t²) U_k'(t) / 2 + the integral from 0 to t of (1 - 5s²) U_k(s) / 8."""
    found = [Polynomial([1.0])]
    for _ in range(count):
        last = found[-1]
        found.append(Polynomial([0, 0, 0.5, 0, -0.5]) * last.deriv() + (Polynomial([0.125, 0, -0.625]) * last).integ())
    return found


DEBYE = debye_polynomials(DEBYE_TERMS)

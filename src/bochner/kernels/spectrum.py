r"""From a profile k(r) to the law of its frequency radius rho = ||w||, found numerically.

.. math:: F_d(\rho) = \frac{2^{1-d/2}}{\Gamma(d/2)} \int_0^\infty k(r) \rho^{d/2} r^{d/2-1}
          J_{d/2}(\rho r)\, dr

(for d = 1 the formula of Gil-Pelaez). `bochner.kernels.mellin` computes it; here are the checks of the
profile, the table with its inverse, and the refusal of profiles that are not positive definite.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq
from scipy.special import gamma

from bochner.kernels.mellin import RadialLaw, radial_law

Profile = Callable[[np.ndarray], np.ndarray]

NEGATIVE_MASS_TOLERANCE = 1e-6
"""Negative mass above which a profile is refused (if also above its quadrature error)."""

LARGEST_QUADRATURE_ERROR = 1e-3
"""Estimated error above which the transform is not trusted."""

_SMALLEST_TAIL = 1e-9  # the table stops where F or 1 - F falls below this; a power law continues it


@dataclass(frozen=True)
class RadialSpectrum:
    """Law of rho = ||w|| for k(Delta) = profile(||Delta||) in R^dim.

    With dim = 1 it is also the law of each |w_j| of a product kernel.

    Attributes
    ----------
    dim : int
    radii : array, increasing, log spaced after a first entry 0.
    cdf : array, F_d at the radii, strictly increasing from 0 to nearly 1; a power law continues it.
    negative_mass : float, the total decrease of F_d above noise; 0 for a positive definite profile.
    quadrature_error : float, noise of F_d, plus the error of the kernel that F_d implies within 30 half radii, plus
        twice the mass that the power law continues: the kernel that is drawn is no further from the profile.
        (An atom of the law is smeared by a relative width of at least 5e-4, which moves F_d there, not the kernel.)
    tail_exponent : float, b of the continuation 1 - F_d(rho) ~ rho^-b.
    """

    dim: int
    radii: np.ndarray
    cdf: np.ndarray
    negative_mass: float
    quadrature_error: float
    tail_exponent: float

    def probability_below(self, radius: np.ndarray | float) -> np.ndarray:
        """F_d(radius)."""
        radius = np.asarray(radius, dtype=float)
        beyond = np.maximum(radius / self.radii[-1], 1.0)
        tail = 1.0 - (1.0 - self.cdf[-1]) * beyond**-self.tail_exponent
        return np.where(radius < self.radii[-1], np.interp(radius, self.radii, self.cdf), tail)

    def quantile(self, u: np.ndarray | float) -> np.ndarray:
        """Inverse of F_d: monotone, finite for u = 1 too (taken as 1 - 2^-53)."""
        u = np.asarray(u, dtype=float)
        if np.any(~((u >= 0.0) & (u <= 1.0))):
            raise ValueError("quantile needs probabilities between 0 and 1; got a value outside or a NaN.")
        remaining = np.maximum(1.0 - u, 2.0**-53) / (1.0 - self.cdf[-1])
        tail = self.radii[-1] * np.minimum(remaining, 1.0) ** (-1.0 / self.tail_exponent)
        return np.where(remaining >= 1.0, np.interp(u, self.cdf, self.radii), tail)

    @cached_property
    def _rising(self) -> CubicSpline:
        """Log F against log rho."""
        return CubicSpline(np.log(self.radii[1:]), np.log(self.cdf[1:]))

    @cached_property
    def _falling(self) -> CubicSpline:
        """Log(1 - F) against log rho."""
        return CubicSpline(np.log(self.radii[1:]), np.log1p(-self.cdf[1:]))

    def density(self, radius: np.ndarray | float) -> np.ndarray:
        """The density of w in R^dim at ||w|| = radius: dF/d rho over the area of the sphere of that radius.

        F is differentiated by a spline of log F against log rho below its median, of log(1 - F) above it.
        """
        radius = np.asarray(radius, dtype=float)
        area = 2.0 * np.pi ** (0.5 * self.dim) / gamma(0.5 * self.dim)
        lower, middle, upper = self.radii[1], self.quantile(0.5), self.radii[-1]
        at = np.log(np.clip(radius, lower, upper))
        rising, falling = self._rising, self._falling
        below = np.exp(rising(at)) * rising(at, 1)
        above = -np.exp(falling(at)) * falling(at, 1)
        mass = np.maximum(np.where(radius < middle, below, above), 0.0)  # rho dF/d rho
        mass *= np.maximum(radius / upper, 1.0) ** -self.tail_exponent
        return mass / (area * np.maximum(radius, lower) ** self.dim)


def refuse_if_not_positive_definite(spectrum: RadialSpectrum) -> None:
    """Raise ValueError if the spectrum has more negative mass than tolerance and quadrature error explain."""
    _refuse_negative_mass(spectrum.dim, spectrum.negative_mass, spectrum.quadrature_error)


def checked_spectrum(profile: Profile, dim: int) -> RadialSpectrum:
    """The spectrum of a profile in ``dim`` dimensions, refused if it is not positive definite."""
    spectrum = radial_spectrum(profile, dim)
    refuse_if_not_positive_definite(spectrum)
    return spectrum


def _refuse_negative_mass(dim: int, negative_mass: float, quadrature_error: float) -> None:
    tolerance = max(NEGATIVE_MASS_TOLERANCE, quadrature_error)
    if negative_mass > tolerance:
        raise ValueError(
            f"The profile is not positive definite in dimension {dim}: its spectrum has negative mass "
            f"{negative_mass:.3g} (tolerance {tolerance:.1g}); choose another profile, a smaller dimension "
            'or form="product".'
        )


def radial_spectrum(profile: Profile, dim: int) -> RadialSpectrum:
    """Transform a profile with profile(0) = 1 into the law of ||w|| in R^dim.

    Parameters
    ----------
    profile : vectorised function of r >= 0.
    dim : dimension of the inputs, 1 for each coordinate of a product kernel.

    Raises
    ------
    ValueError
        If the profile is not finite, not 1 at 0, above 1 in absolute value, or the result cannot be trusted.
    """
    if dim < 1:
        raise ValueError(f"The dimension of a spectrum must be at least 1; got {dim}.")
    scale = half_radius(profile)
    law = radial_law(lambda ratio: _values(profile, scale * ratio), dim)
    negative_mass = _negative_mass(law)
    if not law.error <= LARGEST_QUADRATURE_ERROR:
        _refuse_negative_mass(dim, negative_mass, law.error)
        raise ValueError(
            f"The spectrum of the profile in dimension {dim} has an estimated error of {law.error:.1g}, "
            f'above {LARGEST_QUADRATURE_ERROR:g}; use form="product" or a smaller dimension.'
        )
    radii, cdf, tail_exponent = _table(law, scale)
    continued = 2.0 * (1.0 - cdf[-1])  # what k can change where the mass beyond the table is moved
    return RadialSpectrum(dim, radii, cdf, negative_mass, float(law.error + continued), tail_exponent)


def second_derivative_at_zero(profile: Profile) -> float:
    """-k''(0) of the even extension, so that E||w||^2 = dim times it; inf where it does not exist.

    D(h) = 2 (1 - k(h)) / h^2 on h = scale / 2^j. With 1 - k = a r^2 + b r^q, q > 2, the differences of D
    shrink by 2^-(q-2) per step; with q <= 2 in front they do not. The limit is taken by Wynn's epsilon algorithm.
    """
    step = half_radius(profile) * 2.0 ** -np.arange(1, 13)
    drop = 1.0 - _values(profile, step)
    quotient = 2.0 * drop / step**2
    rounding = 8.0 * np.finfo(float).eps / step**2
    difference = np.diff(quotient)
    clean = np.abs(difference) > 100.0 * rounding[1:]
    usable = len(difference) if clean.all() else int(np.argmin(clean))
    if usable >= 4 and abs(difference[usable - 1]) > 0.99 * abs(difference[usable - 2]):
        return float("inf")
    return _wynn_limit(quotient[: usable + 2])


# the profile


def _values(profile: Profile, radius: np.ndarray) -> np.ndarray:
    """Evaluate and check: shape kept, finite, |k| <= 1."""
    with np.errstate(over="ignore", under="ignore"):
        value = np.asarray(profile(radius), dtype=float)
    if value.shape != radius.shape:
        raise ValueError(
            f"The profile must be vectorised: for an array of shape {radius.shape} it returned {value.shape}."
        )
    if not np.all(np.isfinite(value)):
        raise ValueError(f"The profile must be finite; it is not at r = {radius[~np.isfinite(value)][0]:.6g}.")
    if np.any(np.abs(value) > 1.0 + 1e-6):  # a profile computed in float32 may round above 1
        worst = int(np.argmax(np.abs(value)))
        raise ValueError(
            f"The profile is not positive definite in any dimension: |k(r)| <= k(0) = 1 is violated at "
            f"r = {radius[worst]:.6g}, where it is {value[worst]:.9g}."
        )
    return value


def half_radius(profile: Profile) -> float:
    """Smallest radius where the profile is 1/2 (if it never is: where it has lost half of what it loses)."""
    with np.errstate(all="ignore"):
        origin = np.asarray(profile(np.zeros(2)), dtype=float)
    if origin.shape != (2,):
        raise ValueError(f"The profile must be vectorised: for shape (2,) it returned shape {origin.shape}.")
    if not abs(origin[0] - 1.0) <= 1e-9:
        raise ValueError(f"The profile must satisfy profile(0) = 1, but profile(0) = {origin[0]:.6g}.")
    start = 1.0
    # four octaves in a row: an oscillating profile may pass near 1 by accident
    while np.any(_values(profile, start * 0.5 ** np.arange(4)) < 0.99):
        start /= 16.0
        if start < 1e-150:
            raise ValueError("The profile is not continuous at 0, so it has no spectrum; let k(r) tend to 1.")
    lost_most = 0.0
    for _ in range(40):
        radius = start * np.exp(np.arange(0.0, 8.0, 0.02))
        value = _values(profile, radius)
        if np.any(value <= 0.5):
            crossing = float(radius[np.argmax(value <= 0.5)])
            return float(brentq(lambda r: _values(profile, np.array([r]))[0] - 0.5, crossing * np.exp(-0.02), crossing))
        if lost_most > 1e-3 and 1.0 - value.min() < 1.05 * lost_most:  # a profile with a floor above one half
            break
        lost_most = max(lost_most, float(1.0 - value.min()))
        start = radius[-1]
    if lost_most < 1e-3:
        raise ValueError("The profile is constant, so it has no length scale; use one that decays.")
    while 1.0 - _values(profile, np.array([start]))[0] > 0.5 * lost_most:
        start *= 0.98
    return float(start)


# the table


def _negative_mass(law: RadialLaw) -> float:
    """Total decrease of F from its start at 0 to its end at 1, drops within the noise left out."""
    cdf = np.concatenate([[0.0], law.cdf, [1.0]])
    slope_sign = np.sign(np.diff(cdf))
    turning = np.flatnonzero(slope_sign[1:] != slope_sign[:-1]) + 1
    extremes = cdf[np.concatenate([[0], turning, [len(cdf) - 1]])]
    drops = -np.diff(extremes)
    return float(drops[drops > 4.0 * law.noise + 1e-13].sum())


def _table(law: RadialLaw, scale: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Radii, strictly increasing cdf, exponent of the tail."""
    smallest = max(_SMALLEST_TAIL, 20.0 * law.noise)
    stride = 1 if law.log_frequency[1] - law.log_frequency[0] > 5e-4 else 4
    log_frequency, cdf = law.log_frequency[::stride], np.maximum.accumulate(law.cdf)[::stride]
    inside = np.flatnonzero((cdf > _SMALLEST_TAIL) & (cdf < 1.0 - smallest))
    if len(inside) < 2:  # an atom of zero width, only met where the negative mass is enormous
        inside = np.searchsorted(cdf, 0.5) + np.array([-1, 0])
        cdf[inside] = _SMALLEST_TAIL, 1.0 - smallest
    inside = inside[np.concatenate([[True], np.diff(cdf[inside]) > 0.0])]
    radii, cdf = np.exp(log_frequency[inside]) / scale, cdf[inside]
    earlier = min(int(np.searchsorted(cdf, 1.0 - 10.0 * (1.0 - cdf[-1]))), len(cdf) - 2)
    lost = np.log((1.0 - cdf[earlier]) / (1.0 - cdf[-1]))
    # below the smallest exponent the quantile of 1 - 2^-53 would overflow
    tail_exponent = float(np.clip(lost / np.log(radii[-1] / radii[earlier]), 0.06, 1e6))
    return np.concatenate([[0.0], radii]), np.concatenate([[0.0], cdf]), tail_exponent


def _wynn_limit(sequence: np.ndarray) -> float:
    """Limit by Wynn's epsilon algorithm, from the even column whose last two entries agree best."""
    before, current = np.zeros(len(sequence) + 1), np.asarray(sequence, dtype=float)
    best, disagreement = float(current[-1]), abs(current[-1] - current[-2])
    for column in range(1, len(sequence) - 1):
        gap = np.diff(current)
        if np.any(gap == 0.0):
            break
        before, current = current, before[1:-1] + 1.0 / gap
        if column % 2 == 0 and len(current) > 1 and abs(current[-1] - current[-2]) < disagreement:
            best, disagreement = float(current[-1]), abs(current[-1] - current[-2])
    return best

r"""The radial Fourier transform as a product of Mellin transforms.

The law of rho = ||w|| for the kernel k(||Delta||) in R^d is

.. math:: F_d(\rho) = \int_0^\infty k(r)\, g_d(\rho r)\, \frac{dr}{r}, \qquad
          g_d(t) = \frac{2^{1-d/2}}{\Gamma(d/2)}\, t^{d/2} J_{d/2}(t).

The integrand oscillates and, for large d, cancels badly. But it is a convolution in log r, so the Mellin
transform turns it into a product: on the line s = i tau,

.. math:: \tilde F(i\tau) = \tilde g_d(i\tau)\, \int k(e^u) e^{-i\tau u} du, \qquad
          \tilde g_d(s) = 2^s \frac{\Gamma((d+s)/2)}{\Gamma(d/2)\,\Gamma(1-s/2)}.

Two FFTs on a logarithmic grid do the work over seventy decades of radius; a kink at r = 0 or a heavy tail
is analytic in log r and costs nothing. The Gaussian exp(-ln 2 r^2), whose law is known, is subtracted first: what
is left vanishes at both ends of the grid, and the pole at s = 0 is gone.

Kinks at r > 0 and oscillations that never die need two regularisations. Both keep a positive definite kernel
positive definite, so neither can create negative mass: the profile is multiplied by a very wide Gaussian, and
rho is multiplied by exp(delta Z), Z standard normal, which is the window exp(-(delta tau)^2 / 2) and replaces
k(r) by E k(r exp(delta Z)).

Radii are in units of the half radius of the profile throughout this file.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.ndimage import uniform_filter1d
from scipy.special import gammainc, loggamma, ndtr

Profile = Callable[[np.ndarray], np.ndarray]

_LOG_TWO = np.log(2.0)
_CHECKED_RADIUS = 30.0  # the implied kernel is compared with the profile up to this many half radii
_GOOD_ERROR = 1e-6  # below it the second, finer grid is not tried


@dataclass(frozen=True)
class RadialLaw:
    """F_d on a grid of log rho; `noise` estimates its error, `error` adds that of the implied kernel."""

    log_frequency: np.ndarray
    cdf: np.ndarray
    noise: float
    error: float


def radial_law(profile: Profile, dim: int) -> RadialLaw:
    """F_d of a profile with profile(0) = 1 and half radius 1."""
    law = _law_on(_SMOOTH_GRID, profile, dim)
    if law.error > _GOOD_ERROR:
        law = min(law, _law_on(_ROUGH_GRID, profile, dim), key=lambda candidate: candidate.error)
    return law


@dataclass(frozen=True)
class _Grid:
    """Equal steps in log r; `taper` is the width of the Gaussian factor (inf: none)."""

    step: float
    size: int
    last_log_radius: float
    taper: float
    first_log_frequency: float
    output_size: int
    windows: tuple[float, ...]

    @cached_property
    def log_radius(self) -> np.ndarray:
        return self.last_log_radius - self.step * np.arange(self.size, 0, -1)

    @property
    def output_step(self) -> float:
        return self.size * self.step / self.output_size

    @cached_property
    def log_frequency(self) -> np.ndarray:
        return self.first_log_frequency + self.output_step * np.arange(self.output_size)

    @cached_property
    def tau(self) -> np.ndarray:
        """Up to the band of the output: in high dimensions the reference needs more than the samples."""
        return 2.0 * np.pi / (self.size * self.step) * np.arange(self.output_size // 2 + 1)

    @property
    def band(self) -> int:
        return min(self.output_size, self.size) // 2 + 1


# Analytic profiles: no regularisation unless rounding errors ask for a window.
_SMOOTH_GRID = _Grid(0.02, 2**13, 80.0, np.inf, -75.0, 2**17, (0.0, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1))
# All others: taper * step = 0.45, so that oscillations are gone before even the double step would alias them.
_ROUGH_GRID = _Grid(1e-4, 2**19, 11.0, 4500.0, -22.0, 2**18, tuple(5e-4 * 2.0 ** np.arange(8)))


@dataclass(frozen=True)
class _Samples:
    """The profile on a grid, its `rest` after the reference, the Mellin transform of that and its error."""

    values: np.ndarray
    rest: np.ndarray
    transform: np.ndarray
    difference: np.ndarray


@dataclass(frozen=True)
class _Multipliers:
    """g~_d(i tau) on the band; transforms of the reference and of its law (their pole at 0 set to 0)."""

    kernel_to_law: np.ndarray
    reference: np.ndarray
    reference_law: np.ndarray


def _law_on(grid: _Grid, profile: Profile, dim: int) -> RadialLaw:
    """F_d on one grid, with the cut and the window width that make the estimated error smallest."""
    samples, multipliers = _sample(grid, profile), _multipliers(grid, dim)
    transform, band, tau = samples.transform, grid.band, grid.tau
    whole = transform + multipliers.reference[:band]
    chi_law = gammainc(0.5 * dim, np.exp(2.0 * grid.log_frequency) / (4.0 * _LOG_TWO))
    ends = 2.0 * max(abs(samples.rest[0]), abs(samples.rest[-1]))
    best = RadialLaw(grid.log_frequency, chi_law, np.inf, np.inf)
    # Noise begins where the rest is lost in it, or already where the whole is: there the reference goes too.
    for signal, reference_cut in ((transform, False), (whole, True)):
        kept = _first_noise(signal, samples.difference)
        for delta in grid.windows:
            window = np.exp(-0.5 * (delta * tau) ** 2)
            change = window - 1.0
            if reference_cut:
                change[kept:] = -1.0
            cut = np.where(np.arange(band) < kept, window[:band], 0.0)
            implied = cut * transform + change[:band] * multipliers.reference[:band]
            bias = _implied_kernel_error(grid, samples, implied)
            if bias >= best.error:  # and a wider window has more
                break
            to_law = cut * multipliers.kernel_to_law
            # aliasing and rounding, then what the cut removes: the last kept size over a quarter of the band
            noise = ends + float(np.abs(_invert(grid, to_law * samples.difference)).max())
            edge = np.abs(to_law * signal)[kept - 32 : kept].mean()
            noise += float(edge * tau[kept - 1] / (4.0 * np.pi))
            error = noise + bias
            if error < best.error:
                law_change = change * multipliers.reference_law
                law_change[:band] += to_law * transform
                best = RadialLaw(grid.log_frequency, chi_law + _invert(grid, law_change), noise, error)
    return best


def _sample(grid: _Grid, profile: Profile) -> _Samples:
    """Sample, subtract the reference, transform by the trapezoidal rule with single and with double step."""
    log_radius = grid.log_radius
    square = np.exp(2.0 * log_radius)
    stepped = _profile_minus_step(profile, log_radius)
    log_taper, log_reference = -0.5 * square / grid.taper**2, -_LOG_TWO * square
    small = log_radius < 0.0
    # taper - reference near 0, without the cancellation of 1 - 1
    rest = stepped * np.exp(log_taper)
    rest += np.where(small, np.expm1(log_taper) - np.expm1(log_reference), -np.exp(log_reference))
    shift = np.exp(-1j * grid.tau[: grid.band] * log_radius[0])
    fine = grid.step * np.fft.rfft(rest)[: grid.band]
    coarse = 2.0 * grid.step * np.fft.rfft(rest[::2])[: grid.band]
    difference = fine.copy()
    difference[: len(coarse)] -= coarse
    return _Samples(stepped + small, rest, fine * shift, difference * shift)


def _profile_minus_step(profile: Profile, log_radius: np.ndarray) -> np.ndarray:
    """k(r) - 1 for r < 1, k(r) beyond; exactly 0 at the ends where it has become so.

    Near 0 the values are 1 up to steps of 1e-16, which high dimensions amplify: k - 1 is faded out, smoothly
    in log r, around the radius where it is 1e-12. Far out a correct profile may compute 0 * inf, so where it has
    vanished it is no longer called.
    """
    fade, last = log_radius[0] - 6.0, log_radius[-1]
    for unit in range(0, int(np.ceil(log_radius[0])), -1):
        if np.abs(1.0 - profile(np.exp(np.linspace(unit - 1.0, unit, 5)))).max() < 1e-12:
            fade = float(unit)
            break
    for unit in range(int(log_radius[-1])):
        if np.abs(profile(np.exp(np.linspace(unit, unit + 1.0, 50)))).max() < 1e-18:
            last = unit + 1.0
            break
    asked = (log_radius >= fade - 6.0) & (log_radius <= last)
    stepped = np.zeros(len(log_radius))
    stepped[asked] = profile(np.exp(log_radius[asked])) - (log_radius[asked] < 0.0)
    return stepped * ndtr(1.5 * (log_radius - fade))


def _multipliers(grid: _Grid, dim: int) -> _Multipliers:
    """g~_d = chi / Gamma(1 - s/2) with chi = 2^s Gamma((d+s)/2) / Gamma(d/2)."""
    tau, band = grid.tau, grid.band
    log_chi = 1j * _LOG_TWO * tau + loggamma(0.5 * (dim + 1j * tau)) - loggamma(0.5 * dim)
    log_kernel_to_law = log_chi[:band] - loggamma(1.0 - 0.5j * tau[:band])
    # the bound only keeps hopeless cases finite: their error is then reported as enormous instead of NaN
    kernel_to_law = np.exp(np.minimum(log_kernel_to_law.real, 600.0) + 1j * log_kernel_to_law.imag)
    reference, reference_law = np.zeros((2, len(tau)), dtype=complex)
    phase = 0.5j * np.log(_LOG_TWO) * tau[1:]
    reference[1:] = 0.5 * np.exp(phase + loggamma(-0.5j * tau[1:]))
    reference_law[1:] = 1j * np.exp(phase + log_chi[1:]) / tau[1:]
    return _Multipliers(kernel_to_law, reference, reference_law)


def _invert(grid: _Grid, spectrum: np.ndarray) -> np.ndarray:
    """(1 / 2 pi) INT spectrum(tau) rho^(-i tau) dtau on the grid of log rho."""
    shift = np.exp(-1j * grid.tau[: len(spectrum)] * grid.first_log_frequency)
    return np.fft.irfft(np.conj(spectrum * shift), grid.output_size) / grid.output_step


def _implied_kernel_error(grid: _Grid, samples: _Samples, spectrum: np.ndarray) -> float:
    """Largest difference, within the checked radius, of the profile and the kernel of the regularised law."""
    log_radius = grid.log_radius
    size = 2 * (grid.band - 1)
    stride = grid.size // size
    near = slice(0, int(np.searchsorted(log_radius, np.log(_CHECKED_RADIUS))), stride)
    shift = np.exp(1j * grid.tau[: grid.band] * log_radius[0])
    change = np.fft.irfft(spectrum * shift, size) / (grid.step * stride)
    reference = np.exp(-_LOG_TWO * np.exp(2.0 * log_radius[near]))
    return float(np.abs(change[: len(reference)] + reference - samples.values[near]).max())


def _first_noise(transform: np.ndarray, difference: np.ndarray) -> int:
    """Number of entries before the local size of the transform falls to that of its error (at least 64)."""
    size = uniform_filter1d(np.abs(transform), 32)
    noise = uniform_filter1d(np.abs(difference), 32)
    lost = size[64:] < 3.0 * noise[64:]
    return 64 + (int(np.argmax(lost)) if lost.any() else len(lost))

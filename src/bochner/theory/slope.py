"""How steep the kernel is, and how steep the error of Fourier features can be: what a net argument needs."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from ..kernels import Columns, ProductFormKernel, RadialKernel, ShiftInvariantKernel
from .checks import Array, Embedding, count, differences, is_paired, one_of, shift_invariant
from .holder import Along, fractional_moment, roughness

SLOPES = ("published", "rigorous", "sharp")
SCAN = 40_001  # distances of the scan for the steepest place, 5,000 for each factor of ten
REACH = 1e8  # how far the scan goes, in units of the distance where the kernel has lost 1e-6
LEVELS = 4001  # distances, levels of -log p² and multipliers in the bound for product kernels: an error of about 1e-5
STEP = 2e-3  # of a difference quotient of fourth order, relative to the distance; its error is about 1e-11


def lipschitz_constant(kernel: Any, dim: int) -> float:
    """G = sup ||grad k(Δ)||: |k(Δ) - k(Δ')| <= G ||Δ - Δ'||.

    Radial kernels: sup |profile'| / min_j l_j. Product kernels in one column the same; in more, with p the profile,

        G² = sup prod_j p_j² sum_j (p'_j / p_j)² / l_j²,

    where the sum for a given product is bounded by Lagrange multipliers: exact where (p'/p)² is a concave function of
    -log p², as for the Cauchy kernel near 0, else an upper bound. Convex profiles, Laplace among them, are steepest at
    0: |p'(0)| (sum_j l_j^-2)^{1/2}. Other kernels: E||w||, which is an upper bound for every kernel.

    Parameters
    ----------
    kernel : shift-invariant kernel
    dim : int

    Returns
    -------
    float
        Infinite where the kernel has an infinite slope at 0.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.lipschitz_constant(bo.Gaussian(1.0), dim=3), 10)
    0.6065306597
    """
    kernel, dim = shift_invariant(kernel), count(dim, "dim")
    if isinstance(kernel, RadialKernel):
        return steepest(kernel.profile) * kernel.split(dim)[0].stretch()
    if isinstance(kernel, ProductFormKernel) and isinstance(scaling := kernel.split(dim)[0], Columns):
        scales, at_zero = scaling.scales, slope_at_zero(kernel.profile)
        if dim == 1:
            return steepest(kernel.profile) / float(scales[0])
        if at_zero > 0:  # a kink: the profile is convex near 0, and every other factor is at most 1
            return max(at_zero, steepest(kernel.profile)) * float(np.sqrt(np.sum(scales**-2.0)))
        return _product_slope(kernel.profile, scales)
    return fractional_moment(kernel, 1.0, dim)


def slope_moment(
    kernel: Any, dim: int, n_components: int, *, embedding: Embedding = "paired", method: str = "sharp"
) -> float:
    """A bound on E L², L the Lipschitz constant of the error f of Fourier features with independent frequencies.

    ========== ================================= ==========================================
    method     paired, f of Δ                    shifted, f of (x, y)
    ========== ================================= ==========================================
    published  sigma_p²                          3 sigma_p²
    rigorous   4 sigma_p²                        (2 + sqrt 2)² sigma_p²
    sharp      (m + G)² + (sigma_p² - m²) 2/D    (2m + sqrt(2) G)² + (sigma_p² - m²) 4/D
    ========== ================================= ==========================================

    with sigma_p² = E||w||², m = E||w|| and G = sup||grad k||. The published ones are not proved: they treat the place
    of the steepest slope as fixed, and E L² can be larger (one frequency, Gaussian, d = 1: 1.16). The others are: the
    gradient of the estimate is at most the mean of ||w_i|| (twice that for "shifted") wherever it is taken, that of the
    kernel at most G (sqrt(2) G), and the mean of D/2 norms has the second moment m² + (sigma_p² - m²) 2/D.

    Parameters
    ----------
    kernel : shift-invariant kernel
    dim, n_components : int
    embedding : {"paired", "shifted"}, default="paired"
    method : {"sharp", "rigorous", "published"}, default="sharp"

    Returns
    -------
    float
        Infinite where E||w||² is.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.slope_moment(bo.Gaussian(1.0), 1, 10**9), 5)
    1.97238
    """
    kernel, dim, width = shift_invariant(kernel), count(dim, "dim"), count(n_components, "n_components")
    return Slope.of(kernel, dim, is_paired(embedding), method).moment(width)


class Slope:
    """E L² as a function of the width: level + spread / D."""

    def __init__(self, level: float, spread: float = 0.0) -> None:
        self.level = level
        self.spread = spread

    @classmethod
    def of(cls, kernel: ShiftInvariantKernel, dim: int, paired: bool, method: str) -> Slope:
        """The bound of ``slope_moment``, with what takes quadrature done once for all widths."""
        one_of(method, SLOPES, "method of a slope")
        square = kernel.frequency_second_moment(dim)
        if method == "published" or np.isinf(square):
            return cls(square if paired else 3.0 * square)
        if method == "rigorous":
            return cls((4.0 if paired else (2.0 + np.sqrt(2.0)) ** 2) * square)
        return cls.sharp(square, fractional_moment(kernel, 1.0, dim), lipschitz_constant(kernel, dim), paired)

    @classmethod
    def sharp(cls, square: float, mean: float, steep: float, paired: bool) -> Slope:
        """From E||w||², and from E||w|| and sup||grad k|| or anything above them."""
        mean = min(mean, float(np.sqrt(square)))
        steep = min(steep, mean)
        if paired:
            return cls((mean + steep) ** 2, 2.0 * (square - mean**2))
        return cls((2.0 * mean + np.sqrt(2.0) * steep) ** 2, 4.0 * (square - mean**2))

    def moment(self, n_components: float) -> float:
        """The bound at this width."""
        return float(self.level + self.spread / n_components)


def slope_variance(kernel: Any, difference: Any, n_components: int) -> Array:
    """E ||grad f(Δ)||² at given places Δ, f the error of paired Fourier features: exactly

        (2/D) { [sigma_p² + (Laplacian k)(2Δ)] / 2 - ||grad k(Δ)||² },

    which no bound on E L² can be below, and which falls with the width as it does. Derivatives are taken numerically.

    Parameters
    ----------
    kernel : shift-invariant kernel
    difference : array of shape (dim,) or (n, dim)
    n_components : int
        Even: cosines and sines.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.slope_variance(bo.Gaussian(1.0), [0.5], 2).round(6)
    array([0.3053])
    """
    kernel, delta = shift_invariant(kernel), differences(difference)
    square = kernel.frequency_second_moment(delta.shape[1])
    gradient, laplacian = np.zeros(len(delta)), np.zeros(len(delta))
    for axis in np.eye(delta.shape[1]):
        step = 1e-3 * axis
        values = [kernel.at(delta + shift * step) for shift in (-2, -1, 1, 2)]
        gradient += ((values[0] - values[3]) / 12e-3 + (values[2] - values[1]) / 1.5e-3) ** 2
        values = [kernel.at(2.0 * delta + shift * step) for shift in (-2, -1, 0, 1, 2)]
        laplacian += (16.0 * (values[1] + values[3]) - values[0] - values[4] - 30.0 * values[2]) / 12e-6
    return np.maximum(0.5 * (square + laplacian) - gradient, 0.0) * 2.0 / count(n_components, "n_components")


def slope_at_zero(along: Along) -> float:
    """-k'(0+) along an axis: 0 where the kernel is smooth, infinite where it falls like a power below 1.

    Quotients (1 - k(t)) / t at t, 2t and 4t, t small, with their first two errors removed.
    """
    start, exponent = roughness(along)
    if exponent > 1.5:
        return 0.0
    if exponent < 0.999:
        return np.inf
    t = start * np.array([1.0, 2.0, 4.0])
    quotients = (1.0 - np.asarray(along(t), dtype=np.float64)) / t
    return float((8.0 * quotients[0] - 6.0 * quotients[1] + quotients[2]) / 3.0)


def steepest(profile: Along) -> float:
    """The largest |profile'|, by a scan with refinement, and at 0."""
    at_zero = slope_at_zero(profile)
    if np.isinf(at_zero):
        return np.inf
    grid = roughness(profile)[0] * np.geomspace(1.0, REACH, SCAN)
    slopes = np.abs(derivative(profile, grid))
    best = int(np.argmax(slopes))
    refined = minimize_scalar(
        lambda r: -abs(float(derivative(profile, np.array([r]))[0])),
        bounds=(grid[max(best - 1, 0)], grid[min(best + 1, SCAN - 1)]),
        method="bounded",
        options={"xatol": 1e-8 * grid[best]},
    )
    return float(max(at_zero, slopes[best], -refined.fun))


def derivative(profile: Along, r: Array) -> Array:
    """profile'(r) at r > 0 by differences of fourth order."""
    values = [np.asarray(profile(r * (1.0 + shift * STEP)), dtype=np.float64) for shift in (-2, -1, 1, 2)]
    return (values[0] - values[3] + 8.0 * (values[2] - values[1])) / (12.0 * STEP * r)


def _product_slope(profile: Along, scales: Array) -> float:
    """The root of max_S e^{-S} c(S), c(S) >= sup {sum_j q(s_j) / l_j² : sum_j s_j = S}, q = (p'/p)², s = -log p².

    c(S) = min over multipliers u of u S + sum_j max_s [q(s) / l_j² - u s], whatever u.
    """
    r = roughness(profile)[0] * np.geomspace(1.0, REACH, LEVELS)
    value = np.abs(np.asarray(profile(r), dtype=np.float64))
    r, value = r[value > 1e-9], value[value > 1e-9]  # beyond, prod p² makes everything negligible
    spent, rate = -2.0 * np.log(value), (derivative(profile, r) / value) ** 2
    multipliers = np.concatenate([[0.0], np.geomspace(1e-6, 1e6, LEVELS)]) * float(np.max(scales**-2.0))
    distinct, columns = np.unique(scales, return_counts=True)
    gains = np.zeros(len(multipliers))
    for scale, number in zip(distinct, columns):
        best = np.array([np.max(rate / scale**2 - multiplier * spent) for multiplier in multipliers])
        gains += number * np.maximum(best, 0.0)
    levels = np.linspace(0.0, 20.0, LEVELS)
    bounds = np.array([np.exp(-level) * np.min(multipliers * level + gains) for level in levels])
    return float(np.sqrt(bounds.max()))

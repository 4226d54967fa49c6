"""The expected maximum error, three ways, and how the maximum concentrates about it."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import PchipInterpolator
from scipy.optimize import brentq

from ..kernels import RadialKernel
from ..kernels.spectrum import radial_spectrum
from .checks import Embedding, count, is_one_column, is_paired, known, one_of, positive, shift_invariant
from .slope import Slope, lipschitz_constant
from .supremum import variance_supremum
from .tail import Tail
from .uniform import net_tail

PAIRED_INTEGRAL = 0.9639408  # gamma in print: ∫_0^{1/2} sqrt(log(8/v)) dv
SHIFTED_INTEGRALS = (0.8, 1.55)  # gamma' in print is known by these ends only


@lru_cache(maxsize=1)
def dudley_integral() -> float:
    """J = ∫_0^{1/2} sqrt(log(1 + 2/v)) dv = 0.7796267."""
    return float(quad(lambda v: np.sqrt(np.log1p(2.0 / v)), 0.0, 0.5, epsabs=1e-13)[0])


def expected_max_error(
    kernel: Any,
    *,
    n_components: int,
    dim: int,
    diameter: float,
    embedding: Embedding = "paired",
    method: str = "tail",
    slope: str = "sharp",
) -> float | tuple[float, float]:
    """Bound E sup |z(x)'z(y) - k(x, y)| over a set of the given diameter l, independent frequencies.

    - "tail": E sup|f| = ∫ Pr(sup|f| >= t) dt <= t_0 + ∫_{t_0} b(t) dt, b Sutherland and Schneider's ``uniform_bound``
      as a function of the error and b(t_0) = 1. Never above the trivial bound, 2 for paired features and 3 for shifted
      ones. About six times the truth.
    - "dudley": 48 sqrt(2) J sigma_p l sqrt(d/D) paired, 96 J sigma_p l sqrt(d/D) + 1/sqrt(2D) shifted, over a ball of
      diameter l, by symmetrisation and the entropy integral J = 0.7796, sigma_p² = E||w||². The right order in D, and
      constants that say nothing at moderate widths: about 200 times the truth.
    - "published": 24 g sqrt(d/D) l (G + E max_{i <= D/2} ||w_i||) paired, g = 0.9639408, G = sup||grad k||;
      48 g' sqrt(d/D) l (G + E max_{i <= D} ||w_i||) shifted, g' between 0.8 and 1.55: the pair of numbers at both ends.
      The authors' claim; the prefactor could not be derived again.

    Parameters
    ----------
    kernel : shift-invariant kernel
    n_components, dim : int
    diameter : float
    embedding : {"paired", "shifted"}, default="paired"
    method : {"tail", "dudley", "published"}, default="tail"
    slope : {"sharp", "rigorous", "published"}, default="sharp"
        The bound on E L² behind "tail", see ``slope_moment``; the published one is not proved.

    Returns
    -------
    float, or a pair of floats for "published" and shifted features
        Where E||w||² is infinite, "dudley" is infinite and "tail" the trivial bound.

    Examples
    --------
    >>> import bochner as bo
    >>> setting = {"n_components": 500, "dim": 1, "diameter": 6.0}
    >>> round(bo.theory.expected_max_error(bo.Gaussian(1.0), slope="published", **setting), 7)
    0.4000539
    >>> round(bo.theory.expected_max_error(bo.Gaussian(1.0), **setting), 7)
    0.4090187
    >>> round(bo.theory.expected_max_error(bo.Gaussian(1.0), method="dudley", **setting), 1)
    14.2
    """
    kernel, width, dim = shift_invariant(kernel), count(n_components, "n_components"), count(dim, "dim")
    diameter, paired = positive(diameter, "diameter"), is_paired(embedding)
    one_of(method, ("tail", "dudley", "published"), "method")
    if method == "tail":
        moment = Slope.of(kernel, dim, paired, slope).moment(width)
        supremum = variance_supremum(kernel, dim, diameter)
        return integrated_tail(
            lambda eps: net_tail(eps, dim, diameter, paired, supremum, moment), width, 2.0 if paired else 3.0
        )
    size = diameter * float(np.sqrt(dim / width))
    if method == "published":
        steep = lipschitz_constant(kernel, dim)
        if paired:
            return 24.0 * PAIRED_INTEGRAL * size * (steep + expected_max_norm(kernel, dim, width // 2))
        low, high = (48.0 * share * size for share in SHIFTED_INTEGRALS)
        largest = steep + expected_max_norm(kernel, dim, width)
        return low * largest, high * largest
    spread = float(np.sqrt(kernel.frequency_second_moment(dim))) * size
    if paired:
        return float(48.0 * np.sqrt(2.0) * dudley_integral() * spread)
    return float(96.0 * dudley_integral() * spread + 1.0 / np.sqrt(2.0 * width))


def integrated_tail(tail: Callable[[float], Tail], width: int, largest: float) -> float:
    """∫_0^largest min(1, b(t)) dt for a bound b that falls with t; pieces that double, for it falls fast behind t_0."""

    def log_bound(t: float) -> float:
        at = tail(t)
        return at.log_factor - at.rate * width

    if log_bound(largest) >= 0:
        return largest
    start = float(brentq(log_bound, 1e-12, largest, xtol=1e-14, rtol=1e-13))
    ends = np.append(start * 2.0 ** np.arange(np.ceil(np.log2(largest / start))), largest)
    return start + sum(quad(lambda t: np.exp(log_bound(t)), low, high)[0] for low, high in pairwise(ends))


def expected_max_norm(kernel: Any, dim: int, n_frequencies: int) -> float:
    """E max_{i <= n} ||w_i|| = ∫ 1 - F(r)^n dr, F the law of ||w||, found numerically from a radial profile.

    Where length scales differ, an upper bound: the norm at the smallest of them.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.expected_max_norm(bo.Gaussian(1.0), dim=1, n_frequencies=250), 6)
    3.03703
    """
    kernel, dim, n = shift_invariant(kernel), count(dim, "dim"), count(n_frequencies, "n_frequencies")
    if not (isinstance(kernel, RadialKernel) or is_one_column(kernel, dim)):
        raise ValueError(
            f"The law of ||w|| is known for radial kernels and in one column, not for {type(kernel).__name__} in "
            f"{dim}; method='tail' does without."
        )
    scaling = kernel.split(dim)[0]
    law = radial_spectrum(kernel.profile, scaling.n_directions)
    inside = PchipInterpolator(law.radii, 1.0 - law.cdf**n).integrate(0.0, law.radii[-1])
    if law.tail_exponent <= 1.0:
        return np.inf
    beyond = n * (1.0 - law.cdf[-1]) * law.radii[-1] / (law.tail_exponent - 1.0)
    return float((inside + beyond) * scaling.stretch())


def concentration_bound(
    *,
    excess: float,
    n_components: int,
    embedding: Embedding = "paired",
    method: str = "mcdiarmid",
    expected: float | None = None,
    supremum: float = 2.0,
) -> float:
    """Bound Pr(sup|f| >= E sup|f| + excess) for the error f of Fourier features with independent frequencies.

    - "mcdiarmid": exp(-D e²/4) paired, exp(-D e²/8) shifted; nothing else need be known.
    - "bousquet": exp(-D e² / (16 E + 2 sigma_w² + 8e/3)) paired, exp(-D e² / (12 E + 1 + sigma_w² + 2e)) shifted, with
      E = E sup|f| or anything above it. (The form in print has D in the denominator and does not improve with D.)

    Parameters
    ----------
    excess : float
    n_components : int
    embedding : {"paired", "shifted"}, default="paired"
    method : {"mcdiarmid", "bousquet"}, default="mcdiarmid"
    expected : float, default=None
        E sup|f|, for "bousquet".
    supremum : float, default=2.0
        sigma_w² = sup 2 Var cos(w'Δ); 2 holds for every kernel.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.concentration_bound(excess=0.1, n_components=500), 3)
    0.287
    """
    excess, width, paired = positive(excess, "excess"), count(n_components, "n_components"), is_paired(embedding)
    if one_of(method, ("mcdiarmid", "bousquet"), "method") == "mcdiarmid":
        return float(np.exp(-width * excess**2 / (4.0 if paired else 8.0)))
    mean = positive(known(expected, "expected", method), "expected")
    if paired:
        return float(np.exp(-width * excess**2 / (16.0 * mean + 2.0 * supremum + 8.0 * excess / 3.0)))
    return float(np.exp(-width * excess**2 / (12.0 * mean + 1.0 + supremum + 2.0 * excess)))

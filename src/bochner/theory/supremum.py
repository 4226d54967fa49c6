"""The largest variance within a diameter, sigma_w² = sup 2 Var cos(w'Δ), found numerically from the kernel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from ..kernels import ProductFormKernel, RadialKernel
from .checks import Array, count, positive, shift_invariant

Profile = Callable[[Array], Array]
LARGEST = 2.0  # Var cos <= 1 whatever the kernel
SCAN = 4097  # distances of the scan; neighbours of its best one are refined
LEVELS = 4001  # of -log|k|, at which the columns of a product kernel share out a distance
DEEPEST = 20.0  # |k| = e^-20, where nothing but 1 is left of the variance
GONE = -1e3  # the logarithm of what is 0 but can be reached


def variance_supremum(kernel: Any, dim: int, diameter: float) -> float:
    """sigma_w² = sup 2 Var cos(w'Δ) = sup [1 + k(2Δ) - 2k(Δ)²] over ||Δ|| <= diameter.

    Radial kernels and one column: a scan of the profile with refinement. Product kernels in more columns: the largest
    value over the box that contains the ball, by dynamic programming over columns, to about 0.005 or 1 %, whichever is
    less. Kernels of no known form: 2, which is true of every kernel.

    Parameters
    ----------
    kernel : shift-invariant kernel
    dim : int
    diameter : float

    Returns
    -------
    float in [0, 2]

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.variance_supremum(bo.Cauchy(1.0), dim=1, diameter=20.0), 6)
    1.00867
    >>> round(bo.theory.variance_supremum(bo.Cauchy(1.0), dim=2, diameter=0.1), 8)
    0.00259552
    """
    kernel, dim, diameter = shift_invariant(kernel), count(dim, "dim"), positive(diameter, "diameter")
    if isinstance(kernel, RadialKernel):
        return profile_supremum(kernel.profile, diameter * kernel.split(dim)[0].stretch())
    if isinstance(kernel, ProductFormKernel):
        scaling = kernel.split(dim)[0]
        reach, columns = diameter * scaling.stretch(), scaling.n_directions
        return (
            profile_supremum(kernel.profile, reach)
            if columns == 1
            else _product_supremum(kernel.profile, reach, columns)
        )
    return LARGEST


def profile_supremum(profile: Profile, reach: float) -> float:
    """Sup over 0 <= r <= reach of 1 + profile(2r) - 2 profile(r)²."""

    def twice_variance(r: Any) -> Array:
        r = np.atleast_1d(np.asarray(r, dtype=np.float64))
        return 1.0 + profile(2.0 * r) - 2.0 * profile(r) ** 2

    grid = np.unique(np.concatenate([np.linspace(0.0, reach, SCAN), np.geomspace(1e-4 * reach, reach, SCAN)]))
    values = twice_variance(grid)
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    refined = minimize_scalar(
        lambda r: -float(twice_variance(r)[0]), bounds=(low, high), method="bounded", options={"xatol": 1e-10}
    )
    return float(np.clip(max(values[best], -refined.fun), 0.0, LARGEST))


def _product_supremum(profile: Profile, reach: float, dim: int) -> float:
    """Sup of 1 + prod_j p(2r_j) - 2 prod_j p(r_j)² over the box.

    With s_j = -log|p(r_j)| and S = sum_j s_j it is 1 + exp(G(S)) - 2exp(-2S), where G(S) is the largest
    sum_j log|p(2r_j)| over the ways to share out S: the sup-convolution of one function with itself, dim times.
    """
    r = np.unique(np.concatenate([np.linspace(0.0, reach, 20 * SCAN), np.geomspace(1e-6 * reach, reach, SCAN)]))
    with np.errstate(divide="ignore"):
        spent, gained = -np.log(np.abs(profile(r))), np.log(np.abs(profile(2.0 * r)))
    spent, gained = np.clip(spent, 0.0, DEEPEST), np.maximum(gained, GONE)
    # The most that one column can spend is a level, and so is the most that all can, the corner of a small box.
    most = float(spent.max())
    step = most / max(1, (LEVELS - 1) // dim) if dim * most < DEEPEST else DEEPEST / (LEVELS - 1)
    levels = np.arange(LEVELS)
    single = np.full(LEVELS, -np.inf)
    falls = bool((np.diff(spent) >= -1e-14).all())  # up to rounding
    if falls:  # each level is met at one distance
        met = levels * step <= most * (1.0 + 1e-12)
        single[met] = np.interp(levels[met] * step, np.maximum.accumulate(spent), gained)
    else:
        np.maximum.at(single, np.minimum(spent / step, LEVELS - 1).astype(int), gained)
    single[0] = max(single[0], 0.0)
    shared = _shared(single, dim)
    reached = np.isfinite(shared)
    # Where a level is not met exactly S is known to one step: the upper end makes the value the larger one.
    total = step * (levels + (0.0 if falls else 1.0))
    values = 1.0 + np.exp(shared) - 2.0 * np.exp(-2.0 * total)
    alone = profile_supremum(profile, reach)  # one column, the others at 0, without the error of levels
    return float(np.clip(max(alone, values[reached].max()), 0.0, LARGEST))


def _shared(single: Array, dim: int) -> Array:
    """The sup-convolution of ``dim`` times the same function, by repeated squaring."""
    if dim == 1:
        return single
    half = _shared(single, dim // 2)
    both = _sup_convolution(half, half)
    return _sup_convolution(both, single) if dim % 2 else both


def _sup_convolution(left: Array, right: Array) -> Array:
    result = np.full(LEVELS, -np.inf)
    for index in np.flatnonzero(np.isfinite(right)):
        stop = LEVELS - index
        np.maximum(result[index:], left[:stop] + right[index], out=result[index:])
    return result

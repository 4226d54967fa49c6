"""The pitch law of any convex profile, found numerically, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

Array = np.ndarray
Profile = Callable[[Array], Array]

POINTS = 40_001
SMALLEST, LARGEST = 1e-9, 1e9  # pitches considered, in units of the length scale
TOLERANCE = 1e-6  # by which a profile may fail to be convex or to begin at 1: rounding of its values


@lru_cache(maxsize=32)
def pitch_quantiles(profile: Profile) -> tuple[Array, Array]:
    """Values of F(δ) = 1 - k(δ) + δ k'(δ), increasing, and log δ at them; refused where k is not convex.

    On a grid even in x = log δ, δ k'(δ) is the derivative in x, and F is increasing just if k is convex:
    F'(δ) = δ k''(δ). A pitch of law F has what is above the grid put at its end.
    """
    x = np.linspace(np.log(SMALLEST), np.log(LARGEST), POINTS)
    step = 1e-5
    below, here, above = (np.asarray(profile(np.exp(x + shift)), dtype=np.float64) for shift in (-step, 0.0, step))
    if not (np.isfinite(here).all() and abs(float(here[0]) - 1.0) < 1e-2):
        raise ValueError("The profile must be finite, and 1 at distance 0: divide it by its value there.")
    distribution = 1.0 - here + (above - below) / (2 * step)
    if (np.diff(distribution) < -TOLERANCE).any() or distribution.min() < -TOLERANCE:
        raise ValueError(
            "The profile has no pitch law: it is not convex and decreasing in the distance, "
            "as random binning needs; for this kernel use FourierFeatures."
        )
    return np.clip(np.maximum.accumulate(distribution), 0.0, 1.0), x


def is_convex(profile: Profile) -> bool:
    """Whether a profile has a pitch law."""
    try:
        pitch_quantiles(profile)
    except ValueError:
        return False
    return True


def quantile(profile: Profile, uniforms: Array) -> Array:
    """Pitches F^{-1}(u) at length scale 1."""
    distribution, x = pitch_quantiles(profile)
    above = np.searchsorted(distribution, uniforms, side="left").clip(1, len(x) - 1)
    low, high = distribution[above - 1], distribution[above]
    share = np.where(high > low, (uniforms - low) / np.where(high > low, high - low, 1.0), 1.0)
    return np.exp(x[above - 1] + np.clip(share, 0.0, 1.0) * (x[above] - x[above - 1]))

"""From a tolerance to a width by measurement: what ``eps=`` of a feature map means."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

from ..kernels import Kernel
from .features import Array, Features
from .measure import Pairs, estimated_values, exact_values, sample_pairs

PILOT_WIDTH = 256
PILOT_DRAWS = 16  # the root mean square of one draw varies by a third: its pairs share the frequencies
PAIRS = 1000
SMALLEST_STEP, LARGEST_STEP = 1.05, 1.5  # by which a width is enlarged that does not meet the tolerance
LARGEST_WIDTH = 1 << 18


def checked_tolerance(eps: Any) -> float:
    """A tolerance between 0 and 1, or one sentence."""
    if isinstance(eps, bool) or not isinstance(eps, Real) or not 0 < float(eps) < 1:
        raise ValueError(f"eps must be a number between 0 and 1, both excluded, but it is {eps!r}.")
    return float(eps)


def draw_to_tolerance(
    draw: Callable[[int], Features],
    least: int,
    kernel: Kernel,
    rows: Any,
    weight: Array | None,
    eps: float,
    rng: np.random.Generator,
) -> tuple[int, Features]:
    """Features whose measured error is at most eps, and the width that this takes.

    The error is the root mean square of z(x)'z(y) - k(x, y) over random pairs of different rows, divided by the mean of
    k(x, x) (which is 1 for shift-invariant kernels). The mean square over some pilot draws falls as 1/width; the width
    that this suggests is drawn and measured, and enlarged until the draw that is kept meets the tolerance on those
    pairs: so it is met on average over draws, and by the map at hand.
    """
    pairs = sample_pairs(rows, PAIRS, rng, weight)
    exact = exact_values(kernel, pairs)
    size = float(np.mean(kernel.diagonal(rows[: min(rows.shape[0], PAIRS)])))
    pilot = max(PILOT_WIDTH, 2 * least)
    pilots = [_mean_square(draw(pilot), pairs, exact) for _ in range(PILOT_DRAWS)]
    target = (eps * size) ** 2
    wanted = pilot * float(np.mean(pilots)) / target
    while True:
        width = max(2, least, int(np.ceil(wanted)))
        if width > LARGEST_WIDTH:
            raise ValueError(
                f"eps={eps} needs about {width} components for these data, more than {LARGEST_WIDTH}: "
                "give a larger eps, or n_components."
            )
        features = draw(width)
        reached = _mean_square(features, pairs, exact)
        if reached <= target:
            return width, features
        wanted = width * float(np.clip(reached / target, SMALLEST_STEP, LARGEST_STEP))


def _mean_square(features: Features, pairs: Pairs, exact: Array) -> float:
    return float(np.mean((estimated_values(features, pairs) - exact) ** 2))

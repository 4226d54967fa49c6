"""What experiments simulate: the largest error of Fourier features over a set, over many draws."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import Kernel
from ..maps import FourierFeatures
from ..report import max_error

Array = np.ndarray


def largest_errors(
    kernel: Kernel, width: int, rows: Array, n_draws: int, *, embedding: Any = "paired", seed: int = 0
) -> Array:
    """The largest |z(x)'z(y) - k(x, y)| over all pairs of rows, for so many draws of independent frequencies.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> errors = largest_errors(bo.Gaussian(1.0), 500, segment(3.0), 100)
    >>> bool(0.06 < errors.mean() < 0.08)
    True
    """
    drawn = FourierFeatures(kernel, width, embedding=embedding, directions="iid", random_state=seed).fit(rows)
    return max_error(drawn, rows, n_redraws=n_draws, random_state=seed).redraws


def segment(radius: float, step: float = 0.1) -> Array:
    """A grid of [-radius, radius], one column."""
    return np.linspace(-radius, radius, 2 * max(2, round(radius / step)) + 1)[:, None]


def share(happened: Array) -> tuple[float, float]:
    """How often something happened, and the standard error of that share."""
    rate = float(np.mean(happened))
    return rate, float(np.sqrt(rate * (1.0 - rate) / len(happened)))


def mean(values: Array) -> tuple[float, float]:
    """The mean, and its standard error."""
    return float(np.mean(values)), float(np.std(values, ddof=1) / np.sqrt(len(values)))

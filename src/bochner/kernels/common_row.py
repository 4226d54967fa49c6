"""The row that is subtracted from all others where only differences matter."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

MIDDLE_ROWS = 64  # whose mean is near enough to the middle of all


def common_row(rows: Array) -> Array:
    """A row in the middle of dense rows: the mean of some of them, in float64."""
    some = rows[:: max(1, len(rows) // MIDDLE_ROWS)]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = some.sum(axis=0, dtype=np.float64) / max(1, len(some))
    return np.where(np.isfinite(mean), mean, 0.0)


def powers_of_two(sizes: Array) -> Array:
    """For each size the power of two below it, 1 for 0.

    To divide by it is exact, and squares of what is left neither overflow nor vanish.
    """
    exponents = np.frexp(sizes)[1]
    return np.where(sizes > 0.0, np.ldexp(1.0, exponents - 1), 1.0)

"""A sample of rows that does not depend on chunks, threads or chance."""

from __future__ import annotations

from typing import Any

import numpy as np

SAMPLE_ROWS = 20_000
GOLDEN = (5.0**0.5 - 1.0) / 2.0


def representative_rows(X: Any, n_rows: int = SAMPLE_ROWS) -> Any:
    """At most ``n_rows`` rows of X, evenly spread: the rows from which length scales and landmarks are found."""
    return X[sample_rows(X.shape[0], n_rows)]


def sample_rows(total: int, wanted: int) -> slice | np.ndarray:
    """Positions of at most ``wanted`` out of ``total`` rows, evenly spread: one in each stretch of equal length.

    Row k is floor(step (k + frac(k φ))) with the golden section φ. A fixed distance would see one phase only of rows
    that repeat themselves, such as hours of days; multiples of φ agree with no period.
    """
    step = sample_step(total, wanted)
    if step == 1:
        return slice(None)
    place = np.arange(-(-total // step))
    rows = place * step + (step * np.mod(place * GOLDEN, 1.0)).astype(place.dtype)
    return rows[rows < total]


def sample_step(total: int, wanted: int) -> int:
    """Length of the stretches from which at most ``wanted`` out of ``total`` rows are taken."""
    return max(1, -(-total // wanted))

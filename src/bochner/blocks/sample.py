"""A sample of rows that does not depend on chunks, threads or chance."""

from __future__ import annotations

from typing import Any

SAMPLE_ROWS = 20_000


def representative_rows(X: Any, n_rows: int = SAMPLE_ROWS) -> Any:
    """At most ``n_rows`` rows of X, evenly spaced: the rows from which length scales and landmarks are found."""
    return X[:: sample_step(X.shape[0], n_rows)]


def sample_step(total: int, wanted: int) -> int:
    """Distance between the rows of an evenly spaced sample of at most ``wanted`` out of ``total``."""
    return max(1, -(-total // wanted))

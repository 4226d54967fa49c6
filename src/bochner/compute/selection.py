"""Random subsets of rows, many at once."""

from __future__ import annotations

import numpy as np

from .compiled import compiled

Array = np.ndarray


@compiled()
def _select(uniforms: Array, left: Array, out: Array) -> None:
    n_rows, n_subsets = out.shape
    for row in range(n_rows):
        rows_left = float(n_rows - row)
        for subset in range(n_subsets):
            chosen = uniforms[row, subset] * rows_left < left[subset]
            out[row, subset] = chosen
            left[subset] -= chosen


def random_subsets(counts: Array, n_rows: int, rng: np.random.Generator, dtype: np.dtype) -> Array:
    """Indicators (n_rows, len(counts)) of uniformly random subsets with these numbers of rows.

    Selection sampling: a row enters with probability (places left) / (rows left), which makes every subset of the
    given size equally likely.
    """
    out = np.empty((n_rows, len(counts)), dtype=dtype)
    _select(rng.random((n_rows, len(counts))), counts.astype(np.float64), out)
    return out

"""Manhattan distances between all pairs of some rows, and the sums that their derivatives need.

Columns are contiguous (``columns`` is X transposed), so that the innermost loops run over rows and fill vector
registers. Only pairs b < a are visited: everything here is symmetric.
"""

from __future__ import annotations

import numba
import numpy as np

Array = np.ndarray


@numba.njit(nogil=True, cache=True)
def _fill_manhattan(columns, out) -> None:  # type: ignore[no-untyped-def]
    for a in range(columns.shape[1]):
        row = out[a, :a]
        for j in range(columns.shape[0]):
            column = columns[j]
            here = column[a]
            for b in range(a):
                row[b] += abs(column[b] - here)


@numba.njit(nogil=True, cache=True, fastmath={"reassoc", "contract"})
def _add_sums(columns, weights, out) -> None:  # type: ignore[no-untyped-def]
    for a in range(columns.shape[1]):
        row = weights[a, :a]
        for j in range(columns.shape[0]):
            column = columns[j]
            here = column[a]
            total = column.dtype.type(0.0)
            for b in range(a):
                total += row[b] * abs(column[b] - here)
            out[j] += total


def manhattan(columns: Array) -> Array:
    """sum_j |x_aj - x_bj| for b < a in the lower triangle, zeros elsewhere."""
    out = np.zeros((columns.shape[1], columns.shape[1]), dtype=columns.dtype)
    _fill_manhattan(columns, out)
    return out


def manhattan_pullback(columns: Array, weights: Array) -> Array:
    """sum_{b<a} weights_ab |x_aj - x_bj| for every column j."""
    out = np.zeros(columns.shape[0])
    _add_sums(columns, weights, out)
    return out

"""Manhattan distances between rows, and the sums that their derivatives need.

Columns are contiguous (``columns`` is X transposed), so that the innermost loops run over rows and fill vector
registers. Among the rows of one table only pairs b < a are visited: all there is symmetric.
"""

from __future__ import annotations

import numpy as np

from .compiled import compiled

Array = np.ndarray


@compiled()
def _fill_manhattan(columns, out) -> None:  # type: ignore[no-untyped-def]
    for a in range(columns.shape[1]):
        row = out[a, :a]
        for j in range(columns.shape[0]):
            column = columns[j]
            here = column[a]
            for b in range(a):
                row[b] += abs(column[b] - here)


@compiled(fastmath={"reassoc", "contract"})
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


@compiled(fastmath={"contract"})
def _subtract_manhattan(rows, columns, out) -> None:  # type: ignore[no-untyped-def]
    n_columns = columns.shape[0]
    quads = n_columns - n_columns % 4
    for i in range(rows.shape[0]):
        row, part = rows[i], out[i]
        for c in range(0, quads, 4):
            c0, c1, c2, c3 = columns[c], columns[c + 1], columns[c + 2], columns[c + 3]
            x0, x1, x2, x3 = row[c], row[c + 1], row[c + 2], row[c + 3]
            for j in range(part.shape[0]):
                part[j] -= (abs(c0[j] - x0) + abs(c1[j] - x1)) + (abs(c2[j] - x2) + abs(c3[j] - x3))
        for c in range(quads, n_columns):
            c0, x0 = columns[c], row[c]
            for j in range(part.shape[0]):
                part[j] -= abs(c0[j] - x0)


def negative_manhattan(rows: Array, others: Array) -> Array:
    """-sum_j |x_ij - y_kj| for every row x_i of one table and y_k of another, both of one dtype."""
    out = np.zeros((len(rows), len(others)), dtype=rows.dtype)
    _subtract_manhattan(np.ascontiguousarray(rows), np.ascontiguousarray(others.T), out)
    return out


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

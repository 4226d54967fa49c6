"""A number for each row that depends on its content alone: chance that is the same in every order and every chunk."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

Array = np.ndarray

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))  # of Stafford's finaliser, as in splitmix64


def row_hash(X: Any, y: Array | None = None) -> Array:
    """64 bits for each row, as good as uniform: equal for equal rows, whatever stands beside them.

    h = mix(sum_j mix(bits of x_j + j c) - mix(j c)), modulo 2^64: entries that are 0 add nothing, so that a sparse row
    and the same row written out have the same number.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]])
    >>> marks = row_hash(rows)
    >>> bool(marks[0] == marks[2]), bool(marks[0] == marks[1])
    (True, False)
    """
    if sp.issparse(X):
        X = X.tocsr()
        terms = _terms(X.data, X.indices.astype(np.uint64) + np.uint64(1))
        reached = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(terms, dtype=np.uint64)])
        total = reached[X.indptr[1:]] - reached[X.indptr[:-1]]
    else:
        X = np.asarray(X)
        total = np.zeros(len(X), dtype=np.uint64)
        for column in range(X.shape[1]):
            total += _terms(X[:, column], np.array([column + 1], dtype=np.uint64))
    if y is not None:
        targets = np.asarray(y, dtype=np.float64)
        targets = targets[:, None] if targets.ndim == 1 else targets  # also of no rows
        for column in range(targets.shape[1]):
            total += _terms(targets[:, column], np.array([2**32 + column], dtype=np.uint64))
    return _mixed(total)


def _terms(values: Array, place: Array) -> Array:
    bits = (np.asarray(values, dtype=np.float64) + 0.0).view(np.uint64)  # adding 0 makes -0 into 0
    start = place * _GOLDEN
    return _mixed(bits + start) - _mixed(start)


def _mixed(bits: Array) -> Array:
    bits = (bits ^ (bits >> np.uint64(30))) * _MIX[0]
    bits = (bits ^ (bits >> np.uint64(27))) * _MIX[1]
    return bits ^ (bits >> np.uint64(31))

"""Measuring a map: pairs of rows, what the kernel says of them and what the features say, in bounded memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.threads import over_row_chunks
from ..kernels import Kernel
from .features import Array, Features

CHUNK = 128  # pairs per thread task
MEASURE_BYTES = 32 << 20  # features, or dense copies of sparse rows, that are held at once


@dataclass(frozen=True)
class Pairs:
    """Paired rows of a table: x_i = rows[left_i], y_i = rows[right_i]."""

    left: Any
    right: Any

    @property
    def n_pairs(self) -> int:
        return self.left.shape[0]


def sample_pairs(rows: Any, n_pairs: int, rng: np.random.Generator, weight: Array | None = None) -> Pairs:
    """Draw ``n_pairs`` pairs of different rows, each equally likely (or in proportion to the rows' weights)."""
    first, second = pair_indices(rows.shape[0], n_pairs, rng, weight)
    return Pairs(rows[first], rows[second])


def pair_indices(n_rows: int, n_pairs: int, rng: np.random.Generator, weight: Array | None) -> tuple[Array, Array]:
    """Row numbers i != j of random pairs."""
    if n_rows < 2:
        raise ValueError("The error of a map is measured between different rows: give at least two.")
    if weight is None:
        first = rng.integers(n_rows, size=n_pairs)
        return first, (first + 1 + rng.integers(n_rows - 1, size=n_pairs)) % n_rows
    share = weight / weight.sum()
    first, second = rng.choice(n_rows, size=(2, n_pairs), p=share)
    return first, np.where(first == second, (second + 1) % n_rows, second)


def all_pairs(rows: Any) -> Pairs:
    """Every pair i < j of a small table."""
    first, second = np.triu_indices(rows.shape[0], k=1)
    return Pairs(rows[first], rows[second])


def exact_values(kernel: Kernel, pairs: Pairs) -> Array:
    """k(x_i, y_i), shape (n_pairs,)."""
    return np.concatenate([kernel.rowwise(x, y) for x, y in dense_parts(pairs)])


def dense_parts(pairs: Pairs) -> Iterator[tuple[Array, Array]]:
    """The pairs as dense float64 rows, some at a time."""
    for part in _parts(pairs.n_pairs, 8 * pairs.left.shape[1]):
        yield _dense(pairs.left[part]), _dense(pairs.right[part])


def estimated_values(features: Features, pairs: Pairs) -> Array:
    """z(x_i)'z(y_i), shape (n_pairs,), summed in double precision; of complex features Re z(x_i)'conj(z(y_i))."""
    values = np.empty(pairs.n_pairs)

    def fill(start: int, stop: int) -> None:
        left, right = features(pairs.left[start:stop]), features(pairs.right[start:stop])
        if sp.issparse(left):
            values[start:stop] = np.asarray(left.multiply(right).sum(axis=1)).ravel()
        elif left.dtype.kind == "c":
            values[start:stop] = np.einsum("ij,ij->i", left, right.conj(), dtype=np.complex128).real
        else:
            values[start:stop] = np.einsum("ij,ij->i", left, right, dtype=np.float64)

    over_row_chunks(fill, pairs.n_pairs, min(CHUNK, _step(features.row_bytes)), None)
    return values


def _parts(n_rows: int, row_bytes: int) -> Iterator[slice]:
    step = _step(row_bytes)
    return (slice(start, min(start + step, n_rows)) for start in range(0, n_rows, step))


def _step(row_bytes: int) -> int:
    return max(1, MEASURE_BYTES // (2 * max(1, row_bytes)))


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float64)

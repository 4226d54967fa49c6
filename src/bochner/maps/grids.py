"""Random grids: the bins of rows in each of many grids, as hashes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.bins import FARTHEST, PARTIAL, PLAIN, SIGNED, dense_codes, sparse_codes
from .codes import over_ranges
from .design import Array

FEW_BINS = 1 << 20  # bins to find for which starting threads costs more than it saves


class Grids:
    """Grids of pitch δ_gj and uniform shift: row x is in bin floor((x_j - centre_j) / δ_gj + shift_gj) of column j.

    The bins of all columns are combined to h = start_g + sum_j multiplier_gj bin_j (mod 2^32), brought down to
    floor(h M / 2^32). For uniform random start and multipliers the hashes of two different bins are independent and
    uniform, so they collide with probability 1/M.

    Values are taken relative to a centre and in units of the median pitch, in float64, and only then rounded to
    float32: the grids see each column with 7 digits of its distance from the centre. So pitches below 2^-24 of the
    reach of a column, the distance of its ends from the centre, are raised to that; and values so far out that a bin
    would not fit 32 bits, which is beyond 64 times the reach, are clipped. Infinite pitches do not count.
    """

    def __init__(self, pitches: Array, centre: Array, reach: Array, rng: np.random.Generator) -> None:
        self.n_grids, dim = pitches.shape
        counts = np.isfinite(pitches).any(axis=0)
        self.columns = np.flatnonzero(counts)
        pitches = pitches[:, counts]
        unit = np.array([np.median(column[np.isfinite(column)]) for column in pitches.T])
        if not ((unit > 1e-300) & (unit < 1e300)).all():
            raise ValueError("The length scales are too small or too large to make grids of: rescale the columns.")
        self.centre = np.asarray(centre, dtype=np.float64)[counts]
        self.inverse = 1.0 / unit
        reach = np.minimum(np.asarray(reach, dtype=np.float64)[counts] * self.inverse, 1e30)
        steepest = 2.0**24 / np.where(reach > 0.0, reach, 1.0)
        self.slope = np.minimum(unit / np.maximum(pitches, 1e-300), steepest).astype(np.float32)
        self.farthest = FARTHEST / np.maximum(1e-30, self.slope.max(axis=0, initial=0.0).astype(np.float64))
        self.offset = rng.random(pitches.shape, dtype=np.float32)
        self.multiplier, self.start = draw_hash(pitches.shape, rng)
        self.place = np.full(dim, -1, dtype=np.int64)
        self.place[self.columns] = np.arange(len(self.columns))
        self._start_from_zero()

    def _start_from_zero(self) -> None:
        """The bins and the hash of a row of zeros, where sparse rows start from, and the grids column by column."""
        zero = np.clip(-self.centre * self.inverse, -self.farthest, self.farthest).astype(np.float32)
        bins = np.floor(zero * self.slope + self.offset).astype(np.int32)
        start = self.start + (bins.astype(np.uint32) * self.multiplier).sum(axis=1, dtype=np.uint32)
        by_column = (np.ascontiguousarray(part.T) for part in (self.slope, self.offset, self.multiplier, bins))
        self.from_zero = (*by_column, start)

    def first(self, n_grids: int) -> Grids:
        """The first few of these grids."""
        return self._with(slice(n_grids), self.multiplier, self.start)

    def rehashed(self, rng: np.random.Generator) -> Grids:
        """The same grids with other hashes."""
        multiplier, start = draw_hash(self.slope.shape, rng)
        return self._with(slice(None), multiplier, start)

    def _with(self, chosen: slice, multiplier: Array, start: Array) -> Grids:
        other = copy(self)
        other.slope, other.offset = self.slope[chosen], self.offset[chosen]
        other.multiplier, other.start = multiplier[chosen], start[chosen]
        other.n_grids = len(other.start)
        other._start_from_zero()
        return other

    def codes(self, X: Any, ranges: Array, dtype: np.dtype, threads: int = 1) -> Array:
        """Hashes brought down to 0 ... ranges_g - 1, shape (grids, rows)."""
        out = np.empty((self.n_grids, X.shape[0]), dtype=dtype)
        self.write(X, ranges, out, threads)
        return out

    def write(self, X: Any, ranges: Array, out: Array, threads: int = 1) -> None:
        """``codes`` into an array."""
        ranges = np.asarray(ranges, dtype=np.uint64)
        units = (self.centre, self.inverse, self.farthest)
        grids = (self.slope, self.offset, self.multiplier, self.start)

        def fill(first: int, last: int) -> None:
            some, codes = X[first:last], out[:, first:last]
            if sp.issparse(X):
                sparse_codes((some.data, some.indices, some.indptr), self.place, units, self.from_zero, ranges, codes)
            else:
                dense_codes(some, self.columns, units, grids, ranges, codes)

        over_ranges(fill, X.shape[0], threads if out.size * len(self.columns) > FEW_BINS else 1)


def draw_hash(shape: tuple[int, int], rng: np.random.Generator) -> tuple[Array, Array]:
    """Multipliers and start of a multilinear hash for each grid."""
    return rng.integers(0, 2**32, size=shape, dtype=np.uint32), rng.integers(0, 2**32, size=shape[0], dtype=np.uint32)


class Coder(ABC):
    """From bins to codes, the same number of them for every row: one for each grid."""

    sizes: Array  # columns of each grid
    mode: int  # how a code is read, see compute.bins

    @abstractmethod
    def write(self, X: Any, out: Array, threads: int) -> None:
        """Fill out (grids, rows) with the codes of the rows."""


class HashedBins(Coder):
    """Bins hashed to a fixed number for each grid, with or without a random sign for each bin.

    The sign is one more bit of the hash, so that bins which collide still have independent signs.
    """

    def __init__(self, grids: Grids, sizes: Array, signed: bool) -> None:
        self.grids = grids
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.mode = SIGNED if signed else PLAIN

    def write(self, X: Any, out: Array, threads: int) -> None:
        self.grids.write(X, 2 * self.sizes if self.mode == SIGNED else self.sizes, out, threads)


class Vocabulary(Coder):
    """A column for every bin seen; bins are known by 64 bits of hash, so that none of them collide."""

    def __init__(self, low: Grids, high: Grids, keys: Sequence[Array]) -> None:
        self.low, self.high = low, high
        self.sizes = np.array([len(part) for part in keys])
        self.edges = np.concatenate([[0], np.cumsum(self.sizes)])
        self.keys = np.concatenate(keys)
        self.mode = PARTIAL

    @classmethod
    def of_rows(cls, rows: Any, low: Grids, high: Grids) -> Vocabulary:
        """The bins that these rows are in."""
        return cls(low, high, [np.unique(row) for row in wide_hashes(rows, low, high, 1)])

    def write(self, X: Any, out: Array, threads: int) -> None:
        for grid, hashes in enumerate(wide_hashes(X, self.low, self.high, threads)):
            known = self.keys[self.edges[grid] : self.edges[grid + 1]]
            place = np.searchsorted(known, hashes)
            found = known[np.minimum(place, len(known) - 1)] == hashes
            out[grid] = np.where(found, place, len(known))


def wide_hashes(X: Any, low: Grids, high: Grids, threads: int) -> Array:
    """64 bits of hash for each bin, shape (grids, rows)."""
    whole, dtype = np.full(low.n_grids, 2**32), np.dtype(np.uint64)
    return low.codes(X, whole, dtype, threads) | (high.codes(X, whole, dtype, threads) << np.uint64(32))


def column_ranges(rows: Any) -> tuple[Array, Array]:
    """Centre of the range of each column and the distance of its ends from it: the same for rows that are repeated."""
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    if sp.issparse(rows):
        lowest, highest = lowest.toarray().ravel(), highest.toarray().ravel()
    low, high = 0.5 * np.asarray(lowest, dtype=np.float64), 0.5 * np.asarray(highest, dtype=np.float64)
    return low + high, high - low

"""A symmetric matrix of which one triangle is kept, in square tiles that stay in the cache."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .threads import side_by_side

Array = np.ndarray

TILE = 512  # rows and columns: one megabyte in single precision
SUMS = 8  # partial sums of a product, whatever the number of threads, so that it has the same bits for all


class Triangle:
    """Tiles on and below the diagonal. In a product each is read from memory once and serves two blocks of rows."""

    def __init__(self, make: Callable[[slice, slice], Array], n_rows: int, threads: int) -> None:
        self.n_rows = n_rows
        self.threads = threads
        self.places = [slice(start, min(start + TILE, n_rows)) for start in range(0, n_rows, TILE)]
        self.tiles: list[list[Array]] = [[] for _ in self.places]

        def fill(i: int) -> None:
            self.tiles[i] = [make(self.places[i], there) for there in self.places[: i + 1]]

        side_by_side(fill, reversed(range(len(self.places))), threads)  # the longest first

    @staticmethod
    def bytes(n_rows: int, dtype: np.dtype) -> int:
        """Memory that the tiles of so many rows take."""
        return (n_rows + TILE) * n_rows // 2 * dtype.itemsize

    def columns(self, count: int) -> Array:
        """The first columns, as rows: shape (count, n_rows)."""
        out = np.empty((count, self.n_rows), dtype=self.tiles[0][0].dtype)
        for i, here in enumerate(self.places):
            for there, tile in zip(self.places, self.tiles[i]):
                if there.start < count:
                    out[there.start : there.stop, here] = tile[:, : count - there.start].T
                if here.start < count:
                    out[here, there] = tile[: count - here.start]
        return out

    def trace(self) -> float:
        """The sum of the diagonal."""
        return float(sum(np.trace(row[-1], dtype=np.float64) for row in self.tiles))

    def product(self, vectors: Array) -> Array:
        """The matrix times vectors of shape (n_rows, targets)."""
        sums = np.zeros((SUMS, *vectors.shape), dtype=vectors.dtype)

        def add(first: int) -> None:
            for i in range(first, len(self.places), SUMS):
                self._add_row(i, vectors, sums[first])

        side_by_side(add, range(SUMS), self.threads)
        return sums.sum(axis=0)

    def _add_row(self, i: int, vectors: Array, out: Array) -> None:
        here = self.places[i]
        for there, tile in zip(self.places[:i], self.tiles[i]):
            out[here] += tile @ vectors[there]
            out[there] += tile.T @ vectors[here]
        out[here] += self.tiles[i][i] @ vectors[here]

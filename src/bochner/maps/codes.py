"""Features with one non-zero per grid, kept as the number of its bin: the design of random binning."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import scipy.sparse as sp

from ..compute.bins import (
    PARTIAL,
    SIGNED,
    UNSIGNED,
    fill_entries,
    gather,
    gather_columns,
    gather_rows,
    scatter,
    scatter_columns,
    scatter_rows,
)
from .design import Array, Design

FEW_ENTRIES = 1 << 17  # codes for which starting threads costs more than it saves

MANY_CHOSEN = 0.6  # part of the rows from which reading all of them costs no more than choosing


class CodesDesign(Design):
    """Z with entries ±scale_g at column edge_g + bin of each grid g, as codes of shape (grids, rows).

    A grid's coefficients are one contiguous table that stays in the L2 cache while all rows of the block read it
    (``scores``) or add to it (``adjoint``). A code is the bin; twice the bin plus 1 for a minus sign where signs are
    used; and the number of bins, one past the last, where a row has no bin in a vocabulary. Scores are split over
    threads by rows and adjoints by grids, so the order of every sum, and with it every bit, is that of one thread.
    """

    def __init__(self, codes: Array, edges: Array, scales: Array, mode: int, dtype: np.dtype, threads: int = 1) -> None:
        self.codes = codes
        self.edges = edges
        self.scales = scales
        self.mode = mode
        self.dtype = dtype
        self.threads = threads

    @property
    def shape(self) -> tuple[int, int]:
        return self.codes.shape[1], int(self.edges[-1])

    @property
    def nbytes(self) -> int:
        return self.codes.nbytes

    def scores(self, coefficients: Array) -> Array:
        table = as_floats(coefficients)
        n_outputs = table.shape[1]
        scales = self.scales.astype(table.dtype)
        out = np.zeros((self.codes.shape[1], n_outputs), dtype=table.dtype)

        def fill(first: int, last: int) -> None:
            if n_outputs == 1:
                gather(self.codes, self.edges, scales, self.mode, table.ravel(), first, last, out.reshape(-1))
            else:
                gather_columns(self.codes, self.edges, scales, self.mode, table, first, last, out)

        self._share(fill, self.codes.shape[1], n_outputs)
        return out

    def adjoint(self, residuals: Array) -> Array:
        values = as_floats(residuals)
        out = np.zeros((int(self.edges[-1]), values.shape[1]), dtype=values.dtype)
        self._scatter(values, self.scales.astype(values.dtype), self.mode, out)
        return out

    def add_adjoint(self, residuals: Array, out: Array) -> None:
        values = as_floats(residuals)
        self._scatter(values, self.scales.astype(values.dtype), self.mode, out)

    def add_weighted_gram(self, weight: Array, direction: Array, offset: Array, out: Array) -> None:
        """For one output only rows of weight are read: beyond its margin a row has none. The bits are the same."""
        rows = np.flatnonzero(weight).astype(np.uint32) if weight.shape[1] == 1 else None
        if rows is None or len(rows) > MANY_CHOSEN * len(weight):
            super().add_weighted_gram(weight, direction, offset, out)
            return
        table = as_floats(direction)
        scales = self.scales.astype(table.dtype)
        scores = np.zeros(len(rows), dtype=table.dtype)
        grids = (self.codes, self.edges, scales, self.mode)
        n_grids = len(self.codes)
        threads = self.threads if n_grids * len(rows) > FEW_ENTRIES else 1
        over_ranges(lambda a, b: gather_rows(*grids, table.ravel(), rows, a, b, scores), len(rows), threads)
        changes = weight[rows, 0] * (scores + offset)
        values, sums = changes.astype(table.dtype), out[:-1].reshape(-1)
        over_ranges(lambda a, b: scatter_rows(*grids, values, rows, a, b, sums), n_grids, threads)
        out[-1] += changes.sum()

    def column_squares(self, weight: Array | None) -> Array:
        out = np.zeros(int(self.edges[-1]))
        self.add_column_squares(weight, out)
        return out

    def add_column_squares(self, weight: Array | None, out: Array) -> None:
        values = (np.ones(self.codes.shape[1]) if weight is None else np.asarray(weight)).astype(out.dtype)
        mode = UNSIGNED if self.mode == SIGNED else self.mode
        self._scatter(values[:, None], (self.scales**2).astype(out.dtype), mode, out[:, None])

    def _scatter(self, values: Array, scales: Array, mode: int, out: Array) -> None:
        """Add, for each row, its values times ±scale to the rows of out that belong to its bins."""
        column_by_column = out.flags.f_contiguous
        columns = [np.ascontiguousarray(column) for column in values.T] if column_by_column else []

        def fill(first: int, last: int) -> None:
            for column, sums in zip(columns, out.T):
                scatter(self.codes, self.edges, scales, mode, column, first, last, sums)
            if not column_by_column:
                scatter_columns(self.codes, self.edges, scales, mode, values, first, last, out)

        self._share(fill, self.codes.shape[0], values.shape[1])

    def _share(self, fill: Callable[[int, int], None], total: int, n_outputs: int) -> None:
        """Call fill on ranges that cover 0 ... total, one for each thread this block may use."""
        over_ranges(fill, total, self.threads if self.codes.size * n_outputs > FEW_ENTRIES else 1)

    def matrix(self) -> sp.csr_matrix:
        """Z in compressed rows."""
        n_rows, n_columns = self.shape
        n_grids = len(self.codes)
        index = np.int32 if max(n_rows * n_grids, n_columns) < 2**31 else np.int64
        indices = np.empty((n_rows, n_grids), dtype=index)
        data = np.empty((n_rows, n_grids), dtype=self.dtype)
        fill_entries(self.codes, self.edges, self.scales.astype(self.dtype), self.mode, indices, data)
        return as_csr(indices, data, n_columns, self.mode)

    def dense(self) -> Array:
        return self.matrix().toarray()

    def held_out(self, rows: Array) -> Design:
        codes = np.ascontiguousarray(self.codes[:, rows])
        return CodesDesign(codes, self.edges, self.scales, self.mode, self.dtype, self.threads)


def over_ranges(task: Callable[[int, int], None], total: int, threads: int) -> None:
    """Call task on ranges that cover 0 ... total, one for each thread."""
    threads = min(threads, total)
    if threads <= 1:
        task(0, total)
        return
    edges = [total * thread // threads for thread in range(threads + 1)]
    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(task, edges[:-1], edges[1:]))


def as_csr(indices: Array, data: Array, n_columns: int, mode: int) -> sp.csr_matrix:
    """Rows of equally many entries as a CSR matrix; entries of index -1 are left out."""
    n_rows, per_row = indices.shape
    kept = indices >= 0 if mode == PARTIAL else None
    if kept is None or kept.all():
        indptr = np.arange(0, n_rows * per_row + 1, per_row, dtype=indices.dtype)
        parts = (data.ravel(), indices.ravel(), indptr)
    else:
        indptr = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(indices.dtype)
        parts = (data[kept], indices[kept], indptr)
    matrix = sp.csr_matrix(parts, shape=(n_rows, n_columns), copy=False)
    matrix.has_sorted_indices = True
    return matrix


def as_floats(values: Array) -> Array:
    """A C-contiguous table of float32, or else float64."""
    values = np.asarray(values)
    return np.ascontiguousarray(values, dtype=values.dtype if values.dtype == np.float32 else np.float64)

"""The frozen function of random binning."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.bins import PARTIAL, SIGNED
from .codes import CodesDesign
from .features import Array, Features
from .grids import Coder
from .layout import Layout

ONE_CHANGE = (
    "Random binning serves a sum of kernels whose terms share one bo.Metric (or none), and these have different ones: "
    "use FourierFeatures."
)


def largest_code(size: int, mode: int) -> int:
    """The largest code of a grid of so many bins; a vocabulary has one more for bins it does not know."""
    return 2 * size - 1 if mode == SIGNED else size if mode == PARTIAL else size - 1


class BinningFunction(Features):
    """z(x) has one entry ±scale_g for each grid g, in the column of the bin that x is in.

    The grids of a sum of kernels are those of its terms, side by side, with scale² = weight / grids of the term.
    """

    def __init__(self, coders: Sequence[Coder], scales: Array, n_features_in: int, dtype: np.dtype) -> None:
        self.coders = tuple(coders)
        self.scales = np.asarray(scales, dtype=np.float64)
        self.mode = self.coders[0].mode
        sizes = np.concatenate([coder.sizes for coder in self.coders])
        self.edges = np.concatenate([[0], np.cumsum(sizes)])
        self.code_dtype = np.dtype(np.uint16 if largest_code(int(sizes.max()), self.mode) < 2**16 else np.uint32)
        self.n_features_in = n_features_in
        self.n_components = int(self.edges[-1])
        self.dtype = np.dtype(dtype)
        self.threads = 1

    def on_threads(self, threads: int) -> BinningFunction:
        other = copy(self)
        other.threads = threads
        return other

    def codes(self, X: Any) -> Array:
        """Codes of the rows in every grid, shape (grids, rows)."""
        out = np.empty((len(self.scales), X.shape[0]), dtype=self.code_dtype)
        stop = 0
        for coder in self.coders:
            start, stop = stop, stop + len(coder.sizes)
            coder.write(X, out[start:stop], self.threads)
        return out

    def design(self, X: Any) -> CodesDesign:
        return CodesDesign(self.codes(X), self.edges, self.scales, self.mode, self.dtype, self.threads)

    def __call__(self, X: Any) -> sp.csr_matrix:
        return self.design(X).matrix()

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> BinningFunction:
        if not all(isinstance(part, BinningFunction) for part in parts):
            raise ValueError(ONE_CHANGE)
        coders = [coder for part in parts for coder in part.coders]
        scales = [np.sqrt(weight) * part.scales for weight, part in zip(weights, parts)]
        return BinningFunction(coders, np.concatenate(scales), self.n_features_in, self.dtype)

    def layout(self, sparse_rows: bool = False) -> Layout:
        return Layout.CODES

    @property
    def row_bytes(self) -> int:
        return len(self.scales) * self.code_dtype.itemsize

    def block_rows(self, memory: int) -> int:
        # Few large blocks: every block reads the tables of all grids, and a pass adds up one gradient for each lane.
        raw = self.n_features_in * self.dtype.itemsize
        return int(max(256, min(memory // 4 // (self.row_bytes + raw), 1 << 19)))

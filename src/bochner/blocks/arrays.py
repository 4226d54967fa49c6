"""Rows held in memory (or memory-mapped)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from .base import Array, Block, BlockSource, Part
from .fingerprint import Digest
from .sample import sample_rows


@dataclass(frozen=True)
class ArrayPart(Part):
    """A range of rows of arrays."""

    X: Any
    y: Array | None
    weight: Array | None
    start: int
    stop: int

    def __call__(self) -> Block:
        rows = slice(self.start, self.stop)
        return Block(self.X[rows], _some(self.y, rows), _some(self.weight, rows))

    def mark(self) -> int:
        return 0

    def __reduce__(self) -> tuple[Any, ...]:
        # A worker needs these rows only, not the whole table.
        block = self()
        X = block.X if not isinstance(block.X, np.memmap) else np.array(block.X)
        return ArrayPart, (X, block.y, block.weight, 0, self.stop - self.start)


def _some(values: Array | None, rows: slice | Array) -> Array | None:
    return None if values is None else values[rows]


class ArrayBlocks(BlockSource):
    """A table in memory, a memory-mapped ``.npy`` or a sparse matrix as a source of blocks.

    Parameters
    ----------
    X : array, memmap or CSR matrix of shape (n_rows, n_columns)
    y : array of shape (n_rows,) or (n_rows, n_targets), default=None
    sample_weight : array of shape (n_rows,), default=None
    block_rows : int, default=4096

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> source = bo.ArrayBlocks(np.zeros((10, 3)), np.arange(10.0), block_rows=4)
    >>> [block.n_rows for block in source]
    [4, 4, 2]
    """

    def __init__(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        block_rows: int = 4096,
    ) -> None:
        if len(getattr(X, "shape", ())) != 2:
            raise ValueError(f"ArrayBlocks takes an array or a matrix of rows and columns, not {type(X).__name__}.")
        for axis, kind in enumerate(("rows", "columns")):
            if X.shape[axis] == 0:
                raise ValueError(f"The source has 0 {kind}: at least 1 is needed.")
        for name, values in (("y", y), ("sample_weight", sample_weight)):
            if values is not None and len(values) != X.shape[0]:
                raise ValueError(f"{name} has {len(values)} entries but X has {X.shape[0]} rows: they must be equal.")
        if block_rows < 1:
            raise ValueError(f"block_rows must be at least 1, but it is {block_rows}.")
        self.X = X
        self.y = None if y is None else np.asarray(y)
        self.weight = None if sample_weight is None else np.asarray(sample_weight)
        self.block_rows = block_rows

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        return [cls(X, y), cls(X, y, np.linspace(1.0, 2.0, len(y))), cls(sp.csr_matrix(X), y)]

    @property
    def n_columns(self) -> int:
        return self.X.shape[1]

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]

    def parts(self) -> list[ArrayPart]:
        starts = range(0, self.n_rows, self.block_rows)
        return [
            ArrayPart(self.X, self.y, self.weight, start, min(start + self.block_rows, self.n_rows)) for start in starts
        ]

    def sample(self, n_rows: int | None = None) -> Block:
        rows = slice(None) if n_rows is None else sample_rows(self.n_rows, n_rows)
        return Block(self.X[rows], _some(self.y, rows), _some(self.weight, rows))

    def fingerprint(self, digest: Digest) -> str:
        return digest("ArrayBlocks", self.block_rows, self.X, self.y, self.weight)

    def rechunked(self, block_rows: int) -> ArrayBlocks:
        return ArrayBlocks(self.X, self.y, self.weight, block_rows=block_rows)

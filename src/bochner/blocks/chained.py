"""Several sources, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import scipy.sparse as sp

from .arrays import ArrayBlocks
from .base import Array, Block, BlockSource, Part
from .fingerprint import Digest


class ChainedBlocks(BlockSource):
    """The rows of several sources with the same columns, one source after the other; targets are left out."""

    def __init__(self, sources: Sequence[BlockSource]) -> None:
        widths = [source.n_columns for source in sources]
        if len(set(widths)) != 1:
            raise ValueError(f"The samples have {' and '.join(map(str, widths))} columns: they must have the same.")
        self.sources = tuple(sources)

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        half = len(y) // 2
        return [cls([ArrayBlocks(X[:half], y[:half]), ArrayBlocks(X[half:], y[half:])])]

    @property
    def n_columns(self) -> int:
        return self.sources[0].n_columns

    @property
    def n_rows(self) -> int | None:
        counts = [source.n_rows for source in self.sources]
        return None if None in counts else sum(count for count in counts if count is not None)

    def parts(self) -> list[Part]:
        return [part for source in self.sources for part in source.parts()]

    def sample(self, n_rows: int | None = None) -> Block:
        counts = [source.n_rows or 1 for source in self.sources]
        shares = [None if n_rows is None else max(1, n_rows * count // sum(counts)) for count in counts]
        rows = [source.sample(share).X for source, share in zip(self.sources, shares)]
        return Block(sp.vstack(rows, format="csr") if any(map(sp.issparse, rows)) else np.vstack(rows))

    def fingerprint(self, digest: Digest) -> str:
        return digest("ChainedBlocks", [source.fingerprint(digest) for source in self.sources])

    def rechunked(self, block_rows: int) -> ChainedBlocks:
        return ChainedBlocks([source.rechunked(block_rows) for source in self.sources])

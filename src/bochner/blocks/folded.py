"""Folds of the rows of a source that depend on nothing but the content of a row, or else its position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

import numpy as np

from .arrays import ArrayBlocks
from .base import Array, Block, BlockSource, Part, WrappedBlocks, WrappedPart
from .fingerprint import Digest


def fold_numbers(start: int, stop: int, n_folds: int) -> Array:
    """Fold of each row from position ``start`` to ``stop``: a hash of the position (splitmix64), so that neither
    blocks nor any period in the order of the rows matter.
    """
    mixed = np.arange(start + 1, stop + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) % np.uint64(n_folds)).astype(np.int64)


def row_count(block: Block) -> int:
    """Rows of a block."""
    return block.n_rows


@dataclass(frozen=True)
class FoldedPart(WrappedPart):
    """A block whose rows outside (or inside) a fold weigh nothing."""

    part: Part
    start: int
    fold: int
    n_folds: int
    inside: bool

    def __call__(self) -> Block:
        block = self.part()
        if block.hashes is None:
            numbers = fold_numbers(self.start, self.start + block.n_rows, self.n_folds)
        else:
            numbers = (block.hashes % np.uint64(self.n_folds)).astype(np.int64)
        kept = (numbers == self.fold) == self.inside
        weight = np.ones(block.n_rows) if block.weight is None else block.weight
        return replace(block, weight=weight * kept)


class FoldedBlocks(WrappedBlocks):
    """A source with the rows outside (or inside) one fold weighted 0: no row is copied."""

    def __init__(
        self, source: BlockSource, rows_per_block: Sequence[int], fold: int, n_folds: int, *, inside: bool
    ) -> None:
        super().__init__(source)
        self.starts = np.concatenate([[0], np.cumsum(rows_per_block)]).tolist()
        self.fold = fold
        self.n_folds = n_folds
        self.inside = inside

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        source = ArrayBlocks(X, y, block_rows=70)
        rows = [block.n_rows for block in source]
        return [cls(source, rows, 1, 3, inside=inside) for inside in (False, True)]

    def parts(self) -> list[FoldedPart]:
        return self._folded(self.source.parts(), 0)

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        first = 0
        for lane in self.source.lanes(state_bytes, memory):
            yield self._folded(lane, first)
            first += len(lane)

    def _folded(self, lane: Sequence[Part], first: int) -> list[FoldedPart]:
        return [
            FoldedPart(part, self.starts[first + index], self.fold, self.n_folds, self.inside)
            for index, part in enumerate(lane)
        ]

    def fingerprint(self, digest: Digest) -> str:
        return digest(super().fingerprint(digest), self.starts, self.fold, self.n_folds, self.inside)

    def rechunked(self, block_rows: int) -> BlockSource:
        raise ValueError("Folds belong to the blocks they were made of: rechunk the source first.")

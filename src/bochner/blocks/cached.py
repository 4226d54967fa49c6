"""Blocks kept after the first pass, as many as a budget allows: iterative solvers read them again and again."""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock
from typing import Any

from .base import Block, BlockSource, Part


class Shelf:
    """Blocks by index, up to a number of bytes. Pickled empty: what is kept here stays here."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0
        self.blocks: dict[int, Block] = {}
        self.lock = Lock()

    def put(self, index: int, block: Block) -> None:
        """Keep the block if there is room for it."""
        size = block_bytes(block)
        with self.lock:
            if index not in self.blocks and self.used + size <= self.budget:
                self.used += size
                self.blocks[index] = block

    def __reduce__(self) -> tuple[Any, ...]:
        return Shelf, (self.budget,)


def block_bytes(block: Block) -> int:
    """Memory of a block of arrays or designs."""
    return sum(int(part.nbytes) for part in (block.X, block.y, block.weight) if part is not None)


@dataclass(frozen=True)
class CachedPart:
    """A part that looks on the shelf first."""

    index: int
    part: Part
    shelf: Shelf

    def __call__(self) -> Block:
        block = self.shelf.blocks.get(self.index)
        if block is None:
            block = self.part()
            self.shelf.put(self.index, block)
        return block


class CachedBlocks(BlockSource):
    """A source whose blocks are kept in memory after they were first made, within its memory budget.

    Blocks that do not fit are made again in each pass: slower, never wrong.
    """

    def __init__(self, source: BlockSource, budget: int) -> None:
        self.source = source
        self.memory = source.memory
        self.shelf = Shelf(budget)
        self._parts = [CachedPart(index, part, self.shelf) for index, part in enumerate(source.parts())]

    @property
    def n_columns(self) -> int:
        return self.source.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    def parts(self) -> list[CachedPart]:
        return self._parts

    def sample(self, n_rows: int | None = None) -> Block:
        return self.source.sample(n_rows)

    def rechunked(self, block_rows: int) -> CachedBlocks:
        return CachedBlocks(self.source.rechunked(block_rows), self.shelf.budget)

"""Blocks kept after the first pass, as many as a budget allows: iterative solvers read them again and again."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self
from uuid import uuid4
from weakref import WeakValueDictionary

from .arrays import ArrayBlocks
from .base import Array, Block, BlockSource, Fold, Part, Run, WrappedBlocks, WrappedPart


class Shelf:
    """Blocks by index, up to a number of bytes.

    Blocks are never pickled: a copy of the shelf in another process is that process's own shelf of the same name,
    shared by all copies there for as long as one of them is held.
    """

    def __init__(self, budget: int, name: str | None = None) -> None:
        self.budget = budget
        self.name = uuid4().hex if name is None else name
        self.used = 0
        self.blocks: dict[Any, Block] = {}
        self.lock = Lock()

    def put(self, index: Any, block: Block) -> None:
        """Keep the block if there is room for it."""
        size = block_bytes(block)
        with self.lock:
            if index not in self.blocks and self.used + size <= self.budget:
                self.used += size
                self.blocks[index] = block

    def __reduce__(self) -> tuple[Any, ...]:
        return shelf_named, (self.name, self.budget)


_SHELVES: WeakValueDictionary[str, Shelf] = WeakValueDictionary()
_SHELVES_LOCK = Lock()


def shelf_named(name: str, budget: int) -> Shelf:
    """The copy of a shelf that belongs to this process."""
    with _SHELVES_LOCK:
        shelf = _SHELVES.get(name)
        if shelf is None:
            shelf = Shelf(budget, name)
            _SHELVES[name] = shelf
        return shelf


def block_bytes(block: Block) -> int:
    """Memory of a block of arrays or designs."""
    return sum(int(part.nbytes) for part in (block.X, block.y, block.weight) if part is not None)


@dataclass(frozen=True)
class CachedPart(WrappedPart):
    """A part that looks on the shelf first."""

    index: Any
    part: Part
    shelf: Shelf

    def __call__(self) -> Block:
        block = self.shelf.blocks.get(self.index)
        if block is None:
            block = self.part()
            self.shelf.put(self.index, block)
        return block

    def mark(self) -> int:
        block = self.shelf.blocks.get(self.index)
        return self.part.mark() if block is None else block.mark


class CachedBlocks(WrappedBlocks):
    """A source whose blocks are kept in memory after they were first made, within a budget.

    Blocks that do not fit are made again in each pass: slower, never wrong.
    """

    def __init__(self, source: BlockSource, budget: int) -> None:
        super().__init__(source)
        self.shelf = Shelf(budget)

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        half = X.nbytes // 2
        return [cls(ArrayBlocks(X, y), half), cls(ArrayBlocks(X, y), 10 * half)]

    def parts(self) -> list[CachedPart]:
        return [CachedPart(index, part, self.shelf) for index, part in enumerate(self.source.parts())]

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        start = 0
        for lane in self.source.lanes(state_bytes, memory):
            yield [CachedPart(start + index, part, self.shelf) for index, part in enumerate(lane)]
            start += len(lane)

    def rechunked(self, block_rows: int) -> CachedBlocks:
        return CachedBlocks(self.source.rechunked(block_rows), self.shelf.budget)

    def prepared(self, fold: Fold, run: Run) -> CachedBlocks:
        return CachedBlocks(self.source.prepared(fold, run), self.shelf.budget)

    def shelves(self) -> list[Shelf]:
        return [self.shelf, *self.source.shelves()]

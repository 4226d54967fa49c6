"""Where rows come from: a restartable source of blocks, and the reduction tree over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

Array = np.ndarray

MOST_LANES = 8


@dataclass(frozen=True)
class Block:
    """Some rows: X (array, CSR matrix, or the design that features make of them), targets and weights, or None."""

    X: Any
    y: Array | None = None
    weight: Array | None = None

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]


Part = Callable[[], Block]  # picklable: it is what a worker is sent


class BlockSource(ABC):
    """Rows in blocks, from anywhere.

    Laws: ``parts()`` gives the same blocks in the same order each time it is called (a source is restartable); a part
    is picklable; ``sample`` does not depend on the block size.

    The reduction tree belongs to the source: parts are dealt to a fixed number of lanes, set by the memory budget and
    never by the number of workers. Each lane is folded in order and lanes are merged pairwise, so that serial, threads
    and Dask give the same bits.
    """

    memory: int  # bytes that statistics, blocks and caches made from this source may take

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Columns of X."""

    @property
    @abstractmethod
    def n_rows(self) -> int | None:
        """Rows, where they are known without reading."""

    @abstractmethod
    def parts(self) -> Sequence[Part]:
        """Loaders, one for each block."""

    @abstractmethod
    def sample(self, n_rows: int | None = None) -> Block:
        """Evenly spaced rows, at most ``n_rows`` (None: as many as are at hand without reading everything)."""

    @abstractmethod
    def rechunked(self, block_rows: int) -> BlockSource:
        """The same rows in blocks of about this many."""

    def __iter__(self) -> Iterator[Block]:
        return (part() for part in self.parts())

    def lanes(self, state_bytes: int) -> list[Sequence[Part]]:
        """Parts dealt to lanes, as many as the memory budget allows states of this size, at most eight."""
        parts = self.parts()
        affordable = self.memory // max(1, 2 * state_bytes)
        count = max(1, min(MOST_LANES, affordable, len(parts)))
        edges = [len(parts) * lane // count for lane in range(count + 1)]
        return [parts[start:stop] for start, stop in pairwise(edges)]

    def mapped(self, step: Callable[[Block], Block]) -> MappedBlocks:
        """The source with every block passed through a picklable function."""
        return MappedBlocks(self, step)


class MappedBlocks(BlockSource):
    """A source seen through a function of blocks: features, encoded targets, scaled columns."""

    def __init__(self, source: BlockSource, step: Callable[[Block], Block]) -> None:
        self.source = source
        self.step = step
        self.memory = source.memory

    @property
    def n_columns(self) -> int:
        return self.source.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    def parts(self) -> list[Part]:
        return [MappedPart(part, self.step) for part in self.source.parts()]

    def sample(self, n_rows: int | None = None) -> Block:
        return self.step(self.source.sample(n_rows))

    def rechunked(self, block_rows: int) -> MappedBlocks:
        return MappedBlocks(self.source.rechunked(block_rows), self.step)


@dataclass(frozen=True)
class MappedPart:
    """A part and the function its block goes through."""

    part: Part
    step: Callable[[Block], Block]

    def __call__(self) -> Block:
        return self.step(self.part())

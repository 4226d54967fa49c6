"""Where rows come from: a restartable source of blocks, and the reduction tree over them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from .fingerprint import Digest
from .memory import MEMORY
from .monoid import Monoid

if TYPE_CHECKING:
    from ..tables import TableEncoder
    from .cached import Shelf

Array = np.ndarray

FEW_LANES = 8  # enough for the threads of one machine
MOST_LANES = 1024  # enough for the workers of a cluster
FINGERPRINT_ROWS = 1000
LANE_PARTS = 16  # lanes beyond the first few have at least so many parts: a lane's overhead vanishes


@dataclass(frozen=True)
class Block:
    """Some rows: X (array, CSR matrix, or the design that features make of them), targets and weights, or None.

    The mark is a digest of the rows as they were read, whatever was made of them since; 0 for rows in memory, which the
    fingerprint of their source covers.

    ``hashes``: a number for each row that depends on its content alone, where rows are to be drawn by it.
    """

    X: Any
    y: Array | None = None
    weight: Array | None = None
    mark: int = 0
    hashes: Array | None = None

    @property
    def n_rows(self) -> int:
        return self.X.shape[0]


class Part(ABC):
    """Makes one block. Picklable: it is what a worker is sent."""

    @abstractmethod
    def __call__(self) -> Block:
        """Read the rows and make the block."""

    def mark(self) -> int:
        """The mark that the block has, from its rows alone where that is cheaper than making the block."""
        return self().mark

    def place(self) -> str:
        """Which rows these are, for messages."""
        return "rows in memory"


class WrappedPart(Part):
    """A part that changes another's block."""

    part: Part

    def mark(self) -> int:
        return self.part.mark()

    def place(self) -> str:
        return self.part.place()


Task = Callable[[], Any]
Run = Callable[[Sequence[Task]], list[Any]]  # who runs independent tasks, keeping their order
Fold = Callable[[Any, "BlockSource"], Any]  # who takes the blocks of a source into a monoid


def in_turn(tasks: Sequence[Task]) -> list[Any]:
    """Run tasks here, one after the other."""
    return [task() for task in tasks]


def lane_count(n_parts: int, memory: int, state_bytes: int) -> int:
    """Lanes to which so many parts are dealt, for states of this size.

    Eight lanes, or fewer where memory or parts are short; from 128 parts on, one for every 16 parts up to 1024.
    """
    count = max(FEW_LANES, min(MOST_LANES, n_parts // LANE_PARTS))
    affordable = memory // max(1, 2 * state_bytes)
    if affordable < FEW_LANES:
        count = max(1, affordable)
    return min(count, n_parts)


class BlockSource(ABC):
    """Rows in blocks, from anywhere.

    Laws: ``parts()`` gives the same blocks in the same order each time it is called (a source is restartable); a part
    is picklable; ``sample`` does not depend on the block size.

    The reduction tree belongs to the source: parts are dealt to a number of lanes that is set by a memory budget and
    the number of parts, never by the number of workers. Each lane is folded in order and lanes are merged pairwise, so
    that serial, threads and Dask give the same bits.
    """

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        """Sources of these very rows, in this order, and of these targets if it has any; files go into the folder.

        The contracts in tests look at these, and find out where a class gives none.
        """
        return []

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
        """Evenly spread rows, at most ``n_rows`` (None: as many as are at hand without reading everything)."""

    @abstractmethod
    def rechunked(self, block_rows: int) -> BlockSource:
        """The same rows in blocks of about this many."""

    def fingerprint(self, digest: Digest) -> str:
        """A digest of what the rows are and how they are split: a checkpoint of other rows must not be resumed.

        Of rows in memory it covers every byte. Of rows that are read it covers what is known without reading them all;
        the marks of their blocks cover the rest.
        """
        return digest(type(self).__name__, self.n_rows, self.n_columns, vars(self.sample(FINGERPRINT_ROWS)))

    @property
    def origin(self) -> BlockSource:
        """The source that reads the rows: marks of its blocks are those of all sources made from it."""
        return self

    @property
    def encoder(self) -> TableEncoder | None:
        """What turns raw tables into the columns of X, for sources of tables: it travels with a model."""
        return None

    def __array__(self, dtype: Any = None, copy: Any = None) -> Array:
        raise TypeError(f"{type(self).__name__} is a source of blocks, not an array: learners take it in fit.")

    def __iter__(self) -> Iterator[Block]:
        return (part() for lane in self.lanes(1, MEMORY) for part in lane)

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        """Parts dealt to lanes, neighbours to the same lane, for states of this size that take so much memory."""
        parts = self.parts()
        count = lane_count(len(parts), memory, state_bytes)
        edges = [len(parts) * lane // count for lane in range(count + 1)]
        return [parts[start:stop] for start, stop in pairwise(edges)]

    def mapped(self, step: Callable[[Block], Block]) -> MappedBlocks:
        """The source with every block passed through a picklable function."""
        return MappedBlocks(self, step)

    def prepared(self, fold: Fold, run: Run) -> BlockSource:
        """The source with its encodings fitted, by a pass that ``fold`` makes where one is needed.

        ``run`` will read samples: an engine's ``run``, so that they are read where the rows are.
        """
        return self

    def encoded_by(self, encoder: Any) -> BlockSource:
        """The source with its rows encoded as those that an encoder was fitted on."""
        return self.mapped(Encoded(encoder))

    @property
    def reading_bytes(self) -> int:
        """Memory that reading takes in each thread beside the rows read, about."""
        return 0

    def shelves(self) -> list[Shelf]:
        """Where blocks of this source are kept between passes."""
        return []


class WrappedBlocks(BlockSource):
    """A source that changes another's blocks and leaves the rest to it."""

    def __init__(self, source: BlockSource) -> None:
        self.source = source

    @property
    def n_columns(self) -> int:
        return self.source.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.source.n_rows

    @property
    def encoder(self) -> TableEncoder | None:
        return self.source.encoder

    def sample(self, n_rows: int | None = None) -> Block:
        return self.source.sample(n_rows)

    @property
    def reading_bytes(self) -> int:
        return self.source.reading_bytes

    def shelves(self) -> list[Shelf]:
        return self.source.shelves()

    @property
    def origin(self) -> BlockSource:
        return self.source.origin

    def fingerprint(self, digest: Digest) -> str:
        return digest(type(self).__name__, self.source.fingerprint(digest))


class DelegatingBlocks(WrappedBlocks):
    """A source with a name of its own that leaves everything to the one that was made for it."""

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        from .arrays import ArrayBlocks

        return [cls(ArrayBlocks(X, y))]

    def parts(self) -> Sequence[Part]:
        return self.source.parts()

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        return self.source.lanes(state_bytes, memory)

    def rechunked(self, block_rows: int) -> BlockSource:
        return self.source.rechunked(block_rows)

    def prepared(self, fold: Fold, run: Run) -> BlockSource:
        return self.source.prepared(fold, run)

    def encoded_by(self, encoder: Any) -> BlockSource:
        return self.source.encoded_by(encoder)


class MappedBlocks(WrappedBlocks):
    """A source seen through a function of blocks: features, encoded targets, scaled columns."""

    def __init__(self, source: BlockSource, step: Callable[[Block], Block]) -> None:
        super().__init__(source)
        self.step = step

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        from .arrays import ArrayBlocks

        return [cls(ArrayBlocks(X, y), replace)]

    def parts(self) -> Sequence[Part]:
        return MappedLane(self.source.parts(), self.step)

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        return (MappedLane(lane, self.step) for lane in self.source.lanes(state_bytes, memory))

    def sample(self, n_rows: int | None = None) -> Block:
        return self.step(self.source.sample(n_rows))

    def rechunked(self, block_rows: int) -> MappedBlocks:
        return MappedBlocks(self.source.rechunked(block_rows), self.step)

    def prepared(self, fold: Fold, run: Run) -> MappedBlocks:
        return MappedBlocks(self.source.prepared(fold, run), self.step)

    def encoded_by(self, encoder: Any) -> MappedBlocks:
        return MappedBlocks(self.source.encoded_by(encoder), self.step)

    def fingerprint(self, digest: Digest) -> str:
        return digest(super().fingerprint(digest), self.step)


@dataclass(frozen=True)
class Encoded:
    """Rows to the columns that a fitted encoder makes of them."""

    encoder: Any

    def __call__(self, block: Block) -> Block:
        return replace(block, X=self.encoder.transform(block.X))


class MappedLane(Sequence[Part]):
    """Parts with the function their blocks go through, which is pickled once for all of them."""

    def __init__(self, lane: Sequence[Part], step: Callable[[Block], Block]) -> None:
        self.lane = lane
        self.step = step

    def __len__(self) -> int:
        return len(self.lane)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return MappedLane(self.lane[index], self.step)
        return MappedPart(self.lane[index], self.step)


@dataclass(frozen=True)
class MappedPart(WrappedPart):
    """A part and the function its block goes through."""

    part: Part
    step: Callable[[Block], Block]

    def __call__(self) -> Block:
        block = self.part()
        return replace(self.step(block), mark=block.mark)


__all__ = ["Array", "Block", "BlockSource", "Fold", "MappedBlocks", "Monoid", "Part", "Run", "Task", "WrappedBlocks"]

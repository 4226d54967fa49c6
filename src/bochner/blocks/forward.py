"""Rows that can only be read forwards, such as a row group, a compressed file or a chunk; sources made of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate
from pathlib import Path
from threading import local
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..tables.table import DataTable, concatenated_tables
from .base import Array, Block, BlockSource, Part, Run, in_turn
from .fingerprint import Digest, mark_of
from .sample import SAMPLE_ROWS, sample_rows


class Stretch(ABC):
    """Rows that are read forwards, by batches."""

    def __init__(self, n_rows: int) -> None:
        self.n_rows = n_rows

    @abstractmethod
    def batches(self) -> Iterator[Block]:
        """All rows, in order, in batches of any size."""

    @abstractmethod
    def place(self) -> str:
        """Where the rows are, for error messages."""

    @property
    @abstractmethod
    def reading_bytes(self) -> int:
        """Memory that reading takes beside the rows read, about."""


class Reader:
    """Reads pieces of stretches. Each thread remembers where it stopped: reading on from there costs nothing.

    Elsewhere a stretch is begun again. Copies in other processes begin afresh.
    """

    def __init__(self) -> None:
        self._here = local()

    def read(self, piece: Piece) -> Block:
        """The rows of a piece."""
        cursor: Cursor | None = self._here.__dict__.pop("cursor", None)
        if cursor is None or cursor.stretch is not piece.stretch or cursor.position != piece.start:
            cursor = None  # let go of it before another is opened
            cursor = Cursor(piece.stretch.batches(), piece.stretch)
            cursor.skip(piece.start)
        block = cursor.take(piece.stop - piece.start)
        if piece.stop < piece.stretch.n_rows:
            self._here.cursor = cursor
        return block

    def __reduce__(self) -> tuple[Any, ...]:
        return Reader, ()


class Cursor:
    """A position in batches that are being read."""

    def __init__(self, batches: Iterator[Block], stretch: Stretch | None = None) -> None:
        self.batches = batches
        self.stretch = stretch
        self.rest: Block | None = None
        self.position = 0

    def take(self, n_rows: int) -> Block:
        """The next rows."""
        return concatenated_blocks(list(self._pieces(n_rows)))

    def skip(self, n_rows: int) -> None:
        """Pass over rows."""
        for _ in self._pieces(n_rows):
            pass

    def up_to(self, n_rows: int, n_blocks: int) -> Iterator[Block]:
        """At most so many blocks of so many rows; fewer, and a shorter last one, where the batches end."""
        for _ in range(n_blocks):
            pieces: list[Block] = []
            missing = n_rows
            while missing:
                if self.rest is None:
                    self.rest = next(self.batches, None)
                if self.rest is None:
                    break
                taken = min(missing, self.rest.n_rows)
                pieces += self._pieces(taken)
                missing -= taken
            if pieces:
                yield concatenated_blocks(pieces)
            if missing:
                return

    def _pieces(self, n_rows: int) -> Iterator[Block]:
        wanted = n_rows
        while wanted:
            block = next(self.batches, None) if self.rest is None else self.rest
            if block is None:
                raise ValueError(f"it has {wanted} rows fewer than it had when the source was made")
            taken = min(wanted, block.n_rows)
            self.rest = None if taken == block.n_rows else taken_rows(block, slice(taken, None))
            self.position += taken
            wanted -= taken
            if taken:
                yield block if taken == block.n_rows else taken_rows(block, slice(0, taken))


def taken_rows(block: Block, rows: Any) -> Block:
    """Some rows of a block."""
    return Block(
        block.X[rows],
        None if block.y is None else block.y[rows],
        None if block.weight is None else block.weight[rows],
    )


def concatenated_blocks(blocks: Sequence[Block]) -> Block:
    """Blocks one after the other."""
    if len(blocks) == 1:
        return blocks[0]
    first = blocks[0].X
    parts = [block.X for block in blocks]
    if isinstance(first, DataTable):
        X: Any = concatenated_tables(parts)
    else:
        X = sp.vstack(parts, format="csr") if sp.issparse(first) else np.concatenate(parts)
    return Block(X, _joined([block.y for block in blocks]), _joined([block.weight for block in blocks]))


def _joined(arrays: Sequence[Array | None]) -> Array | None:
    present = [array for array in arrays if array is not None]
    return np.concatenate(present) if present else None


@dataclass(frozen=True)
class Piece:
    """Rows start to stop of a stretch."""

    stretch: Stretch
    start: int
    stop: int

    def place(self) -> str:
        """Where this is, for error messages."""
        return f"rows {self.start} to {self.stop - 1} of {self.stretch.place()}"


@dataclass(frozen=True)
class StretchPart(Part):
    """Pieces that make one block; errors say where they happened."""

    pieces: tuple[Piece, ...]
    reader: Reader

    def __call__(self) -> Block:
        rows = self._rows()
        return replace(rows, mark=mark_of(rows))

    def mark(self) -> int:
        return mark_of(self._rows())

    def place(self) -> str:
        return " and ".join(piece.place() for piece in self.pieces)

    def _rows(self) -> Block:
        read = self.reader.read
        return concatenated_blocks([located(piece.place(), partial(read, piece)) for piece in self.pieces])


def located(place: str, read: Callable[[], Block]) -> Block:
    """What ``read`` gives; an error about the data is told with its place."""
    try:
        return read()
    except (ValueError, OSError, EOFError) as error:
        raise ValueError(f"Cannot use {place}: {error}") from error


@dataclass(frozen=True)
class PickedRows:
    """Some rows of a stretch, at positions that rise."""

    stretch: Stretch
    rows: Array

    def __call__(self) -> Block:
        return located(self.stretch.place(), self._pick)

    def _pick(self) -> Block:
        picked, start = [], 0
        for block in self.stretch.batches():
            inside = self.rows[slice(*np.searchsorted(self.rows, [start, start + block.n_rows]))] - start
            if len(inside):
                picked.append(taken_rows(block, inside))
            start += block.n_rows
            if self.rows[-1] < start:
                break
        return concatenated_blocks(picked)


class StretchBlocks(BlockSource):
    """A source whose rows lie in stretches. Blocks have exactly ``block_rows`` rows, across stretches.

    So the blocks, and with them the bits of every result, are those of the same rows in an array.
    """

    def __init__(
        self,
        stretches: Sequence[Stretch],
        identity: Callable[[], Any],
        n_columns: int,
        block_rows: int,
    ) -> None:
        self.stretches = [stretch for stretch in stretches if stretch.n_rows]
        if not self.stretches:
            raise ValueError("The source has 0 rows: at least 1 is needed.")
        if block_rows < 1:
            raise ValueError(f"block_rows must be at least 1, but it is {block_rows}.")
        self.ends = list(accumulate(stretch.n_rows for stretch in self.stretches))
        self.identity = identity  # tells what the rows come from: a fingerprint is made of it
        self.width = n_columns
        self.block_rows = block_rows
        self.run: Run = in_turn
        self.first_row: Block | None = None  # asked for several times: it tells the shapes of things

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        from .svmlight import SvmlightBlocks

        return [source.source for source in SvmlightBlocks.examples(X, y, folder) if isinstance(source.source, cls)]

    @property
    def n_columns(self) -> int:
        return self.width

    @property
    def n_rows(self) -> int:
        return self.ends[-1]

    def parts(self) -> list[StretchPart]:
        reader = Reader()
        return [
            StretchPart(self._pieces(start, min(start + self.block_rows, self.n_rows)), reader)
            for start in range(0, self.n_rows, self.block_rows)
        ]

    def _pieces(self, start: int, stop: int) -> tuple[Piece, ...]:
        pieces = []
        index = bisect_right(self.ends, start)
        while start < stop:
            begin = self.ends[index] - self.stretches[index].n_rows
            end = min(stop, self.ends[index])
            pieces.append(Piece(self.stretches[index], start - begin, end - begin))
            start, index = end, index + 1
        return tuple(pieces)

    def sample(self, n_rows: int | None = None) -> Block:
        if n_rows != 1:
            return self._sample(n_rows)
        if self.first_row is None:
            self.first_row = self._sample(1)
        return self.first_row

    def _sample(self, n_rows: int | None) -> Block:
        chosen = sample_rows(self.n_rows, SAMPLE_ROWS if n_rows is None else n_rows)
        rows = np.arange(self.n_rows) if isinstance(chosen, slice) else chosen
        tasks = []
        for stretch, end in zip(self.stretches, self.ends):
            begin = end - stretch.n_rows
            inside = rows[slice(*np.searchsorted(rows, [begin, end]))] - begin
            if len(inside):
                tasks.append(PickedRows(stretch, inside))
        return concatenated_blocks(self.run(tasks))

    @property
    def reading_bytes(self) -> int:
        return max(stretch.reading_bytes for stretch in self.stretches)

    def rechunked(self, block_rows: int) -> StretchBlocks:
        return self._with(block_rows, self.run)

    def _with(self, block_rows: int, run: Run) -> StretchBlocks:
        copy = StretchBlocks(self.stretches, self.identity, self.width, block_rows)
        copy.run, copy.first_row = run, self.first_row
        return copy

    def fingerprint(self, digest: Digest) -> str:
        return digest("StretchBlocks", self.identity(), self.width, self.block_rows)

    def prepared(self, fold: Any, run: Run) -> StretchBlocks:
        return self._with(self.block_rows, run)

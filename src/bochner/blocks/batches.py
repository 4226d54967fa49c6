"""Rows that come as batches from Python: generators, data loaders, Arrow record batch readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..tables import DataTable, TableEncoder, as_table, is_table
from .base import Array, Block, BlockSource, DelegatingBlocks, Part
from .fingerprint import Digest, mark_of
from .forward import Cursor, concatenated_blocks, taken_rows
from .sample import SAMPLE_ROWS
from .table_blocks import Roles, TableBlocks

LANE_SHARE = 16  # rows of one lane take at most this part of the memory while they wait
USED_UP = (
    "The batches came from an iterator that is used up, but a second pass is needed: "
    "give a function that returns a fresh iterator."
)


@dataclass(frozen=True)
class LoadedPart(Part):
    """A block that is at hand."""

    block: Block

    def __call__(self) -> Block:
        return replace(self.block, mark=self.mark())

    def mark(self) -> int:
        return mark_of(self.block)

    def place(self) -> str:
        return "rows of a batch"


class Batches:
    """Where batches come from. A one-shot iterator keeps the batches that were looked at, to give them once more."""

    def __init__(self, batches: Any) -> None:
        self.fresh: Callable[[], Iterable[Any]] | None = None
        self.once: Iterator[Any] | None = None
        self.head: list[Block] = []
        self.started = False
        if isinstance(batches, Iterator):
            self.once = batches
        elif callable(batches):
            self.fresh = batches
        elif isinstance(batches, Iterable):
            self.fresh = lambda: batches
        else:
            raise TypeError(
                f"BatchBlocks takes an iterable of batches or a function returning one, not {type(batches).__name__}."
            )

    def look(self, n_rows: int) -> Block:
        """The first rows, at most so many."""
        blocks, found = [], 0
        for block in self._from_the_start():
            blocks.append(block)
            found += block.n_rows
            if found >= n_rows:
                break
        if not found:
            raise ValueError("The source has 0 rows: at least 1 is needed.")
        return taken_rows(concatenated_blocks(blocks), slice(0, n_rows))

    def _from_the_start(self) -> Iterator[Block]:
        if self.fresh is not None:
            yield from map(as_block, iter(self.fresh()))
            return
        assert self.once is not None
        if self.started:
            raise ValueError(USED_UP)
        yield from list(self.head)
        while (batch := next(self.once, None)) is not None:
            self.head.append(as_block(batch))
            yield self.head[-1]

    def all(self) -> Iterator[Block]:
        """All batches; a second time only if they can be made again."""
        if self.fresh is not None:
            yield from map(as_block, iter(self.fresh()))
            return
        if self.started:
            raise ValueError(USED_UP)
        assert self.once is not None
        self.started = True
        head, self.head = self.head, []
        yield from head
        yield from map(as_block, self.once)


class BatchBlocks(DelegatingBlocks):
    """Batches from Python as a source.

    Parameters
    ----------
    batches : callable, iterable or iterator
        A function that returns a fresh iterator of batches (a restartable source), an iterable that can be iterated
        again (a list, a torch DataLoader), or an iterator that cannot (good for learners that make one pass:
        KernelRidge, GaussianProcessRegressor, KernelPCA). A batch is (X, y) or (X, y, weight) or X, with arrays, CSR
        matrices or tensors; or a table (a DataFrame, eager or lazy, an Arrow table or batch, a dict of columns) whose
        columns ``target`` and ``weight`` are named.
    target, columns, weight, encoder : see ParquetBlocks; for batches that are tables
    block_rows : int, default=4096

    Notes
    -----
    The number of rows is not known in advance, so that ``sample``, from which length scales are found, is the first
    rows and not evenly spaced ones: give rows in random order.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> def batches():
    ...     for seed in range(10):
    ...         X = np.random.default_rng(seed).normal(size=(100, 2))
    ...         yield X, np.sin(X[:, 0])
    >>> model = bo.KernelRidge(random_state=0).fit(bo.BatchBlocks(batches))
    >>> model.statistic_.n_rows
    1000
    """

    def __init__(
        self,
        batches: Any,
        *,
        target: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
        block_rows: int = 4096,
    ) -> None:
        raw = BatchedRows(Batches(batches), block_rows)
        first = raw.batches.look(1).X
        if isinstance(first, DataTable):
            super().__init__(TableBlocks(raw, Roles.of(first.names, columns, target, weight), encoder))
        elif encoder is not None or target is not None:
            raise ValueError("target= and encoder= are for batches that are tables; these are arrays.")
        else:
            super().__init__(raw)

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        starts = range(0, len(y), 70)
        return [cls([(X[start : start + 70], y[start : start + 70]) for start in starts])]


class BatchedRows(BlockSource):
    """The rows of batches as they are."""

    def __init__(self, batches: Batches, block_rows: int) -> None:
        if block_rows < 1:
            raise ValueError(f"block_rows must be at least 1, but it is {block_rows}.")
        self.batches = batches
        self.block_rows = block_rows

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        return [source.source for source in BatchBlocks.examples(X, y, folder) if isinstance(source.source, cls)]

    @property
    def n_columns(self) -> int:
        return self.sample(1).X.shape[1]

    @property
    def n_rows(self) -> int | None:
        return None

    def parts(self) -> Sequence[Part]:
        raise ValueError(
            "This learner needs to know all blocks in advance, which batches from Python do not tell: "
            "write them to Parquet files, or put them into arrays."
        )

    def lanes(self, state_bytes: int, memory: int) -> Iterator[Sequence[Part]]:
        """Lanes as the batches come: each a few blocks, at most 16."""
        cursor = Cursor(self.batches.all())
        width = 8 * self.n_columns
        blocks = int(np.clip(memory // LANE_SHARE // (width * self.block_rows), 1, 16))
        while True:
            lane = [LoadedPart(block) for block in cursor.up_to(self.block_rows, blocks)]
            if lane:
                yield lane
            if len(lane) < blocks:
                return

    def sample(self, n_rows: int | None = None) -> Block:
        return self.batches.look(SAMPLE_ROWS if n_rows is None else n_rows)

    def fingerprint(self, digest: Digest) -> str:
        return digest(super().fingerprint(digest), self.block_rows)

    def rechunked(self, block_rows: int) -> BatchedRows:
        return BatchedRows(self.batches, block_rows)


def as_block(batch: Any) -> Block:
    """A batch as a block of arrays or of a raw table."""
    if isinstance(batch, Block):
        return batch
    if is_table(batch):
        return Block(as_table(batch))
    if isinstance(batch, tuple | list):
        if not 1 <= len(batch) <= 3:
            raise ValueError(
                f"A batch must be X, (X, y) or (X, y, weight), not a {type(batch).__name__} of {len(batch)}."
            )
        X, *others = batch
        y, weight = (*map(np.asarray, others), None, None)[:2]
    else:
        X, y, weight = batch, None, None
    X = X.tocsr() if sp.issparse(X) else np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"The X of a batch must have 2 dimensions, rows and columns, but it has {X.ndim}.")
    for name, values in (("y", y), ("weight", weight)):
        if values is not None and len(values) != X.shape[0]:
            raise ValueError(f"A batch has {X.shape[0]} rows in X but {len(values)} in {name}: they must be equal.")
    return Block(X, y, weight)

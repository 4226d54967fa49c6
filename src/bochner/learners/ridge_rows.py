"""The rows as iterative ridge regression sees them: passes over cached designs, folds for alpha, a sample."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..blocks import ArrayBlocks, Block, BlockSource, CachedBlocks, WrappedBlocks
from ..blocks.base import Part, Run, WrappedPart, in_turn
from ..blocks.cached import block_bytes
from ..blocks.fingerprint import Digest
from ..blocks.folded import FoldedBlocks, row_count
from ..blocks.memory import block_budget
from ..blocks.sample import sample_rows
from ..engines import Engine
from ..maps import DenseDesign, Design, Features
from ..maps.held_out import HeldOut
from ..solvers import RidgePasses, RowProducts
from ..statistics.normal import Adjoint
from .base import spare_threads

Array = np.ndarray

MOST_DENSE = 4096  # dense features up to which the Gram matrix is the cheapest way
MOST_SAMPLE = 4096  # rows that a preconditioner is made from
VECTORS = 12  # as long as the features, that conjugate gradients take for each target
FOLDS = 10
SHIFT_ROWS = 64  # rows whose mean target is near enough to that of all
MANY_ROWS = 50_000  # from which one fold of held-out rows is enough to choose alpha


def chosen_solver(solver: str, design: Design, memory: int) -> str:
    """The solver that "auto" stands for: by moments for dense features of moderate number, else by passes."""
    if solver not in ("auto", "cholesky", "cg", "sgd"):
        raise ValueError(f"solver must be 'auto', 'cholesky', 'cg' or 'sgd', not {solver!r}.")
    dense = isinstance(design, DenseDesign)
    if solver == "sgd" and not dense:
        raise ValueError("solver='sgd' needs dense features: for sparse or binned features use solver='cg'.")
    if solver == "cholesky" and 8 * design.shape[1] ** 2 > memory:
        raise ValueError(
            f"solver='cholesky' needs a matrix of {design.shape[1]} x {design.shape[1]}, more than memory allows: "
            "use solver='cg', fewer components or more memory."
        )
    if solver != "auto":
        return solver
    return "cholesky" if dense and design.shape[1] <= MOST_DENSE else "cg"


def ridge_passes(engine: Engine, designs: BlockSource, n_features: int, n_targets: int, dtype: np.dtype) -> RidgePasses:
    """Passes by this engine over designs that are at hand."""
    rows = engine.map(row_count, designs)
    n_folds = 1 if sum(rows) >= MANY_ROWS else 5
    outside = [FoldedBlocks(designs, rows, fold, FOLDS, inside=False) for fold in range(n_folds)]
    inside = [FoldedBlocks(designs, rows, fold, FOLDS, inside=True).mapped(HeldOut()) for fold in range(n_folds)]
    return RidgePasses(
        Passing(engine, designs),
        [(Passing(engine, training), Passing(engine, held_out)) for training, held_out in zip(outside, inside)],
        preconditioner_sample(designs, sum(rows), engine.memory_bytes),
        n_features,
        n_targets,
        dtype,
        spare_threads(engine, 1),
        lambda: DesignRows(engine, designs, rows, n_features, dtype),
        np.asarray(designs.sample(SHIFT_ROWS).y, dtype=np.float64).mean(axis=0),
    )


class DesignRows(RowProducts):
    """Products with designs, and vectors as long as the rows, by passes of an engine."""

    def __init__(
        self, engine: Engine, designs: BlockSource, rows: Sequence[int], n_features: int, dtype: np.dtype
    ) -> None:
        self.engine = engine
        self.designs = designs
        self.rows_per_block = rows
        self.n_features = n_features
        self.dtype = dtype
        targets, weights = zip(*engine.map(targets_and_weights, designs))
        self.targets, self.weight = np.concatenate(targets), np.concatenate(weights)

    def times(self, coefficients: Array) -> Array:
        column = np.ascontiguousarray(coefficients.reshape(-1, 1), dtype=self.dtype)
        return np.concatenate(self.engine.map(Scores(column), self.designs))

    def adjoint(self, residual: Array) -> Array:
        source = WithTargets(self.designs, self.rows_per_block, residual.reshape(-1, 1))
        return self.engine.fold(Adjoint(self.n_features, 1, self.dtype), source).product[:, 0].astype(np.float64)


@dataclass(frozen=True)
class Scores:
    """Z c of a block for one column of coefficients."""

    column: Array

    def __call__(self, block: Block) -> Array:
        return block.X.scores(self.column)[:, 0].astype(np.float64)


def targets_and_weights(block: Block) -> tuple[Array, Array]:
    """The targets of a block as numbers, and its weights."""
    weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
    return np.asarray(block.y, dtype=np.float64), weight


@dataclass(frozen=True)
class TargetPart(WrappedPart):
    """A block with other targets and no weights."""

    part: Part
    targets: Array

    def __call__(self) -> Block:
        return replace(self.part(), y=self.targets, weight=None)


class WithTargets(WrappedBlocks):
    """A source with targets of ours, row by row, in place of its own."""

    def __init__(self, source: BlockSource, rows_per_block: Sequence[int], targets: Array) -> None:
        super().__init__(source)
        self.targets = targets
        self.pieces = np.split(targets, np.cumsum(rows_per_block)[:-1])

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        source = ArrayBlocks(X, block_rows=70)
        return [cls(source, [block.n_rows for block in source], y[:, None])]

    def parts(self) -> list[TargetPart]:
        return [TargetPart(part, piece) for part, piece in zip(self.source.parts(), self.pieces)]

    def lanes(self, state_bytes: int, memory: int) -> Iterator[Sequence[Part]]:
        first = 0
        for lane in self.source.lanes(state_bytes, memory):
            yield [TargetPart(part, piece) for part, piece in zip(lane, self.pieces[first:])]
            first += len(lane)

    def rechunked(self, block_rows: int) -> BlockSource:
        raise ValueError("Targets belong to the blocks they were made for: rechunk the source first.")

    def fingerprint(self, digest: Digest) -> str:
        return digest(super().fingerprint(digest), self.targets)


def target_groups(
    designs: BlockSource, vector_bytes: int, n_targets: int, memory: int
) -> Iterator[tuple[BlockSource, int]]:
    """The source with groups of its targets, each small enough that a dozen vectors for it fit into memory."""
    size = max(1, memory // (VECTORS * vector_bytes))
    if size >= n_targets:
        yield designs, n_targets
        return
    for start in range(0, n_targets, size):
        stop = min(start + size, n_targets)
        yield designs.mapped(SomeTargets(start, stop)), stop - start


@dataclass(frozen=True)
class SomeTargets:
    """Some columns of the targets."""

    start: int
    stop: int

    def __call__(self, block: Block) -> Block:
        targets = None if block.y is None else block.y[:, self.start : self.stop]
        return Block(block.X, targets, block.weight)


@dataclass(frozen=True)
class Passing:
    """One engine over one source: a function from a statistic to the statistic of the rows."""

    engine: Engine
    source: BlockSource

    def __call__(self, statistic: Any) -> Any:
        return self.engine.fold(statistic, self.source)


def preconditioner_sample(designs: BlockSource, n_rows: int, memory: int) -> Callable[[], Block] | None:
    """Where the rows of a preconditioner come from; None for designs that are not dense."""
    example = designs.sample(1).X
    if not isinstance(example, DenseDesign):
        return None
    n_features, size = example.shape[1], example.values.itemsize
    affordable = memory // (8 * size * n_features)
    wanted = max(64, min(n_rows, 2 * n_features, MOST_SAMPLE, affordable))
    return lambda: designs.sample(wanted)


def dense_rows(source: BlockSource, features: Features, memory: int) -> BlockSource:
    """The source in blocks whose features, written out, take a fixed amount of memory."""
    width = features.n_components * features.dtype.itemsize
    return source.rechunked(int(max(256, min(block_budget(memory) // width, 1 << 16))))


def target_range(block: Block) -> tuple[Any, Any]:
    """Least and greatest target of the rows that count, one for each target."""
    y = np.asarray(block.y, dtype=np.float64)
    counted = y if block.weight is None else y[np.asarray(block.weight) > 0]
    return counted.min(axis=0, initial=np.inf), counted.max(axis=0, initial=-np.inf)


def as_is(block: Block) -> Block:
    """The block."""
    return block


class KeptBlocks(BlockSource):
    """Blocks of designs held in memory, to which more can be added: what ``partial_fit`` keeps for later passes."""

    def __init__(self, memory: int) -> None:
        self.memory = memory
        self.blocks: list[Block] = []

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        kept = cls(1 << 30)
        kept.add([Block(DenseDesign(block.X), block.y, block.weight) for block in ArrayBlocks(X, y, block_rows=70)])
        return [kept]

    @classmethod
    def of_cache(cls, cached: CachedBlocks, memory: int) -> KeptBlocks | None:
        """The blocks that a cache holds, if it holds all of them in no more than an eighth of memory."""
        shelf = cached.shelf
        if shelf.used > memory // 8 or len(shelf.blocks) < len(cached.parts()):
            return None
        kept = cls(memory)
        kept.blocks = [shelf.blocks[index] for index in sorted(shelf.blocks)]
        return kept

    def add(self, blocks: Sequence[Block]) -> None:
        """Keep more blocks, or say that there is no room for them."""
        needed = sum(block_bytes(block) for block in (*self.blocks, *blocks))
        if needed > self.memory // 2:
            raise ValueError(
                f"partial_fit with solver='cg' keeps the features of the rows, which would take {needed} bytes, more "
                "than half of memory: give an engine with more memory, or fit a source of blocks."
            )
        self.blocks.extend(blocks)

    @property
    def n_columns(self) -> int:
        return self.blocks[0].X.shape[1]

    @property
    def n_rows(self) -> int:
        return sum(block.n_rows for block in self.blocks)

    def parts(self) -> Sequence[Part]:
        return [HeldPart(block) for block in self.blocks]

    def sample(self, n_rows: int | None = None, run: Run = in_turn) -> Block:
        if not isinstance(self.blocks[0].X, DenseDesign):
            return self.blocks[0]
        chosen = np.arange(self.n_rows)[slice(None) if n_rows is None else sample_rows(self.n_rows, n_rows)]
        ends = np.cumsum([block.n_rows for block in self.blocks])
        picked = []
        for block, stop in zip(self.blocks, ends.tolist()):
            start = stop - block.n_rows
            rows = chosen[slice(*np.searchsorted(chosen, [start, stop]))] - start
            weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight)
            picked.append((block.X.values[rows], np.asarray(block.y)[rows], weight[rows]))
        values, targets, weights = (np.concatenate(parts) for parts in zip(*picked))
        return Block(DenseDesign(values), targets, weights)

    def rechunked(self, block_rows: int) -> KeptBlocks:
        return self

    def fingerprint(self, digest: Digest) -> str:
        return digest("KeptBlocks", self.blocks)


@dataclass(frozen=True)
class HeldPart(Part):
    """A block that is at hand."""

    block: Block

    def __call__(self) -> Block:
        return self.block

"""Passes over the features of a source, as the solvers of the margin and likelihood machines see them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ..blocks import ArrayBlocks, Block, BlockSource, CachedBlocks, MappedBlocks
from ..blocks.base import FEW_LANES
from ..blocks.folded import FoldedBlocks, row_count
from ..engines import Engine
from ..losses import Loss
from ..maps import DenseDesign, Features
from ..maps.held_out import HeldOut
from ..maps.numbering import Numbering
from ..solvers.objective import Objective
from ..statistics import Statistic
from .gaps import without_gaps

S = TypeVar("S", bound=Statistic)


@dataclass(frozen=True)
class Passes:
    """A source of designs, who makes passes over it, and what is known of the features."""

    engine: Engine
    designs: MappedBlocks  # rows through the features, made anew each time
    source: BlockSource  # the same, kept within a budget, perhaps with some rows weighted 0
    features: Features
    dense: bool  # whether designs are plain arrays
    numbering: Numbering | None = None  # of the features in the source, where it leaves out some

    @classmethod
    def cached(cls, engine: Engine, designs: MappedBlocks, features: Features) -> Passes:
        """Passes that keep the designs within half the memory of the engine and make the rest again each time."""
        dense = isinstance(designs.sample(1).X, DenseDesign)
        return cls(engine, designs, CachedBlocks(designs, engine.memory_bytes // 2), features, dense)

    def without_gaps(self) -> Passes:
        """The same without bins that hold no rows, where that pays."""
        source, numbering = without_gaps(self.engine, self.source, self.features)
        return replace(self, source=source, numbering=numbering)

    @property
    def n_features(self) -> int:
        """Features of the designs in the source."""
        return self.features.n_components if self.numbering is None else len(self.numbering.used)

    def run(self, statistic: S) -> S:
        """One pass: the statistic of all rows."""
        return self.engine.fold(statistic, self.source)

    def gather(self, function: Callable[[Block], Any]) -> list[Any]:
        """One pass: what the function makes of each block, in order."""
        return self.engine.map(function, self.source)

    def sampled(self, n_rows: int) -> Passes:
        """The same features of evenly spread rows, kept in memory: where a first solution is found cheaply."""
        rows = self.designs.source.sample(n_rows)
        block_rows = -(-rows.n_rows // FEW_LANES)
        some = ArrayBlocks(rows.X, rows.y, rows.weight, block_rows=block_rows)
        designs = some.mapped(self.designs.step)
        return replace(self, designs=designs, source=CachedBlocks(designs, self.engine.memory_bytes // 4))

    def n_rows(self) -> int:
        """Number of rows, counted where the source does not know it."""
        known = self.designs.n_rows
        return sum(self.rows_per_block()) if known is None else known

    def rows_per_block(self) -> list[int]:
        """Number of rows of each block."""
        return self.engine.map(row_count, self.source)

    def without(self, fold: int, n_folds: int, rows_per_block: list[int]) -> Passes:
        """The rows outside a fold; those inside weigh nothing."""
        return replace(self, source=FoldedBlocks(self.source, rows_per_block, fold, n_folds, inside=False))

    def within(self, fold: int, n_folds: int, rows_per_block: list[int]) -> Passes:
        """The rows of a fold, as rows that the features were not made from."""
        inside = FoldedBlocks(self.source, rows_per_block, fold, n_folds, inside=True)
        return replace(self, source=inside.mapped(HeldOut()))


def objective_for(passes: Passes, loss: Loss, penalty: float, n_outputs: int, fit_intercept: bool) -> Objective:
    """The problem as solvers see it."""
    return Objective(
        loss, penalty, passes.run, passes.gather, passes.n_features, n_outputs, fit_intercept, passes.features.dtype
    )

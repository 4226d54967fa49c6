"""Designs of bins without those that hold no rows: most of them, where rows are few or length scales long."""

from __future__ import annotations

from ..blocks import BlockSource, CachedBlocks
from ..blocks.folded import row_count
from ..engines import Engine
from ..maps import Features
from ..maps.codes import CodesDesign
from ..maps.numbering import Numbering
from ..statistics.normal import ColumnSquares

MOST_USED = 0.5  # part of the bins: where more hold rows, new numbers would not pay for themselves


def without_gaps(engine: Engine, designs: BlockSource, features: Features) -> tuple[BlockSource, Numbering | None]:
    """Coded designs with new numbers for the bins that hold rows, where most hold none and memory has room for both."""
    example = designs.sample(1).X
    if not isinstance(example, CodesDesign):
        return designs, None
    n_rows = sum(engine.map(row_count, designs)) if designs.n_rows is None else designs.n_rows
    budget = engine.memory_bytes // 4
    seen = (example.scales.astype(features.dtype) ** 2).all()  # a term of weight 0 would leave its bins unseen
    if n_rows * features.row_bytes > budget or not seen:
        return designs, None
    is_used = engine.fold(ColumnSquares(features.n_components, features.dtype), designs).squares > 0.0
    if is_used.sum() > MOST_USED * len(is_used):
        return designs, None
    numbering = Numbering.of(is_used, example.edges)
    return CachedBlocks(designs.mapped(numbering), budget), numbering

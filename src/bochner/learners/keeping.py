"""Machines whose solution needs the rows themselves: what they learn from more rows, they learn from all again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..blocks import ArrayBlocks, Block, BlockSource
from ..blocks.cached import block_bytes
from ..blocks.forward import concatenated_blocks
from ..maps import Features
from .base import KernelMachine


class Keeping(KernelMachine):
    """``partial_fit`` keeps the rows and solves for all of them, on the features drawn at the first call."""

    _rows: ArrayBlocks | None = None  # coded; None after ``fit``, which keeps nothing of the rows

    def _begin(self, coded: BlockSource, n_columns: int) -> None:
        self._rows = None

    def _absorb(self, coded: BlockSource) -> None:
        new = [weighted(block) for block in coded]
        before = [] if self._rows is None else [Block(self._rows.X, self._rows.y, self._rows.weight)]
        needed = sum(block_bytes(block) for block in (*before, *new))
        if needed > self._engine().memory_bytes // 2:
            raise ValueError(
                f"partial_fit of {type(self).__name__} keeps the rows, which would take {needed} bytes, more than half "
                "of memory: give an engine with more memory, or fit a source of blocks."
            )
        rows = concatenated_blocks([*before, *new])
        self._learn_coded(ArrayBlocks(rows.X, rows.y, rows.weight), self._n_targets)
        self._rows = ArrayBlocks(rows.X, rows.y, rows.weight)

    def _can_go_on(self) -> bool:
        if "features_" in vars(self) and not isinstance(self._rows, ArrayBlocks):
            raise AttributeError(
                f"partial_fit of {type(self).__name__} goes on from rows that it has kept, and there are none after "
                "fit or in a file: begin with partial_fit."
            )
        return True

    def _draw_features(self, source: BlockSource) -> Features:
        """The features of the first call where rows were kept, else new ones."""
        return super()._draw_features(source) if self._rows is None else self.features_


def weighted(block: Block) -> Block:
    """The block with a weight for each row."""
    return block if block.weight is not None else replace(block, weight=np.ones(block.n_rows))

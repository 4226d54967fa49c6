"""The rows of a fold that is judged."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..blocks import Block


@dataclass(frozen=True)
class HeldOut:
    """Blocks of designs to the rows of weight > 0 among them, as rows that the features were not made from.

    Rows inside a fold are judged by this, rows outside are learned from as they are: so what is chosen on a fold is
    chosen on rows that neither the coefficients nor the features have seen.
    """

    def __call__(self, block: Block) -> Block:
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight)
        rows = np.flatnonzero(weight > 0)
        targets = None if block.y is None else np.asarray(block.y)[rows]
        hashes = None if block.hashes is None else block.hashes[rows]
        return replace(block, X=block.X.held_out(rows), y=targets, weight=weight[rows], hashes=hashes)

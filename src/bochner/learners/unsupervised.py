"""Kernel machines that learn from rows without targets."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..blocks import Block, BlockSource
from ..blocks.validation import validated
from .base import KernelMachine


class UnsupervisedMachine(KernelMachine):
    """A kernel machine without targets: ``y`` is there for scikit-learn's sake and ignored."""

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, None]:
        floats = [np.float64, np.float32]
        return validated(self, X, accept_sparse="csr", dtype=floats, order="C", reset=reset), None

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        self._learn_coded(source.mapped(without_targets), 0)


def without_targets(block: Block) -> Block:
    """The block without its y."""
    return Block(block.X, None, block.weight)


def require_rows(total_weight: float) -> None:
    """Refuse a source in which nothing counts."""
    if not total_weight > 0:
        raise ValueError("No row counts: the source is empty or every sample_weight is 0.")

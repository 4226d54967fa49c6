"""What the tests on samples share: arrays or sources in, features out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..blocks import ArrayBlocks, Block, BlockSource
from ..blocks.validation import checked_rows
from ..engines import Engine
from ..maps import Features
from ..maps.scoring import features_of
from ..maps.suited import suited
from .base import CheckedRows, default_width
from .drawing import drawn

Array = np.ndarray


def as_source(rows: Any, name: str, engine: Engine) -> BlockSource:
    """A checked source from an array, sparse matrix, DataFrame or source of blocks without weights.

    A vector is a single column.
    """
    if isinstance(rows, BlockSource):
        source = rows.prepared(engine.fold, engine.run)
        return source.mapped(CheckedRows(source.n_columns)).mapped(rows_only)
    if not sp.issparse(rows) and dimensions(rows) == 1:
        rows = np.asarray(rows)
        rows = rows if rows.dtype.names else rows.reshape(-1, 1)
    floats = [np.float64, np.float32]
    return ArrayBlocks(checked_rows(rows, name, accept_sparse="csr", dtype=floats, order="C"))


def dimensions(rows: Any) -> int:
    """How many; rows of different lengths have two, and are refused with the rest."""
    try:
        return np.ndim(rows)
    except ValueError:
        return 2


def rows_only(block: Block) -> Block:
    """The block without targets; weights are refused, because a permutation test has no use for them."""
    if block.weight is not None:
        raise ValueError("A source has sample weights, which permutation tests cannot use: give a source without them.")
    return Block(block.X)


def draw_features(feature_map: Any, source: BlockSource, random_state: Any) -> Features:
    """Fit a copy of the feature map on a sample of the source's rows."""
    return drawn(clone(suited(feature_map, default_width(source.n_rows))), source, random_state)[1]


@dataclass(frozen=True)
class ToFeatures:
    """Rows to features, as an array or sparse matrix."""

    features: Features

    def __call__(self, block: Block) -> Block:
        return Block(features_of(self.features, block.X), block.y)


def rows_of(block: Block) -> int:
    """How many rows a block has."""
    return block.n_rows


def permutation_p_value(observed: float, permuted: Array, precision: float) -> float | None:
    """(1 + number of permutations that reach the observed value) / (1 + permutations): valid for any number of them.

    Values that differ by rounding are equal. None where there are no permutations.
    """
    if len(permuted) == 0:
        return None
    reached = np.count_nonzero(permuted >= observed - 100 * precision * abs(observed))
    return (1 + reached) / (1 + len(permuted))


def p_value_in_words(p_value: float | None, n_permutations: int) -> str:
    """For messages and reports."""
    return "no p-value (no permutations)" if p_value is None else f"p = {p_value:.4g} ({n_permutations} permutations)"

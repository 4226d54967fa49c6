"""Sums of features over several sets of rows at once: all that two-sample statistics need of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..blocks import Block
from .base import Array, Statistic


class GroupSums(Statistic):
    """For indicators y (rows x groups): how many rows each group has, sum z and sum ||z||² over its rows.

    Products are made in the features' precision, block by block, and added up in float64.
    """

    def __init__(self, n_features: int, n_groups: int) -> None:
        self.n_features = n_features
        self.n_groups = n_groups
        self.counts = np.zeros(n_groups)
        self.totals = np.zeros((n_features, n_groups))
        self.squares = np.zeros(n_groups)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, n_outputs)]

    def zero(self) -> Self:
        return type(self)(self.n_features, self.n_groups)

    @property
    def nbytes(self) -> int:
        return 16 * self.n_features * self.n_groups

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        groups = np.asarray(block.y)
        self.counts += groups.sum(axis=0, dtype=np.float64)
        self.totals += block.X.T @ groups
        self.squares += row_squares(block.X) @ groups

    def merge(self, other: Self) -> None:
        self.counts += other.counts
        self.totals += other.totals
        self.squares += other.squares


def row_squares(values: Any) -> Array:
    """||z||² of each row of an array or sparse matrix, in float64."""
    if sp.issparse(values):
        return np.asarray(values.multiply(values).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", values, values, dtype=np.float64)

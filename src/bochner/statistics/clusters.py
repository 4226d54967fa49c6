"""One step of Lloyd's algorithm as a statistic of the rows."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic


class ClusterSums(Statistic):
    """For centres c_1..c_k: weight and sum v z of the rows nearest to each, the inertia sum v min_j ||z - c_j||², and
    a row far from its centre, from which an empty cluster starts again.
    """

    def __init__(self, centres: Array, dtype: np.dtype) -> None:
        self.dtype = dtype  # of the features
        self.centres = centres  # (features, clusters), float64
        self.norms = np.einsum("ij,ij->j", centres, centres)
        self.weights = np.zeros(centres.shape[1])
        self.sums = np.zeros_like(centres)
        self.inertia = 0.0
        self.farthest = -np.inf
        self.farthest_row = np.zeros(len(centres))

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(np.linspace(-1.0, 1.0, 3 * n_features).reshape(n_features, 3), np.dtype(np.float64))]

    def zero(self) -> Self:
        return type(self)(self.centres, self.dtype)

    @property
    def nbytes(self) -> int:
        return 3 * self.centres.nbytes

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        rows = np.arange(block.n_rows)
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        labels, excess = nearest(block.X, self.centres.astype(self.dtype), self.norms)
        chosen = np.zeros((block.n_rows, len(self.norms)))
        chosen[rows, labels] = weight
        self.sums += block.X.adjoint(chosen.astype(self.dtype))
        self.weights += np.bincount(labels, weights=weight, minlength=len(self.norms))
        self.inertia += float(block.X.column_squares(weight).sum() + weight @ excess)
        counted = np.where(weight > 0, excess, -np.inf)
        if counted.max() > self.farthest:
            self.farthest = float(counted.max())
            pick = (rows == counted.argmax()).astype(self.dtype)
            self.farthest_row = block.X.adjoint(pick[:, None])[:, 0].astype(np.float64)

    def merge(self, other: Self) -> None:
        self.sums += other.sums
        self.weights += other.weights
        self.inertia += other.inertia
        if other.farthest > self.farthest:
            self.farthest, self.farthest_row = other.farthest, other.farthest_row

    def means(self) -> Array:
        """New centres: the means of the clusters; the first empty cluster gets the far row, others stay."""
        empty = np.flatnonzero(self.weights == 0)
        centres = self.sums / np.where(self.weights == 0, 1.0, self.weights)
        centres[:, empty] = self.centres[:, empty]
        if empty.size:
            centres[:, empty[0]] = self.farthest_row
        return centres


def nearest(design: Any, centres: Array, norms: Array) -> tuple[Array, Array]:
    """The nearest centre of each row, the first of equals, and ||z - c||² - ||z||² for it."""
    partial = norms - 2 * design.scores(centres).astype(np.float64)
    labels = partial.argmin(axis=1)
    return labels, partial[np.arange(len(labels)), labels]

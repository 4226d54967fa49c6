"""The error of a linear model on rows it has not learned from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic
from .gradient import LinearPoint, targets_and_weights

Error = Callable[[Array, Array], Array]  # of each row, from targets and scores of shape (rows, outputs)


class HeldOutError(Statistic):
    """Weighted sum of the errors of rows, and the sum of their weights."""

    def __init__(self, error: Error, point: LinearPoint) -> None:
        self.error = error
        self.point = point
        self.total = 0.0
        self.weight = 0.0

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(error, LinearPoint.example(n_features, n_outputs)) for error in (squared_error, misclassified)]

    def zero(self) -> Self:
        return type(self)(self.error, self.point)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        self.total += float(weight[:, 0] @ self.error(y, self.point.scores(block)))
        self.weight += float(weight.sum())

    def merge(self, other: Self) -> None:
        self.total += other.total
        self.weight += other.weight

    @property
    def nbytes(self) -> int:
        return 4 * self.point.parameters.nbytes


def misclassified(y: Array, scores: Array) -> Array:
    """1 for rows whose class is not the one with the largest score; targets are ±1 or indicators."""
    if y.shape[1] == 1:
        return ((scores[:, 0] > 0) != (y[:, 0] > 0)).astype(np.float64)
    return (scores.argmax(axis=1) != y.argmax(axis=1)).astype(np.float64)


def squared_error(y: Array, scores: Array) -> Array:
    """Squared error, summed over targets."""
    return np.square(y - scores).sum(axis=1)

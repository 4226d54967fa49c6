"""What iterative ridge regression asks of the rows: the right-hand side once, then products with the Gram matrix."""

from __future__ import annotations

from typing import Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic


class LinearMoments(Statistic):
    """sum v, sum v y, sum v y², sum v z, sum v z y' and the diagonal of sum v zz': all but the Gram matrix itself.

    Vectors as long as the features have the precision ``dtype``: millions of features are worth the memory. Targets are
    taken less a ``shift`` near their mean, so that targets far from 0 lose no digits.
    """

    def __init__(
        self, n_features: int, n_targets: int, dtype: np.dtype | type = np.float64, shift: Array | None = None
    ) -> None:
        self.n_features = n_features
        self.n_targets = n_targets
        self.shift = np.zeros(n_targets) if shift is None else shift
        self.n_rows = 0  # of weight > 0
        self.total_weight = 0.0
        self.target_sum = np.zeros(n_targets)
        self.target_squares = np.zeros(n_targets)
        self.dtype = np.dtype(dtype)
        self.sums = np.zeros((n_features, n_targets + 1), dtype, order="F")  # of v z y', and of v z in the last column
        self.squares = np.zeros(n_features, dtype)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, n_outputs), cls(n_features, n_outputs, shift=np.full(n_outputs, 0.5))]

    def zero(self) -> Self:
        return type(self)(self.n_features, self.n_targets, self.dtype, self.shift)

    @property
    def nbytes(self) -> int:
        return 3 * self.sums.nbytes

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y = np.asarray(block.y, dtype=np.float64) - self.shift
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        weighted = weight[:, None] * np.column_stack([y, np.ones(len(y))])
        self.n_rows += int(np.count_nonzero(weight))
        self.total_weight += float(weight.sum())
        self.target_sum += weighted[:, :-1].sum(axis=0)
        self.target_squares += (weighted[:, :-1] * y).sum(axis=0)
        block.X.add_adjoint(weighted.astype(self.dtype), self.sums)
        block.X.add_column_squares(block.weight, self.squares)

    def merge(self, other: Self) -> None:
        self.n_rows += other.n_rows
        self.total_weight += other.total_weight
        self.target_sum += other.target_sum
        self.target_squares += other.target_squares
        self.sums += other.sums
        self.squares += other.squares


class ColumnSquares(Statistic):
    """The diagonal of sum zz': which features are used at all."""

    def __init__(self, n_features: int, dtype: np.dtype | type = np.float64) -> None:
        self.squares = np.zeros(n_features, dtype)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features)]

    def zero(self) -> Self:
        return type(self)(len(self.squares), self.squares.dtype)

    @property
    def nbytes(self) -> int:
        return 3 * self.squares.nbytes

    def update(self, block: Block) -> None:
        block.X.add_column_squares(None, self.squares)

    def merge(self, other: Self) -> None:
        self.squares += other.squares


class GramProduct(Statistic):
    """sum v z (z'P) for directions P of shape (features, outputs); sum v z'P, by which it is centred; sum v (z'P)²."""

    def __init__(self, directions: Array) -> None:
        self.directions = directions
        self.product = np.zeros(directions.shape, directions.dtype)
        self.score_sum = np.zeros(directions.shape[1])
        self.score_squares = np.zeros(directions.shape[1])

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(np.linspace(-1.0, 1.0, n_features * n_outputs).reshape(n_features, n_outputs))]

    def zero(self) -> Self:
        return type(self)(self.directions)

    @property
    def nbytes(self) -> int:
        return 2 * self.product.nbytes

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        scores = block.X.scores(self.directions)
        weighted = scores
        if block.weight is not None:
            weighted = scores * np.asarray(block.weight, dtype=scores.dtype)[:, None]
        self.score_sum += weighted.sum(axis=0, dtype=np.float64)
        self.score_squares += np.einsum("ij,ij->j", weighted, scores, dtype=np.float64)
        block.X.add_adjoint(weighted, self.product)

    def merge(self, other: Self) -> None:
        self.product += other.product
        self.score_sum += other.score_sum
        self.score_squares += other.score_squares


class Adjoint(Statistic):
    """sum z y': the features times vectors of rows, without weights."""

    def __init__(self, n_features: int, n_targets: int, dtype: np.dtype | type = np.float64) -> None:
        self.product = np.zeros((n_features, n_targets), dtype)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, n_outputs)]

    def zero(self) -> Self:
        return type(self)(*self.product.shape, self.product.dtype)

    @property
    def nbytes(self) -> int:
        return 2 * self.product.nbytes

    def update(self, block: Block) -> None:
        if block.n_rows:
            block.X.add_adjoint(np.asarray(block.y, dtype=self.product.dtype), self.product)

    def merge(self, other: Self) -> None:
        self.product += other.product


class SquaredError(Statistic):
    """sum v ||y - W'z - b||² and sum v: the error on held-out rows."""

    def __init__(self, coefficients: Array, intercept: Array) -> None:
        self.coefficients = coefficients
        self.intercept = intercept
        self.squares = 0.0
        self.total_weight = 0.0

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(np.full((n_features, n_outputs), 0.5), np.full(n_outputs, 0.25))]

    def zero(self) -> Self:
        return type(self)(self.coefficients, self.intercept)

    @property
    def nbytes(self) -> int:
        return 64

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        residual = np.asarray(block.y) - (block.X.scores(self.coefficients).astype(np.float64) + self.intercept)
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        self.squares += float(weight @ np.square(residual).sum(axis=1))
        self.total_weight += float(weight.sum())

    def merge(self, other: Self) -> None:
        self.squares += other.squares
        self.total_weight += other.total_weight

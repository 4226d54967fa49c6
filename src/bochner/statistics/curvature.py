"""The second derivative of the loss of a linear model over the rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Self

import numpy as np

from ..blocks import Block
from ..compute.gram import gram
from ..compute.weighted import add_lower, scaled_rows
from ..losses import Loss
from .base import Array, Statistic
from .gradient import LinearPoint, targets_and_weights

PIECE_BYTES = 16 << 20  # rows copied at once on the way into a product


class Curvature(Statistic):
    """sum_i v_i l''(y_i, s_i) [z_i 1][z_i 1]' for chosen outputs, or its change since an earlier point.

    Rows without curvature cost nothing. Where few rows change theirs (the losses with ``flat_curvature``), the change
    since ``before`` costs a small part of the whole: rows that gain are added, rows that lose are taken away. Products
    are made in the features' precision and added up in float64; only the lower triangle is kept up to date.
    """

    def __init__(
        self, loss: Loss, point: LinearPoint, outputs: Sequence[int], before: LinearPoint | None = None
    ) -> None:
        self.loss = loss
        self.point = point
        self.outputs = tuple(outputs)
        self.before = before
        size = len(point.parameters)
        self.matrices = np.zeros((len(self.outputs), size, size))

    def zero(self) -> Self:
        return type(self)(self.loss, self.point, self.outputs, self.before)

    @property
    def nbytes(self) -> int:
        return self.matrices.nbytes + 4 * len(self.point.parameters) ** 2

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        change = weight * self.loss.curvature(y, self.point.scores(block))
        if self.before is not None:
            change -= weight * self.loss.curvature(y, self.before.scores(block))
        values = block.X.dense()
        for matrix, output in zip(self.matrices, self.outputs):
            for sign in (1.0, -1.0):
                chosen = np.flatnonzero(sign * change[:, output] > 0.0)
                _add_rows(matrix, values, chosen, np.abs(change[chosen, output]), sign)

    def merge(self, other: Self) -> None:
        for mine, others in zip(self.matrices, other.matrices):
            add_lower(mine, others, 1.0)


def _add_rows(matrix: Array, values: Array, chosen: Array, weight: Array, sign: float) -> None:
    """Matrix += sign * sum over the chosen rows of weight [z 1][z 1]', a piece of the rows at a time."""
    rows = max(256, PIECE_BYTES // (values.shape[1] * values.itemsize))
    for start in range(0, len(chosen), rows):
        piece, factor = chosen[start : start + rows], weight[start : start + rows]
        root = np.sqrt(factor)
        scaled = scaled_rows(values, piece, root)
        add_lower(matrix[:-1, :-1], gram(scaled), sign)
        matrix[-1, :-1] += sign * (root.astype(values.dtype) @ scaled)
        matrix[-1, -1] += sign * factor.sum()


class ColumnCurvature(Statistic):
    """Diagonal of the second derivative, for every output: the Jacobi preconditioner of designs that are not dense."""

    def __init__(self, loss: Loss, point: LinearPoint) -> None:
        self.loss = loss
        self.point = point
        self.diagonal = np.zeros(point.parameters.shape)

    def zero(self) -> Self:
        return type(self)(self.loss, self.point)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        curvature = weight * self.loss.curvature(y, self.point.scores(block))
        for output in range(curvature.shape[1]):
            factors = np.ascontiguousarray(curvature[:, output])
            self.diagonal[:-1, output] += block.X.column_squares(factors)
        self.diagonal[-1] += curvature.sum(axis=0)

    def merge(self, other: Self) -> None:
        self.diagonal += other.diagonal

    @property
    def nbytes(self) -> int:
        return 4 * self.diagonal.nbytes

"""The second derivative of the loss of a linear model over the rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from ..blocks import Block
from ..compute.gram import gram
from ..compute.threads import single_threaded_blas
from ..compute.weighted import add_lower, scaled_rows
from ..losses import Logistic, Loss, SquaredHinge
from .base import Array, Statistic
from .gradient import LinearPoint, targets_and_weights

PIECE_BYTES = 16 << 20  # rows gathered before a product is made of them: small products are slow


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
        self._sums = [(SignedSum(size, 1.0), SignedSum(size, -1.0)) for _ in self.outputs]
        self._matrices = np.zeros((len(self.outputs), size, size))

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        point, before = (LinearPoint.example(n_features, n_outputs, size) for size in (1.0, -0.5))
        return [cls(Logistic(), point, range(n_outputs)), cls(SquaredHinge(), point, [n_outputs - 1], before)]

    def zero(self) -> Self:
        return type(self)(self.loss, self.point, self.outputs, self.before)

    @property
    def nbytes(self) -> int:
        return self._matrices.nbytes + 4 * len(self.point.parameters) ** 2 + 2 * len(self.outputs) * PIECE_BYTES

    @property
    def matrices(self) -> Array:
        """One matrix for each of the outputs, lower triangle."""
        for matrix, sums in zip(self._matrices, self._sums):
            for part in sums:
                part.flush(matrix)
        return self._matrices

    def state(self) -> dict[str, Array]:
        """The matrices and the rows that wait: saving must not change which rows go into a product together."""
        saved = super().state()
        for place, part in self._parts():
            if part.waiting:
                saved[f"rows_{place}"], saved[f"roots_{place}"] = part.gathered()
        return saved

    def restore(self, state: dict[str, Array]) -> None:
        super().restore({name: value for name, value in state.items() if not name.startswith(("rows_", "roots_"))})
        for place, part in self._parts():
            if f"rows_{place}" in state:
                part.waiting = [(state[f"rows_{place}"], state[f"roots_{place}"])]
                part.n_waiting = len(state[f"roots_{place}"])

    def _parts(self) -> Iterator[tuple[str, SignedSum]]:
        for index, sums in enumerate(self._sums):
            for sign, part in zip(("gain", "loss"), sums):
                yield f"{index}_{sign}", part

    def __getstate__(self) -> dict[str, Any]:
        """What is sent to be merged: a matrix, no rows."""
        self.matrices.any()
        return vars(self)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        change = weight * self.loss.curvature(y, self.point.scores(block))
        if self.before is not None:
            change -= weight * self.loss.curvature(y, self.before.scores(block))
        values = block.X.dense()
        for matrix, sums, output in zip(self._matrices, self._sums, self.outputs):
            for part in sums:
                chosen = np.flatnonzero(part.sign * change[:, output] > 0.0)
                part.add(matrix, values, chosen, np.abs(change[chosen, output]))

    def merge(self, other: Self) -> None:
        for mine, others in zip(self.matrices, other.matrices):
            add_lower(mine, others, 1.0)


class SignedSum:
    """sign * sum of weight [z 1][z 1]' over rows, gathered until they are enough for a fast product."""

    def __init__(self, size: int, sign: float) -> None:
        self.size = size
        self.sign = sign
        self.waiting: list[tuple[Array, Array]] = []  # sqrt(weight) z, and sqrt(weight)
        self.n_waiting = 0

    def add(self, matrix: Array, values: Array, chosen: Array, weight: Array) -> None:
        """Take in some rows of the values."""
        rows = max(256, PIECE_BYTES // (self.size * values.itemsize))
        start = 0
        while start < len(chosen):
            stop = start + rows - self.n_waiting
            root = np.sqrt(weight[start:stop])
            self.waiting.append((scaled_rows(values, chosen[start:stop], root), root))
            self.n_waiting += len(root)
            start = stop
            if self.n_waiting >= rows:
                self.flush(matrix)

    def gathered(self) -> tuple[Array, Array]:
        """The rows that wait, and the roots of their weights."""
        if len(self.waiting) == 1:
            return self.waiting[0]
        rows, roots = zip(*self.waiting)
        return np.concatenate(rows), np.concatenate(roots)

    def flush(self, matrix: Array) -> None:
        """Make the product of the rows that wait and add it to the matrix: by one thread, also after the pass.

        More threads would add up in another order, and the bits would depend on where the last rows waited.
        """
        if not self.waiting:
            return
        values, root = self.gathered()
        self.waiting, self.n_waiting = [], 0
        with single_threaded_blas():
            add_lower(matrix[:-1, :-1], gram(values), self.sign)
            matrix[-1, :-1] += self.sign * (root.astype(values.dtype) @ values)
            matrix[-1, -1] += self.sign * float(root @ root)


class ColumnCurvature(Statistic):
    """Diagonal of the second derivative, for every output: the Jacobi preconditioner of designs that are not dense."""

    def __init__(self, loss: Loss, point: LinearPoint) -> None:
        self.loss = loss
        self.point = point
        self.diagonal = np.zeros(point.parameters.shape)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(Logistic(), LinearPoint.example(n_features, n_outputs))]

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


@dataclass(frozen=True)
class ActiveRows:
    """Block to sqrt(v l'') [z 1] of every ``stride``-th of its rows that have curvature; for one output, or the mean.

    Scaled by sqrt(stride * scale), so that the Gram matrix of what is gathered stands for ``scale`` times that of all.
    One of several parts of these rows, where all of them would take too much memory.
    """

    loss: Loss
    point: LinearPoint
    output: int | None
    stride: int
    scale: float
    parts: int = 1
    part: int = 0

    def __call__(self, block: Block) -> Array:
        y, weight = targets_and_weights(block)
        curvature = weight * self.loss.curvature(y, self.point.scores(block))
        column = curvature.mean(axis=1) if self.output is None else curvature[:, self.output]
        chosen = np.flatnonzero(column)[:: self.stride][self.part :: self.parts]
        root = np.sqrt(self.stride * self.scale * column[chosen])
        values = block.X.dense()
        rows = np.empty((len(chosen), values.shape[1] + 1), dtype=values.dtype)
        rows[:, :-1] = scaled_rows(values, chosen, root)
        rows[:, -1] = root
        return rows

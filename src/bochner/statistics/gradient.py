"""The loss of a linear model over the rows, its gradient, and products with its second derivative."""

from __future__ import annotations

from typing import Any, Self
from weakref import WeakKeyDictionary

import numpy as np

from ..blocks import Block
from ..losses import Logistic, Loss, Multinomial, SquaredHinge
from .base import Array, Statistic


class LinearPoint:
    """Where a linear model stands: parameters of shape (features + 1, outputs), the intercepts in the last row.

    Products with designs are made in the features' precision ``dtype``; what is added up over rows is float64. The
    scores of designs that stay in memory are remembered for the next pass over them where ``remember`` says so.
    """

    def __init__(self, parameters: Array, dtype: np.dtype, remember: bool = False) -> None:
        self.parameters = parameters
        self.remember = remember
        self._known: WeakKeyDictionary[Any, Array] = WeakKeyDictionary()
        self.coefficients = np.asarray(parameters[:-1], dtype=dtype)
        self.intercept = parameters[-1]
        self.dtype = dtype

    @classmethod
    def example(cls, n_features: int, n_outputs: int, size: float = 1.0) -> LinearPoint:
        """A point at which scores of all signs occur."""
        return cls(
            size * np.linspace(-1.0, 1.0, (n_features + 1) * n_outputs).reshape(-1, n_outputs), np.dtype(np.float64)
        )

    def scores(self, block: Block) -> Array:
        """Z W + b, float64."""
        known = self._known.get(block.X)
        if known is not None:
            return known
        scores = block.X.scores(self.coefficients).astype(np.float64) + self.intercept
        if self.remember:
            self._known[block.X] = scores
        return scores

    def __reduce__(self) -> tuple[Any, ...]:
        return LinearPoint, (self.parameters, self.dtype, self.remember)

    def add_adjoint(self, block: Block, residuals: Array, out: Array) -> None:
        """Add [Z'r; 1'r], of the shape of the parameters, to an array."""
        block.X.add_adjoint(residuals.astype(self.dtype), out[:-1])
        out[-1] += residuals.sum(axis=0)


def targets_and_weights(block: Block) -> tuple[Array, Array]:
    """Targets as float64 (rows, outputs) and weights as a column."""
    if block.y is None:
        raise ValueError("The source has no targets y: this learner needs them.")
    weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
    return np.asarray(block.y, dtype=np.float64), weight[:, None]


class LossGradient(Statistic):
    """sum_i v_i l(y_i, s_i) for each output, and its gradient in the parameters, at a point."""

    def __init__(self, loss: Loss, point: LinearPoint) -> None:
        self.loss = loss
        self.point = point
        self.value = np.zeros(point.parameters.shape[1])
        self.gradient = np.zeros(point.parameters.shape)
        self.active = np.zeros(point.parameters.shape[1])  # rows that have weight and curvature

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(loss, LinearPoint.example(n_features, n_outputs)) for loss in (SquaredHinge(), Logistic())]

    def zero(self) -> Self:
        return type(self)(self.loss, self.point)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        scores = self.point.scores(block)
        self.value += (weight * self.loss.value(y, scores)).sum(axis=0)
        self.active += np.count_nonzero(weight * self.loss.curvature(y, scores), axis=0)
        self.point.add_adjoint(block, weight * self.loss.gradient(y, scores), self.gradient)

    def merge(self, other: Self) -> None:
        self.value += other.value
        self.gradient += other.gradient
        self.active += other.active

    @property
    def nbytes(self) -> int:
        return 4 * self.gradient.nbytes


class LossAlong(Statistic):
    """sum_i v_i l(y_i, s_i + step t_i) for several steps along a direction: a line search in one pass."""

    def __init__(self, loss: Loss, point: LinearPoint, direction: LinearPoint, steps: Array) -> None:
        self.loss = loss
        self.point = point
        self.direction = direction
        self.steps = steps
        self.values = np.zeros((len(steps), point.parameters.shape[1]))

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        point, direction = (LinearPoint.example(n_features, n_outputs, size) for size in (1.0, -0.5))
        return [cls(Logistic(), point, direction, np.array([0.5, 1.0, 2.0]))]

    def zero(self) -> Self:
        return type(self)(self.loss, self.point, self.direction, self.steps)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        scores, change = self.point.scores(block), self.direction.scores(block)
        for values, step in zip(self.values, self.steps):
            values += (weight * self.loss.value(y, scores + step * change)).sum(axis=0)

    def merge(self, other: Self) -> None:
        self.values += other.values

    @property
    def nbytes(self) -> int:
        return 4 * self.point.parameters.nbytes


class CurvatureProduct(Statistic):
    """Second derivative of the loss times a direction: [Z 1]' (l''(s) applied to [Z 1] V), never a matrix D x D.

    The product has the precision of the direction.
    """

    def __init__(self, loss: Loss, point: LinearPoint, direction: LinearPoint) -> None:
        self.loss = loss
        self.point = point
        self.direction = direction
        self.product = np.zeros(direction.parameters.shape, dtype=direction.parameters.dtype)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        point, direction = (LinearPoint.example(n_features, n_outputs, size) for size in (1.0, -0.5))
        return [cls(loss, point, direction) for loss in (SquaredHinge(), Logistic(), Multinomial())]

    def zero(self) -> Self:
        return type(self)(self.loss, self.point, self.direction)

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        y, weight = targets_and_weights(block)
        scores = self.point.scores(block)
        if self.loss.separable:
            curvature = weight * self.loss.curvature(y, scores)
            block.X.add_weighted_gram(curvature, self.direction.coefficients, self.direction.intercept, self.product)
            return
        change = self.loss.curvature_times(y, scores, self.direction.scores(block))
        self.point.add_adjoint(block, weight * change, self.product)

    def merge(self, other: Self) -> None:
        self.product += other.product

    @property
    def nbytes(self) -> int:
        return 6 * self.product.nbytes

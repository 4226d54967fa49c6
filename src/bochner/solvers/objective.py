"""What the margin and likelihood machines minimise, seen through passes over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..blocks import Block
from ..compute.krylov import Vectors
from ..losses import Loss
from ..statistics import Statistic
from ..statistics.gradient import CurvatureProduct, LinearPoint, LossAlong, LossGradient

Array = np.ndarray
Run = Callable[[Statistic], Statistic]  # one pass over the rows: the filled statistic
Gather = Callable[[Callable[[Block], Any]], list[Any]]  # one pass: what a function makes of each block, in order

STEPS = 0.5 ** np.arange(1, 21)
DAMPING = 1e-4
SUFFICIENT = 1e-4  # of the decrease that the slope promises (Armijo)


@dataclass(frozen=True)
class Evaluation:
    """Value (one for each separate problem) and gradient of the objective at a point."""

    parameters: Array  # (features + 1, outputs), intercepts in the last row
    value: Array
    gradient: Array
    point: LinearPoint  # the parameters with the scores that were computed on the way
    active: Array  # rows with curvature, for each output


@dataclass(frozen=True)
class Objective:
    """F(W, b) = ||W||²/2 + C sum_i v_i l(y_i, W'z_i + b), the intercept b not penalised.

    With a separable loss every output is a problem of its own and ``value`` has one entry for each; otherwise there
    is one problem and one entry. Solvers see nothing of the rows but what ``run`` returns.
    """

    loss: Loss
    penalty: float  # C
    run: Run
    gather: Gather
    n_features: int
    n_outputs: int
    fit_intercept: bool
    dtype: np.dtype

    def with_penalty(self, penalty: float) -> Objective:
        """The same problem with another C."""
        return replace(self, penalty=penalty)

    def start(self) -> Array:
        """Parameters of the zero function."""
        return np.zeros((self.n_features + 1, self.n_outputs))

    def point(self, parameters: Array) -> LinearPoint:
        """Parameters in the form that statistics use."""
        return LinearPoint(parameters, self.dtype)

    def evaluate(self, parameters: Array) -> Evaluation:
        """Value and gradient, in one pass."""
        point = LinearPoint(parameters, self.dtype, remember=True)
        seen = self.run(LossGradient(self.loss, point))
        assert isinstance(seen, LossGradient)
        gradient = self.penalty * seen.gradient
        gradient[:-1] += parameters[:-1]
        value = self._with_norm(parameters, self.penalty * seen.value)
        return Evaluation(parameters, value, self._pinned(gradient), point, seen.active)

    def curvature_times(self, here: Evaluation, direction: Array) -> Array:
        """The second derivative of F times a direction, in one pass and in the direction's precision."""
        seen = self.run(CurvatureProduct(self.loss, here.point, self.point(direction)))
        assert isinstance(seen, CurvatureProduct)
        product = seen.product
        product *= self.penalty
        product[:-1] += direction[:-1]
        product[-1] += damping(here.gradient) * direction[-1]
        return self._pinned(product)

    def inner(self, left: Array, right: Array) -> Array:
        """Inner product, added up in float64, one for each separate problem."""
        products = Vectors(*left.shape).dots(left, right)
        return products if self.loss.separable else products.sum(keepdims=True)

    def stepped(self, here: Evaluation, direction: Array) -> Evaluation:
        """The full step where it decreases F enough, else the best of halved steps, for each problem."""
        slope = self.inner(here.gradient, direction)
        there = self.evaluate(here.parameters + direction)
        rounding = 64 * float(np.finfo(self.dtype).eps) * np.abs(here.value)
        good = there.value <= here.value + SUFFICIENT * slope + rounding
        if good.all():
            return there
        seen = self.run(LossAlong(self.loss, here.point, self.point(direction), STEPS))
        assert isinstance(seen, LossAlong)
        values = np.array(
            [self._with_norm(here.parameters + s * direction, self.penalty * v) for s, v in zip(STEPS, seen.values)]
        )
        best = values.argmin(axis=0)
        improved = values[best, np.arange(len(best))] < here.value
        step = np.where(good, 1.0, np.where(improved, STEPS[best], 0.0))
        return self.evaluate(here.parameters + step * direction)

    def _with_norm(self, parameters: Array, loss: Array) -> Array:
        values = loss + 0.5 * np.square(parameters[:-1]).sum(axis=0)
        return values if self.loss.separable else values.sum(keepdims=True)

    def _pinned(self, gradient: Array) -> Array:
        if not self.fit_intercept:
            gradient[-1] = 0.0
        return gradient


def damping(gradient: Array) -> Array:
    """What is added to the second derivative in the intercepts, which nothing else holds where no row has curvature.

    It bounds a step to DAMPING⁻¹ and vanishes with the gradient, so that Newton's method stays as fast at the end.
    """
    return DAMPING * np.abs(gradient[-1])


@dataclass(frozen=True)
class Solution:
    """Where a solver stopped: parameters, value, steps taken, and whether the tolerance was met.

    ``gap`` is the estimate of (F - min F) / F that was compared with the tolerance, the largest over the problems.
    """

    parameters: Array
    value: Array
    n_iter: int
    gap: float
    converged: bool

    @property
    def coefficients(self) -> Array:
        return self.parameters[:-1]

    @property
    def intercept(self) -> Array:
        return self.parameters[-1]

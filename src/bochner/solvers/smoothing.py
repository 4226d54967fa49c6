"""Losses with a kink by Newton's method: smoothed less and less, with the gap to the true loss known at each stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..losses import EpsilonInsensitive, Hinge, Loss, PiecewiseLinear, Pinball
from ..statistics.held_out import HeldOutError
from .objective import Array, Objective, Solution

Solve = Callable[[Objective, Array], Solution]

NARROWING = 4.0
MOST_STAGES = 16


@dataclass(frozen=True)
class Smoothed(Loss):
    """max over the same b of b (y - s) - tube |b| - w b²/2: a loss of straight pieces, rounded over a width w.

    The b that attains it, the residual beyond the tube over w and clipped to the box, is minus the slope, and a dual
    variable of the true loss l: at the minimum of the smoothed objective the duality gap of the true one is
    C sum_i v_i (l(y_i, s_i) - b_i (y_i - s_i) + tube |b_i|), no more than w max(b)²/4 for each row.
    """

    kinked: PiecewiseLinear
    width: float
    flat_curvature = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(Hinge(), 0.5), cls(EpsilonInsensitive(0.3), 0.5), cls(Pinball(0.8), 0.5)]

    def _duals(self, y: Array, score: Array) -> tuple[Array, Array, Array]:
        """The residuals, where b would be without a box, and b."""
        residual = y - score
        tube = self.kinked.tube
        free = (residual - np.clip(residual, -tube, tube) if tube > 0.0 else residual) / self.width
        return residual, free, np.clip(free, *self.kinked.box(y))

    def value(self, y: Array, score: Array) -> Array:
        residual, _, dual = self._duals(y, score)
        return dual * (residual - 0.5 * self.width * dual) - self.kinked.tube * np.abs(dual)

    def gradient(self, y: Array, score: Array) -> Array:
        return -self._duals(y, score)[2]

    def curvature(self, y: Array, score: Array) -> Array:
        _, free, _ = self._duals(y, score)
        lower, upper = self.kinked.box(y)
        inside = (free > lower) & (free < upper)
        if self.kinked.tube > 0.0:
            inside &= free != 0.0
        return inside / self.width

    def gap(self, y: Array, score: Array) -> Array:
        """Duality gap of each row, summed over outputs."""
        residual, _, dual = self._duals(y, score)
        below = dual * residual - self.kinked.tube * np.abs(dual)
        return (self.kinked.value(y, score) - below).sum(axis=1)


@dataclass(frozen=True)
class Total:
    """A loss summed over outputs, row by row."""

    loss: Loss

    def __call__(self, y: Array, score: Array) -> Array:
        return self.loss.value(y, score).sum(axis=1)


def newton_by_smoothing(objective: Objective, start: Array, solve: Solve, *, tol: float) -> Solution:
    """Minimise a loss with a kink through smoothed ones, each solution the start of the next.

    The first is smooth over twice the mean loss at the start, so that most rows have curvature; each next one over a
    quarter of that. Solved when the duality gap is at most tol times F.
    """
    kinked = objective.loss.straight()
    assert kinked is not None
    seen = objective.run(HeldOutError(Total(kinked), objective.point(start)))
    assert isinstance(seen, HeldOutError)
    width = 2.0 * seen.total / seen.weight if seen.total > 0.0 else 1.0
    best: Solution | None = None
    n_iter = 0
    for _ in range(MOST_STAGES):
        loss = Smoothed(kinked, width)
        smooth = solve(replace(objective, loss=loss), start)
        n_iter += smooth.n_iter
        start = smooth.parameters
        here = objective.evaluate(start)
        seen = objective.run(HeldOutError(loss.gap, here.point))
        assert isinstance(seen, HeldOutError)
        total = max(float(here.value.sum()), float(np.finfo(np.float64).tiny))
        gap = objective.penalty * seen.total / total + smooth.gap
        if best is not None and gap >= best.gap:
            break  # rounding hides what a narrower width would show
        best = Solution(start, here.value, n_iter, gap, gap <= tol)
        if best.converged:
            break
        width /= NARROWING
    assert best is not None
    return replace(best, n_iter=n_iter)

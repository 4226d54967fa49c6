"""Losses with a kink by Newton's method: smoothed less and less, with the gap to the true loss known at each stage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from ..losses import EpsilonInsensitive, Hinge, Loss
from ..statistics.held_out import HeldOutError
from .objective import Array, Objective, Solution

Solve = Callable[[Objective, Array], Solution]

NARROWING = 4.0
MOST_STAGES = 16


@dataclass(frozen=True)
class Smoothed(Loss):
    """The kink max(0, t) replaced by t²/2w for 0 < t < w and t - w/2 beyond.

    t = 1 - ys for the hinge and |y - s| - epsilon for the epsilon-insensitive loss. The slope a = clip(t/w, 0, 1) is a
    dual variable of the true loss, so at the minimum of the smoothed objective the duality gap of the true one is
    C sum_i v_i t_i (1 - t_i/w) over rows with 0 < t < w: no more than w/4 each.
    """

    kink: Hinge | EpsilonInsensitive
    width: float
    flat_curvature = True

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(Hinge(), 0.5), cls(EpsilonInsensitive(0.3), 0.5)]

    def _excess(self, y: Array, score: Array) -> Array:
        return 1.0 - y * score if isinstance(self.kink, Hinge) else np.abs(y - score) - self.kink.epsilon

    def value(self, y: Array, score: Array) -> Array:
        excess = np.maximum(0.0, self._excess(y, score))
        near = np.minimum(excess, self.width)
        return near * (excess - 0.5 * near) / self.width

    def gradient(self, y: Array, score: Array) -> Array:
        sign = -y if isinstance(self.kink, Hinge) else np.sign(score - y)
        return sign * np.clip(self._excess(y, score) / self.width, 0.0, 1.0)

    def curvature(self, y: Array, score: Array) -> Array:
        excess = self._excess(y, score)
        return ((excess > 0.0) & (excess < self.width)) / self.width

    def gap(self, y: Array, score: Array) -> Array:
        """Duality gap of each row, summed over outputs."""
        excess = np.clip(self._excess(y, score), 0.0, self.width)
        return (excess * (1.0 - excess / self.width)).sum(axis=1)


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
    kink = objective.loss
    assert isinstance(kink, Hinge | EpsilonInsensitive)
    seen = objective.run(HeldOutError(Total(kink), objective.point(start)))
    assert isinstance(seen, HeldOutError)
    width = 2.0 * seen.total / seen.weight if seen.total > 0.0 else 1.0
    best: Solution | None = None
    n_iter = 0
    for _ in range(MOST_STAGES):
        loss = Smoothed(kink, width)
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

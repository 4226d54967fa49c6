"""The choice of C by rows held out, on the same features throughout."""

from __future__ import annotations

from collections.abc import Callable

from ..losses import Loss
from ..solvers.path import Fold, PenaltySearch
from ..statistics.held_out import Error, HeldOutError
from .base import Array
from .minimisers import Minimiser
from .passes import Passes, objective_for

LOWEST, HIGHEST = -4, 2  # decades of 1/C
N_FOLDS = 5
MANY_ROWS = 10_000  # from here on one fold, held out, tells enough


def choose_penalty(
    passes: Passes,
    loss: Loss,
    error: Error,
    n_outputs: int,
    fit_intercept: bool,
    minimiser: Callable[[Passes], Minimiser],
) -> tuple[float, tuple[Array, Array]]:
    """The C of least held-out error, the smallest of those that are equal; and the C tried with their errors."""
    folds = margin_folds(passes, loss, error, n_outputs, fit_intercept, minimiser)
    search = PenaltySearch(folds, 1.0, LOWEST, HIGHEST, 0.0)
    best = search.best()
    penalties, errors = search.path()
    return 1.0 / best, (1.0 / penalties[::-1], errors[::-1])


class MarginFold(Fold):
    """Solutions of a margin or likelihood machine outside a fold, by 1/C, and their errors inside it."""

    def __init__(
        self,
        passes: Passes,
        fold: int,
        rows_per_block: list[int],
        loss: Loss,
        error: Error,
        n_outputs: int,
        fit_intercept: bool,
        minimiser: Callable[[Passes], Minimiser],
    ) -> None:
        super().__init__()
        outside = passes.without(fold, N_FOLDS, rows_per_block)
        self.inside = passes.within(fold, N_FOLDS, rows_per_block)
        self.measure = error
        self.objective = objective_for(outside, loss, 1.0, n_outputs, fit_intercept)
        self.minimiser = minimiser(outside)

    def solve(self, penalty: float, start: Array | None) -> Array:
        objective = self.objective.with_penalty(1.0 / penalty)
        return self.minimiser.solve(objective, objective.start() if start is None else start).parameters

    def held_out(self, solution: Array) -> tuple[float, float]:
        seen = self.inside.run(HeldOutError(self.measure, self.objective.point(solution)))
        return seen.total, seen.weight


def margin_folds(
    passes: Passes,
    loss: Loss,
    error: Error,
    n_outputs: int,
    fit_intercept: bool,
    minimiser: Callable[[Passes], Minimiser],
) -> list[MarginFold]:
    """All five folds for few rows (cross-validation), one for 10,000 and more (hold-out)."""
    rows_per_block = passes.rows_per_block()
    used = range(N_FOLDS if sum(rows_per_block) < MANY_ROWS else 1)
    return [MarginFold(passes, fold, rows_per_block, loss, error, n_outputs, fit_intercept, minimiser) for fold in used]

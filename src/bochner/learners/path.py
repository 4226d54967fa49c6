"""The choice of C: a path with warm starts, judged on rows held out, on the same features throughout."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..losses import Loss
from ..statistics.held_out import Error, HeldOutError
from .base import Array
from .minimisers import Minimiser
from .passes import Passes, objective_for

PENALTIES = 10.0 ** np.arange(-2.0, 4.1, 0.5)
PATIENCE = 3  # values of C without improvement after which larger ones are not tried
N_FOLDS = 5
MANY_ROWS = 10_000  # from here on one fold, held out, tells enough


@dataclass(frozen=True)
class PathChoice:
    """The C chosen, and the error on rows held out for each C tried."""

    penalty: float
    penalties: Array
    errors: Array


def folds_used(n_rows: int) -> range:
    """All folds for few rows (cross-validation), one for many (hold-out)."""
    return range(N_FOLDS if n_rows < MANY_ROWS else 1)


def choose_penalty(
    passes: Passes,
    loss: Loss,
    error: Error,
    n_outputs: int,
    fit_intercept: bool,
    minimiser: Callable[[Passes], Minimiser],
) -> PathChoice:
    """The C of least held-out error; the smallest of those that are equal.

    For few rows the error is cross-validated over five folds, for 10,000 and more it is that of one fold held out.
    C rises by half a decade from 0.01, each solution the start of the next, until three values bring no improvement.
    """
    rows_per_block = passes.rows_per_block()
    folds = [
        FoldPath(passes, fold, rows_per_block, loss, error, n_outputs, fit_intercept, minimiser)
        for fold in folds_used(sum(rows_per_block))
    ]
    errors: list[float] = []
    for penalty in PENALTIES:
        outcomes = np.array([fold.error_at(float(penalty)) for fold in folds])
        errors.append(float(outcomes[:, 0].sum() / max(outcomes[:, 1].sum(), np.finfo(float).tiny)))
        if len(errors) - 1 - int(np.argmin(errors)) >= PATIENCE:
            break
    best = int(np.argmin(errors))
    return PathChoice(float(PENALTIES[best]), PENALTIES[: len(errors)], np.array(errors))


class FoldPath:
    """The path of one fold: trained outside, judged inside."""

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
        outside = passes.without(fold, N_FOLDS, rows_per_block)
        self.inside = passes.within(fold, N_FOLDS, rows_per_block)
        self.error = error
        self.objective = objective_for(outside, loss, 1.0, n_outputs, fit_intercept)
        self.minimiser = minimiser(outside)
        self.parameters = self.objective.start()

    def error_at(self, penalty: float) -> tuple[float, float]:
        """Sum of errors inside the fold and the weight of its rows, for this C."""
        objective = self.objective.with_penalty(penalty)
        self.parameters = self.minimiser.solve(objective, self.parameters).parameters
        seen = self.inside.run(HeldOutError(self.error, objective.point(self.parameters)))
        assert isinstance(seen, HeldOutError)
        return seen.total, seen.weight

"""What a model loses on rows that it did not see where columns are shuffled among them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.stats import norm

from ..scales.target_columns import signs_of
from ..tables import TableEncoder
from .attempts import Attempts
from .candidates import Task
from .stack import Stack
from .trial import Data, machine, raw_scores, row_losses, row_weights, with_all_classes

Array = np.ndarray

FITTED_ROWS = 5_000  # that the models are fitted on, at most: a second or two for the dearest
FEWEST_ROWS = 30  # held out, below which a mean says nothing
LEAST_ROWS = 1_000  # that columns are shuffled among, where there are so many: more columns are better measured less
MOST_PREDICTED = 100_000  # rows in all, a second or two for the dearest models
MOST_SHUFFLES = 5  # of a column, where rows are few
BY_CHANCE = 1e-3  # of all columns that do not matter, whether any is said to
DOUBT = 2.0  # standard errors within which a cost may be none


@dataclass(frozen=True)
class Cost:
    """What something costs of the score: the mean over rows, and its standard error."""

    mean: float
    error: float
    columns: tuple[int, ...] = ()  # that were shuffled

    @classmethod
    def of(cls, lost: Array, weight: Array, columns: tuple[int, ...] = ()) -> Cost:
        """The weighted mean of what rows lost."""
        share = weight / weight.sum()
        mean = float(share @ lost)
        correction = len(lost) / max(1, len(lost) - 1)
        return cls(mean, float(np.sqrt(correction * np.square(share * (lost - mean)).sum())), columns)


@dataclass(frozen=True)
class Costs:
    """The columns that cost more than chance explains, the dearest first; and all others, shuffled together."""

    dear: tuple[Cost, ...]
    others: Cost | None  # None where no column is left
    n_measured: int  # columns that were shuffled one by one
    n_rows: int  # among which they were shuffled
    n_fitted: int  # rows that the models were fitted on


def shuffling_costs(
    stack: Stack,
    data: Data,
    task: Task,
    encoder: TableEncoder,
    n_fitted: int,
    rng: np.random.Generator,
    has_time: Callable[[float], bool],
) -> Costs | None:
    """Costs of the columns of a table, for models like those of the stack; None where rows are too few.

    The models are fitted once more on the training rows of each fold, at most ``n_fitted``, and judge the others. One
    column after the other takes the values of other rows there. A row's cost is what it takes from the score after
    that minus before, averaged over some shuffles, so that a column which tells nothing has a mean of zero. It counts
    as dear where the mean is beyond norm.isf(1e-3 / columns) of its standard errors. Where columns are too many, or so
    many seconds more are too many by ``has_time``, the last, by their correlation with the target, are not shuffled one
    by one.
    """
    edges = np.cumsum([0] + [code.width for code in encoder.codes_])
    places = [np.arange(start, end) for start, end in pairwise(edges)]
    held_out = HeldOutRows(fitted_without(stack, data, task, n_fitted, len(places), rng), data)
    if held_out.n_rows < FEWEST_ROWS:
        return None
    affordable = max(1, MOST_PREDICTED // held_out.n_rows - 2)
    shuffles = int(np.clip(MOST_PREDICTED // (held_out.n_rows * (len(places) + 2)), 1, MOST_SHUFFLES))
    measured: list[Cost] = []
    seconds = 0.0
    for column in by_correlation(data, places)[:affordable]:
        if not has_time(2.0 * seconds):  # for one more, and all others
            break
        start = time.perf_counter()
        measured.append(held_out.cost((int(column),), places, shuffles, rng))
        seconds = time.perf_counter() - start
    least = float(norm.isf(BY_CHANCE / max(1, len(measured))))
    dear = sorted((c for c in measured if c.mean > least * c.error), key=lambda c: -c.mean)
    rest = tuple(place for place in range(len(places)) if all(c.columns != (place,) for c in dear))
    others = held_out.cost(rest, places, shuffles, rng) if rest else None
    return Costs(tuple(dear), others, len(measured), held_out.n_rows, n_fitted)


def affordable_rows(stack: Stack, attempts: Attempts) -> int:
    """Rows that models like those of the stack can be fitted on in half of the time left; 0 where that is too few."""
    n_rows = min(FITTED_ROWS, attempts.data.n_training)
    for part in (1, 2, 4):
        some = n_rows // part
        expected = (attempts.expected(trial.candidate, some, min(trial.width, some)) for trial in stack.trials)
        if some and sum(expected) < 0.5 * attempts.clock.left():
            return some
    return 0


@dataclass(frozen=True)
class FittedWithout:
    """Models fitted without some rows, with their weights, and these rows."""

    models: Sequence[tuple[float, Any]]
    X: Array
    y: Array

    def scores(self, X: Array, n_classes: int) -> Array:
        """Weighted scores of rows."""
        parts: list[Array] = [weight * raw_scores(model, X, n_classes) for weight, model in self.models]
        return np.sum(parts, axis=0)


def fitted_without(
    stack: Stack, data: Data, task: Task, n_fitted: int, n_columns: int, rng: np.random.Generator
) -> list[FittedWithout]:
    """The models of a stack fitted on the training rows of each fold, with some of the rows that it judges."""
    parts = []
    judged = max(LEAST_ROWS, MOST_PREDICTED // (n_columns + 2)) // len(data.folds)
    for fold in data.folds:
        training = with_all_classes(fold.training, data, n_fitted)
        if data.n_classes and not np.ptp(data.y[training]):
            continue
        models = [
            (weight, machine(trial.candidate.with_alpha(trial.alpha), data, task, training, trial.width))
            for weight, trial in zip(stack.weights, stack.trials)
        ]
        chosen = rng.permutation(fold.judged)[:judged]
        parts.append(FittedWithout(models, data.X[chosen], data.y[chosen]))
    return parts


@dataclass(frozen=True)
class HeldOutRows:
    """All rows that models were fitted without."""

    parts: Sequence[FittedWithout]
    data: Data

    @property
    def n_rows(self) -> int:
        return sum(len(part.y) for part in self.parts)

    @cached_property
    def y(self) -> Array:
        return np.concatenate([part.y for part in self.parts])

    @cached_property
    def before(self) -> Array:
        """What each row takes from the score as it is."""
        return self._losses([part.X for part in self.parts])

    def cost(self, columns: tuple[int, ...], places: Sequence[Array], shuffles: int, rng: np.random.Generator) -> Cost:
        """What shuffling these columns together costs."""
        moved = np.concatenate([places[column] for column in columns])
        after = np.zeros(self.n_rows)
        for _ in range(shuffles):
            after += self._losses([shuffled(part.X, moved, rng) for part in self.parts]) / shuffles
        return Cost.of(after - self.before, row_weights(self.y, self.data), columns)

    def _losses(self, rows: Sequence[Array]) -> Array:
        scores = [part.scores(X, self.data.n_classes) for part, X in zip(self.parts, rows)]
        return row_losses(np.concatenate(scores), self.y, self.data)


def shuffled(X: Array, columns: Array, rng: np.random.Generator) -> Array:
    """Rows that have these columns from other rows."""
    moved = X.copy()
    moved[:, columns] = X[rng.permutation(len(X))][:, columns]
    return moved


def by_correlation(data: Data, places: Sequence[Array]) -> Array:
    """Columns of the table in the order in which they are measured: those that go with the targets first."""
    rows = np.concatenate([fold.training[:FITTED_ROWS] for fold in data.folds])
    X, y = data.X[rows].astype(np.float64), data.y[rows]
    targets = signs_of(y) if data.n_classes else y[:, None]
    X, targets = (part - part.mean(axis=0) for part in (X, targets))
    size = np.linalg.norm(X, axis=0)[:, None] * np.linalg.norm(targets, axis=0)
    together = np.abs(X.T @ targets) / np.where(size > 0, size, 1.0)
    return np.argsort([-together[place].max(initial=0.0) for place in places], kind="stable")

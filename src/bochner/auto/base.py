"""What the two automatic estimators share: columns, search, final fit, leaderboard, explanation."""

from __future__ import annotations

import logging
import time
import warnings
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import Tags
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted

from ..blocks import BlockSource
from ..engines import ThreadEngine
from ..kernels.names import OF_KERNELS, OwnNames
from ..learners.combined import CombinedClassifier, CombinedRegressor
from ..learners.log_tail import LogTail
from ..maps.base import as_generator, checked_count
from ..tables import TableEncoder, as_table, is_table
from ..tables.counts import holds_counts, keep_zeros
from ..undone import undone_on_failure
from .budget import Clock, clock_for
from .candidates import Task
from .explain import explanation
from .families import Exact
from .final import final_width
from .leaderboard import Leaderboard
from .proposals import MANY_COLUMNS
from .search import Search, nothing_fits
from .stack import Stack, stack_of
from .trial import Data, Trial, judge, raw_scores

logger = logging.getLogger(__name__)

Array = np.ndarray
FINAL_TOL = 2e-2
FINAL_PART = 0.9  # of the time left: the rest is for measuring which columns matter
SOME_ROWS = 1000  # that a final model must have finite scores for


class AutoKernel(OwnNames, BaseEstimator, ABC):
    """Chooses map, length scales, width, loss and regularisation by a search on held-out rows."""

    budget: Any
    ensemble: int
    memory: int | str
    progress: bool
    random_state: Any
    n_jobs: int | None

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that the contracts in tests look at."""
        return [cls(budget=1, random_state=0, progress=False)]

    @classmethod
    def instead(cls, name: str) -> str | None:
        given = name in OF_KERNELS or name in ("feature_map", "alpha", "C")
        return "the search chooses it; it is given to bo.KernelRidge or bo.KernelSVC" if given else None

    @abstractmethod
    def _targets(self, y: Any, n_rows: int) -> None:
        """Check y and keep what the search needs of it."""

    @abstractmethod
    def _data(self, X: Array, y: Any, rng: np.random.Generator) -> tuple[Data, Array]:
        """Rows and targets for the search, and the targets as columns of numbers for the length scales."""

    def _tail(self, data: Data) -> LogTail | None:
        """A transformation of the targets to try."""
        return None

    @abstractmethod
    def _task(self, seed: int) -> Task:
        """What is asked."""

    @abstractmethod
    def _complete(self, model: Any, scores: Array, data: Data) -> None:
        """What is made of the sum of machines, from the scores of held-out rows."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Search, then fit the best model on all rows.

        Parameters
        ----------
        X : DataFrame, array, sparse matrix, Arrow table of shape (n_rows, n_columns), or a BlockSource
            Numbers, labels and missing values as they are. The rows of a source are gathered in memory; one that has
            an encoder keeps it.
        y : array of shape (n_rows,); None with a source, which brings its own

        Returns
        -------
        self
        """
        with undone_on_failure(self):
            self._find(X, y)
        return self

    def _find(self, X: Any, y: Any) -> None:
        """Search and fit."""
        clock = clock_for(self.budget)
        checked_count(self.ensemble, "ensemble")
        rng = as_generator(self.random_state)
        if isinstance(X, BlockSource):
            encoder, encoded, y = self._gather(X)
        else:
            encoder, encoded = self._encode(X, y)
        data, targets = self._data(encoded, y, rng)
        data = replace(data, grouped=encoder.groups)
        del encoded  # large, and perhaps not what the search works on
        task = self._task(int(rng.integers(2**31))).for_rows(len(data.y))
        search = Search(data, targets, encoder.units, task, clock, self.progress, self._tail(data))
        search.run()
        data = search.attempts.data
        self.trials_ = search.trials
        best, stack = self._fit_final(search, task, clock, encoder)
        self._complete(self.best_estimator_, stack.scores, data)
        self.leaderboard_ = Leaderboard.of(search.trials, search.attempts.failures)
        self.explanation_ = explanation(search.attempts, best, stack, encoder, self.final_seconds_, rng)

    def _gather(self, source: BlockSource) -> tuple[TableEncoder, Array, Array]:
        """All rows of a source, by its own encoder where it has one."""
        engine = ThreadEngine(self.n_jobs, self.memory)
        prepared = source.prepared(engine.fold, engine.run)
        blocks = list(prepared)
        if any(block.y is None for block in blocks):
            raise ValueError("The source has no targets y: give a source that has them.")
        X = np.concatenate([as_rows(block.X) for block in blocks])
        y = np.concatenate([np.asarray(block.y) for block in blocks])
        encoder = prepared.encoder
        if encoder is None:
            return (*self._encode(X, y), y)
        self.n_features_in_ = encoder.n_features_in_
        names = [code.name for code in encoder.codes_]
        if names != [f"x{place}" for place in range(len(names))]:  # which columns of arrays are called
            self.feature_names_in_ = np.array(names, dtype=object)
        self._targets(y, len(X))
        return encoder, X, y

    def _encode(self, X: Any, y: Any) -> tuple[TableEncoder, Array]:
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        _check_feature_names(self, X, reset=True)
        table = as_rows(X)
        # With many columns they are often of one kind, such as pixels, and rarely have outliers that matter.
        tails: Literal["linear", "logarithmic"] = "linear" if table.shape[1] > MANY_COLUMNS else "logarithmic"
        encoder = TableEncoder(missing="indicator", tails=tails).fit(table)
        if holds_counts(table):
            keep_zeros(encoder)
        _check_n_features(self, table, reset=True)
        self._targets(y, table.shape[0])
        return encoder, encoder.transform(table)

    def _fit_final(self, search: Search, task: Task, clock: Clock, encoder: TableEncoder) -> tuple[Trial, Stack]:
        """The best trial, and what of it and others is fitted on all rows: the next best where such a fit fails."""
        attempts = search.attempts
        data, best = attempts.data, search.winner()
        stack = stack_of(best, search.trials, data, self.ensemble)
        choices = [stack] if len(stack.trials) > 1 and attempts.afford(stack.trials) else []
        choices += [Stack((trial,), (1.0,)) for trial in (best, *search.next_best(best))]
        for choice in choices:
            start = time.perf_counter()
            try:
                estimator = self._fit_stack(choice, data, task, clock)
            except Exception as error:  # of any kind: the next best may do
                attempts.failed_at_last(choice.trials[0], time.perf_counter() - start, error)
                continue
            estimator.encoder_ = encoder
            self.best_estimator_ = estimator
            self.best_score_ = judge(choice.scores, data)[1]
            self.final_seconds_ = time.perf_counter() - start
            return (best if choice is stack else choice.trials[0]), choice
        raise RuntimeError(nothing_fits(attempts.failures))

    def _fit_stack(self, stack: Stack, data: Data, task: Task, clock: Clock) -> Any:
        """The trials of a stack on all rows, at the widths that time and memory allow."""
        # Exact machines take the time they need, and leave the rest to those whose width can follow it.
        order = sorted(range(len(stack.trials)), key=lambda place: stack.trials[place].candidate.family != Exact())
        machines = {}
        for done, place in enumerate(order):
            share = FINAL_PART * clock.left() / (len(order) - done)
            machines[place] = self._fit_one(stack.trials[place], data, task, share)
        fitted = [machines[place] for place in range(len(order))]
        kind = CombinedClassifier if data.n_classes else CombinedRegressor
        estimator = kind([clone(machine) for machine in fitted], list(stack.weights)).of(fitted)
        if not np.isfinite(raw_scores(estimator, data.X[:SOME_ROWS], data.n_classes)).all():
            raise ArithmeticError("its scores of the rows it was fitted on are not finite numbers")
        return estimator

    def _fit_one(self, trial: Trial, data: Data, task: Task, seconds: float) -> Any:
        candidate = trial.candidate.with_alpha(trial.alpha)
        width = final_width(trial, self.trials_, len(data.y), seconds, task.memory)
        estimator = task.estimator(candidate, width, len(data.y), FINAL_TOL)
        X: Array = data.X.astype(task.dtype(candidate, len(data.y)), copy=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            return estimator.fit(X, self._final_targets(data))

    @abstractmethod
    def _final_targets(self, data: Data) -> Array:
        """Targets that ``best_estimator_`` is fitted on."""

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self, "best_estimator_")
        _check_feature_names(self, X, reset=False)
        table = as_rows(X)
        _check_n_features(self, table, reset=False)
        return table

    @property
    def encoder_(self) -> TableEncoder:
        """How the columns are read."""
        check_is_fitted(self, "best_estimator_")
        return self.best_estimator_.encoder_

    def explain(self) -> str:
        """Why this model: what was tried, what won and by how much, what the score loses where columns are shuffled."""
        check_is_fitted(self, "best_estimator_")
        return self.explanation_

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = tags.input_tags.categorical = tags.input_tags.string = True
        return tags


def as_rows(X: Any) -> Any:
    """Tables as columns; everything else as an array of rows and columns."""
    if sp.issparse(X):
        return X.toarray()
    if is_table(X):
        return as_table(X)
    array = np.asarray(X)
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead: Reshape your data to rows and columns.")
    return array

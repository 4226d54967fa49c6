"""The classifier that needs no choosing."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_y, check_consistent_length

from ..amounts import bytes_of
from ..blocks.memory import DEFAULT_MEMORY
from ..blocks.validation import check_labels, checked_targets
from ..learners.combined import CombinedClassifier
from ..scales.target_columns import signs_of
from .base import Array, AutoKernel
from .candidates import FEW_ROWS, Task
from .folds import make_folds
from .temperature import fit_temperature
from .trial import Data, judged_targets


class AutoKernelClassifier(ClassifierMixin, AutoKernel):
    """A kernel machine with everything chosen: map, length scales, width, loss and regularisation.

    Raw columns (numbers, labels, missing values) are encoded, numbers far out on a logarithm; length scales, one per
    column, are learned by maximum marginal likelihood of the exact kernel, on random rows and on neighbourhoods;
    Fourier features, random binning, Maclaurin features and tensor sketches of polynomials, additive kernels where
    columns are counts, radial kernels under a learned metric at landmarks (Nystroem) and, where rows are not too many,
    the kernels themselves with a coefficient for each row (``ExactKernelRidge``) compete by successive halving on
    growing samples, judged on rows held out: at random, or the last of each class where many rows come in an order in
    which neighbours are alike; the best of each are tuned, also with the squared hinge loss, and compared nearly as
    wide as they will be; what is best, or a weighted sum of a few where that is better, or the mean of a few that
    chance may have put behind the best, is fitted on all rows and calibrated to probabilities.

    Parameters
    ----------
    budget : str or int, default="60s"
        Time for the whole of ``fit``, or a number of trials, with which the result depends on the seed only. The
        search ends sooner where nothing is left to try. Ctrl-C ends it with the best so far.
    scoring : {"accuracy", "balanced_accuracy"}, default="accuracy"
        "balanced_accuracy" counts every class alike, in training and in judging.
    ensemble : int, default=4
        The most models that are combined; 1 for a single one. Weights are learned on held-out rows where these leave
        at least half a per cent less of the loss; labels are else told by the mean of the models that got as many right
        as the best, within one standard error.
    memory : int or str, default="2GB"
    progress : bool, default=True
        Show a bar where standard error is a terminal.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None

    Attributes
    ----------
    best_estimator_ : CombinedClassifier
        A weighted sum of machines of the library, often of one, fitted on all rows. It takes raw tables, and answers as
        the search does; ``bo.save`` stores either.
    best_score_ : its score on held-out rows
    leaderboard_ : Leaderboard
        All trials; ``print(model.leaderboard_)`` or ``.to_frame()``.
    explanation_ : str
    classes_ : the labels, sorted

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(600, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> model = bo.AutoKernelClassifier(budget=4, random_state=0).fit(X[:500], y[:500])
    >>> bool(model.score(X[500:], y[500:]) > 0.9)
    True
    """

    def __init__(
        self,
        budget: str | int = "60s",
        *,
        scoring: Literal["accuracy", "balanced_accuracy"] = "accuracy",
        ensemble: int = 4,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.budget = budget
        self.scoring = scoring
        self.ensemble = ensemble
        self.memory = memory
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _targets(self, y: Any, n_rows: int) -> None:
        if self.scoring not in ("accuracy", "balanced_accuracy"):
            raise ValueError(f"scoring must be 'accuracy' or 'balanced_accuracy', not {self.scoring!r}.")
        y = _check_y(column_or_1d(checked_targets(y, numeric=False), warn=True), estimator=self)
        check_consistent_length(np.empty(n_rows), y)
        check_labels(y)
        classes = np.unique(y)
        if len(classes) < 2:
            raise ValueError(f"y has only one class ({classes[0]}): a classifier needs at least two classes.")
        self.classes_ = classes

    def _data(self, X: Array, y: Any, rng: np.random.Generator) -> tuple[Data, Array]:
        codes = np.searchsorted(self.classes_, np.asarray(y).ravel())
        X = X if len(X) < FEW_ROWS else X.astype(np.float32, copy=False)  # as they will be used
        folds = make_folds(X, codes, True, rng)
        data = Data(X, codes, folds, len(self.classes_), self.scoring == "balanced_accuracy")
        return data, signs_of(codes)

    def _task(self, seed: int) -> Task:
        balanced = "balanced" if self.scoring == "balanced_accuracy" else None
        return Task(True, balanced, bytes_of(self.memory), self.n_jobs, seed)

    def _final_targets(self, data: Data) -> Array:
        return self.classes_[data.y]

    def _complete(self, model: CombinedClassifier, scores: Array, data: Data) -> None:
        model.temperature_ = fit_temperature(scores, judged_targets(data))

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        X = self._checked(X)
        return self.best_estimator_.decision_function(X)

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        X = self._checked(X)
        return self.best_estimator_.predict(X)

    def predict_proba(self, X: Any) -> Array:
        """Probabilities, calibrated on held-out rows; the most probable class is the predicted one."""
        X = self._checked(X)
        return self.best_estimator_.predict_proba(X)

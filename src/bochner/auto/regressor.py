"""The regressor that needs no choosing."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_y, check_consistent_length

from ..amounts import bytes_of
from ..blocks.memory import DEFAULT_MEMORY
from ..blocks.validation import checked_targets
from ..learners.combined import CombinedRegressor
from ..learners.log_tail import LogTail, log_tail
from .base import Array, AutoKernel
from .candidates import Task
from .folds import make_folds
from .trial import Data


class AutoKernelRegressor(RegressorMixin, AutoKernel):
    """A kernel machine with everything chosen: map, length scales, width and regularisation.

    See AutoKernelClassifier for how it searches, radial kernels under a learned metric at landmarks (Nystroem) among
    the candidates; the loss is the squared one and candidates are judged by R². Many rows in an order in which
    neighbours are alike are judged by the last of them, unless their targets are unlike the others.

    Parameters
    ----------
    budget, ensemble, memory, progress, random_state, n_jobs : see AutoKernelClassifier

    Attributes
    ----------
    best_estimator_ : CombinedRegressor
        A weighted sum of machines of the library, often of one, fitted on all rows. Where a skewed target was learned
        better in logarithms, its ``target_`` says so and undoes it.
    best_score_, leaderboard_, explanation_ : see AutoKernelClassifier

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(600, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1])
    >>> model = bo.AutoKernelRegressor(budget=4, random_state=0).fit(X[:500], y[:500])
    >>> bool(model.score(X[500:], y[500:]) > 0.95)
    True
    """

    def __init__(
        self,
        budget: str | int = "60s",
        *,
        ensemble: int = 4,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = True,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.budget = budget
        self.ensemble = ensemble
        self.memory = memory
        self.progress = progress
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _targets(self, y: Any, n_rows: int) -> None:
        y = checked_targets(y, numeric=True)
        y = _check_y(column_or_1d(y, warn=True), y_numeric=True, estimator=self)
        check_consistent_length(np.empty(n_rows), y)

    def _data(self, X: Array, y: Any, rng: np.random.Generator) -> tuple[Data, Array]:
        y = np.asarray(y, dtype=np.float64).ravel()
        data = Data(X, y, make_folds(X, y, False, rng))
        return data, y[:, None]

    def _tail(self, data: Data) -> LogTail | None:
        return log_tail(data.y)

    def _task(self, seed: int) -> Task:
        return Task(False, None, bytes_of(self.memory), self.n_jobs, seed)

    def _final_targets(self, data: Data) -> Array:
        return data.y

    def _complete(self, model: CombinedRegressor, scores: Array, data: Data) -> None:
        model.target_ = data.tail
        model.range_ = float(data.y.min()), float(data.y.max())

    def predict(self, X: Any) -> Array:
        """Predicted numbers, none beyond the targets that were seen."""
        X = self._checked(X)
        return self.best_estimator_.predict(X)

"""One trial: a candidate fitted on some rows at some width, judged on others."""

from __future__ import annotations

import time
import warnings
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..compute.threads import single_threaded_blas
from ..kernels import Metric, RadialKernel
from ..learners.log_tail import LogTail
from ..scales.metric import between, next_matrix, varies
from .candidates import SEARCH_TOL, Candidate, Task
from .families import Exact, Nystroem
from .folds import Fold

Array = np.ndarray

ALPHAS = (0.3, 0.1, 0.03, 0.01)  # of binning, from large to small
MULTIPLES = (0.1, 10.0, 100.0)  # of what GCV finds for dense features
AS_GOOD = 1.03  # losses of codes
WORTH = 1.01  # the same for dense features, whose final number is larger and fits more closely
MOST_COLUMNS = 200  # whose outer products are affordable
GRADIENTS = 2000  # rows at which gradients are averaged
NARROW = 256  # features whose matrices are too small for threads inside BLAS


@dataclass(frozen=True)
class Data:
    """Encoded rows, targets as the estimators take them, and how they are split."""

    X: Array
    y: Array  # codes 0 ... c - 1, or standardised numbers
    folds: list[Fold]
    n_classes: int = 0  # 0 for numbers
    balanced: bool = False
    tail: LogTail | None = None  # what y went through
    grouped: Array | None = None  # a number for each column, the same for those that are labels of one column

    @property
    def groups(self) -> Array:
        """A number for each column: those of one group have the same length scale."""
        return np.arange(self.X.shape[1]) if self.grouped is None else self.grouped

    @property
    def measure(self) -> str:
        """The name of the score."""
        return ("balanced accuracy" if self.balanced else "accuracy") if self.n_classes else "R²"

    @property
    def n_training(self) -> int:
        return min(len(fold.training) for fold in self.folds)

    @property
    def counts(self) -> bool:
        """Whether no column has negative numbers, and some are more than zeros and ones."""
        some = self.X[:1000]
        return bool(((some != 0.0) & (some != 1.0)).any() and self.X.min() >= 0.0)


@dataclass(frozen=True)
class Trial:
    """What came of it: ``loss`` orders candidates (less is better), ``score`` is what users know."""

    candidate: Candidate
    rung: int
    n_rows: int
    width: int
    loss: float
    score: float
    seconds: float
    alpha: float
    scores: Array  # of the judged rows of all folds, one after the other
    fitting: float = 0.0  # of the seconds, those that went into fits
    sharper: Array | None = None  # the next metric, from the gradients of what was fitted under this one


@dataclass(frozen=True)
class Failure:
    """A trial that gave no scores, and the reason."""

    candidate: Candidate
    rung: int
    n_rows: int
    width: int
    seconds: float
    reason: str
    tail: LogTail | None = None  # what the targets went through


def run_trial(candidate: Candidate, data: Data, task: Task, rung: int, n_rows: int, width: int) -> Trial:
    """Fit on the first rows of each fold and judge.

    A candidate whose alpha is "path" is judged for several on the same features, each solution the start of the next,
    and keeps the best: those of ``ALPHAS``, or multiples of what GCV finds. Rows of one class only teach that class.
    Scores that are not finite raise an ArithmeticError.
    """
    start = time.perf_counter()
    path = alphas_of(candidate)
    parts: list[list[Array]] = [[] for _ in path]
    found, fitting, sharper = [], 0.0, None
    for fold in data.folds:
        training = with_all_classes(fold.training, data, n_rows)
        if data.n_classes and not np.ptp(data.y[training]):
            for part in parts:
                part.append(scores_of_one(int(data.y[training[0]]), len(fold.judged), data.n_classes))
            continue
        judged = data.X[fold.judged].astype(task.dtype(candidate, len(data.y)), copy=False)
        with warnings.catch_warnings(), single_threaded_blas() if width <= NARROW else nullcontext():
            warnings.simplefilter("ignore", ConvergenceWarning)
            begin = time.perf_counter()
            estimator = machine(candidate.with_alpha(path[0]), data, task, training, width)
            fitting += time.perf_counter() - begin
            first = regularisation(estimator)
            parts[0].append(raw_scores(estimator, judged, data.n_classes))
            for place, alpha in enumerate(path[1:], start=1):
                estimator.solve_again(alpha if path[0] != "gcv" else alpha * first)
                parts[place].append(raw_scores(estimator, judged, data.n_classes))
            sharper = sharper_metric(candidate, estimator, judged)
        found.append(first)
    judgements = [judge(np.concatenate(scores), data) for scores in parts]
    best = chosen_place([loss for loss, _ in judgements], candidate)
    if not np.isfinite(judgements[best][0]):
        raise ArithmeticError("its scores of held-out rows are not finite numbers")
    alpha = float(np.median(found))
    if best:
        alpha = float(path[best]) * (alpha if path[0] == "gcv" else 1.0)
    seconds = time.perf_counter() - start
    scores = np.concatenate(parts[best])
    return Trial(candidate, rung, n_rows, width, *judgements[best], seconds, alpha, scores, fitting, sharper)


def machine(candidate: Candidate, data: Data, task: Task, training: Array, width: int) -> Any:
    """The machine of a candidate, fitted on some rows."""
    estimator = task.estimator(candidate, width, len(training), SEARCH_TOL)
    rows = data.X[training].astype(task.dtype(candidate, len(data.y)), copy=False)
    return estimator.fit(rows, data.y[training])


def chosen_place(losses: list[float], candidate: Candidate) -> int:
    """The place of the least loss, unless a larger alpha is as good, which is the safer one.

    The alphas of codes fall; of dense features the second is less than what GCV finds, which stands first.
    """
    if candidate.family.dense:
        losses = [losses[0], *(loss * WORTH for loss in losses[1:2]), *losses[2:]]
        return losses.index(min(losses))
    return next(place for place, loss in enumerate(losses) if loss <= AS_GOOD * min(losses))


def sharper_metric(candidate: Candidate, estimator: Any, X: Array) -> Array | None:
    """The metric of the gradients of a fitted model at some rows; None for models without landmarks in a metric."""
    kernel = candidate.kernel
    if not (isinstance(candidate.family, Nystroem | Exact) and isinstance(kernel, RadialKernel)):
        return None
    if not isinstance(kernel.length_scale, Metric):
        return None
    if X.shape[1] > MOST_COLUMNS or candidate.factor != 1.0:  # then it is being tuned, and the metric is known
        return None
    if isinstance(candidate.family, Exact):
        features, dual = estimator.features_, estimator.dual_coef_
    else:
        features, dual = estimator.features_.folded(np.atleast_2d(estimator.coef_).T)
    matrix = kernel.length_scale.matrix
    rows = X[:: max(1, len(X) // GRADIENTS)].astype(np.float64)
    found = next_matrix(kernel, matrix, features.changed(rows), features.inner.landmarks, dual)
    return between(matrix, found, rows) if varies(matrix, rows) and varies(found, rows) else None


def alphas_of(candidate: Candidate) -> tuple[Any, ...]:
    """What a trial goes through: one alpha, or a path whose later ones are numbers, or multiples of the first."""
    if candidate.alpha != "path" or isinstance(candidate.family, Exact):  # which has a path of its own
        return (candidate.alpha,)
    return ("gcv", *MULTIPLES) if candidate.family.dense else ALPHAS


def with_all_classes(training: Array, data: Data, n_rows: int) -> Array:
    """The first rows, and one of each class that is not among them."""
    first = training[:n_rows]
    if not data.n_classes:
        return first
    absent = np.setdiff1d(np.arange(data.n_classes), data.y[first])
    if not absent.size:
        return first
    extra = [np.flatnonzero(data.y[training] == label)[:1] for label in absent]
    return np.concatenate([first, training[np.concatenate(extra)]])


def scores_of_one(label: int, n_rows: int, n_classes: int) -> Array:
    """Scores of a model that knows one class only: 1 for it, -1 for others."""
    if n_classes == 2:
        return np.full((n_rows, 1), 1.0 if label == 1 else -1.0)
    return np.tile(np.where(np.arange(n_classes) == label, 1.0, -1.0), (n_rows, 1))


def raw_scores(estimator: Any, X: Array, n_classes: int) -> Array:
    """Predictions of numbers (one column), or scores (one column for two classes, else one per class)."""
    if not n_classes:
        return np.asarray(estimator.predict(X), dtype=np.float64).reshape(len(X), 1)
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64).reshape(len(X), -1)
    if scores.shape[1] == n_classes or (n_classes == 2 and len(estimator.classes_) == 2):
        return scores
    return _all_columns(scores, estimator.classes_, n_classes)


def _all_columns(scores: Array, known: Array, n_classes: int) -> Array:
    """Scores with a column for classes that were not in the training rows."""
    if scores.shape[1] == 1:
        scores = np.hstack([-scores, scores])
    wide = np.full((len(scores), n_classes), scores.min() - 1.0)
    wide[:, known] = scores
    return wide if n_classes > 2 else (wide[:, 1:] - wide[:, :1]) / 2.0


def regularisation(estimator: Any) -> float:
    """Alpha of ridge regression, or 1 / C."""
    params = estimator.get_params(deep=False)
    return float(estimator.alpha_) if "alpha" in params else 1.0 / float(estimator.C_)


def judged_targets(data: Data) -> Array:
    """Targets of the judged rows, in the order of ``Trial.scores``."""
    return np.concatenate([data.y[fold.judged] for fold in data.folds])


def judge(scores: Array, data: Data) -> tuple[float, float]:
    """(loss, score). For numbers: 1 - R² and R². For labels: see ``class_loss``, and the accuracy.

    Scores that are not finite have an infinite loss.
    """
    if not np.isfinite(scores).all():
        return np.inf, -np.inf
    y = judged_targets(data)
    if data.n_classes:
        return class_loss(scores, y, data)
    loss = float(row_losses(scores, y, data).mean())
    return loss, 1.0 - loss


def row_losses(scores: Array, y: Array, data: Data) -> Array:
    """What each row takes from a score of 1, in the mean: (y - f)² / var(y) for numbers, 1 for a wrong label."""
    if data.n_classes:
        return (margins(scores, y, data.n_classes) <= 0).astype(np.float64)
    predicted = np.clip(scores[:, 0], data.y.min(), data.y.max())
    if data.tail is not None:
        y, predicted = data.tail.inverse(y), data.tail.inverse(predicted)
    return np.square(y - predicted) / max(float(np.square(y - y.mean()).mean()), np.finfo(float).tiny)


def row_weights(y: Array, data: Data) -> Array:
    """How much each row counts: all alike, or all classes alike."""
    return 1.0 / np.bincount(y, minlength=data.n_classes)[y] if data.balanced else np.ones(len(y))


def margins(scores: Array, y: Array, n_classes: int) -> Array:
    """The score of the right class over the best other one, in [-1, 1] for codes ±1."""
    if n_classes == 2:
        return np.where(y == 1, 1.0, -1.0) * scores[:, 0]
    right = scores[np.arange(len(y)), y]
    others = scores.copy()
    others[np.arange(len(y)), y] = -np.inf
    return (right - others.max(axis=1)) / 2.0


def class_loss(scores: Array, y: Array, data: Data) -> tuple[float, float]:
    """Share of errors plus a little of how sure the scores were, which orders candidates with equal errors.

    With margin m the latter is the mean of (1 - m)²/4 with m clipped to [-1, 1]. Both are averages over rows, or over
    classes first where classes count alike.
    """
    margin = margins(scores, y, data.n_classes)
    unsure = np.square(1.0 - np.clip(margin, -1.0, 1.0)) / 4.0
    weight = row_weights(y, data)
    errors = float(np.average(margin <= 0, weights=weight))
    return errors + 0.3 * float(np.average(unsure, weights=weight)), 1.0 - errors

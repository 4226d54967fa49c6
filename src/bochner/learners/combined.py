"""Several machines whose scores are added up with weights, and what is made of the sum: what a search finds."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from ..tables import TableEncoder
from .base import KernelMachine
from .log_tail import LogTail
from .targets import labels_of

Array = np.ndarray


class CombinedMachine(BaseEstimator, ABC):
    """f(x) = sum_m w_m f_m(x), each f_m a machine fitted on all rows, the weights given (Wolpert 1992, Breiman 1996).

    ``encoder_`` of the sum serves all its machines.
    """

    encoder_: TableEncoder | None = None
    estimators: Sequence[KernelMachine]
    weights: Sequence[float]

    def fit(self, X: Any, y: Any) -> Self:
        """Fit every machine on the same rows.

        Parameters
        ----------
        X : array of shape (n_rows, n_columns)
        y : targets

        Returns
        -------
        self
        """
        if not self.estimators or len(self.estimators) != len(self.weights):
            raise ValueError(
                f"A sum needs one weight for each of its machines, but there are {len(self.weights)} weights and "
                f"{len(self.estimators)} machines."
            )
        return self.of([clone(machine).fit(X, y) for machine in self.estimators])

    def of(self, fitted: list[Any]) -> Self:
        """Take over machines that are fitted already."""
        self.estimators_ = fitted
        self.n_features_in_ = fitted[0].n_features_in_
        return self

    def _sum(self, X: Any, method: str) -> Array:
        check_is_fitted(self, "estimators_")
        rows = X if self.encoder_ is None else self.encoder_.transform(X)
        parts = [weight * getattr(machine, method)(rows) for weight, machine in zip(self.weights, self.estimators_)]
        return np.sum(parts, axis=0)


class CombinedRegressor(RegressorMixin, CombinedMachine):
    """Weighted sum of predictions, kept within the range of the targets.

    Parameters
    ----------
    estimators : machines for numbers
    weights : one for each

    Attributes
    ----------
    estimators_ : list of fitted machines
    range_ : (float, float) or None
        The ends that sums are kept between; None keeps none.
    target_ : LogTail or None
        What the targets went through before the machines learned them, and is undone in predictions.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> from bochner.learners.combined import CombinedRegressor
    >>> X = np.linspace(-2, 2, 80)[:, None]
    >>> model = CombinedRegressor([bo.KernelRidge(bo.Gaussian(1.0)), bo.KernelRidge(bo.Laplace(1.0))], [0.5, 0.5])
    >>> bool(abs(model.fit(X, np.sin(X[:, 0])).predict([[1.0]])[0] - np.sin(1.0)) < 0.05)
    True
    """

    range_: tuple[float, float] | None = None
    target_: LogTail | None = None

    def __init__(self, estimators: Sequence[KernelMachine] = (), weights: Sequence[float] = ()) -> None:
        self.estimators = estimators
        self.weights = weights

    def predict(self, X: Any) -> Array:
        """Predicted numbers."""
        found = self._sum(X, "predict")
        if self.range_ is not None:
            found = np.clip(found, *self.range_)
        return found if self.target_ is None else self.target_.inverse(found)


class CombinedClassifier(ClassifierMixin, CombinedMachine):
    """Weighted sum of scores; the class of the highest one.

    Parameters
    ----------
    estimators : machines for labels
    weights : one for each

    Attributes
    ----------
    estimators_ : list of fitted machines
    classes_ : the labels, sorted
    temperature_ : float or None
        Probabilities are softmax(temperature_ s) of the scores s, for two classes of (-s, s); None gives none.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> from bochner.learners.combined import CombinedClassifier
    >>> X = np.linspace(-2, 2, 80)[:, None]
    >>> machines = [bo.KernelRidgeClassifier(bo.Gaussian(1.0)), bo.KernelSVC(bo.Gaussian(1.0))]
    >>> CombinedClassifier(machines, [0.5, 0.5]).fit(X, X[:, 0] > 0).predict([[-1.0], [1.0]])
    array([False,  True])
    """

    temperature_: float | None = None

    def __init__(self, estimators: Sequence[KernelMachine] = (), weights: Sequence[float] = ()) -> None:
        self.estimators = estimators
        self.weights = weights

    def of(self, fitted: list[Any]) -> Self:
        """Take over machines that are fitted already."""
        self.classes_ = fitted[0].classes_
        return super().of(fitted)

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        return self._sum(X, "decision_function")

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        return labels_of(self.classes_, self.decision_function(X))

    def _calibrated(self) -> bool:
        return self.temperature_ is not None

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> Array:
        """Probabilities of the classes; the most probable one is the predicted one."""
        scores = np.asarray(self.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            scores = np.stack([-scores, scores], axis=1)
        assert self.temperature_ is not None
        return softmax(self.temperature_ * scores, axis=1)

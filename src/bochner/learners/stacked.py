"""Several machines whose scores are added up with weights."""

from __future__ import annotations

from abc import ABC
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from ..tables import TableEncoder
from .base import KernelMachine
from .targets import labels_of

Array = np.ndarray


class StackedMachine(BaseEstimator, ABC):
    """f(x) = sum_m w_m f_m(x), each f_m a machine fitted on all rows, the weights given (Wolpert 1992, Breiman 1996).

    ``encoder_`` of a stack serves all its machines.
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
                f"A stack needs one weight for each of its machines, but there are {len(self.weights)} weights and "
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


class StackedRegressor(RegressorMixin, StackedMachine):
    """Weighted sum of predictions.

    Parameters
    ----------
    estimators : machines for numbers
    weights : one for each
    """

    def __init__(self, estimators: Sequence[KernelMachine] = (), weights: Sequence[float] = ()) -> None:
        self.estimators = estimators
        self.weights = weights

    def predict(self, X: Any) -> Array:
        """Predicted numbers."""
        return self._sum(X, "predict")


class StackedClassifier(ClassifierMixin, StackedMachine):
    """Weighted sum of scores; the class of the highest one.

    Parameters
    ----------
    estimators : machines for labels
    weights : one for each
    """

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

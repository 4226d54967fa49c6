"""Classification by a linear function of features: classes, scores, labels."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from ..blocks import BlockSource
from ..blocks.validation import check_labels, validated
from .base import Array
from .classes import class_multipliers, find_classes
from .penalised import PenalisedMachine


class PenalisedClassifier(ClassifierMixin, PenalisedMachine):
    """What the classifiers among the penalised machines share."""

    class_weight: Any

    @abstractmethod
    def _learn_classes(self, source: BlockSource, classes: Array, factors: Array | None) -> None:
        """Learn from rows of at least two classes, those of class c counted factors[c] times."""

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validated(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_labels(y)
        return X, y

    def _learn(self, source: BlockSource) -> None:
        self._check_numbers()
        classes, counts = find_classes(source, self._engine())
        factors = class_multipliers(self.class_weight, classes, counts)
        counted = counts > 0 if factors is None else counts * factors > 0
        if not counted.any():
            raise ValueError("The weights of all rows are zero: at least one row of each of two classes must count.")
        if counted.sum() < 2:
            raise ValueError(
                f"Only the class {classes[counted].tolist()[0]!r} has rows of weight > 0: two classes are needed."
            )
        self._learn_classes(source, classes, factors)
        self.classes_ = classes

    @property
    def coef_(self) -> Array:
        """Coefficients of the features: (1, n_components) for two classes, (n_classes, n_components) for more."""
        self._check_fitted()
        return self._coefficients.T

    @property
    def intercept_(self) -> Array:
        """Score at z = 0, one for each row of ``coef_``."""
        self._check_fitted()
        return self._intercept

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        scores = self._values(X)
        codes = (scores[:, 0] > 0).astype(np.intp) if scores.shape[1] == 1 else scores.argmax(axis=1)
        return self.classes_[codes]

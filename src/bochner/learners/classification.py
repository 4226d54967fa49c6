"""Machines that predict labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin

from ..blocks import BlockSource
from ..blocks.validation import check_labels, validated
from .base import Array, KernelMachine
from .targets import Signs, class_multipliers, find_classes, labels_of


class Classification(ClassifierMixin, KernelMachine):
    """A machine whose targets are labels: scores for each class, of which the largest wins."""

    class_weight: Any

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validated(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_labels(y)
        return X, y

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        classes, counts = find_classes(source, self._engine())
        factors = class_multipliers(self.class_weight, classes, counts)
        counted = counts > 0 if factors is None else counts * factors > 0
        if not counted.any():
            raise ValueError("The weights of all rows are zero: at least one row of each of two classes must count.")
        if counted.sum() < 2:
            raise ValueError(
                f"Only the class {classes[counted].tolist()[0]!r} has rows of weight > 0: two classes are needed."
            )
        coding = self._coding(classes, factors)
        self.classes_ = classes
        self._learn_coded(source.mapped(coding), coding.n_columns)

    def _coding(self, classes: Array, factors: Array | None) -> Signs:
        """Labels as numbers, the rows of class c counted factors[c] times."""
        return Signs(classes, factors)

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        values = self._values(X)
        return values[:, 0] if values.shape[1] == 1 else values

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        scores = self.decision_function(X)
        return labels_of(self.classes_, scores)

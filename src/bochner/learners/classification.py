"""Machines that predict labels."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from ..blocks import BlockSource
from ..blocks.validation import check_labels, validated
from .base import Array, KernelMachine, goes_on
from .targets import Signs, checked_classes, class_multipliers, find_classes, labels_of


class Classification(ClassifierMixin, KernelMachine):
    """A machine whose targets are labels: scores for each class, of which the largest wins."""

    class_weight: Any
    _told: Array | None = None  # all labels there will be, where partial_fit began

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

    @available_if(goes_on)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows: the same solution as fitting all rows at once. The first call draws the features.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``
        classes : array, default=None
            All labels there will be, in the first call; None: those in its y.

        Returns
        -------
        self
        """
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' needs all rows at once: give the weights as a dict.")

        def coding_of(source: BlockSource, fresh: bool) -> Signs:
            if fresh:
                found = find_classes(source, self._engine())[0] if classes is None else np.unique(np.asarray(classes))
                self.classes_ = self._told = checked_classes(found)
            known = self.classes_ if self._told is None else self._told
            return self._coding(known, class_multipliers(self.class_weight, known, np.ones(len(known))))

        return self._more(X, y, sample_weight, coding_of)

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

"""Machines that predict numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin
from sklearn.utils.metaestimators import available_if

from ..blocks import BlockSource
from ..blocks.validation import validated
from .base import Array, KernelMachine, goes_on
from .targets import Numbers


class Regression(MultiOutputMixin, RegressorMixin, KernelMachine):
    """A machine whose targets are numbers, one or several for each row."""

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        types = [np.float64, np.float32]
        return validated(
            self, X, y, accept_sparse="csr", dtype=types, multi_output=True, y_numeric=True, order="C", reset=reset
        )

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        numbers = self._numbers(source, True)
        self._learn_coded(source.mapped(numbers), numbers.n_columns)

    def _numbers(self, source: BlockSource, fresh: bool) -> Numbers:
        """How the targets are coded, as in the first rows."""
        numbers = Numbers.of(source)
        if fresh:
            self._flat_targets = numbers.n_targets is None
        elif numbers.n_columns != self._n_targets:
            raise ValueError(f"y has {numbers.n_columns} target(s), but the model was begun with {self._n_targets}.")
        return numbers

    @available_if(goes_on)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows: the same solution as fitting all rows at once. The first call draws the features.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``

        Returns
        -------
        self
        """
        return self._more(X, y, sample_weight, self._numbers)

    @property
    def range_(self) -> tuple[Any, Any] | None:
        """Least and greatest target seen, between which predictions are kept; None where they are left as they are."""
        return None

    def predict(self, X: Any) -> Array:
        """Predicted targets, of shape (n_rows,) or (n_rows, n_targets)."""
        values = self._values(X)
        if self.range_ is not None:
            np.clip(values, *self.range_, out=values)
        return values[:, 0] if self._flat_targets else values

"""Machines that predict numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import MultiOutputMixin, RegressorMixin

from ..blocks import BlockSource
from ..blocks.validation import validated
from .base import Array, KernelMachine
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
        numbers = Numbers.of(source)
        self._flat_targets = numbers.n_targets is None
        self._learn_coded(source.mapped(numbers), numbers.n_columns)

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

"""Machines that are linear in features, with a coefficient for each."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np

from .base import Array, KernelMachine


class LinearMachine(KernelMachine):
    """s(x) = W'z(x) + b: coefficients W for each feature and score, and an intercept for each score."""

    @abstractmethod
    def _linear(self) -> tuple[Array, Array]:
        """W of shape (features, scores) and b of shape (scores,)."""

    @property
    def coef_(self) -> Array:
        """Coefficients of the features: (n_components,) for a vector of numbers, else one row for each score."""
        coefficients = self._linear()[0].T
        return coefficients[0] if self._flat_targets else coefficients

    @property
    def intercept_(self) -> Array | float:
        """Value at z = 0, one for each score."""
        intercept = self._linear()[1]
        return float(intercept[0]) if self._flat_targets else intercept

    def _values(self, X: Any) -> Array:
        coefficients, intercept = self._linear()
        dtype = self.features_.dtype
        return self._scores(X, np.asarray(coefficients, dtype=dtype), intercept.astype(dtype))

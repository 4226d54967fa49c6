"""Kernel machines that learn from rows without targets."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..blocks import BlockSource
from ..blocks.validation import validated
from .base import KernelMachine, goes_on
from .targets import NoTargets


class UnsupervisedMachine(KernelMachine):
    """A kernel machine without targets: ``y`` is there for scikit-learn's sake and ignored."""

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, None]:
        floats = [np.float64, np.float32]
        return validated(self, X, accept_sparse="csr", dtype=floats, order="C", reset=reset), None

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        self._learn_coded(source.mapped(NoTargets()), 0)

    @available_if(goes_on)
    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows: the same as fitting all rows at once. The first call draws the features.

        Parameters
        ----------
        X, y, sample_weight : as in ``fit``

        Returns
        -------
        self
        """
        given = y if isinstance(X, BlockSource) else None
        return self._more(X, given, sample_weight, no_targets)


def no_targets(_source: BlockSource, _fresh: bool) -> NoTargets:
    """How targets are coded that nobody needs."""
    return NoTargets()


def require_rows(total_weight: float) -> None:
    """Refuse a source in which nothing counts."""
    if not total_weight > 0:
        raise ValueError("No row counts: the source is empty or every sample_weight is 0.")

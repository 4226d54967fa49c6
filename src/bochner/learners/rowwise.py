"""Values of new rows from their features, chunk by chunk on threads; never the whole Z."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..blocks.validation import validated
from ..compute.threads import over_row_chunks
from .base import BLOCK_BYTES, Array, KernelMachine
from .samples import features_of


def row_values(model: KernelMachine, X: Any, n_outputs: int, values_of: Callable[[Any], Array]) -> Array:
    """What ``values_of`` makes of the features (an array or sparse matrix) of X: shape (n_rows, n_outputs)."""
    features = model.features_
    X = validated(model, model._encoded(X), accept_sparse="csr", dtype=features.dtype, order="C", reset=False)
    values = np.empty((X.shape[0], n_outputs), dtype=features.dtype)

    def fill(start: int, stop: int) -> None:
        values[start:stop] = values_of(features_of(features, X[start:stop]))

    chunk = max(64, min(8192, BLOCK_BYTES // 4 // max(1, features.row_bytes)))
    over_row_chunks(fill, X.shape[0], chunk, model._engine().n_jobs)
    return values

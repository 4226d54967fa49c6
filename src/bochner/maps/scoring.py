"""New rows through features, chunk by chunk on threads: never the features of all rows at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.threads import over_row_chunks, single_threaded_blas
from .features import Features

Array = np.ndarray

CHUNK_BYTES = 8 << 20  # features of one chunk


def by_chunks(
    features: Features, X: Any, n_outputs: int, values_of: Callable[[Any], Array], n_jobs: Any, dtype: Any = None
) -> Array:
    """What ``values_of`` makes of rows, of shape (n_rows, n_outputs), in chunks whose features take little memory."""
    values = np.empty((X.shape[0], n_outputs), dtype=features.dtype if dtype is None else dtype)

    def fill(start: int, stop: int) -> None:
        values[start:stop] = values_of(X[start:stop])

    chunk = max(64, min(8192, CHUNK_BYTES // max(1, features.row_bytes)))
    if len(values) > 0:
        over_row_chunks(fill, len(values), chunk, n_jobs)
    return values


def scores(features: Features, X: Any, coefficients: Array, intercept: Any, n_jobs: Any) -> Array:
    """Z c + b for rows in the features' precision and coefficients of shape (features, outputs)."""
    dtype = features.dtype
    if X.shape[0] > coefficients.shape[1]:  # for fewer rows folding costs more than it saves
        with single_threaded_blas():  # whose threads would go on spinning beside ours
            features, coefficients = features.folded(coefficients)

    def values_of(rows: Any) -> Array:
        values = features.scores(rows, coefficients)
        values += intercept
        return values

    return by_chunks(features, X, coefficients.shape[1], values_of, n_jobs, dtype)


def features_of(features: Features, X: Any) -> Any:
    """The features of rows of any floating dtype; no rows, no features."""
    if X.shape[0] == 0:
        return np.empty((0, features.n_components), dtype=features.dtype)
    return features(X if X.dtype == features.dtype else X.astype(features.dtype))


def dense_features(features: Features, X: Any) -> Array:
    """Features as a dense array."""
    values = features_of(features, X)
    return values.toarray() if sp.issparse(values) else values

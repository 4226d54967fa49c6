"""Functions on rows that are linear in features: sample paths, witness functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..blocks.validation import checked_rows
from ..compute.threads import over_row_chunks, single_threaded_blas
from ..maps import Features

Array = np.ndarray

CHUNK_BYTES = 8 << 20


@dataclass(frozen=True, eq=False, repr=False)
class FeatureFunction:
    """x -> z(x)'coefficients + offset: a frozen, picklable function on rows; several outputs are columns.

    Calling it takes an array, sparse matrix or DataFrame of shape (n_rows, n_columns) and gives (n_rows,) for a
    vector of coefficients, (n_rows, n_outputs) for a table, in memory that does not depend on the width of z.
    """

    features: Features
    coefficients: Array
    offset: float = 0.0

    def __call__(self, X: Any) -> Array:
        features = self.features
        X = checked_rows(X, accept_sparse="csr", dtype=features.dtype, order="C")
        if X.shape[1] != features.n_features_in:
            raise ValueError(f"X has {X.shape[1]} columns, but this function is one of {features.n_features_in}.")
        table = self.coefficients.reshape(features.n_components, -1).astype(features.dtype)
        values = np.empty((X.shape[0], table.shape[1]), dtype=features.dtype)
        if X.shape[0] > table.shape[1]:
            with single_threaded_blas():  # whose threads would go on spinning beside ours
                features, table = features.folded(table)

        def fill(start: int, stop: int) -> None:
            values[start:stop] = features.scores(X[start:stop], table)
            values[start:stop] += self.offset

        over_row_chunks(fill, X.shape[0], max(64, CHUNK_BYTES // max(1, features.row_bytes)), None)
        return values[:, 0] if self.coefficients.ndim == 1 else values

    def __repr__(self) -> str:
        outputs = 1 if self.coefficients.ndim == 1 else self.coefficients.shape[1]
        return f"FeatureFunction({outputs} of {self.features.n_components} features of {self.features.n_features_in})"

"""Functions on rows that are linear in features: sample paths, witness functions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..blocks.validation import checked_rows
from ..maps import Features
from ..maps.scoring import scores

Array = np.ndarray


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
        values = scores(features, X, table, self.offset, None)
        return values[:, 0] if self.coefficients.ndim == 1 else values

    def __repr__(self) -> str:
        outputs = 1 if self.coefficients.ndim == 1 else self.coefficients.shape[1]
        return f"FeatureFunction({outputs} of {self.features.n_components} features of {self.features.n_features_in})"

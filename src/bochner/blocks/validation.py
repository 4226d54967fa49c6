"""scikit-learn's validation, with the offending columns named."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import validate_data


def validated(estimator: Any, X: Any, *arguments: Any, **options: Any) -> Any:
    """``validate_data``, but for a frame with columns that are not numbers the error names them."""
    try:
        return validate_data(estimator, X, *arguments, **options)
    except (ValueError, TypeError) as error:
        names = non_numeric_columns(X)
        if names:
            raise ValueError(
                f"X has columns that are not numbers ({', '.join(names)}): encode them or drop them."
            ) from error
        raise


def non_numeric_columns(X: Any) -> list[str]:
    """Names of the columns of a DataFrame that cannot be read as numbers; none for anything else."""
    columns = getattr(X, "columns", None)
    if columns is None:
        return []
    bad = []
    for name in columns:
        try:
            np.asarray(X[name]).astype(np.float64)
        except (ValueError, TypeError):
            bad.append(str(name))
    return bad

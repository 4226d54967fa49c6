"""Sparse rows in model files: three arrays and a shape, checked before scipy sees them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .format import Array, ModelFileError

MOST_COLUMNS = 1 << 31
KINDS = {"matrix": sp.csr_matrix, "array": sp.csr_array}


def kind_of(rows: Any) -> str | None:
    """The word for compressed rows of either of scipy's kinds; None for anything else."""
    return next((word for word, cls in KINDS.items() if type(rows) is cls), None)


def checked_rows(kind: Any, n_columns: Any, data: Array, indices: Array, indptr: Array) -> Any:
    """Compressed rows whose indices are in range: scipy's own loops do not look."""
    if kind not in KINDS or type(n_columns) is not int or not 0 <= n_columns < MOST_COLUMNS:
        raise ModelFileError("sparse rows in it have no sensible kind or width")
    whole = all(part.dtype in (np.int32, np.int64) and part.ndim == 1 for part in (indices, indptr))
    if not (whole and data.shape == indices.shape and data.dtype.kind == "f" and len(indptr) >= 1):
        raise ModelFileError("sparse rows in it have arrays that do not belong together")
    ordered = indptr[0] == 0 and indptr[-1] == len(data) and bool((np.diff(indptr) >= 0).all())
    if not (ordered and bool(((indices >= 0) & (indices < n_columns)).all())):
        raise ModelFileError("sparse rows in it have entries outside their table")
    return KINDS[kind]((data, indices, indptr), shape=(len(indptr) - 1, n_columns))

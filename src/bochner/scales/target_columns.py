"""Targets of any kind as columns of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import type_of_target

from ..blocks.validation import checked_targets

Array = np.ndarray


def coded_targets(y: Any, n_rows: int) -> Array:
    """Numbers as they are; labels as ±1, one column for two classes and one per class for more."""
    y = np.asarray(checked_targets(y, numeric=False))
    if y.shape[:1] != (n_rows,):
        raise ValueError(f"y has {y.shape[0] if y.ndim else 0} rows, but X has {n_rows}.")
    kind = type_of_target(y, input_name="y")
    if kind.startswith("continuous"):
        return np.asarray(y, dtype=np.float64).reshape(n_rows, -1)
    if kind not in ("binary", "multiclass"):
        raise ValueError(f"y must be numbers or labels, one for each row, but it is {kind}.")
    return signs_of(np.unique(column_or_1d(y), return_inverse=True)[1].ravel())


def signs_of(codes: Array) -> Array:
    """Codes 0 ... c - 1 as ±1: one column for two classes, one per class for more."""
    n_classes = int(codes.max(initial=0)) + 1
    if n_classes <= 2:
        return np.where(codes == 1, 1.0, -1.0)[:, None]
    signs = np.full((len(codes), n_classes), -1.0)
    signs[np.arange(len(codes)), codes] = 1.0
    return signs

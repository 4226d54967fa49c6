"""Numbers near the ends of what floats can hold: refused in one sentence, since their squares are not numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray

# Sums of squares over any number of rows, times weights and divided by each other, stay inside the range of the type.
LARGEST = {np.dtype(np.float64): 1e140, np.dtype(np.float32): 1e18}
LARGEST_WEIGHT = 1e15


def check_targets(y: Any, dtype: np.dtype, *, whole: bool) -> None:
    """Refuse targets too large for features of this type, and, where they are the whole, too small ones."""
    size = largest(y)
    most = LARGEST[dtype]
    if size > most or (whole and 0.0 < size < 1.0 / most):
        raise ValueError(
            f"The targets y are of size {size:.0e}, but with {dtype} rows they must lie between {1 / most:.0e} and "
            f"{most:.0e}: divide y by {size:.0e}."
        )


def check_weights(weight: Array, *, whole: bool) -> None:
    """Refuse weights that are too large, and, where they are the whole, too small ones."""
    size = largest(weight)
    if size > LARGEST_WEIGHT or (whole and 0.0 < size < 1.0 / LARGEST_WEIGHT):
        raise ValueError(
            f"sample_weight is of size {size:.0e}, but weights must lie between {1 / LARGEST_WEIGHT:.0e} and "
            f"{LARGEST_WEIGHT:.0e}: divide them by {size:.0e}."
        )


def largest(values: Any) -> float:
    """The largest absolute value, 0 of nothing."""
    return float(np.abs(np.asarray(values, dtype=np.float64)).max(initial=0.0))

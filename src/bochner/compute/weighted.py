"""Rows chosen and scaled on the way into a Gram matrix."""

from __future__ import annotations

import numpy as np
from numba import njit

Array = np.ndarray


@njit(nogil=True, cache=True)
def _scaled_rows(values: Array, chosen: Array, factors: Array, out: Array) -> None:
    for i in range(chosen.shape[0]):
        row = chosen[i]
        for j in range(values.shape[1]):
            out[i, j] = values[row, j] * factors[i]


def scaled_rows(values: Array, chosen: Array, factors: Array) -> Array:
    """factors[i] * values[chosen[i]], as a new array in the precision of the values."""
    out = np.empty((len(chosen), values.shape[1]), dtype=values.dtype)
    _scaled_rows(values, chosen, factors.astype(values.dtype), out)
    return out


@njit(nogil=True, cache=True)
def add_lower(total: Array, part: Array, sign: float) -> None:
    """Lower triangle of total += sign * part."""
    for i in range(total.shape[0]):
        for j in range(i + 1):
            total[i, j] += sign * part[i, j]

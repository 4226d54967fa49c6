"""Column slices of C-ordered arrays, as the compiled loops want them."""

import numpy as np
from numpy.lib.stride_tricks import as_strided
from numpy.typing import NDArray

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


def check_rows(name: str, array: NDArray, shape: tuple[int, ...], dtype: np.dtype) -> None:
    """Refuse an array that the compiled loops, which check no bounds, could not read or write safely."""
    if dtype not in FLOATS:
        raise ValueError(f"{name} goes with {dtype} values; give float32 or float64.")
    if array.shape != shape or array.dtype != dtype:
        raise ValueError(
            f"{name} is {array.dtype} of shape {array.shape} where {dtype} of shape {shape} is needed; "
            "give an array of this dtype and shape."
        )
    if array.size == 0:
        return
    if array.shape[-1] > 1 and array.strides[-1] != array.itemsize:
        raise ValueError(f"{name} has rows that are not contiguous in memory; give a C-ordered array.")
    if array.ndim == 2 and array.shape[0] > 1 and array.strides[0] < array.itemsize * array.shape[1]:
        raise ValueError(f"{name} has rows that overlap or run backwards; give a C-ordered array.")


def flat_rows(array: NDArray) -> tuple[NDArray, int]:
    """Flat view of the memory from the first element to the last, and the distance between rows.

    Numba knows only of wholly contiguous arrays that their elements lie side by side, and vectorises only
    then: a column slice passed as it is costs six times as much.
    """
    n_rows, n_columns = array.shape
    if array.flags.c_contiguous:
        return array.reshape(-1), n_columns
    step = array.strides[0] // array.itemsize
    span = (n_rows - 1) * step + n_columns
    return as_strided(array, (span,), (array.itemsize,)), step

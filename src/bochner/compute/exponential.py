"""Exponentials of many numbers, in place.

exp(x) = 2^k exp(r) with k = rint(x / ln 2) and r = x - k ln 2, |r| <= ln 2 / 2, where Taylor's polynomial of degree 13
is exact to the last bit. ln 2 is subtracted in two parts, the first so short that its products with k are exact.
Adding 1.5 2^52 rounds x / ln 2 and leaves k in the last bits of the sum, from where a shift carries it to the
exponent: no conversion to integers, which AVX2 has none of for float64.
"""

import math

import numba
import numpy as np
from numpy.typing import NDArray

Coefficients = tuple[float, ...]

_TAYLOR = tuple(1.0 / math.factorial(power) for power in range(14))
_MAGIC = 1.5 * 2.0**52
_INVERSE_LN2 = 1.4426950408889634
_LN2_HIGH = float.fromhex("0x1.62e42fee00000p-1")
_LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
_LEAST = -708.0  # below, exponentials are not normal numbers: they are taken to be 0

_jit = numba.njit(nogil=True, cache=True, fastmath={"contract"})


def gaussians(products: NDArray, left: NDArray, right: NDArray) -> None:
    """Replace products x_i'y_j by exp(x_i'y_j - left_i - right_j), at most 1 and 0 where it is below 1e-307.

    With left_i = ||x_i||²/2 and right_j = ||y_j||²/2 that is exp(-||x_i - y_j||²/2). The relative error is at most
    4e-16 beside that of the exponent.

    Parameters
    ----------
    products : ndarray of shape (n, m), float64, C-ordered
    left, right : ndarrays of shapes (n,) and (m,), float64, C-ordered

    Examples
    --------
    >>> import numpy as np
    >>> products = np.array([[1.0, 0.0]])
    >>> gaussians(products, np.array([0.5]), np.array([0.5, 2.0]))
    >>> products.round(6)
    array([[1.      , 0.082085]])
    """
    _check(products, left, right)
    if products.size:
        flat = products.reshape(-1)
        _gaussians(flat, flat.view(np.int64), left, right, _TAYLOR)


def materns(products: NDArray, left: NDArray, right: NDArray, scale: float, polynomial: Coefficients) -> None:
    """Replace products x_i'y_j by p(s) exp(-s), s = scale sqrt(2 (left_i + right_j - x_i'y_j)), p from its constant up.

    With left_i = ||x_i||²/2 and right_j = ||y_j||²/2 the root is ||x_i - y_j||, and Matern kernels of nu = 1/2, 3/2
    and so on are of this form with scale = sqrt(2 nu).

    Parameters
    ----------
    products : ndarray of shape (n, m), float64, C-ordered
    left, right : ndarrays of shapes (n,) and (m,), float64, C-ordered
    scale : float
    polynomial : tuple of float

    Examples
    --------
    >>> import numpy as np
    >>> products = np.array([[0.0]])
    >>> materns(products, np.array([0.0]), np.array([0.5]), 1.0, (1.0,))
    >>> products.round(6)
    array([[0.367879]])
    """
    _check(products, left, right)
    if products.size:
        flat = products.reshape(-1)
        _materns(flat, flat.view(np.int64), left, right, scale, polynomial, _TAYLOR)


def _check(products: NDArray, left: NDArray, right: NDArray) -> None:
    for name, array, shape in (
        ("products", products, products.shape),
        ("left", left, products.shape[:1]),
        ("right", right, products.shape[1:]),
    ):
        if array.dtype != np.float64 or array.shape != shape or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a C-ordered float64 array of shape {shape}.")


@_jit
def _horner(coefficients: Coefficients, y: float) -> float:
    value = coefficients[len(coefficients) - 1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = value * y + coefficients[k]
    return value


@_jit
def _gaussians(values: NDArray, bits: NDArray, left: NDArray, right: NDArray, taylor: Coefficients) -> None:
    n_columns = len(right)
    rounded = np.empty(n_columns)
    rounded_bits = rounded.view(np.int64)
    for i in range(len(left)):
        here = left[i]
        part = values[i * n_columns : (i + 1) * n_columns]
        part_bits = bits[i * n_columns : (i + 1) * n_columns]
        for j in range(n_columns):
            x = min(part[j] - here - right[j], 0.0)
            inside = max(x, _LEAST)
            total = inside * _INVERSE_LN2 + _MAGIC
            rounded[j] = total
            k = total - _MAGIC
            r = (inside - k * _LN2_HIGH) - k * _LN2_LOW
            part[j] = _horner(taylor, r) if x > _LEAST else 0.0
        for j in range(n_columns):
            part_bits[j] += (rounded_bits[j] << 52) if part_bits[j] != 0 else 0


@_jit
def _materns(
    values: NDArray,
    bits: NDArray,
    left: NDArray,
    right: NDArray,
    scale: float,
    polynomial: Coefficients,
    taylor: Coefficients,
) -> None:
    n_columns = len(right)
    rounded = np.empty(n_columns)
    rounded_bits = rounded.view(np.int64)
    for i in range(len(left)):
        here = left[i]
        part = values[i * n_columns : (i + 1) * n_columns]
        part_bits = bits[i * n_columns : (i + 1) * n_columns]
        for j in range(n_columns):
            s = scale * np.sqrt(max(2.0 * (here + right[j] - part[j]), 0.0))
            inside = max(-s, _LEAST)
            total = inside * _INVERSE_LN2 + _MAGIC
            rounded[j] = total
            k = total - _MAGIC
            r = (inside - k * _LN2_HIGH) - k * _LN2_LOW
            part[j] = _horner(polynomial, s) * _horner(taylor, r) if s < -_LEAST else 0.0
        for j in range(n_columns):
            part_bits[j] += (rounded_bits[j] << 52) if part_bits[j] != 0 else 0

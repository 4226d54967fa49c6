"""Exponentials of many numbers, in place.

exp(x) = 2^k exp(r) with k = rint(x / ln 2) and r = x - k ln 2, |r| <= ln 2 / 2, where Taylor's polynomial of degree 13
(7 in single precision) is exact to the last bit. ln 2 is subtracted in two parts, the first so short that its products
with k are exact. Adding 1.5 2^52 (2^23) rounds x / ln 2 and leaves k in the last bits of the sum, from where a shift
carries it to the exponent: no conversion to integers, which AVX2 has none of for float64.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .compiled import compiled

Coefficients = tuple[float, ...]

# For each precision: Taylor's coefficients; and 0, 2, 1 / ln 2, what rounds, ln 2 in two parts, the least argument.
_DOUBLE = (
    tuple(1.0 / math.factorial(power) for power in range(14)),
    (
        0.0,
        2.0,
        1.4426950408889634,
        1.5 * 2.0**52,
        float.fromhex("0x1.62e42fee00000p-1"),
        float.fromhex("0x1.a39ef35793c76p-33"),
        -708.0,  # below, exponentials are not normal numbers: they are taken to be 0
    ),
    np.int64(52),
)
_SINGLE = (
    tuple(np.float32(1.0 / math.factorial(power)) for power in range(8)),
    tuple(
        np.float32(value) for value in (0.0, 2.0, 1.4426950408889634, 1.5 * 2.0**23, 0.693359375, -2.12194440e-4, -87)
    ),
    np.int32(23),
)

_jit = compiled(fastmath={"contract"})


def gaussians(products: NDArray, left: NDArray, right: NDArray) -> None:
    """Replace products x_i'y_j by exp(x_i'y_j - left_i - right_j), at most 1 and 0 where it is below 1e-307.

    With left_i = ||x_i||²/2 and right_j = ||y_j||²/2 that is exp(-||x_i - y_j||²/2). The relative error is at most
    4e-16 (in single precision 3e-7, and 0 is what is below 1e-37) beside that of the exponent.

    Parameters
    ----------
    products : ndarray of shape (n, m), float64 or float32, C-ordered
    left, right : ndarrays of shapes (n,) and (m,), of the same dtype, C-ordered

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
        _gaussians(flat, _as_bits(flat), left, right, *_constants(flat))


def materns(products: NDArray, left: NDArray, right: NDArray, scale: float, polynomial: Coefficients) -> None:
    """Replace products x_i'y_j by p(s) exp(-s), s = scale sqrt(2 (left_i + right_j - x_i'y_j)), p from its constant up.

    With left_i = ||x_i||²/2 and right_j = ||y_j||²/2 the root is ||x_i - y_j||, and Matern kernels of nu = 1/2, 3/2
    and so on are of this form with scale = sqrt(2 nu).

    Parameters
    ----------
    products : ndarray of shape (n, m), float64 or float32, C-ordered
    left, right : ndarrays of shapes (n,) and (m,), of the same dtype, C-ordered
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
        kind = products.dtype.type
        _materns(flat, _as_bits(flat), left, right, kind(scale), tuple(map(kind, polynomial)), *_constants(flat))


def _as_bits(values: NDArray) -> NDArray:
    return values.view(np.int64 if values.itemsize == 8 else np.int32)


def _constants(values: NDArray) -> Any:
    return _DOUBLE if values.itemsize == 8 else _SINGLE


def _check(products: NDArray, left: NDArray, right: NDArray) -> None:
    for name, array, shape in (
        ("products", products, products.shape),
        ("left", left, products.shape[:1]),
        ("right", right, products.shape[1:]),
    ):
        known = products.dtype in (np.float64, np.float32)
        if not known or array.dtype != products.dtype or array.shape != shape or not array.flags.c_contiguous:
            raise ValueError(f"{name} must be a C-ordered array of float64, or all of float32, of shape {shape}.")


@_jit
def _horner(coefficients: Coefficients, y: float) -> float:
    value = coefficients[len(coefficients) - 1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = value * y + coefficients[k]
    return value


@_jit
def _gaussians(  # type: ignore[no-untyped-def]
    values: NDArray, bits: NDArray, left: NDArray, right: NDArray, taylor: Coefficients, constants, shift
) -> None:
    zero, _, inverse_ln2, magic, high, low, least = constants
    n_columns = len(right)
    rounded = np.empty(n_columns, values.dtype)
    rounded_bits = rounded.view(bits.dtype)
    for i in range(len(left)):
        here = left[i]
        part = values[i * n_columns : (i + 1) * n_columns]
        part_bits = bits[i * n_columns : (i + 1) * n_columns]
        for j in range(n_columns):
            x = min(part[j] - here - right[j], zero)
            inside = max(x, least)
            total = inside * inverse_ln2 + magic
            rounded[j] = total
            k = total - magic
            r = (inside - k * high) - k * low
            part[j] = _horner(taylor, r) if x > least else zero
        for j in range(n_columns):
            part_bits[j] += (rounded_bits[j] << shift) if part_bits[j] != 0 else 0


@_jit
def _materns(  # type: ignore[no-untyped-def]
    values: NDArray,
    bits: NDArray,
    left: NDArray,
    right: NDArray,
    scale: float,
    polynomial: Coefficients,
    taylor: Coefficients,
    constants,
    shift,
) -> None:
    zero, two, inverse_ln2, magic, high, low, least = constants
    n_columns = len(right)
    rounded = np.empty(n_columns, values.dtype)
    rounded_bits = rounded.view(bits.dtype)
    for i in range(len(left)):
        here = left[i]
        part = values[i * n_columns : (i + 1) * n_columns]
        part_bits = bits[i * n_columns : (i + 1) * n_columns]
        for j in range(n_columns):
            s = scale * np.sqrt(max(two * (here + right[j] - part[j]), zero))
            inside = max(-s, least)
            total = inside * inverse_ln2 + magic
            rounded[j] = total
            k = total - magic
            r = (inside - k * high) - k * low
            part[j] = _horner(polynomial, s) * _horner(taylor, r) if s < -least else zero
        for j in range(n_columns):
            part_bits[j] += (rounded_bits[j] << shift) if part_bits[j] != 0 else 0

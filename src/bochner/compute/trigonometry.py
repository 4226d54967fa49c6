"""Cosines and sines of many angles, measured in turns.

With the frequencies divided by 2 pi a Fourier feature is cos(2 pi t), and the reduction of its argument is
a single rounding, r = t - rint(t), which is exact in floating point. What is left is one period, folded by
symmetry:

    x = 1/4 - |r|,    cos(2 pi r) = sin(2 pi x),    sin(2 pi r) = sign(r) cos(2 pi x),    |x| <= 1/4,

and on a quarter turn to either side short minimax polynomials (Remez) are enough:

    sin(2 pi x) ~ x S(x^2),    cos(2 pi x) ~ C(x^2).

The absolute error is at most 1e-6 (float32) and 1e-14 (float64) times the scale, for every argument: from
2^23 (2^52) turns on each float is a whole number of turns. The kernels are compiled with contraction to fused
multiply-adds and no other liberty: any other fast-math flag could reorder the reduction, or hide a NaN.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from bochner.compute.rows import check_rows, flat_rows

from .compiled import compiled

Coefficients = tuple[float, ...]
Pair = tuple[float, float]
Polynomials = dict[np.dtype, Coefficients]

# Minimax on [0, 1/4], lowest power first; errors 3.3e-9, 4.7e-8 (float32) and 9.0e-17, 1.9e-15 (float64).
_SINE: Polynomials = {
    np.dtype(np.float32): (
        6.2831851600897283272,
        -41.341655031480208782,
        81.601004077395951155,
        -76.549782388395320613,
        39.536706767300093193,
    ),
    np.dtype(np.float64): (
        6.2831853071795803916,
        -41.341702240395082637,
        81.605249275026291884,
        -76.705859647469673331,
        42.058688305395589552,
        -15.09447161674986293,
        3.8169974295724879869,
        -0.69093588765428765842,
    ),
}
_COSINE: Polynomials = {
    np.dtype(np.float32): (
        0.99999995346673642359,
        -19.739171434742972469,
        64.934590630440601157,
        -85.24033042479623823,
        56.242381319084636629,
    ),
    np.dtype(np.float64): (
        0.9999999999999980677,
        -19.73920880217475587,
        64.939394021335858441,
        -85.456817035934388416,
        60.244630621956151223,
        -26.425889066741591636,
        7.8965594987393035509,
        -1.6452405504204834915,
    ),
}

_jit = compiled(fastmath={"contract"})


def cosine_sine(turns: NDArray, scale: float, cosine: NDArray, sine: NDArray) -> None:
    """Write ``scale cos(2 pi turns)`` into `cosine` and ``scale sin(2 pi turns)`` into `sine`.

    Parameters
    ----------
    turns : ndarray of shape (n, m)
        Angles in turns, float32 or float64, with contiguous rows.
    scale : float
        Factor of both outputs.
    cosine, sine : ndarray of shape (n, m)
        Outputs of the same dtype with contiguous rows, such as column slices of a larger C-ordered array.
        `cosine` may be `turns` itself.

    Examples
    --------
    >>> import numpy as np
    >>> features = np.empty((1, 4))
    >>> cosine_sine(np.array([[0.0, 0.25]]), 2.0, features[:, :2], features[:, 2:])
    >>> features.round(12) + 0.0
    array([[2., 0., 0., 2.]])
    """
    for name, array in (("turns", turns), ("cosine", cosine), ("sine", sine)):
        check_rows(name, array, turns.shape, turns.dtype)
    if turns.size == 0:
        return
    odd = _scaled_sine(turns.dtype, float(scale))
    even = _scaled_cosine(turns.dtype, abs(float(scale)))
    constants = turns.dtype.type(0.25), turns.dtype.type(np.copysign(1.0, scale))
    _cosine_sine(*flat_rows(turns), odd, even, constants, turns.shape, *flat_rows(cosine), *flat_rows(sine))


def shifted_cosine(turns: NDArray, phase: NDArray, scale: float, out: NDArray) -> None:
    """Write ``scale cos(2 pi (turns + phase))`` into `out`.

    The phase is added after the reduction, so that a large angle loses no digits of it:
    with v = |r + p|, p = phase - rint(phase), cos(2 pi v) = sin(2 pi (|v - 1/2| - 1/4)) for 0 <= v <= 1.

    Parameters
    ----------
    turns : ndarray of shape (n, m)
        Angles in turns, float32 or float64, with contiguous rows.
    phase : ndarray of shape (m,)
        One phase per column, in turns.
    scale : float
        Factor of the output.
    out : ndarray of shape (n, m)
        Output of the same dtype with contiguous rows; may be `turns` itself.

    Examples
    --------
    >>> import numpy as np
    >>> angles = np.array([[0.0, 3.5]])
    >>> shifted_cosine(angles, np.array([0.5, 0.0]), 1.0, angles)
    >>> angles
    array([[-1., -1.]])
    """
    check_rows("turns", turns, turns.shape, turns.dtype)
    check_rows("out", out, turns.shape, turns.dtype)
    if phase.shape != turns.shape[1:]:
        raise ValueError(
            f"phase has shape {phase.shape} where turns has {turns.shape[1]} columns; give one phase per column."
        )
    if turns.size == 0:
        return
    odd = _scaled_sine(turns.dtype, float(scale))
    constants = turns.dtype.type(0.25), turns.dtype.type(0.5)
    reduced = np.ascontiguousarray(phase - np.rint(phase), dtype=turns.dtype)
    _shifted_cosine(*flat_rows(turns), reduced, odd, constants, turns.shape, *flat_rows(out))


# The coefficients times the scale, in the working precision: scaling costs nothing per element.


@lru_cache(maxsize=64)
def _scaled_sine(dtype: np.dtype, scale: float) -> Coefficients:
    return tuple(dtype.type(scale * coefficient) for coefficient in _SINE[dtype])


@lru_cache(maxsize=64)
def _scaled_cosine(dtype: np.dtype, scale: float) -> Coefficients:
    return tuple(dtype.type(scale * coefficient) for coefficient in _COSINE[dtype])


@_jit
def _horner(coefficients: Coefficients, y: float) -> float:
    value = coefficients[len(coefficients) - 1]
    for k in range(len(coefficients) - 2, -1, -1):
        value = value * y + coefficients[k]
    return value


@_jit
def _pair(turn: float, odd: Coefficients, even: Coefficients, constants: Pair) -> Pair:
    """Cosine and sine of one angle; the constants are a quarter and the sign of the scale."""
    quarter, sign = constants
    r = turn - np.rint(turn)
    x = quarter - abs(r)
    return x * _horner(odd, x * x), np.copysign(_horner(even, x * x), sign * r)


@_jit
def _shifted(turn: float, phase: float, odd: Coefficients, constants: Pair) -> float:
    """Cosine of one angle and a phase reduced to [-1/2, 1/2]; the constants are a quarter and a half."""
    quarter, half = constants
    x = abs(abs(turn - np.rint(turn) + phase) - half) - quarter
    return x * _horner(odd, x * x)


# Work in place has its own loops: two names for the same memory fail the overlap test which guards a vectorised
# loop, one name has nothing to test.


@_jit
def _cosine_sine(
    turns: NDArray,
    turns_step: int,
    odd: Coefficients,
    even: Coefficients,
    constants: Pair,
    shape: tuple[int, int],
    cosine: NDArray,
    cosine_step: int,
    sine: NDArray,
    sine_step: int,
) -> None:
    n_rows, n_columns = shape
    in_place = turns.ctypes.data == cosine.ctypes.data
    for i in range(n_rows):
        t = turns[i * turns_step : i * turns_step + n_columns]
        c = cosine[i * cosine_step : i * cosine_step + n_columns]
        s = sine[i * sine_step : i * sine_step + n_columns]
        if in_place:
            for j in range(n_columns):
                c[j], s[j] = _pair(c[j], odd, even, constants)
        else:
            for j in range(n_columns):
                c[j], s[j] = _pair(t[j], odd, even, constants)


@_jit
def _shifted_cosine(
    turns: NDArray,
    turns_step: int,
    phase: NDArray,
    odd: Coefficients,
    constants: Pair,
    shape: tuple[int, int],
    out: NDArray,
    out_step: int,
) -> None:
    n_rows, n_columns = shape
    in_place = turns.ctypes.data == out.ctypes.data
    for i in range(n_rows):
        t = turns[i * turns_step : i * turns_step + n_columns]
        c = out[i * out_step : i * out_step + n_columns]
        if in_place:
            for j in range(n_columns):
                c[j] = _shifted(c[j], phase[j], odd, constants)
        else:
            for j in range(n_columns):
                c[j] = _shifted(t[j], phase[j], odd, constants)

"""The covariance within an orthogonal block of Gaussian frequencies, in closed form at every distance."""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln, gammasgn, hyp1f1

from .checks import Array

SERIES_REACH = 4.0  # z² up to which the alternating series loses no more than two digits
SERIES_TERMS = 60
OVERFLOW = 650.0  # z²/2 beyond which 1F1 itself exceeds doubles
TAIL_TERMS, MOST_TAIL_COLUMNS = 12, 25  # of the expansion for large z; with more columns the value is below 1e-70


def gaussian_covariance(z: Array, dim: int) -> Array:
    """1F1(d; d/2; -z²/2) - exp(-z²) = sum_{k >= 2} (-1)^k (r_k - 1) z^{2k} / k!,  r_k = prod_{j<k} (d+j)/(d+2j).

    The series is for small z, where the difference would cancel. Beyond, e^{-x} 1F1(-d/2; d/2; x), x = z²/2 (Kummer),
    is a Laguerre polynomial for even d, whose recurrence is stable at every x. For odd d scipy has it while it does not
    overflow; after that its expansion is Γ(d/2)/Γ(-d/2) x^{-d} sum_s (d)_s (1+d/2)_s / (s! x^s).
    """
    z_squared = np.square(z)
    near = z_squared <= SERIES_REACH
    half = 0.5 * np.maximum(z_squared, SERIES_REACH)
    far = _laguerre(half, dim) if dim % 2 == 0 else _odd(half, dim)
    return np.where(near, _series(np.minimum(z_squared, SERIES_REACH), dim), far - np.exp(-2.0 * half))


def _series(z_squared: Array, dim: int) -> Array:
    order = np.arange(SERIES_TERMS)
    ratio = np.cumprod(np.concatenate([[1.0], (dim + order[:-1]) / (dim + 2.0 * order[:-1])]))
    factors = (ratio - 1.0) * np.where(order % 2, -1.0, 1.0) / np.exp(gammaln(order + 1.0))
    return np.polynomial.polynomial.polyval(z_squared, factors)


def _laguerre(x: Array, dim: int) -> Array:
    """e^{-x} M_n(x), n = b = d/2, by (b + k) M_{k+1} = (2k + b - x) M_k - k M_{k-1}, M_0 = 1, M_1 = 1 - x/b."""
    b = dim // 2
    last, value = np.exp(-x), np.exp(-x) * (1.0 - x / b)
    for k in range(1, b):
        last, value = value, ((2 * k + b - x) * value - k * last) / (b + k)
    return value


def _odd(x: Array, dim: int) -> Array:
    inside = np.minimum(x, OVERFLOW)
    value = np.exp(-inside) * hyp1f1(-0.5 * dim, 0.5 * dim, inside)
    if not (x > OVERFLOW).any():
        return value
    return np.where(x > OVERFLOW, _tail(np.maximum(x, OVERFLOW), dim), value)


def _tail(x: Array, dim: int) -> Array:
    if dim > MOST_TAIL_COLUMNS:
        return np.zeros_like(x)
    leading = gammasgn(-0.5 * dim) * np.exp(gammaln(0.5 * dim) - gammaln(-0.5 * dim) - dim * np.log(x))
    s = np.arange(TAIL_TERMS)
    factors = np.cumprod(np.concatenate([[1.0], (dim + s[:-1]) * (1.0 + 0.5 * dim + s[:-1]) / (s[:-1] + 1.0)]))
    return leading * np.polynomial.polynomial.polyval(1.0 / x, factors)

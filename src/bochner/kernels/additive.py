"""The additive kernels of histograms: chi-squared, intersection, Jensen-Shannon, Hellinger.

Periods are those of VLFeat's homogeneous kernel map, fitted by its authors to the error on histograms.
"""

from __future__ import annotations

from typing import Self

import numpy as np

from .base import Array
from .homogeneous import HomogeneousKernel, quotient_or_zero


class AdditiveChi2(HomogeneousKernel):
    """k(x, y) = sum_j 2 x_j y_j / (x_j + y_j), K(o) = sech(o/2), κ(l) = sech(π l).

    Parameters
    ----------
    exponent : float, default=0.5
        The a of sum_j (x_j y_j)^a K(log(y_j / x_j)), at least 0: another one multiplies each term by
        (x_j y_j)^(a - 1/2). (VLFeat's gamma is 2a.)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.AdditiveChi2()([[0.3]], [[0.8]]).round(6)
    array([[0.436364]])
    """

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(), cls(exponent=1.0)]

    def of_degree_one(self, x: Array, y: Array) -> Array:
        return quotient_or_zero(2.0 * x * y, x + y)

    def signature_at(self, log_ratio: Array) -> Array:
        return hyperbolic_secant(0.5 * np.asarray(log_ratio))

    def spectrum_at(self, frequency: Array) -> Array:
        return hyperbolic_secant(np.pi * np.asarray(frequency))

    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        return sample_hyperbolic_secant(n, rng)

    def period(self, order: int, window: str) -> float:
        return 5.86 * np.sqrt(order) + 3.65 if window == "uniform" else 8.80 * np.sqrt(order + 4.44) - 12.6


class Intersection(HomogeneousKernel):
    """k(x, y) = sum_j min(x_j, y_j), K(o) = exp(-|o|/2), κ(l) = (2/π) / (1 + 4 l²).

    Parameters
    ----------
    exponent : float, default=0.5
        As of ``AdditiveChi2``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Intersection()([[0.3, 0.2]], [[0.8, 0.1]]).round(6)
    array([[0.4]])
    """

    def of_degree_one(self, x: Array, y: Array) -> Array:
        return np.minimum(x, y)

    def signature_at(self, log_ratio: Array) -> Array:
        return np.exp(-0.5 * np.abs(log_ratio))

    def spectrum_at(self, frequency: Array) -> Array:
        return (2.0 / np.pi) / (1.0 + 4.0 * np.square(frequency))

    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        return 0.5 * rng.standard_cauchy(n)

    def period(self, order: int, window: str) -> float:
        return 2.38 * np.log(order + 0.8) + 5.6 if window == "uniform" else 2.00 * np.log(order + 0.99) + 3.52


class JensenShannon(HomogeneousKernel):
    """k(x, y) = sum_j [x_j log2((x_j + y_j) / x_j) + y_j log2((x_j + y_j) / y_j)] / 2.

    K(o) = [e^{o/2} log2(1 + e^{-o}) + e^{-o/2} log2(1 + e^o)] / 2, κ(l) = (2 / log 4) sech(π l) / (1 + 4 l²).

    Parameters
    ----------
    exponent : float, default=0.5
        As of ``AdditiveChi2``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.JensenShannon()([[0.3]], [[0.8]]).round(6)
    array([[0.464943]])
    """

    def of_degree_one(self, x: Array, y: Array) -> Array:
        x, y = np.broadcast_arrays(x, y)
        positive = (x > 0) & (y > 0)
        values = np.zeros(x.shape)
        x, y = x[positive], y[positive]
        values[positive] = 0.5 * (x * np.log2((x + y) / x) + y * np.log2((x + y) / y))
        return values

    def signature_at(self, log_ratio: Array) -> Array:
        o = np.abs(log_ratio)
        # log2(1 + e^o) = log2(1 + e^-o) + o / log 2 keeps large ratios finite.
        small = np.log1p(np.exp(-o)) / np.log(2.0)
        return 0.5 * (np.exp(0.5 * o) * small + np.exp(-0.5 * o) * (small + o / np.log(2.0)))

    def spectrum_at(self, frequency: Array) -> Array:
        frequency = np.asarray(frequency)
        return (2.0 / np.log(4.0)) * hyperbolic_secant(np.pi * frequency) / (1.0 + 4.0 * frequency**2)

    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        drawn = np.empty(0)
        while len(drawn) < n:  # a draw of sech(π l) is kept with probability 1 / (1 + 4 l²): log 2 of them
            proposed = sample_hyperbolic_secant(2 * n, rng)
            drawn = np.append(drawn, proposed[rng.random(2 * n) * (1.0 + 4.0 * proposed**2) < 1.0])
        return drawn[:n]

    def period(self, order: int, window: str) -> float:
        return 6.64 * np.sqrt(order) + 7.24 if window == "uniform" else 9.63 * np.sqrt(order + 1.0) - 2.93


class Hellinger(HomogeneousKernel):
    """k(x, y) = sum_j sqrt(x_j y_j), K(o) = 1, κ a point mass at 0: its features sqrt(x_j) are exact.

    Parameters
    ----------
    exponent : float, default=0.5
        As of ``AdditiveChi2``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Hellinger()([[0.25]], [[1.0]])
    array([[0.5]])
    """

    def of_degree_one(self, x: Array, y: Array) -> Array:
        return np.sqrt(x * y)

    def signature_at(self, log_ratio: Array) -> Array:
        return np.ones(np.shape(log_ratio))

    def spectrum_at(self, frequency: Array) -> Array:
        return np.where(np.asarray(frequency) == 0.0, np.inf, 0.0)

    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        return np.zeros(n)

    def period(self, order: int, window: str) -> float:
        return 1.0


def hyperbolic_secant(x: Array) -> Array:
    """1 / cosh(x), without overflow."""
    decay = np.exp(-np.abs(x))
    return 2.0 * decay / (1.0 + np.square(decay))


def sample_hyperbolic_secant(n: int, rng: np.random.Generator) -> Array:
    """Draws from the density sech(π l): (1/π) log tan(π u / 2)."""
    uniforms = np.clip(rng.random(n), 2.0**-53, 1.0 - 2.0**-53)
    return np.log(np.tan(0.5 * np.pi * uniforms)) / np.pi

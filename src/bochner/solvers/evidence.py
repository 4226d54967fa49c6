"""Gaussian process evidence from moments: value, gradient and maximum over noise and amplitude without a pass."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import brentq

from ..statistics import Moments
from .ridge import row_count

Array = np.ndarray

STEPS_PER_DECADE = 5
LEAST_NOISE = 1e-6  # s²/a² that is still learned: with less, predictions are at the mercy of rounding


@dataclass(frozen=True)
class EvidenceSpectrum:
    """The evidence of y - ȳ ~ N(0, a² ZZ' + s² I) in the eigenbasis of Z'Z = V diag(λ) V'.

    With n rows, M features, p_j = (V'Z'(y - ȳ))_j² / λ_j and q = ||y - ȳ||² - sum_j p_j (what features cannot reach):

        log|a² ZZ' + s² I|      = (n - M) log s² + sum_j log(a² λ_j + s²)
        y'(a² ZZ' + s² I)^{-1}y = q / s² + sum_j p_j / (a² λ_j + s²)

    so that each value of (a, s) costs O(M), whatever the number of rows.
    """

    values: Array  # λ
    vectors: Array  # V
    rotated_cross: Array  # V'Z'(y - ȳ)
    reached: Array  # p
    unreached: float  # q
    n_rows: float
    precision: float

    @classmethod
    def of(cls, moments: Moments) -> EvidenceSpectrum:
        """Eigendecomposition of the second moments about 0 of the features; the target is the first one.

        Eigenvalues that rounding made are 0, and so is what the target has along them: those of a matrix without
        negative ones are as large below 0 as above it.
        """
        values, vectors = eigh(moments.uncentred().feature_moment, lower=True, driver="evd")
        tiny = float(np.finfo(np.float64).tiny) ** 0.5  # features as small as that are none: amplitudes would overflow
        seen = values > max(values[-1] * len(values) * np.finfo(np.float64).eps, -2.0 * values[0], tiny)
        values = np.where(seen, values, 0.0)
        rotated = np.where(seen, vectors.T @ moments.cross_moment[:, 0], 0.0)
        reached = rotated**2 / np.where(seen, values, 1.0)
        total = float(moments.target_moment[0])
        n_rows, mean = row_count(moments), abs(float(moments.target_mean[0]))
        if total <= n_rows * (1e-14 * mean) ** 2:  # targets all equal: their scale cannot be learned, only bounded
            total = n_rows * (1e-8 * max(mean, 1.0)) ** 2
        unreached = total - float(reached.sum())
        if unreached < 1e-12 * total:  # rounding: a noise as small as that cannot be seen
            unreached = 0.0
        return cls(values, vectors, rotated, reached, unreached, n_rows, moments.precision)

    def log_marginal_likelihood(self, noise: float, amplitude: float) -> float:
        """Log p(y) = -1/2 [log|a² ZZ' + s² I| + y'(a² ZZ' + s² I)^{-1} y + n log 2π]."""
        s2, a2 = noise**2, amplitude**2
        spread = a2 * self.values + s2
        log_determinant = (self.n_rows - len(self.values)) * np.log(s2) + np.log(spread).sum()
        quadratic = self.unreached / s2 + (self.reached / spread).sum()
        return float(-0.5 * (log_determinant + quadratic + self.n_rows * np.log(2 * np.pi)))

    def gradient(self, noise: float, amplitude: float) -> tuple[float, float]:
        """Derivatives of the log evidence by log s² and log a²."""
        s2, a2 = noise**2, amplitude**2
        spread = a2 * self.values + s2
        freedom = self.degrees_of_freedom(noise, amplitude)
        explained = self.reached / spread  # what is squared in the derivatives might overflow
        by_noise = self.unreached / s2 + (explained * (s2 / spread)).sum() - (self.n_rows - freedom)
        by_amplitude = (explained * (a2 * self.values / spread)).sum() - freedom
        return 0.5 * float(by_noise), 0.5 * float(by_amplitude)

    def degrees_of_freedom(self, noise: float, amplitude: float) -> float:
        """Tr K(K + s² I)^{-1} with K = a² ZZ': how many directions of the feature space the rows determine."""
        signal = amplitude**2 * self.values
        return float((signal / (signal + noise**2)).sum())

    def maximise(self, noise: float | None, amplitude: float | None) -> tuple[float, float]:
        """The noise and amplitude of greatest evidence; a number given stays as it is.

        Whichever of the two are free, the maximum is found on a curve g -> (s, a) with s² = g a²: a given noise or
        amplitude fixes the other, and where both are free a² = y'(ZZ' + g I)^{-1}y / n is the best for each g. The
        curve is searched on a grid, then the zero of the derivative is found between the neighbours of the best.
        """
        if noise is not None and amplitude is not None:
            return noise, amplitude

        def point(log_ratio: float) -> tuple[float, float]:
            ratio = np.exp(log_ratio)
            if noise is not None:
                return noise, noise / np.sqrt(ratio)
            if amplitude is not None:
                return amplitude * np.sqrt(ratio), amplitude
            best = np.sqrt((self.unreached / ratio + (self.reached / (self.values + ratio)).sum()) / self.n_rows)
            return float(best * np.sqrt(ratio)), float(best)

        def slope(log_ratio: float) -> float:
            by_noise, by_amplitude = self.gradient(*point(log_ratio))
            return by_noise if noise is None else -by_amplitude

        grid = self._log_ratios(noise, amplitude)
        best = int(np.argmax([self.log_marginal_likelihood(*point(value)) for value in grid]))
        low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
        if slope(low) > 0 > slope(high):
            return point(float(brentq(slope, low, high, xtol=1e-13)))
        return point(float(grid[best]))

    def _log_ratios(self, noise: float | None, amplitude: float | None) -> Array:
        """Logarithms of s²/a², from where noise is lost in rounding, or 1e-3 of the amplitude, to far above all.

        These ends are for a noise that is learned. The evidence is a sum of terms, each of which is greatest where
        a² λ_j + s² = p_j: for a given noise a² is at most the largest p_j / λ_j, and for a given amplitude s² at most
        the sum of squares of the targets. The ends are moved apart to hold that.
        """
        largest = float(self.values[-1]) or 1.0  # of no features at all any amplitude is as good
        size = float(self.values.sum()) / self.n_rows  # mean of z'z
        lowest = max(LEAST_NOISE * size, largest * max(1e-2 * self.precision, 1e-12))
        highest = 1e4 * largest
        if noise is not None:
            seen = self.values > 0.0
            steepest = np.max(self.reached[seen] / self.values[seen], initial=np.finfo(np.float64).tiny)
            lowest = min(lowest, noise**2 / float(steepest))
        if amplitude is not None:
            highest = max(highest, (self.unreached + float(self.reached.sum())) / amplitude**2)
        low, high = np.log(lowest), np.log(highest)
        return np.linspace(low, high, round(STEPS_PER_DECADE * (high - low) / np.log(10.0)) + 1)


@dataclass(frozen=True)
class Posterior:
    """f(x) = z(x)'w + ȳ with w ~ N(coefficients, root root'), given noise and amplitude."""

    coefficients: Array  # a² (a² Z'Z + s² I)^{-1} Z'(y - ȳ)
    root: Array  # of s² a² (a² Z'Z + s² I)^{-1}
    noise: float
    amplitude: float
    log_marginal_likelihood: float
    degrees_of_freedom: float


def posterior(spectrum: EvidenceSpectrum, noise: float, amplitude: float) -> Posterior:
    """Mean and covariance of the coefficients: var f(x) = ||root'z(x)||² = s² a² z'(a² Z'Z + s² I)^{-1} z."""
    s2, a2 = noise**2, amplitude**2
    shrunk = 1.0 / (a2 * spectrum.values + s2)
    return Posterior(
        spectrum.vectors @ (a2 * shrunk * spectrum.rotated_cross),
        spectrum.vectors * (noise * amplitude * np.sqrt(shrunk)),
        noise,
        amplitude,
        spectrum.log_marginal_likelihood(noise, amplitude),
        spectrum.degrees_of_freedom(noise, amplitude),
    )

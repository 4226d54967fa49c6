"""The log marginal likelihood of the exact kernel on a few rows, and its maximum over all length scales at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError, cho_solve, cholesky
from scipy.linalg.lapack import dpotri
from scipy.optimize import minimize

from ..compute.threads import single_threaded_blas
from ..kernels import Kernel
from .exact import Array, gram

FURTHEST = np.log(1e3)  # a column whose length scale is 1000 times the first guess no longer counts
LEAST_NOISE = 1e-5  # noise variance over target variance
SMALL = 150  # rows of a sample for which calls take longer than their arithmetic
STACK = 8  # such samples at once: their matrices stay in the cache


@dataclass(frozen=True)
class Sample:
    """Some rows, standardised, and their targets, one column for each output, centred."""

    X: Array
    Y: Array


class Evidence:
    """L = -(tr Y'A⁻¹Y + c log|A| + n c log 2π) / 2 with A = a² K + s² I, n rows, c targets of one kernel.

    dL = sum_ab G_ab dA_ab with G = (A⁻¹Y Y'A⁻¹ - c A⁻¹) / 2.
    """

    def __init__(self, kernel: Kernel, sample: Sample) -> None:
        self.kernel = kernel
        self.sample = sample

    def __call__(self, log_scales: Array, log_noise: float, log_amplitude: float) -> tuple[float, Array]:
        """Value and gradient, the latter with respect to log length scales, log s² and log a²."""
        s2, a2 = np.exp(log_noise), np.exp(log_amplitude)
        Y = self.sample.Y
        rows, outputs = Y.shape
        K, pullback = gram(self.kernel, self.sample.X / np.exp(log_scales))
        A = a2 * K
        A.flat[:: rows + 1] = a2 + s2
        factor = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        solved = cho_solve((factor, True), Y, check_finite=False)
        log_determinant = 2.0 * np.log(np.diagonal(factor)).sum()
        value = -0.5 * (np.sum(Y * solved) + outputs * (log_determinant + rows * np.log(2.0 * np.pi)))
        inverse = dpotri(factor.T, lower=0)[0].T  # the lower triangle, without a copy to another order
        trace = np.trace(inverse)
        G = solved @ solved.T
        inverse *= outputs
        G -= inverse
        by_scales = 0.5 * a2 * pullback(G)
        by_noise = 0.5 * s2 * (np.sum(solved**2) - outputs * trace)
        # sum_ab G_ab A_ab = (tr Y'A⁻¹Y - n c) / 2 holds the noise and the amplitude together.
        by_amplitude = 0.5 * (np.sum(Y * solved) - rows * outputs) - by_noise
        return float(value), np.r_[by_scales, by_noise, by_amplitude]


class StackedEvidence:
    """The evidence of several small samples of the same size, added up: one call of LAPACK's wrappers for all of them.

    With A = F F', A⁻¹ = F⁻' F⁻¹.
    """

    def __init__(self, kernel: Kernel, samples: Sequence[Sample]) -> None:
        self.kernel = kernel
        self.X = np.stack([sample.X for sample in samples])
        self.Y = np.stack([sample.Y for sample in samples])

    def __call__(self, log_scales: Array, log_noise: float, log_amplitude: float) -> tuple[float, Array]:
        """Value and gradient, as of one sample."""
        s2, a2 = np.exp(log_noise), np.exp(log_amplitude)
        Y = self.Y
        count, rows, outputs = Y.shape
        kernels, pullbacks = zip(*(gram(self.kernel, part) for part in self.X / np.exp(log_scales)))
        A = np.stack(kernels)
        A *= a2
        A.reshape(count, -1)[:, :: rows + 1] = a2 + s2
        factors = np.linalg.cholesky(A)
        log_determinant = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum()
        inverse_factors = np.linalg.inv(factors)
        G = inverse_factors.transpose(0, 2, 1) @ inverse_factors  # A⁻¹
        trace = np.trace(G, axis1=1, axis2=2).sum()
        solved = G @ Y
        fit = np.sum(Y * solved)
        value = -0.5 * (fit + outputs * (log_determinant + count * rows * np.log(2.0 * np.pi)))
        G *= -outputs
        G += solved @ solved.transpose(0, 2, 1)
        by_scales = 0.5 * a2 * sum(pullback(part) for pullback, part in zip(pullbacks, G))
        by_noise = 0.5 * s2 * (np.sum(np.square(solved)) - outputs * trace)
        by_amplitude = 0.5 * (fit - count * rows * outputs) - by_noise
        return float(value), np.r_[by_scales, by_noise, by_amplitude]


def evidences(kernel: Kernel, samples: Sequence[Sample]) -> list[Evidence | StackedEvidence]:
    """The evidence of all samples in parts for threads to share: many small ones in stacks."""
    if len({sample.Y.shape for sample in samples}) > 1 or len(samples[0].Y) > SMALL:
        return [Evidence(kernel, sample) for sample in samples]
    return [StackedEvidence(kernel, samples[start : start + STACK]) for start in range(0, len(samples), STACK)]


@dataclass(frozen=True)
class Maximum:
    """Log length scales, noise and amplitude (as variances), and the log evidence of one row and output."""

    log_scales: Array
    noise: float
    amplitude: float
    value: float
    n_iter: int


def never() -> bool:
    """There is time."""
    return False


def maximise(
    kernel: Kernel,
    samples: Sequence[Sample],
    start: Array,
    *,
    max_iter: int,
    threads: int,
    noise: float = 0.1,
    amplitude: float = 1.0,
    groups: Array | None = None,
    stop: Callable[[], bool] = never,
) -> Maximum:
    """Maximise the sum of the evidence of several samples over log length scales, noise and amplitude, by L-BFGS.

    There is one length scale for each group of columns; ``groups`` has the place of each column's in ``start``, None
    for one of its own. It ends early, with the best place so far, when ``stop`` says so.
    """
    columns = len(start)
    groups = np.arange(columns) if groups is None else groups
    parts = evidences(kernel, samples)
    size = sum(sample.Y.size for sample in samples)

    def loss(place: Array) -> tuple[float, Array]:
        try:
            seen = list(pool.map(lambda part: part(place[groups], *place[columns:].tolist()), parts))
        except LinAlgError:  # rounding made A indefinite: too far, the line search steps back
            return 1e10, np.zeros(columns + 2)
        slope = sum((slope for _, slope in seen), np.zeros(len(groups) + 2))
        together = np.r_[np.bincount(groups, slope[: len(groups)], minlength=columns), slope[len(groups) :]]
        return -sum(value for value, _ in seen) / size, -together / size

    bounds = [(middle - FURTHEST, middle + FURTHEST) for middle in start]
    bounds += [(np.log(LEAST_NOISE), np.log(1e2)), (np.log(1e-3), np.log(1e3))]
    first = np.r_[start, np.log(noise), np.log(amplitude)]

    def interrupt(_place: Array) -> None:
        if stop():
            raise StopIteration

    options = {"maxiter": max_iter, "ftol": 1e-6, "gtol": 1e-5}
    # Threads over samples: the matrices are too small for threads inside BLAS to gain anything.
    with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
        found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options, callback=interrupt)
    place = found.x
    noise, amplitude = (float(value) for value in np.exp(place[columns:]))
    return Maximum(place[:columns], noise, amplitude, -float(found.fun), int(found.nit))

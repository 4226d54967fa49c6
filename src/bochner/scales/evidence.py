"""The log marginal likelihood of the exact kernel on a few rows, with its derivatives by all length scales at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_solve, cholesky
from scipy.linalg.lapack import dpotri

from ..kernels import Kernel
from .gram import Array, gram
from .maximise import Box, Evidence, Maximum, maximise, never

BOX = Box((1e-5, 1e2), (1e-3, 1e3))
GAIN = 1e-6
SMALL = 150  # rows of a sample for which calls take longer than their arithmetic
STACK = 8  # such samples at once: their matrices stay in the cache


@dataclass(frozen=True)
class Sample:
    """Some rows, standardised, and their targets, one column for each output, centred."""

    X: Array
    Y: Array


def assembled(
    s2: float, by_scales: Array, *, fit: float, squares: float, trace: float, log_determinant: float, n: float, c: int
) -> tuple[float, Array]:
    """L = -(tr Y'A⁻¹Y + c log|A| + n c log 2π) / 2 with A = a² K + s² I, n rows, c targets; and its gradient.

    dL = sum_ab G_ab dA_ab with G = (A⁻¹Y Y'A⁻¹ - c A⁻¹) / 2, so that dL / d log s² = s² tr G. And because
    sum_ab G_ab A_ab = (tr Y'A⁻¹Y - n c) / 2, this less that is dL / d log a². Given are the derivatives by length
    scales, tr Y'A⁻¹Y (``fit``), ||A⁻¹Y||² (``squares``) and tr A⁻¹ (``trace``).
    """
    value = -0.5 * (fit + c * (log_determinant + n * np.log(2.0 * np.pi)))
    by_noise = 0.5 * s2 * (squares - c * trace)
    return float(value), np.r_[by_scales, by_noise, 0.5 * (fit - n * c) - by_noise]


class SampleEvidence:
    """The evidence of one sample."""

    def __init__(self, kernel: Kernel, sample: Sample) -> None:
        self.kernel = kernel
        self.sample = sample

    def __call__(self, log_scales: Array, log_noise: float, log_amplitude: float) -> tuple[float, Array]:
        """Value and gradient, the latter with respect to log length scales, log s² and log a²."""
        s2, a2 = np.exp(log_noise), np.exp(log_amplitude)
        Y = self.sample.Y
        n, c = Y.shape
        K, pullback = gram(self.kernel, self.sample.X / np.exp(log_scales))
        A = a2 * K
        A.flat[:: n + 1] = a2 + s2
        factor = cholesky(A, lower=True, overwrite_a=True, check_finite=False)
        solved = cho_solve((factor, True), Y, check_finite=False)
        log_determinant = 2.0 * np.log(np.diagonal(factor)).sum()
        inverse = dpotri(factor.T, lower=0)[0].T  # the lower triangle, without a copy to another order
        trace, fit, squares = np.trace(inverse), np.sum(Y * solved), np.sum(np.square(solved))
        G = solved @ solved.T
        inverse *= c
        G -= inverse
        by_scales = 0.5 * a2 * pullback(G)
        return assembled(
            s2, by_scales, fit=fit, squares=squares, trace=trace, log_determinant=log_determinant, n=n, c=c
        )


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
        count, n, c = Y.shape
        kernels, pullbacks = zip(*(gram(self.kernel, part) for part in self.X / np.exp(log_scales)))
        A = np.stack(kernels)
        A *= a2
        A.reshape(count, -1)[:, :: n + 1] = a2 + s2
        factors = np.linalg.cholesky(A)
        log_determinant = 2.0 * np.log(np.diagonal(factors, axis1=1, axis2=2)).sum()
        inverse_factors = np.linalg.inv(factors)
        G = inverse_factors.transpose(0, 2, 1) @ inverse_factors  # A⁻¹
        solved = G @ Y
        trace, fit, squares = np.trace(G, axis1=1, axis2=2).sum(), np.sum(Y * solved), np.sum(np.square(solved))
        G *= -c
        G += solved @ solved.transpose(0, 2, 1)
        by_scales = 0.5 * a2 * sum(pullback(part) for pullback, part in zip(pullbacks, G))
        return assembled(
            s2, by_scales, fit=fit, squares=squares, trace=trace, log_determinant=log_determinant, n=count * n, c=c
        )


def evidences(kernel: Kernel, samples: Sequence[Sample]) -> list[Evidence]:
    """The evidence of all samples in parts for threads to share: many small ones in stacks."""
    if len({sample.Y.shape for sample in samples}) > 1 or len(samples[0].Y) > SMALL:
        return [SampleEvidence(kernel, sample) for sample in samples]
    return [StackedEvidence(kernel, samples[start : start + STACK]) for start in range(0, len(samples), STACK)]


def maximised(
    kernel: Kernel,
    samples: Sequence[Sample],
    start: Array,
    *,
    threads: int,
    groups: Array | None = None,
    stop: Callable[[], bool] = never,
    **begin: Any,
) -> Maximum:
    """The greatest sum of the evidence of several samples; each column has a scale of its own without ``groups``."""
    parts = evidences(kernel, samples)
    groups = np.arange(len(start)) if groups is None else groups
    size = sum(sample.Y.size for sample in samples)
    with ThreadPoolExecutor(threads) as pool:

        def total(*place: Any) -> tuple[float, Array]:
            seen = list(pool.map(lambda part: part(*place), parts))
            return sum(value for value, _ in seen), sum((slope for _, slope in seen), np.zeros(len(groups) + 2))

        return maximise(total, start, groups, size, BOX, gain=GAIN, stop=stop, **begin)

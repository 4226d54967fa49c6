"""Bounds at one pair of points, averages over pairs, and what they need to know of a kernel."""

from __future__ import annotations

from itertools import product

import numpy as np

import bochner as bo
from bochner import theory
from tests.theory.reference import error_by_definition

from .check import EPS, GAUSSIAN, SMOOTH, Check, Checks, likely_mean, share

METHODS = ("chebyshev", "hoeffding", "sub-gaussian", "bernstein")
AT_PAIRS = (
    (bo.Gaussian(1.0), [0.3, 0.4]),
    (bo.Gaussian(1.0), [2.0]),
    (bo.Laplace(1.0), [1.0]),
    (bo.Cauchy(1.0), [3.6]),
    (bo.Matern(1.0, nu=1.5), [0.5, 0.1, 0.2]),
    (bo.ProductProfile(lambda r: np.cos(3 * r), 1.0), [np.pi / 3]),  # two frequencies: the largest variance there is
)


def one_pair(effort: int) -> Checks:
    """Chebyshev, Hoeffding, sub-Gaussian and Bernstein, both embeddings; at a difference and within a diameter."""
    for (kernel, difference), embedding, width in product(AT_PAIRS, ("paired", "shifted"), (10, 40, 200)):
        error = np.abs(error_by_definition(kernel, difference, width, embedding, 2000 * effort))
        places = {"difference": difference}, {"dim": len(difference), "diameter": np.linalg.norm(difference) + 1e-9}
        for eps, method, place in product(EPS[1::2], METHODS, places):
            given = {"eps": eps, "n_components": width, "method": method, "embedding": embedding} | place
            yield share(f"{method} {embedding}", error, eps, theory.pointwise_bound(kernel, **given))


def widths_for_a_pair(effort: int) -> Checks:
    """At the width that each inequality asks for, the error is above eps more rarely than delta."""
    for (kernel, difference), embedding, delta in product(AT_PAIRS, ("paired", "shifted"), (0.3, 0.05)):
        given = {"difference": difference, "eps": 0.35, "delta": delta, "embedding": embedding}
        for method, width in theory.pointwise_table(kernel, **given)[:-1]:
            even = width + width % 2
            error = np.abs(error_by_definition(kernel, difference, even, embedding, 2000 * effort))
            yield share(f"width of {method} {embedding}", error, 0.35, delta)


def averages(effort: int) -> Checks:
    """The squared L2 error about its exact mean."""
    rng = np.random.default_rng(5)
    for kernel, width, embedding in product((GAUSSIAN, bo.Laplace(1.0)), (20, 200), ("paired", "shifted")):
        x, y = rng.normal(size=(2, 40, 2))
        squares, paired = np.empty(300 * effort), embedding == "paired"
        for repeat in range(len(squares)):
            w = kernel.sample_frequencies(2, width // 2 if paired else width, rng)
            waves = np.cos((x - y) @ w.T)
            if not paired:
                waves += np.cos((x + y) @ w.T + rng.uniform(0, 2 * np.pi, size=width))
            squares[repeat] = np.mean((waves.mean(axis=1) - kernel.at(x - y)) ** 2)
        given = {"n_components": width, "embedding": embedding}
        expected = theory.l2_error(kernel, difference=x - y, **given)
        spread = float(np.sqrt(theory.l2_variance(kernel, pairs=(x, y), **given)))
        for excess in (1.1 * spread, 1.5 * spread, 2 * spread, 3 * spread, 5 * spread, 0.5, 0.8, 1.5):
            off = np.abs(squares - expected)
            yield share("L2 McDiarmid", off, excess, theory.l2_concentration(excess=excess, **given))
            by_variance = theory.l2_concentration(excess=excess, method="chebyshev", variance=spread**2, **given)
            yield share("L2 Chebyshev", off, excess, by_variance)


def suprema(effort: int) -> Checks:
    """No variance within a diameter is above its supremum, and no slope of the kernel above its Lipschitz constant.

    The supremum of a product kernel is known to a hundredth.
    """
    rng = np.random.default_rng(12)
    kernels = (*SMOOTH, bo.Gaussian([0.5, 2.0, 1.0]), bo.Laplace([1.0, 0.3, 2.0]), bo.Cauchy([1.0, 3.0, 0.5]))
    for kernel, dim, within in product(kernels, (1, 2, 3), (0.1, 1.0, 6.0)):
        if np.ndim(kernel.length_scale) and dim < 3:
            continue
        delta = rng.normal(size=(2000 * effort, dim))
        delta *= within * rng.random((len(delta), 1)) ** (1 / dim) / np.linalg.norm(delta, axis=1, keepdims=True)
        largest = 2 * float(theory.frequency_variance(kernel, delta).max())
        yield Check("variance supremum", largest, 1.01 * theory.variance_supremum(kernel, dim, within) + 1e-12, 2.0)
        step = 1e-3 * rng.normal(size=delta.shape)
        slopes = np.abs(kernel.at(delta + step) - kernel.at(delta)) / np.linalg.norm(step, axis=1)
        yield Check("Lipschitz constant", float(slopes.max()), theory.lipschitz_constant(kernel, dim) * (1 + 1e-6))


def frequencies(effort: int) -> Checks:
    """Moments of ||w||, and the largest of some, where only an upper bound is known."""
    rng = np.random.default_rng(13)
    uneven = (bo.Gaussian([0.5, 2.0, 1.0]), bo.Matern([1.0, 0.3, 2.0], nu=1.5), bo.Cauchy([1.0, 3.0, 0.5]))
    for kernel, order in product((*uneven, bo.Laplace([1.0, 0.5, 2.0]), *SMOOTH), (0.3, 0.6, 0.9, 1.0, 1.4)):
        norms = np.linalg.norm(kernel.sample_frequencies(3, 20_000 * effort, rng), axis=1)
        yield Check("fractional moment", likely_mean(norms**order), theory.fractional_moment(kernel, order, 3))
    for kernel, n in product(uneven[:2], (3, 30, 300)):
        norms = np.linalg.norm(kernel.sample_frequencies(3, 500 * n, rng), axis=1).reshape(500, n)
        yield Check("largest frequency", likely_mean(norms.max(axis=1)), theory.expected_max_norm(kernel, 3, n))

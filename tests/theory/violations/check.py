"""What a simulation says beside a bound, and draws that several simulations share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

import bochner as bo

GAUSSIAN = bo.Gaussian(1.0)
SMOOTH = (bo.Gaussian(1.0), bo.Matern(1.0, nu=1.5), bo.RationalQuadratic(1.0, alpha=0.7), bo.Cauchy(1.0))
EPS = np.array([0.03, 0.05, 0.08, 0.12, 0.2, 0.3, 0.45, 0.6, 0.8, 0.95])


class Check(NamedTuple):
    """Observed: a share of draws that fail, a mean, or a size. A bound of at least ``trivial`` cannot be refuted."""

    what: str
    observed: float
    bound: float
    trivial: float = np.inf


Checks = Iterator[Check]


def share(what: str, errors: np.ndarray, eps: float, bound: float) -> Check:
    """The share of draws whose error reaches eps, beside a bound on the probability."""
    return Check(what, float(np.mean(errors >= eps)), bound, 1.0)


def likely_mean(values: np.ndarray) -> float:
    """The mean less three standard errors: what the sample says for sure."""
    return float(values.mean() - 3 * values.std() / np.sqrt(len(values)))


def largest_paired(kernel: Any, delta: np.ndarray, width: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """sup |f| over the rows of delta."""
    exact, found = kernel.at(delta), np.empty(repeats)
    for repeat in range(repeats):
        w = kernel.sample_frequencies(delta.shape[1], width // 2, rng)
        found[repeat] = np.abs(np.cos(delta @ w.T).mean(axis=1) - exact).max()
    return found


def largest_shifted(kernel: Any, points: np.ndarray, width: int, repeats: int, rng: np.random.Generator) -> np.ndarray:
    """sup |f| over pairs of points."""
    exact, found = kernel(points), np.empty(repeats)
    for repeat in range(repeats):
        w, phase = kernel.sample_frequencies(points.shape[1], width, rng), rng.uniform(0, 2 * np.pi, size=width)
        Z = np.sqrt(2 / width) * np.cos(points @ w.T + phase)
        found[repeat] = np.abs(Z @ Z.T - exact).max()
    return found

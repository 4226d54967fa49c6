"""The quantile function of a law that is known by its distribution function only: a table in normal scores."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import gammainccinv, gammaincinv, ndtr, ndtri

from .base import Array

SCORES = np.linspace(-8.5, 8.5, 171)  # Φ(-8.5) is less than the smallest uniform number, 2^-54
LEAST, MOST = -600.0, 600.0  # logarithms between which a quantile is sought: beyond, doubles end
HALVINGS = 54  # of that interval, down to the rounding of its ends


def tabulated_quantile(below: Callable[[Array], Array], above: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Find log Q(u) for the law of X > 0 with P(X <= e^t) = below(t) and P(X > e^t) = above(t).

    The logarithm of X is a smooth function of the normal score Φ^-1(u), heavy tails included: a cubic spline through
    points found by bisection, each in the tail in which its probability is small.
    """
    lower = SCORES <= 0.0
    low, high = np.full(len(SCORES), LEAST), np.full(len(SCORES), MOST)
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        short = np.where(lower, below(middle) < ndtr(SCORES), above(middle) > ndtr(-SCORES))
        low, high = np.where(short, middle, low), np.where(short, high, middle)
    spline = CubicSpline(SCORES, 0.5 * (low + high))
    return lambda uniforms: spline(ndtri(uniforms))


def gamma_nodes(shape: float) -> tuple[Array, Array]:
    """Points and weights for means of smooth functions of log G, G of the gamma law: equal steps in normal scores."""
    scores = np.linspace(-8.5, 8.5, 86)
    weights = np.exp(-0.5 * scores**2)
    points = np.where(scores < 0.0, gammaincinv(shape, ndtr(scores)), gammainccinv(shape, ndtr(-scores)))
    return np.maximum(points, np.finfo(np.float64).tiny), weights / weights.sum()

"""Means of cosines over directions and over radii of frequencies: what the theory of orthogonal features is made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import factorial, hyp0f1, ndtr, ndtri, poch

from ..kernels import RadialKernel
from ..kernels.matern import DEBYE
from .checks import Array

MANY_COLUMNS = 300  # from here on Γ(d/2) overflows in 0F1, and Debye's expansion is exact to 1e-12
SERIES_TERMS = 14  # up to t = 2, where scipy's 0F1 of some hundred columns underflows
NODES, LARGEST_SCORE = 4096, 8.2  # of the radius law, in normal scores: Φ(8.2) is the last double before 1
RESOLVED = 50.0, 10.0  # cosines of more than 50 + 10 sqrt(order) radians average to nothing, and are left out, ...
SOFTNESS = 0.3  # ... over this range of the logarithm: together they move the kernels' own values by less than 1e-8
STEP = 0.06  # of log t in tables of smooth functions; cubic splines through them are exact to 1e-7


def spherical_mean(t: Array, dim: int) -> Array:
    """j_d(t) = E cos(t u_1), u uniform on the sphere of R^d: Γ(d/2) (2/t)^{d/2-1} J_{d/2-1}(t) = 0F1(; d/2; -t²/4).

    For many columns, with ν = d/2 - 1 and p = sqrt(1 - t²/ν²), Debye's expansion of J_ν gives

        log j = -ν [log((1+p)/2) + 1 - p] - log(p)/2 + log S(1/p) - log S(1),    S(x) = sum_k U_k(x) / ν^k;

    where t > .9 ν the mean is below 1e-14.

    Examples
    --------
    >>> import numpy as np
    >>> spherical_mean(np.array([0.0, 2.0]), 4).round(8)
    array([1.        , 0.57672481])
    """
    t = np.asarray(t, dtype=np.float64)
    if dim == 1:
        return np.cos(t)
    if dim < MANY_COLUMNS:
        k = np.arange(SERIES_TERMS)
        series = 1.0 / (poch(0.5 * dim, k) * factorial(k))
        near = np.polynomial.polynomial.polyval(-0.25 * np.minimum(t, 2.0) ** 2, series)
        return np.where(t < 2.0, near, hyp0f1(0.5 * dim, -0.25 * np.maximum(t, 2.0) ** 2))
    order = 0.5 * dim - 1.0
    ratio = np.minimum(t / order, 0.9)
    p = np.sqrt((1.0 - ratio) * (1.0 + ratio))
    rest = ratio**2 / (1.0 + p)
    debye = sum((polynomial / order**k for k, polynomial in enumerate(DEBYE[:5])), DEBYE[0] * 0.0)
    logarithm = order * (-np.log1p(-0.5 * rest) - rest) - 0.5 * np.log(p) + np.log(debye(1.0 / p) / debye(1.0))
    return np.where(t > 0.9 * order, 0.0, np.exp(logarithm))


def spherical_loss(t: Array, dim: int) -> Array:
    """1 - j_d(t), exact near 0 too: t²/2d - t⁴/8d(d+2) + ..."""
    return _loss(np.asarray(t), spherical_mean(t, dim), dim)


def _loss(t: Array, mean: Array, dim: int) -> Array:
    loss, near = 1.0 - mean, t < 0.02
    small = t[near] ** 2
    loss[near] = small / (2 * dim) * (1.0 - small / (4 * (dim + 2)) * (1.0 - small / (6 * (dim + 4))))
    return loss


@dataclass(frozen=True)
class RadiusLaw:
    """The law of ||w|| at length scale 1, as points at equal steps of the normal score: good for heavy tails too."""

    scores: Array
    radii: Array
    weights: Array

    @classmethod
    def of(cls, kernel: RadialKernel, dim: int) -> RadiusLaw:
        """The law of a kernel's frequencies in ``dim`` dimensions."""
        scores = np.linspace(-LARGEST_SCORE, LARGEST_SCORE, NODES)
        weights = np.exp(-0.5 * scores**2)
        return cls(scores, kernel.radius_quantile(ndtr(scores), dim), weights / weights.sum())

    def losses(self, t: Array, order: int) -> Array:
        """1 - j_order(t R) at every point of the law, shape (n, points): fast cosines, unresolved, count as 0."""
        phase = np.multiply.outer(np.atleast_1d(t), self.radii)
        most = RESOLVED[0] + RESOLVED[1] * np.sqrt(order)
        kept = ndtr(np.log(most / np.maximum(phase, 1e-300)) / SOFTNESS)
        return _loss(phase, kept * spherical_mean(np.minimum(phase, 10.0 * most), order), order)

    def mean_loss(self, least: float, most: float, order: int) -> Callable[[Array], Array]:
        """E[1 - j_order(t R)] as a function of t between two bounds."""
        log_t = np.linspace(np.log(least), np.log(most), 8 + int(np.ceil(np.log(most / least) / STEP)))
        values = np.concatenate([self.losses(np.exp(part), order) @ self.weights for part in np.array_split(log_t, 8)])
        table = CubicSpline(log_t, np.log(values))
        return lambda t: np.exp(table(np.log(t)))

    def strata_losses(self, t: Array, order: int, n_strata: int) -> Array:
        """E[1 - j_order(t R) | R in stratum i], shape (n, n_strata): the law cut into parts of equal probability."""
        density = np.exp(-0.5 * self.scores**2) / np.sqrt(2.0 * np.pi)
        running = CubicSpline(self.scores, self.losses(t, order) * density, axis=1).antiderivative()
        return n_strata * np.diff(running(strata_edges(n_strata)), axis=1)


def strata_edges(n_strata: int) -> Array:
    """Normal scores between which lies one n-th of the probability each."""
    return np.clip(ndtri(np.arange(n_strata + 1) / n_strata), -LARGEST_SCORE, LARGEST_SCORE)

"""Positive stable numbers, and their products with gamma numbers: how long the frequencies of exp(-r^a) are."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import gammaln, loggamma, ndtri, polygamma, psi

from .base import Array

ALIASING = 52.0  # logarithm of what the steps of a line lose, relative to all: 3e-23
DECAYED = 45.0  # logarithm of what a line leaves out at its ends
FARTHEST = 40.0  # minus the logarithm of the least probability in the table: below that of any uniform number, 2^-54
BODY = 5.0  # standard deviations within which points of the table are equally spaced
POINTS, BEYOND = 251, 101  # of the table on either side of the mean, there and beyond
FLAT = 1e-10  # relative change of the density, below which it is that at 0
TILE = 1 << 21  # numbers held at once


def log_stable(uniforms: Array, others: Array, index: float) -> Array:
    """Logarithms of positive stable numbers A, E exp(-sA) = exp(-s^b), from two uniform numbers each (Kanter 1975).

    With V = π u and W = -log u' it is A = sin(bV) sin(V)^{-1/b} [sin((1-b)V) / W]^{(1-b)/b}, the form that Chambers,
    Mallows and Stuck (1976) give to a law of index b < 1 on the positive numbers.

    Examples
    --------
    >>> import numpy as np
    >>> first, second = np.random.default_rng(0).random((2, 100_000))
    >>> float(np.exp(-np.exp(log_stable(first, second, 0.5))).mean().round(2))  # exp(-1)
    0.37
    """
    if index == 1.0:
        return np.zeros(np.broadcast(uniforms, others).shape)
    angle, waiting, rest = np.pi * uniforms, -np.log(others), (1.0 - index) / index
    body = np.log(np.sin(index * angle)) - np.log(np.sin(angle)) / index
    return body + rest * (np.log(np.sin((1.0 - index) * angle)) - np.log(waiting))


@dataclass(frozen=True)
class Line:
    """Points c + iτ at equal steps, and log E Y^s at them: a way to invert the moments without cancellation."""

    tilt: float
    at_tilt: float
    points: Array
    log_moments: Array
    step: float

    def exponent(self, log_values: Array) -> Array:
        """Log of E Y^c y^-c, by Markov's inequality a bound on the probability beyond y: the size of what is summed."""
        return self.at_tilt - self.tilt * log_values

    def sums(self, log_values: Array, log_factors: Array, power: int) -> Array:
        """1/2πi times the integral along the line of E Y^s y^-s s^-power ds at log y, times factors."""
        weights = np.full(len(self.points), self.step / np.pi)
        weights[0] *= 0.5
        terms = self.log_moments - power * np.log(self.points) + np.log(weights)
        found = np.empty(len(log_values))
        rows = max(1, TILE // len(self.points))
        for start in range(0, len(found), rows):
            here = slice(start, start + rows)
            exponents = terms - self.points * log_values[here, None] + log_factors[here, None]
            found[here] = np.exp(exponents).real.sum(axis=1)
        return found


@dataclass(frozen=True)
class StableGamma:
    """The law of Y = A G, A positive stable of index b < 1 and G of the gamma law of shape h, by its moments

        E Y^s = Γ(1 - s/b) Γ(h + s) / (Γ(1 - s) Γ(h)),    -h < Re s < b.

    Its density and both tails are integrals of E Y^s y^-s along lines Re s = c (Mellin). On the line where the
    integrand is smallest at its centre no digits cancel, and equal steps are exact to e^{-2π distance / step}, the
    distance being that to the nearest pole. 2 sqrt(Y) is the length of a frequency of exp(-r^{2b}) in 2h columns.
    """

    index: float
    shape: float
    lines: tuple[Line, ...]

    def log_moment(self, s: Array) -> Array:
        """Log E Y^s."""
        numerator = loggamma(1.0 - s / self.index) + loggamma(self.shape + s)
        return numerator - loggamma(1.0 - s) - gammaln(self.shape)

    @property
    def mean(self) -> float:
        """E log Y."""
        return float(psi(self.shape) - psi(1.0) * (1.0 / self.index - 1.0))

    @property
    def spread(self) -> float:
        """Standard deviation of log Y."""
        return float(np.sqrt(polygamma(1, self.shape) + polygamma(1, 1.0) * (self.index**-2 - 1.0)))

    def line(self, tilt: float) -> Line:
        """Points on Re s = tilt, up to where moments have decayed."""
        distance = min(tilt, self.index - tilt) if tilt > 0 else min(-tilt, self.shape + tilt)
        step = 2.0 * np.pi * distance / ALIASING
        at_tilt, end = float(self.log_moment(np.array(tilt + 0j)).real), 16.0 * step
        while self.log_moment(np.array(tilt + 1j * end)).real > at_tilt - DECAYED:
            end *= 1.5
        points = tilt + 1j * np.arange(0.0, end, step)
        return Line(tilt, at_tilt, points, self.log_moment(points), step)

    def summed(self, log_values: Array, log_factors: Array, lines: list[Line], power: int) -> Array:
        """The integral at each log y along the line that suits it best, times a factor each."""
        best = np.argmin([line.exponent(log_values) for line in lines], axis=0)
        found = np.empty(len(log_values))
        for number, line in enumerate(lines):
            here = best == number
            found[here] = line.sums(log_values[here], log_factors[here], power)
        return found

    def above(self, log_values: Array) -> Array:
        """P(log Y > t)."""
        return self.summed(log_values, np.zeros_like(log_values), [line for line in self.lines if line.tilt > 0], 1)

    def below(self, log_values: Array) -> Array:
        """P(log Y <= t)."""
        return -self.summed(log_values, np.zeros_like(log_values), [line for line in self.lines if line.tilt < 0], 1)

    def density_of_frequencies(self, log_values: Array) -> Array:
        """Density of w in R^{2h}, ||w||² = 4 Y, where Y = y: that of log Y times Γ(h) (4π y)^-h."""
        h, constant = self.shape, self.shape * np.log(4.0 * np.pi)
        scale = gammaln(1.0 + h / self.index) - gammaln(1.0 + h)  # log E A^-h
        next_scale = gammaln(1.0 + (h + 1.0) / self.index) - gammaln(2.0 + h)
        with np.errstate(over="ignore"):
            at_zero = np.exp(scale - constant)
            found = np.full(len(log_values), at_zero)
            some = log_values > np.log(FLAT) + scale - next_scale
            t = log_values[some]
            found[some] = self.summed(t, gammaln(h) - constant - h * t, list(self.lines), 0)
        return np.clip(found, 0.0, at_zero)


@lru_cache(maxsize=64)
def stable_gamma(index: float, shape: float) -> StableGamma:
    """The law, with lines for every part of it: two to the right, where the tail is a power, more to the left."""
    law = StableGamma(index, shape, ())
    lowest, first = shape - 0.25 * min(shape, 1.0), min(0.5 * shape, 1.0 / law.spread)
    doubled = first * 2.0 ** np.arange(64)
    tilts = [0.75 * index, 0.5 * index, *-doubled[doubled < lowest], -lowest]
    return replace(law, lines=tuple(law.line(float(tilt)) for tilt in tilts))


@lru_cache(maxsize=64)
def log_quantile(index: float, shape: float) -> CubicSpline:
    """Quantiles of log Y as a smooth function of the normal score: a table between the bounds of Markov."""
    law = stable_gamma(index, shape)
    right = min((line.at_tilt + FARTHEST) / line.tilt for line in law.lines if line.tilt > 0)
    left = max((line.at_tilt + FARTHEST) / line.tilt for line in law.lines if line.tilt < 0)
    upper = law.mean + distances(right - law.mean, law.spread)
    lower = law.mean - distances(law.mean - left, law.spread)[:0:-1]
    tiny = np.finfo(np.float64).tiny
    scores = np.concatenate([ndtri(np.maximum(law.below(lower), tiny)), -ndtri(np.maximum(law.above(upper), tiny))])
    values = np.concatenate([lower, upper])
    rising = np.concatenate([scores[:-1] < np.minimum.accumulate(scores[::-1])[::-1][1:], [True]])
    return CubicSpline(scores[rising], values[rising])


def distances(farthest: float, spread: float) -> Array:
    """Distances from the mean, from 0 on: equal steps where most of the law is, equal ratios beyond."""
    edge = min(BODY * spread, 0.5 * farthest)
    return np.concatenate([np.linspace(0.0, edge, POINTS), np.geomspace(edge, farthest, BEYOND)[1:]])

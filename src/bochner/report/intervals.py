"""A number of the middle draw of a map, and how well some draws tell it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, stdtrit

Array = np.ndarray

SAME = 1e-6  # relative difference below which two values are one that was rounded


@dataclass(frozen=True)
class Estimate:
    """A measured number and its confidence interval."""

    value: float
    low: float
    high: float

    def contains(self, value: float) -> bool:
        """Whether the interval contains a value."""
        return self.low <= value <= self.high

    def times(self, factor: float) -> Estimate:
        """The same in another unit."""
        return Estimate(factor * self.value, factor * self.low, factor * self.high)


def middle_of_draws(values: Array, confidence: float) -> Estimate:
    """The median over independent draws of a number, with an interval that assumes nothing of its law.

    Between the d-th smallest and the d-th largest of n values the median lies with probability Pr(d <= B <= n - d), B
    binomial (n, 1/2), whatever the law; where the law has atoms, with at least this probability. Two such intervals are
    interpolated to the confidence asked for (Hettmansperger and Sheather 1986), which supposes a density: values among
    which some are equal keep the wider one. Where even the range of the values is not enough (95 % with 5 draws),
    Student's interval, of the logarithms if the values are positive.
    """
    values = np.sort(np.asarray(values, dtype=np.float64))
    n, middle = len(values), float(np.median(values))
    if values[0] == values[-1]:
        return Estimate(middle, middle, middle)
    inside = 1.0 - 2.0 * bdtr(np.arange(n // 2, dtype=np.float64), n, 0.5)
    enough = np.flatnonzero(inside >= confidence)
    if len(enough) == 0:
        return _student(values, middle, confidence)
    d = int(enough[-1]) + 1
    further = inside[d] if d < len(inside) else 0.0
    share = (inside[d - 1] - confidence) / (inside[d - 1] - further)
    weight = (n - d) * share / (d + (n - 2 * d) * share)
    if np.any(np.diff(values) <= SAME * np.abs(values).max()):
        weight = 0.0
    nearer = min(d, n - 1 - d)
    low = (1.0 - weight) * values[d - 1] + weight * values[nearer]
    high = (1.0 - weight) * values[n - d] + weight * values[n - 1 - nearer]
    return Estimate(middle, float(low), float(high))


def _student(values: Array, middle: float, confidence: float) -> Estimate:
    positive = values[0] > 0
    scaled = np.log(values) if positive else values
    reach = float(stdtrit(len(values) - 1, 0.5 + 0.5 * confidence) * scaled.std(ddof=1) / np.sqrt(len(values)))
    low, high = float(scaled.mean()) - reach, float(scaled.mean()) + reach
    return Estimate(middle, float(np.exp(low)), float(np.exp(high))) if positive else Estimate(middle, low, high)

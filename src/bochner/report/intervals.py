"""Confidence intervals for averages over draws of a map crossed with pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.special import bdtr, chdtri, ndtri, stdtrit

Array = np.ndarray
Law = Literal["normal", "sizes", "squares"]

SHAPE = 4.0  # of a gamma variable of skewness 1


@dataclass(frozen=True)
class Estimate:
    """A measured number and its confidence interval."""

    value: float
    low: float
    high: float

    def root(self) -> Estimate:
        """The square root of a number >= 0, interval included."""
        return Estimate(*(float(np.sqrt(max(0.0, part))) for part in (self.value, self.low, self.high)))

    def contains(self, value: float) -> bool:
        """Whether the interval contains a value."""
        return self.low <= value <= self.high


def middle_of_draws(values: Array, confidence: float) -> Estimate:
    """The median over independent draws of a number > 0, with an interval that assumes no law.

    Between the d-th smallest and the d-th largest value the median lies with probability Pr(d <= B <= n - d), B
    binomial (n, 1/2); two such intervals are interpolated to the confidence asked for (Hettmansperger and Sheather
    1986). Where even the range of the values is not enough (95 % with 5 draws), Student's interval of the logarithms.
    """
    values = np.sort(np.asarray(values, dtype=np.float64))
    n, middle = len(values), float(np.median(values))
    if middle <= 0 or values[0] == values[-1]:
        return Estimate(middle, float(values[0]), float(values[-1]))
    inside = 1.0 - 2.0 * bdtr(np.arange(n // 2, dtype=np.float64), n, 0.5)
    enough = np.flatnonzero(inside >= confidence)
    if len(enough) == 0:
        logs = np.log(np.maximum(values, np.finfo(float).tiny))
        reach = float(stdtrit(n - 1, 0.5 + 0.5 * confidence)) * float(logs.std(ddof=1)) / float(np.sqrt(n))
        return Estimate(middle, float(np.exp(logs.mean() - reach)), float(np.exp(logs.mean() + reach)))
    d = int(enough[-1]) + 1
    further = inside[d] if d < len(inside) else 0.0
    share = (inside[d - 1] - confidence) / (inside[d - 1] - further)
    weight = (n - d) * share / (d + (n - 2 * d) * share)
    nearer = min(d, n - 1 - d)
    low = (1.0 - weight) * values[d - 1] + weight * values[nearer]
    high = (1.0 - weight) * values[n - d] + weight * values[n - 1 - nearer]
    return Estimate(middle, float(low), float(high))


def crossed(values: Array, confidence: float, *, census: bool, law: Law = "normal") -> Estimate:
    """The mean of a table whose rows are draws of the map and whose columns are (groups of) pairs of rows.

    All pairs share the draw and all draws share the pairs, so neither dimension alone gives the error. With mean
    squares of rows, columns and interaction, Var = (MS_r + MS_c - MS_rc) / (R C), and MS_r / (R C) where the columns
    are a census of the pairs and only the draws vary; degrees of freedom by Satterthwaite.

    The mean square of a draw is skewed, a weighted sum of few chi-squares, and its sample variance is small
    exactly when the mean is, so that Student's interval misses large means. "squares" therefore takes the larger of
    the sample variance and, after the gamma law, 2 mean² (log mean - mean log), which the mean does not tell, and the
    interval of a gamma variable, shifted where its skewness would be below 1. "sizes" has the same interval with the
    sample variance. Heavier tails than a gamma variable's (TensorSketch of few components) are covered too rarely.

    Parameters
    ----------
    values : array of shape (draws, groups)
    confidence : float
    census : bool
        Whether the columns are all pairs there are.
    law : {"normal", "sizes", "squares"}, default="normal"
        What the table holds: signed numbers, sizes, or mean squares.
    """
    draws, groups = values.shape
    mean = float(values.mean())
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    square_rows = groups * float(rows.var(ddof=1))
    if law == "squares" and rows.min() > 0:
        square_rows = max(square_rows, groups * gamma_variance(rows))
    variance, terms = square_rows, [(square_rows, draws - 1)]
    if not census and groups > 1:
        square_columns = draws * float(columns.var(ddof=1))
        rest = values - rows[:, None] - columns[None, :] + mean
        square_rest = float((rest**2).sum()) / ((draws - 1) * (groups - 1))
        variance = max(square_rows + square_columns - square_rest, square_rows, square_columns)
        terms += [(square_columns, groups - 1), (square_rest, (draws - 1) * (groups - 1))]
    if variance <= 0:
        return Estimate(mean, mean, mean)
    freedom = max(1.0, variance**2 / sum(square**2 / count for square, count in terms))
    quantile, error = float(stdtrit(freedom, 0.5 + 0.5 * confidence)), float(np.sqrt(variance / (draws * groups)))
    if law == "normal" or mean <= 0:
        return Estimate(mean, mean - quantile * error, mean + quantile * error)
    return gamma_interval(mean, error, quantile, draws, confidence)


def gamma_variance(values: Array) -> float:
    """Variance of independent gamma variables by their logarithms: 1 / shape ~ 2 (log mean - mean log) n / (n - 1)."""
    mean = float(values.mean())
    return 2.0 * mean**2 * float(np.log(mean) - np.log(values).mean()) * len(values) / (len(values) - 1)


def gamma_interval(mean: float, error: float, quantile: float, draws: int, confidence: float) -> Estimate:
    """The interval for the mean of gamma variables whose standard error is known as well as Student's quantile says.

    Of n variables of shape k the mean is gamma of shape nk. k follows from the error, but not beyond SHAPE: then
    the variables are shifted, so that they keep a skewness of 1.
    """
    shape = draws * min((mean / error) ** 2 / draws, SHAPE)
    freedom = 2.0 * shape * (float(ndtri(0.5 + 0.5 * confidence)) / quantile) ** 2
    low, high = (
        freedom / float(chdtri(freedom, tail)) - 1.0 for tail in (0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence)
    )
    scale = float(np.sqrt(shape)) * error
    return Estimate(mean, max(0.0, mean + scale * low), mean + scale * high)


def pseudo_values(size: Array, level: float, groups: list[slice]) -> Array:
    """What each group of pairs contributes to the quantile of each draw, shape (draws, groups).

    The delete-a-group jackknife: G q - (G - 1) q without the group. Their means are the quantiles up to a bias of
    order 1 / pairs, and their spread tells what other pairs would have given.
    """
    whole = np.quantile(size, level, axis=1)
    without = [np.quantile(np.delete(size, part, axis=1), level, axis=1) for part in groups]
    return len(groups) * whole[:, None] - (len(groups) - 1) * np.stack(without, axis=1)


def grouped(n_pairs: int, groups: int = 20) -> list[slice]:
    """Pairs in groups of nearly equal size, by position: they are in random order."""
    edges = np.linspace(0, n_pairs, min(groups, n_pairs) + 1).astype(int)
    return [slice(start, stop) for start, stop in pairwise(edges)]

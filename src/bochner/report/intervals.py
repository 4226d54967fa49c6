"""Confidence intervals for averages over draws of a map crossed with pairs of rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.stats import chi2, norm
from scipy.stats import t as student

Array = np.ndarray


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


def over_draws(values: Array, confidence: float) -> Estimate:
    """The mean of independent draws with Student's interval."""
    values = np.asarray(values, dtype=np.float64)
    mean, error = float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))
    reach = float(student.ppf(0.5 + 0.5 * confidence, len(values) - 1)) * error
    return Estimate(mean, mean - reach, mean + reach)


def crossed(values: Array, confidence: float, *, census: bool, positive: bool = False) -> Estimate:
    """The mean of a table whose rows are draws of the map and whose columns are (groups of) pairs of rows.

    All pairs share the draw and all draws share the pairs, so neither dimension alone gives the error. With mean
    squares of rows, columns and interaction, Var = (MS_r + MS_c - MS_rc) / (R C), and MS_r / (R C) where the columns
    are a census of the pairs and only the draws vary; degrees of freedom by Satterthwaite. A mean square is
    skewed: it gets the interval of a chi-square variable whose degrees of freedom give the same relative width.

    Parameters
    ----------
    values : array of shape (draws, groups)
    confidence : float
    census : bool
        Whether the columns are all pairs there are.
    positive : bool, default=False
        Whether the table holds mean squares.
    """
    draws, groups = values.shape
    mean = float(values.mean())
    rows, columns = values.mean(axis=1), values.mean(axis=0)
    square_rows = groups * float(rows.var(ddof=1))
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
    reach = float(student.ppf(0.5 + 0.5 * confidence, freedom)) * float(np.sqrt(variance / (draws * groups)))
    if positive and mean > 0:
        nearly = 2.0 * (float(norm.ppf(0.5 + 0.5 * confidence)) * mean / reach) ** 2
        low, high = nearly / chi2.ppf([0.5 + 0.5 * confidence, 0.5 - 0.5 * confidence], nearly)
        return Estimate(mean, mean * float(low), mean * float(high))
    return Estimate(mean, mean - reach, mean + reach)


def grouped(n_pairs: int, groups: int = 20) -> list[slice]:
    """Pairs in groups of nearly equal size, by position: they are in random order."""
    edges = np.linspace(0, n_pairs, min(groups, n_pairs) + 1).astype(int)
    return [slice(start, stop) for start, stop in pairwise(edges)]

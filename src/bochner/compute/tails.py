"""Columns with heavy tails, made tame: the inverse hyperbolic sine about the median, in units of the quartiles."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

NORMAL_QUARTILES = 1.3489795003921634  # distance between the quartiles of a normal law of standard deviation 1


def soft_tails(values: Array, centre: Array | float, spread: Array | float) -> Array:
    """c(x) = 2 asinh((x - centre) / (2 spread)): near the centre (x - centre) / spread, far out a logarithm.

    A value 1,000 spreads away comes to 14, one 10^9 spreads away to 41: it no longer decides all distances. The
    function is smooth and strictly increasing, so that no two values become one.

    Examples
    --------
    >>> import numpy as np
    >>> soft_tails(np.array([0.0, 0.1, 1.0, 1000.0]), 0.0, 1.0).round(3)
    array([ 0.   ,  0.1  ,  0.962, 13.816])
    """
    return 2.0 * np.arcsinh((values - centre) / (2.0 * np.asarray(spread)))


def centre_and_spread(rows: Array, weight: Array) -> tuple[Array, Array]:
    """Median and spread of each column: the distance between its quartiles over 1.349, its deviation if it is normal.

    Where the quartiles are equal, as in columns that are mostly zero, the spread is the median of |x - centre| over the
    rows that differ from the centre; for a constant column it is 1. A row of weight 2 counts as two equal rows.
    """
    lower, centre, upper = weighted_quantiles(rows, weight, (0.25, 0.5, 0.75))
    spread = (upper - lower) / NORMAL_QUARTILES
    for column in np.flatnonzero(~(spread > 0.0)):
        apart = np.abs(rows[:, column] - centre[column])
        differ = apart > 0.0
        if differ.any():
            spread[column] = weighted_quantiles(apart[differ, None], weight[differ], (0.5,))[0, 0]
        else:
            spread[column] = 1.0
    return centre, spread


def weighted_quantiles(rows: Array, weight: Array, shares: tuple[float, ...]) -> Array:
    """For each share the least value of a column up to which this share of the weight lies: (shares, columns)."""
    order = np.argsort(rows, axis=0, kind="stable")
    reached = np.cumsum(weight[order], axis=0)
    places = [(reached < share * reached[-1]).sum(axis=0) for share in shares]
    return np.take_along_axis(np.take_along_axis(rows, order, axis=0), np.array(places), axis=0).astype(np.float64)

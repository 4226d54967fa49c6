"""Length scales that are words: "median", "std" and "auto", found from the data."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

from ..compute.row_hash import row_hash
from ..compute.tails import centre_and_spread, weighted_quantiles
from .scaling import LengthScale, middle_row, scaling_of

# Of the distance of rare values. Ridge with its defaults on 4,000 rows, means of seeds at 1/4, 1/2, 1: churn .896 .910
# .911, MNIST .909 .919 .922, Covertype .765 .769 .772, nursery .946 .947 .936; 0 loses .02 to .03 on the first three.
RARE = 0.5
WILD = 10.0  # spreads: one such number among 1,000 changes the standard deviation by 5 %
RARE_ROWS = 4096  # evenly spread rows that tell quartiles
MEDIAN_ROWS = 1000  # the median over 500,000 pairs has a relative standard error well under one per cent


def resolve_length_scale(
    length_scale: LengthScale, rows: Any, weight: np.ndarray | None, metric: str, auto_factor: float = 1.0
) -> LengthScale:
    """Turn the words "median", "std" and "auto" into numbers; leave numbers alone.

    "median" is the median distance between rows, in the kernel's own metric. "std" is one length scale per column:
    the column's standard deviation times the median distance of the standardised rows. A row of weight 2 counts as
    two equal rows, a row of weight 0 as none. "auto" is "std" for unprepared columns (``robust_scales``),
    times what suits the kernel.
    """
    if not isinstance(length_scale, str):
        scaling_of(length_scale, rows.shape[1])  # refuses what is none
        return length_scale
    rows, weight = counted_rows(rows, weight)
    if length_scale == "auto":
        return auto_factor * robust_scales(rows, weight, metric)
    if length_scale == "median":
        return median_distance(rows, weight, metric)
    if length_scale == "std":
        spread = column_spread(rows, weight)
        constant = np.flatnonzero(spread == 0)
        if constant.size:
            raise ValueError(
                f"length_scale='std' cannot be used: column {constant[0]} is constant ({constant.size} such in all); "
                "drop the constant columns or give length scales as numbers."
            )
        return spread * median_distance(_divided(rows, spread), weight, metric)
    raise ValueError(
        f"length_scale must be a number, one per column, 'median', 'std', 'auto' or a bo.Metric, not {length_scale!r}."
    )


def robust_scales(rows: Any, weight: np.ndarray | None = None, metric: str = "euclidean") -> np.ndarray:
    """The "std" rule for unprepared data.

    Constant columns get an infinite length scale, so that they do not count. Numbers further from the median than ten
    times the spread of the quartiles count as being there, so that no wild cell decides the scale of a column. Where
    the middle half of the rows have one value, as with a rare label, the standard deviation says how rare the others
    are rather than how far away: there the spread is at least half of the median distance of the others from it.
    """
    rows, weight = counted_rows(rows, weight)
    spread = column_spread(rows if sp.issparse(rows) else without_wild(rows, weight), weight)
    spread = np.where(spread > 0, np.maximum(spread, RARE * rare_distance(rows, weight)), 0.0)
    kept = np.flatnonzero(spread > 0)
    scales = np.full(spread.shape, np.inf)
    if kept.size:
        scales[kept] = spread[kept] * median_distance(_divided(rows[:, kept], spread[kept]), weight, metric)
    return scales


def without_wild(rows: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Rows whose numbers are kept within ``WILD`` spreads of the median of their column."""
    step = max(1, -(-rows.shape[0] // RARE_ROWS))
    centre, spread = centre_and_spread(rows[::step], weight[::step])
    return np.clip(rows, centre - WILD * spread, centre + WILD * spread)


def rare_distance(rows: Any, weight: np.ndarray) -> np.ndarray:
    """Median distance from the median of the rows that differ from it, where the quartiles are equal; elsewhere 0."""
    step = max(1, -(-rows.shape[0] // RARE_ROWS))
    some, counts = rows[::step], weight[::step]
    if not sp.issparse(some):
        lower, upper = weighted_quantiles(some, counts, (0.25, 0.75))
        equal = lower == upper
        distance = np.zeros(some.shape[1])
        distance[equal] = centre_and_spread(some[:, equal], counts)[1]
        return distance
    columns, distance = some.tocsc(), np.zeros(some.shape[1])
    total = counts.sum()
    for column in range(some.shape[1]):
        entries = slice(columns.indptr[column], columns.indptr[column + 1])
        values, kept = np.abs(columns.data[entries]), counts[columns.indices[entries]]
        differ = values > 0
        if differ.any() and kept[differ].sum() < 0.25 * total:  # the quartiles are 0
            distance[column] = weighted_quantiles(values[differ, None], kept[differ], (0.5,))[0, 0]
    return distance


def counted_rows(rows: Any, weight: np.ndarray | None) -> tuple[Any, np.ndarray]:
    """The rows whose weight is not zero, and their weights."""
    if weight is None:
        return rows, np.ones(rows.shape[0])
    kept = np.flatnonzero(weight)
    return rows[kept], weight[kept]


def column_spread(rows: Any, weight: np.ndarray) -> np.ndarray:
    """Standard deviation of each column; exactly 0 for a constant column, whatever the rounding of its mean."""
    share = weight / weight.sum()
    lowest, highest = rows.min(axis=0), rows.max(axis=0)
    if sp.issparse(rows):
        lowest, highest = lowest.toarray().ravel(), highest.toarray().ravel()
    unit = powers_of_two(0.5 * highest.astype(np.float64) - 0.5 * lowest.astype(np.float64))
    rows = _divided(rows, unit)
    if sp.issparse(rows):
        rows = rows.tocsc()
        mean = rows.T @ share
        centred = rows.copy()
        centred.data = np.square(rows.data - np.repeat(mean, np.diff(rows.indptr)))
        present = sp.csc_matrix((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        variance = centred.T @ share + mean**2 * np.maximum(1.0 - present.T @ share, 0.0)
    else:
        variance = share @ np.square(rows - share @ rows)
    return np.where(lowest == highest, 0.0, unit * np.sqrt(variance))


def median_distance(rows: Any, weight: np.ndarray, metric: str) -> float:
    """Median distance between different rows of an evenly spaced subsample.

    Where all of these are equal, of the different ones among all rows.
    """
    step = max(1, -(-rows.shape[0] // MEDIAN_ROWS))
    some, counts = _different(rows[::step], weight[::step])
    if len(counts) == 1:
        some, counts = _different(rows, weight)
        step = max(1, -(-len(counts) // MEDIAN_ROWS))
        some, counts = some[::step], counts[::step]
    if sp.issparse(some) and metric != "euclidean":
        some = some.toarray()
    if not sp.issparse(some):
        some = some - middle_row(some)
    unit = float(powers_of_two(np.abs(some).max()))
    distances = pairwise_distances(some * (1.0 / unit), metric=metric)
    above = np.triu_indices_from(distances, k=1)
    apart, pairs = distances[above], np.outer(counts, counts)[above]
    different = apart > 0
    if not different.any():
        raise ValueError("The length scale cannot be found: all rows are equal; give length_scale as a number.")
    apart, pairs = apart[different], pairs[different]
    order = np.argsort(apart, kind="stable")
    reached = np.cumsum(pairs[order])
    return unit * float(apart[order][np.searchsorted(reached, 0.5 * reached[-1])])


def powers_of_two(sizes: np.ndarray) -> np.ndarray:
    """For each size the power of two below it, 1 for 0.

    To divide by it is exact, and squares of what is left neither overflow nor vanish.
    """
    exponents = np.frexp(sizes)[1]
    return np.where(sizes > 0.0, np.ldexp(1.0, exponents - 1), 1.0)


def _different(rows: Any, weight: np.ndarray) -> tuple[Any, np.ndarray]:
    """Each row once, and what its copies weigh together."""
    _, first, place = np.unique(row_hash(rows), return_index=True, return_inverse=True)
    return rows[first], np.bincount(place, weight)


def _divided(rows: Any, scales: np.ndarray) -> Any:
    return rows @ sp.diags(1.0 / scales) if sp.issparse(rows) else np.asarray(rows, dtype=np.float64) / scales

"""Length scales: a number, one per column, or a word that the data resolve."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

LengthScale = float | np.ndarray | list[float] | str

MEDIAN_ROWS = 1000  # the median over 500,000 pairs has a relative standard error well under one per cent


def column_scales(length_scale: LengthScale, dim: int) -> np.ndarray:
    """Length scale of each of ``dim`` columns, checked: finite (or infinite: column ignored) and positive."""
    if isinstance(length_scale, str):
        raise ValueError(
            f"length_scale={length_scale!r} is resolved from data: fit a feature map with this kernel, "
            "or call kernel.resolve(X) first."
        )
    scales = np.asarray(length_scale, dtype=np.float64)
    if scales.ndim > 1 or (scales.ndim == 1 and scales.shape[0] not in (1, dim)):
        raise ValueError(
            f"length_scale has shape {scales.shape} but the data have {dim} columns: "
            "give one number, or one number per column."
        )
    if not (scales > 0).all():
        raise ValueError(f"length_scale must be greater than 0, but it is {length_scale}.")
    return np.broadcast_to(scales, (dim,))


def resolve_length_scale(length_scale: LengthScale, rows: Any, weight: np.ndarray | None, metric: str) -> LengthScale:
    """Turn the words "median" and "std" into numbers; leave numbers alone.

    "median" is the median distance between rows, in the kernel's own metric. "std" is one length scale per column:
    the column's standard deviation times the median distance of the standardised rows. A row of weight 2 counts as
    two equal rows, a row of weight 0 as none.
    """
    if not isinstance(length_scale, str):
        return length_scale
    rows, weight = counted_rows(rows, weight)
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
    raise ValueError(f"length_scale must be a number, one per column, 'median' or 'std', not {length_scale!r}.")


def robust_scales(rows: Any, weight: np.ndarray | None = None, metric: str = "euclidean") -> np.ndarray:
    """The "std" rule for unprepared data: constant columns get an infinite length scale, so they do not count."""
    rows, weight = counted_rows(rows, weight)
    spread = column_spread(rows, weight)
    kept = np.flatnonzero(spread > 0)
    scales = np.full(spread.shape, np.inf)
    if kept.size:
        scales[kept] = spread[kept] * median_distance(_divided(rows[:, kept], spread[kept]), weight, metric)
    return scales


def counted_rows(rows: Any, weight: np.ndarray | None) -> tuple[Any, np.ndarray]:
    """The rows whose weight is not zero, and their weights."""
    if weight is None:
        return rows, np.ones(rows.shape[0])
    kept = np.flatnonzero(weight)
    return rows[kept], weight[kept]


def column_spread(rows: Any, weight: np.ndarray) -> np.ndarray:
    """Standard deviation of each column; exactly 0 for a constant column, whatever the rounding of its mean."""
    share = weight / weight.sum()
    if sp.issparse(rows):
        rows = rows.tocsc()
        lowest, highest = rows.min(axis=0).toarray().ravel(), rows.max(axis=0).toarray().ravel()
        mean = rows.T @ share
        centred = rows.copy()
        centred.data = np.square(rows.data - np.repeat(mean, np.diff(rows.indptr)))
        present = sp.csc_matrix((np.ones_like(rows.data), rows.indices, rows.indptr), shape=rows.shape)
        variance = centred.T @ share + mean**2 * np.maximum(1.0 - present.T @ share, 0.0)
    else:
        lowest, highest = rows.min(axis=0), rows.max(axis=0)
        mean = share @ rows
        variance = share @ np.square(rows - mean)
    return np.where(lowest == highest, 0.0, np.sqrt(variance))


def median_distance(rows: Any, weight: np.ndarray, metric: str) -> float:
    """Median distance between different rows of an evenly spaced subsample."""
    step = max(1, -(-rows.shape[0] // MEDIAN_ROWS))
    some, counts = rows[::step], weight[::step]
    if sp.issparse(some) and metric != "euclidean":
        some = some.toarray()
    distances = pairwise_distances(some, metric=metric)
    above = np.triu_indices_from(distances, k=1)
    apart, pairs = distances[above], np.outer(counts, counts)[above]
    different = apart > 0
    if not different.any():
        raise ValueError("The length scale cannot be found: all rows are equal; give length_scale as a number.")
    apart, pairs = apart[different], pairs[different]
    order = np.argsort(apart, kind="stable")
    reached = np.cumsum(pairs[order])
    return float(apart[order][np.searchsorted(reached, 0.5 * reached[-1])])


def _divided(rows: Any, scales: np.ndarray) -> Any:
    return rows @ sp.diags(1.0 / scales) if sp.issparse(rows) else np.asarray(rows, dtype=np.float64) / scales

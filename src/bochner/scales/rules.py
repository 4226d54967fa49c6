"""Length scales and metrics that need no targets: by the spread of columns, in given units, principal directions."""

from __future__ import annotations

import numpy as np

from ..kernels import ScaledKernel
from ..kernels.length_words import median_distance, robust_scales

Array = np.ndarray

SOME_ROWS, PRINCIPAL_ROWS = 2000, 5000
EXPLAINED, MOST_DIRECTIONS = 0.9, 96  # part of the variance that principal directions keep, and how many at most


def evenly(X: Array, most: int) -> Array:
    """Evenly spaced rows, about as many as ``most``."""
    return X[:: max(1, len(X) // most)]


def by_spread(kernel: ScaledKernel, X: Array) -> Array:
    """A length scale for each column in proportion to its spread, so that rows are a typical distance of 1 apart."""
    return robust_scales(evenly(X, SOME_ROWS), None, kernel.distance)


def in_units(kernel: ScaledKernel, X: Array, units: Array) -> Array:
    """One length scale for all columns in their own units: columns come divided by these."""
    rows = evenly(X, SOME_ROWS) * units
    return median_distance(rows, np.ones(len(rows)), kernel.distance) / units


def in_median_units(matrix: Array, X: Array) -> Array:
    """The matrix divided by the median distance of the rows that it gives."""
    return matrix / median_distance(X @ matrix.T, np.ones(len(X)), "euclidean")


def principal_directions(X: Array, units: Array) -> Array:
    """The directions in which rows, in these units, differ most, as a matrix in units of the median distance."""
    rows = evenly(X, PRINCIPAL_ROWS).astype(np.float64) * units
    values, vectors = np.linalg.eigh(np.cov(rows, rowvar=False))
    order = np.argsort(values)[::-1]
    shares = np.cumsum(values[order]) / max(float(values.sum()), np.finfo(float).tiny)
    count = min(MOST_DIRECTIONS, int(np.searchsorted(shares, EXPLAINED)) + 1)
    matrix = vectors[:, order[:count]].T * units
    return in_median_units(matrix, rows / units)

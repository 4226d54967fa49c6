"""Second moments of the random projections that product kernels are made of."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Array, one_of

PROJECTIONS = ("rademacher", "gaussian", "complex")


def paired_rows(x: Any, y: Any) -> tuple[Array, Array]:
    """Two tables of paired rows, shape (n, dim) each."""
    x, y = (np.atleast_2d(np.asarray(rows, dtype=np.float64)) for rows in (x, y))
    if x.shape != y.shape:
        raise ValueError(f"x has shape {x.shape} and y has shape {y.shape}: give as many rows and columns of each.")
    return x, y


def inner_products(x: Any, y: Any) -> Array:
    """T = <x, y> of paired rows."""
    x, y = paired_rows(x, y)
    return np.sum(x * y, axis=1)


def projection_moments(x: Any, y: Any, projection: str = "rademacher") -> tuple[Array, Array]:
    """(m, m_P): the second moment E|w'x w'y|² of one projection and, for complex ones, the pseudo-moment E (.)².

    With t = <x, y>, q = sum_i x_i²y_i²: Rademacher m = ||x||²||y||² + 2t² - 2q; Gaussian the same without the last
    term; complex signs {1, -1, i, -i}: m = ||x||²||y||² + t² - q and m_P = 2t² - q. Real ones have m_P = m.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.projection_moments([0.5, -0.3, 0.4], [0.2, 0.1, 0.6])[0].round(4)
    array([0.2602])
    """
    x, y = paired_rows(x, y)
    norms = np.sum(x * x, axis=1) * np.sum(y * y, axis=1)
    t = np.sum(x * y, axis=1)
    repeats = np.sum((x * y) ** 2, axis=1)
    one_of(projection, PROJECTIONS, "projection")
    if projection == "complex":
        return norms + t * t - repeats, 2.0 * t * t - repeats
    moment = norms + 2.0 * t * t - (2.0 * repeats if projection == "rademacher" else 0.0)
    return moment, moment

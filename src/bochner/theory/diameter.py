"""The diameter of data, found only when asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from .checks import points


def diameter(M: Any, *, order: float = 2.0) -> float:
    """The largest distance between two rows of M, exactly: max ||x - y||.

    Time grows as the square of the number of rows; ``enclosing_diameter`` is a bound in one pass.

    Parameters
    ----------
    M : array of shape (n_rows, n_columns)
    order : float >= 1, default=2.0
        Of the distance (sum_j |x_j - y_j|^order)^(1/order): 1 city block, 2 Euclidean, inf the largest column.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> round(bo.theory.diameter([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(0.75)]]), 12)
    1.0
    """
    M = points(M, "M")
    return float(max(cdist(part, M, "minkowski", p=order).max() for part in _chunks(M, 256)))


def enclosing_diameter(X: Any) -> float:
    """Diameter of a ball around the middle of the rows' bounding box that contains every row.

    What uniform bounds mean by the diameter of the set; at most sqrt(d) times the largest distance between rows, and
    never below it. New rows may lie outside.

    Parameters
    ----------
    X : array or sparse matrix of shape (n_rows, n_columns)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.enclosing_diameter([[0.0, 0.0], [3.0, 4.0], [1.0, 1.0]])
    5.0
    """
    if sp.issparse(X):
        X = X.tocsr()
        middle = 0.5 * (X.max(axis=0).toarray().ravel() + X.min(axis=0).toarray().ravel())
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2.0 * (X @ middle) + middle @ middle
        return float(2.0 * np.sqrt(np.maximum(squares, 0.0).max()))
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or X.shape[0] < 2 or not np.isfinite(X).all():
        raise ValueError("The diameter needs a table of at least two rows of finite numbers.")
    middle = 0.5 * (X.max(axis=0) + X.min(axis=0))
    return float(2.0 * np.sqrt(max(np.sum((part - middle) ** 2, axis=1).max() for part in _chunks(X))))


def _chunks(X: np.ndarray, rows: int = 16384) -> list[np.ndarray]:
    return [X[start : start + rows] for start in range(0, len(X), rows)]

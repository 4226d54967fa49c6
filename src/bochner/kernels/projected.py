"""Any kernel of linearly transformed rows: a metric of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Array, Kernel
from .changed_rows import ChangedRows


class Projected(ChangedRows):
    """k(x, y) = kernel(A x, A y): for a radial kernel a profile of sqrt((x - y)'M(x - y)) with the metric M = A'A.

    Length scales stretch columns; a matrix also turns them, so that directions across columns can matter more than any
    column does. Features of k at x are those of the kernel at A x, whatever the map.

    Parameters
    ----------
    kernel : Kernel
    matrix : array of shape (n_directions, n_columns)
        A. ``bo.learn_metric`` finds one from data.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Projected(bo.Gaussian(), [[1.0, 1.0]])  # sees the sum of two columns only
    >>> kernel([[0.0, 0.0]], [[1.0, -1.0], [1.0, 0.0]]).round(4)
    array([[1.    , 0.6065]])
    """

    def __init__(self, kernel: Kernel, matrix: Any) -> None:
        self.kernel = kernel
        self.matrix = matrix

    def change(self, X: Any) -> Array:
        """A x for every row."""
        matrix = self._checked_matrix()
        X = X if sp.issparse(X) else np.asarray(X)
        if X.ndim != 2 or X.shape[1] != matrix.shape[1]:
            raise ValueError(f"matrix has {matrix.shape[1]} columns but the data have shape {X.shape}: give one each.")
        return np.asarray(X @ matrix.T)

    def _checked_matrix(self) -> Array:
        try:
            matrix = np.asarray(self.matrix, dtype=np.float64)
        except (TypeError, ValueError):
            matrix = np.empty(0)
        if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
            raise ValueError("matrix must be a table of finite numbers, a row for each direction.")
        return matrix

    def around(self, kernel: Kernel) -> Projected:
        return Projected(kernel, self.matrix)

    def resolve(self, rows: Any, weight: Array | None = None) -> Projected:
        return self.around(self.kernel.resolve(self.change(rows), weight))

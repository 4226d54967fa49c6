"""Any kernel of linearly transformed rows: a metric of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Array, Kernel, Term


class Projected(Kernel):
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

    def project(self, X: Any) -> Array:
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

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.kernel(self.project(X), None if Y is None else self.project(Y))

    def single(self, X: Any, Y: Any) -> Array:
        return self.kernel.single(self.project(X), self.project(Y))

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.kernel.rowwise(self.project(X), self.project(Y))

    def diagonal(self, X: Any) -> Array:
        return self.kernel.diagonal(self.project(X))

    def resolve(self, rows: Any, weight: Array | None = None) -> Projected:
        return Projected(self.kernel.resolve(self.project(rows), weight), self.matrix)

    def terms(self) -> list[Term]:
        return [(weight, Projected(term, self.matrix)) for weight, term in self.kernel.terms()]


def unprojected(kernel: Kernel) -> Kernel:
    """The kernel behind all projections."""
    return unprojected(kernel.kernel) if isinstance(kernel, Projected) else kernel


def behind(kernel: Kernel, X: Any) -> tuple[Any, Any]:
    """The kernel behind all projections, and the rows as it sees them."""
    return behind(kernel.kernel, kernel.project(X)) if isinstance(kernel, Projected) else (kernel, X)

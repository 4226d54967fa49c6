"""Features of linearly transformed rows: those of ``Projected(kernel, A)`` at x are those of the kernel at A x."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from .binned import ONE_MATRIX
from .design import Array, Design
from .features import DenseFeatures, Features


class ProjectedFeatures(DenseFeatures):
    """z(x) = inner(A x) for features that fill an array."""

    def __init__(self, matrix: Array, inner: DenseFeatures) -> None:
        self.matrix = np.ascontiguousarray(matrix, dtype=inner.dtype)
        self.inner = inner
        self.n_features_in = matrix.shape[1]
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def write(self, X: Any, out: Array) -> None:
        self.inner.write(projected(X, self.matrix), out)

    def scores(self, X: Any, coefficients: Array) -> Array:
        return self.inner.scores(projected(X, self.matrix), coefficients)

    def folded(self, coefficients: Array) -> tuple[Features, Array]:
        inner, folded = self.inner.folded(coefficients)
        if inner is self.inner or not isinstance(inner, DenseFeatures):
            return self, coefficients
        return ProjectedFeatures(self.matrix, inner), folded


class ProjectedCodes(Features):
    """The same for features in a form of their own, such as codes of bins."""

    def __init__(self, matrix: Array, inner: Features) -> None:
        self.matrix = np.ascontiguousarray(matrix, dtype=inner.dtype)
        self.inner = inner
        self.n_features_in = matrix.shape[1]
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def __call__(self, X: Any) -> Any:
        return self.inner(projected(X, self.matrix))

    def design(self, X: Any) -> Design:
        return self.inner.design(projected(X, self.matrix))

    @property
    def row_bytes(self) -> int:
        return self.inner.row_bytes

    def block_rows(self, memory: int) -> int:
        return self.inner.block_rows(memory)

    def on_threads(self, threads: int) -> ProjectedCodes:
        return ProjectedCodes(self.matrix, self.inner.on_threads(threads))

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> Features:
        """The terms of a projected sum share their matrix, and their codes are read from the same rows."""
        if not all(isinstance(part, ProjectedCodes) and np.array_equal(part.matrix, self.matrix) for part in parts):
            raise ValueError(ONE_MATRIX)
        return ProjectedCodes(self.matrix, self.inner.joined(weights, [part.inner for part in parts]))


def projected(X: Any, matrix: Array) -> Array:
    """A x for every row, in the precision of A."""
    return np.ascontiguousarray(X @ matrix.T, dtype=matrix.dtype)


def through(matrix: Any, inner: Features) -> Features:
    """The features of rows that go through a matrix first."""
    matrix = np.asarray(matrix)
    return ProjectedFeatures(matrix, inner) if isinstance(inner, DenseFeatures) else ProjectedCodes(matrix, inner)

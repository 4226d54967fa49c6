"""Features of changed rows: where a kernel sees rows through a function c, its features at x are those at c(x)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import singledispatch
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..compute.tails import soft_tails
from ..kernels import Kernel, Projected, SoftTails
from ..kernels.changed_rows import ChangedRows
from .binned import ONE_MATRIX
from .design import Array, Design
from .features import DenseFeatures, Features


class Change(ABC):
    """How rows are changed before features are made of them."""

    inner: Any

    @abstractmethod
    def changed(self, X: Any) -> Array:
        """c(x) for every row, in the precision that the inner features want."""

    @abstractmethod
    def around(self, inner: Any) -> Self:
        """Other features of rows that are changed in the same way."""


class ChangedFeatures(Change, DenseFeatures):
    """z(x) = inner(c(x)) for features that fill an array."""

    inner: DenseFeatures

    @property
    def output_dtype(self) -> np.dtype:
        return self.inner.output_dtype

    @property
    def row_dtype(self) -> np.dtype:
        return self.inner.row_dtype

    def write(self, X: Any, out: Array) -> None:
        self.inner.write(self.changed(X), out)

    def scores(self, X: Any, coefficients: Array) -> Array:
        return self.inner.scores(self.changed(X), coefficients)

    def folded(self, coefficients: Array) -> tuple[Features, Array]:
        inner, folded = self.inner.folded(coefficients)
        if inner is self.inner or not isinstance(inner, DenseFeatures):
            return self, coefficients
        return self.around(inner), folded

    def unwhitened(self) -> tuple[Features, Array | None]:
        inner, matrix = self.inner.unwhitened()
        return (self, None) if matrix is None else (self.around(inner), matrix)


class ChangedCodes(Change, Features):
    """The same for features in a form of their own, such as codes of bins."""

    inner: Features

    def __call__(self, X: Any) -> Any:
        return self.inner(self.changed(X))

    def design(self, X: Any) -> Design:
        return self.inner.design(self.changed(X))

    @property
    def row_bytes(self) -> int:
        return self.inner.row_bytes

    def block_rows(self, memory: int) -> int:
        return self.inner.block_rows(memory)

    def on_threads(self, threads: int) -> Self:
        return self.around(self.inner.on_threads(threads))

    @abstractmethod
    def alike(self, other: Any) -> bool:
        """Whether other features change rows in the same way."""

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> Features:
        """The terms of a sum behind one change share it, and their codes are read from the same rows."""
        if not all(self.alike(part) for part in parts):
            raise ValueError(ONE_MATRIX)
        return self.around(self.inner.joined(weights, [part.inner for part in parts]))


class Matrix(Change):
    """c(x) = A x."""

    def __init__(self, matrix: Array, inner: Any) -> None:
        self.matrix = np.ascontiguousarray(matrix, dtype=inner.row_dtype)
        self.inner = inner
        self.n_features_in = matrix.shape[1]
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def changed(self, X: Any) -> Array:
        return np.ascontiguousarray(X @ self.matrix.T, dtype=self.inner.row_dtype)

    def around(self, inner: Any) -> Self:
        return type(self)(self.matrix, inner)


class Tails(Change):
    """c(x)_j = 2 asinh((x_j - centre_j) / (2 spread_j)), made in double precision whatever the rows are."""

    def __init__(self, centre: Array, spread: Array, inner: Any) -> None:
        self.centre = np.asarray(centre, dtype=np.float64)
        self.spread = np.asarray(spread, dtype=np.float64)
        self.inner = inner
        self.n_features_in = len(self.centre)
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def changed(self, X: Any) -> Array:
        rows = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        return np.ascontiguousarray(soft_tails(rows, self.centre, self.spread), dtype=self.inner.row_dtype)

    def around(self, inner: Any) -> Self:
        return type(self)(self.centre, self.spread, inner)


class ProjectedFeatures(Matrix, ChangedFeatures):
    """z(x) = inner(A x) for features that fill an array."""


class ProjectedCodes(Matrix, ChangedCodes):
    """z(x) = inner(A x) for features in a form of their own."""

    def alike(self, other: Any) -> bool:
        return isinstance(other, ProjectedCodes) and np.array_equal(other.matrix, self.matrix)


class TailedFeatures(Tails, ChangedFeatures):
    """z(x) = inner(c(x)) for features that fill an array."""


class TailedCodes(Tails, ChangedCodes):
    """z(x) = inner(c(x)) for features in a form of their own."""

    def alike(self, other: Any) -> bool:
        same = isinstance(other, TailedCodes) and np.array_equal(other.centre, self.centre)
        return same and np.array_equal(other.spread, self.spread)


def through_all(kernel: Kernel, inner: DenseFeatures) -> Any:
    """The features of rows that go through all changes of a kernel first."""
    return through(kernel, through_all(kernel.kernel, inner)) if isinstance(kernel, ChangedRows) else inner


def behind_changes(features: Any) -> Any:
    """The features behind all changes of rows."""
    return behind_changes(features.inner) if isinstance(features, Change) else features


def changed_rows(features: Any, X: Array) -> Array:
    """Rows as the features behind all changes see them."""
    return changed_rows(features.inner, features.changed(X)) if isinstance(features, Change) else X


@singledispatch
def through(kernel: Any, inner: Features) -> Features:  # noqa: ARG001
    """The features of rows that a kernel changes first."""
    raise TypeError(f"{type(kernel).__name__} does not say how it changes rows.")


@through.register
def _(kernel: Projected, inner: Features) -> Features:
    matrix = np.asarray(kernel.matrix)
    return ProjectedFeatures(matrix, inner) if isinstance(inner, DenseFeatures) else ProjectedCodes(matrix, inner)


@through.register
def _(kernel: SoftTails, inner: Features) -> Features:
    columns = kernel.checked_columns()
    return TailedFeatures(*columns, inner) if isinstance(inner, DenseFeatures) else TailedCodes(*columns, inner)

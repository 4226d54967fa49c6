"""Features of changed rows: where a kernel sees rows through a function c, its features at x are those at c(x)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from ..kernels import Columns, Kernel, Scaling
from ..kernels.changed_rows import Change
from .binned import ONE_CHANGE
from .design import Array, Design
from .features import DenseFeatures, Features
from .layout import Layout


class Changed(Features):
    """z(x) = inner(c(x)): rows are changed in the precision that the inner features want."""

    change: Change
    inner: Any

    def __init__(self, change: Change, inner: Any) -> None:
        self.change = change
        self.inner = inner
        self.n_features_in = change.n_columns
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def changed(self, X: Any) -> Any:
        """c(x) for every row."""
        return self.change(X, self.inner.row_dtype)

    def around(self, inner: Any) -> Self:
        """Other features of rows that are changed in the same way."""
        return type(self)(self.change, inner)

    def layout(self, sparse_rows: bool = False) -> Layout:
        return self.inner.layout(sparse_rows and self.change.keeps_sparse)


class ChangedFeatures(Changed, DenseFeatures):
    """The features of changed rows that fill an array."""

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


class ChangedCodes(Changed):
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

    def joined(self, weights: Sequence[float], parts: Sequence[Any]) -> Features:
        """The terms of a sum behind one change share it, and their codes are read from the same rows."""
        if not all(isinstance(part, ChangedCodes) and same_change(part.change, self.change) for part in parts):
            raise ValueError(ONE_CHANGE)
        return self.around(self.inner.joined(weights, [part.inner for part in parts]))


def same_change(one: Change, other: Change) -> bool:
    """Whether two functions of rows are the same, origins included."""
    mine, others = vars(one), vars(other)
    return type(one) is type(other) and all(np.array_equal(value, others[name]) for name, value in mine.items())


def behind(change: Change, inner: Features) -> Features:
    """The features at c(x) of features at x."""
    return ChangedFeatures(change, inner) if isinstance(inner, DenseFeatures) else ChangedCodes(change, inner)


def behind_all(changes: Sequence[Change], inner: Any) -> Any:
    """The features of rows that go through all of these changes, the first one first."""
    for change in reversed(changes):
        inner = behind(change, inner)
    return inner


def peeled(kernel: Kernel, rows: Any, keep_columns: bool = False) -> tuple[list[Change], Kernel, Any]:
    """The functions of rows that a kernel begins with, the kernel behind them, and the rows as it sees them.

    The last one is a scaling, with its origin in the middle of the rows. Where ``keep_columns`` says so, length scales
    of columns stay with the kernel.
    """
    changes: list[Change] = []
    while (parts := kernel.split(rows.shape[1])) is not None:
        change, inner = parts
        if keep_columns and isinstance(change, Columns):
            break
        change = change.around(rows)
        changes.append(change)
        kernel, rows = inner, change(rows)
        if isinstance(change, Scaling):
            break
    return changes, kernel, rows


def behind_changes(features: Any) -> Any:
    """The features behind all changes of rows."""
    return behind_changes(features.inner) if isinstance(features, Changed) else features


def changed_rows(features: Any, X: Any) -> Any:
    """Rows as the features behind all changes see them."""
    return changed_rows(features.inner, features.changed(X)) if isinstance(features, Changed) else X

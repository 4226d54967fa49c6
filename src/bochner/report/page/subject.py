"""What a page is about: a fitted model and rows that it has not seen, column by column."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import is_classifier

from ...tables import as_table, is_table
from ...tables.table import CategoryColumn, Column, DataTable, NumberColumn

Array = np.ndarray

MOST_ROWS = 20_000  # a page is made in seconds


@dataclass(frozen=True)
class Subject:
    """A model, new rows as columns, their targets, and what the model says of them.

    Attributes
    ----------
    model : fitted
    rows : the columns that the model takes, in its order
    y : targets
    predicted : labels or numbers
    probabilities : of each class, or None
    """

    model: Any
    rows: DataTable
    y: Array
    predicted: Array
    probabilities: Array | None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any, random_state: int) -> Subject:
        """At most 20,000 rows, drawn at random."""
        rows, y = _columns(model, X), _plain(y)
        if rows.n_rows != len(y):
            raise ValueError(f"X has {rows.n_rows} rows but y has {len(y)}: they must be of the same rows.")
        if rows.n_rows < 10:
            raise ValueError(f"X has {rows.n_rows} rows: a page needs at least 10 rows that the model has not seen.")
        if y.ndim != 1:
            raise ValueError("y has several columns: make a page for each target.")
        if rows.n_rows > MOST_ROWS:
            chosen = np.sort(np.random.default_rng(random_state).permutation(rows.n_rows)[:MOST_ROWS])
            rows, y = rows[chosen], y[chosen]
        predicted = said(model, rows)
        probable = hasattr(model, "predict_proba")  # which may depend on a parameter of the model
        return cls(model, rows, y, predicted, said(model, rows, "predict_proba") if probable else None)

    @property
    def classifies(self) -> bool:
        """Whether the model tells labels."""
        return bool(is_classifier(self.model))

    def losses(self, rows: DataTable, at: Array) -> Array:
        """Of other columns for the rows ``at``: the squared errors, or 1 where the label is wrong."""
        y, predicted = self.y[at], said(self.model, rows)
        return (predicted != y).astype(float) if self.classifies else (predicted - y) ** 2


def said(model: Any, rows: DataTable, method: str = "predict") -> Array:
    """What a model says of rows, in the form that it was fitted on."""
    encoder = getattr(model, "encoder_", None)
    X: Any = rows if encoder is not None else np.column_stack([column.plain() for column in rows.columns])
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "X does not have valid feature names")
        return np.asarray(getattr(model, method)(X))


def replaced(rows: DataTable, name: str, column: Column) -> DataTable:
    """The rows with another column in the place of one."""
    columns = tuple(column if one == name else old for one, old in zip(rows.names, rows.columns))
    return DataTable(rows.names, columns, rows.n_rows)


def constant(column: Column, value: Any, n_rows: int) -> Column:
    """A column of one value: a number, or the place of a label."""
    if isinstance(column, CategoryColumn):
        return CategoryColumn(np.full(n_rows, value), column.labels)
    return NumberColumn(np.full(n_rows, value, dtype=float))


def _columns(model: Any, X: Any) -> DataTable:
    encoder = getattr(model, "encoder_", None)
    names: Sequence[str] | None = getattr(model, "feature_names_in_", None)
    if encoder is not None:
        names = [code.name for code in encoder.codes_]
    rows = as_table(X, None if names is None else list(names)) if not is_table(X) else as_table(X)
    return rows if names is None else rows.select(tuple(names))


def _plain(y: Any) -> Array:
    values = np.asarray(y)
    return values.ravel() if values.ndim == 2 and values.shape[1] == 1 else values

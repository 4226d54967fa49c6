"""A table of numbers and categories: the one form that tables of every kind are brought to."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Array = np.ndarray
Label = str | int | float | bool


class Column(ABC):
    """One column, missing values marked."""

    @abstractmethod
    def __len__(self) -> int:
        """Number of rows."""

    @abstractmethod
    def __getitem__(self, rows: Any) -> Column:
        """Some rows: a slice or an array of positions."""

    @abstractmethod
    def plain(self) -> Array:
        """The values as scikit-learn knows them: numbers, or labels."""

    @abstractmethod
    def n_missing(self) -> int:
        """Number of missing values."""

    @abstractmethod
    def as_numbers(self) -> Array | None:
        """The values as numbers, missing ones as NaN; None where there are labels."""

    @abstractmethod
    def as_categories(self) -> CategoryColumn:
        """The same column with its values as labels."""


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers; NaN is missing."""

    values: Array

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> NumberColumn:
        return NumberColumn(self.values[rows])

    def plain(self) -> Array:
        return self.values

    def n_missing(self) -> int:
        return int(np.isnan(self.values).sum()) if self.values.dtype.kind == "f" else 0

    def as_numbers(self) -> Array:
        return self.values

    def as_categories(self) -> CategoryColumn:
        labels, codes = np.unique(self.values, return_inverse=True)
        if labels.dtype.kind == "f" and len(labels) and np.isnan(labels[-1]):
            labels = labels[:-1]
            codes = np.where(codes == len(labels), -1, codes)
        return CategoryColumn(codes, tuple(labels.tolist()))


@dataclass(frozen=True)
class CategoryColumn(Column):
    """Positions in a tuple of labels; -1 is missing. Without labels nothing is known of it: it may hold numbers."""

    codes: Array
    labels: tuple[Label, ...]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> CategoryColumn:
        return CategoryColumn(self.codes[rows], self.labels)

    def plain(self) -> Array:
        if not self.labels:
            return np.empty(len(self.codes), dtype=object)
        return np.asarray(self.labels)[self.codes]

    def n_missing(self) -> int:
        return int((self.codes < 0).sum())

    def as_numbers(self) -> Array | None:
        return None if self.labels else np.full(len(self.codes), np.nan)

    def as_categories(self) -> CategoryColumn:
        return self


@dataclass(frozen=True)
class DataTable:
    """Columns by name, in order."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.names)

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows: Any) -> DataTable:
        taken = tuple(column[rows] for column in self.columns)
        return DataTable(self.names, taken, len(np.empty(self.n_rows, dtype=np.int8)[rows]))

    def column(self, name: str) -> Column:
        """The column of this name, or one clear sentence."""
        return self.select([name]).columns[0]

    def select(self, names: Sequence[str]) -> DataTable:
        """Columns by name."""
        places = {name: place for place, name in reversed(list(enumerate(self.names)))}  # many names, one walk
        for name in names:
            if name not in places:
                raise ValueError(f"The column {name!r} is missing: the table has {listed(self.names)}.")
        return DataTable(tuple(names), tuple(self.columns[places[name]] for name in names), self.n_rows)


def concatenated_tables(tables: Sequence[DataTable]) -> DataTable:
    """Rows of several tables with the same columns, one after the other."""
    if len(tables) == 1:
        return tables[0]
    columns = [_concatenated([table.columns[i] for table in tables]) for i in range(len(tables[0].names))]
    return DataTable(tables[0].names, tuple(columns), sum(table.n_rows for table in tables))


def _concatenated(columns: Sequence[Column]) -> Column:
    numbers = [values for column in columns if (values := column.as_numbers()) is not None]
    if len(numbers) == len(columns) and not all(isinstance(column, CategoryColumn) for column in columns):
        return NumberColumn(np.concatenate(numbers))
    known: dict[Label, int] = {}
    codes = []
    for category in (column.as_categories() for column in columns):
        positions = [known.setdefault(label, len(known)) for label in category.labels]
        codes.append(np.array([*positions, -1])[category.codes])
    return CategoryColumn(np.concatenate(codes), tuple(known))


def listed(names: Sequence[str]) -> str:
    """Some names, for messages."""
    shown = ", ".join(names[:10])
    return shown if len(names) <= 10 else f"{shown}, ... ({len(names)} columns)"

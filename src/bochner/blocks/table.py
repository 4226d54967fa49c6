"""A table of numbers and categories: the one form that DataFrames, Arrow tables and object arrays are brought to."""

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
    def __getitem__(self, rows: Any) -> Column:
        """Some rows: a slice or an array of positions."""

    @abstractmethod
    def plain(self) -> Array:
        """The values as scikit-learn knows them: numbers, or labels."""

    @abstractmethod
    def n_missing(self) -> int:
        """Number of missing values."""


@dataclass(frozen=True)
class NumberColumn(Column):
    """Numbers; NaN is missing."""

    values: Array

    def __getitem__(self, rows: Any) -> NumberColumn:
        return NumberColumn(self.values[rows])

    def plain(self) -> Array:
        return self.values

    def n_missing(self) -> int:
        return int(np.isnan(self.values).sum()) if self.values.dtype.kind == "f" else 0

    def as_categories(self) -> CategoryColumn:
        """The same column with its numbers as labels."""
        labels, codes = np.unique(self.values, return_inverse=True)
        if labels.dtype.kind == "f" and len(labels) and np.isnan(labels[-1]):
            labels = labels[:-1]
            codes = np.where(codes == len(labels), -1, codes)
        return CategoryColumn(codes, tuple(labels.tolist()))


@dataclass(frozen=True)
class CategoryColumn(Column):
    """Positions in a tuple of labels; -1 is missing."""

    codes: Array
    labels: tuple[Label, ...]

    def __getitem__(self, rows: Any) -> CategoryColumn:
        return CategoryColumn(self.codes[rows], self.labels)

    def plain(self) -> Array:
        if not self.labels:
            return np.empty(len(self.codes), dtype=object)
        return np.asarray(self.labels)[self.codes]

    def n_missing(self) -> int:
        return int((self.codes < 0).sum())


@dataclass(frozen=True)
class Table:
    """Columns by name, in order."""

    names: tuple[str, ...]
    columns: tuple[Column, ...]
    n_rows: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.n_rows, len(self.names)

    def __getitem__(self, rows: Any) -> Table:
        taken = tuple(column[rows] for column in self.columns)
        return Table(self.names, taken, len(np.empty(self.n_rows, dtype=np.int8)[rows]))

    def column(self, name: str) -> Column:
        """The column of this name, or one clear sentence."""
        return self.select([name]).columns[0]

    def select(self, names: Sequence[str]) -> Table:
        """Columns by name."""
        places = {name: place for place, name in reversed(list(enumerate(self.names)))}  # many names, one walk
        for name in names:
            if name not in places:
                raise ValueError(f"The column {name!r} is missing: the table has {_listed(self.names)}.")
        return Table(tuple(names), tuple(self.columns[places[name]] for name in names), self.n_rows)


def concatenated_tables(tables: Sequence[Table]) -> Table:
    """Rows of several tables with the same columns, one after the other."""
    if len(tables) == 1:
        return tables[0]
    columns = [_concatenated([table.columns[i] for table in tables]) for i in range(len(tables[0].names))]
    return Table(tables[0].names, tuple(columns), sum(table.n_rows for table in tables))


def _concatenated(columns: Sequence[Column]) -> Column:
    if all(isinstance(column, NumberColumn) for column in columns):
        return NumberColumn(np.concatenate([column.plain() for column in columns]))
    known: dict[Label, int] = {}
    codes = []
    for column in columns:
        category = column.as_categories() if isinstance(column, NumberColumn) else column
        assert isinstance(category, CategoryColumn)
        positions = [known.setdefault(label, len(known)) for label in category.labels]
        codes.append(np.array([*positions, -1])[category.codes])
    return CategoryColumn(np.concatenate(codes), tuple(known))


def as_table(X: Any, names: Sequence[str] | None = None) -> Table:
    """A Table from a pandas or polars DataFrame, an Arrow table or batch, a dict of columns or an array.

    Arrays have no names: theirs are ``names``, or x0, x1, ...
    """
    if isinstance(X, Table):
        return X
    package = type(X).__module__.split(".")[0]
    if package == "pandas":
        return _from_columns({str(name): pandas_column(X.iloc[:, i]) for i, name in enumerate(X.columns)}, len(X))
    if package == "polars":
        return _from_columns({name: polars_column(X[name]) for name in X.columns}, X.height)
    if package == "pyarrow":
        from .arrow import table_from_arrow

        return table_from_arrow(X)
    if isinstance(X, dict):
        columns = {str(name): array_column(np.asarray(values)) for name, values in X.items()}
        return _from_columns(columns, len(next(iter(X.values()))))
    array = np.asarray(X)
    if array.dtype.kind == "c":
        raise ValueError("Complex data not supported: give the real and the imaginary part as columns.")
    if array.ndim != 2:
        raise ValueError(
            f"Expected a table with rows and columns, but this has {array.ndim} dimension(s): Reshape your data."
        )
    if names is not None and len(names) != array.shape[1]:
        raise ValueError(
            f"X has {array.shape[1]} features, but TableEncoder is expecting {len(names)} features as input."
        )
    names = [f"x{i}" for i in range(array.shape[1])] if names is None else names
    return _from_columns({name: array_column(array[:, i]) for i, name in enumerate(names)}, len(array))


def _from_columns(columns: dict[str, Column], n_rows: int) -> Table:
    return Table(tuple(columns), tuple(columns.values()), n_rows)


def array_column(values: Array) -> Column:
    """A column from an array: numbers, times (seconds since 1970), or categories from strings and objects."""
    if values.dtype.kind in "biuf":
        return NumberColumn(values)
    if values.dtype.kind == "M":
        seconds = values.astype("datetime64[ms]").astype(np.float64) / 1e3
        return NumberColumn(np.where(np.isnat(values), np.nan, seconds))
    if values.dtype.kind == "m":
        seconds = values.astype("timedelta64[ms]").astype(np.float64) / 1e3
        return NumberColumn(np.where(np.isnat(values), np.nan, seconds))
    return object_column(values.tolist())


def object_column(values: Sequence[Any]) -> Column:
    """A column from Python values: numbers where all that is not missing is numbers, else categories."""
    known: dict[Any, int] = {}
    codes = np.fromiter((_code(value, known) for value in values), dtype=np.int64, count=len(values))
    if all(isinstance(label, int | float | np.number) for label in known):
        return NumberColumn(np.array([*(float(label) for label in known), np.nan])[codes])
    return CategoryColumn(codes, tuple(known))


def _code(value: Any, known: dict[Any, int]) -> int:
    if value is None or value != value:  # NaN, NaT and pandas.NaT differ from themselves
        return -1
    if not isinstance(value, str | int | float | np.number):
        raise TypeError(
            f"A table holds numbers and strings, not {type(value).__name__} (argument must be a string or a number)."
        )
    return known.setdefault(value, len(known))


def pandas_column(series: Any) -> Column:
    """A column of a pandas DataFrame."""
    kind = series.dtype.kind if isinstance(series.dtype, np.dtype) else series.dtype.name
    if kind == "category":
        return CategoryColumn(series.cat.codes.to_numpy().astype(np.int64), tuple(series.cat.categories.tolist()))
    if isinstance(series.dtype, np.dtype):
        return array_column(series.to_numpy()) if kind != "O" else object_column(series.tolist())
    if series.dtype.kind in "biuf":  # nullable numbers
        return NumberColumn(series.to_numpy(dtype=np.float64, na_value=np.nan))
    if series.dtype.kind == "M":
        return array_column(series.dt.tz_convert(None).to_numpy())
    codes, labels = series.factorize()
    return CategoryColumn(np.asarray(codes, dtype=np.int64), tuple(labels.tolist()))


def polars_column(series: Any) -> Column:
    """A column of a polars DataFrame."""
    if series.dtype.is_numeric() and not series.null_count():
        return NumberColumn(series.to_numpy())
    if series.dtype.is_numeric() or str(series.dtype) == "Boolean":
        return NumberColumn(np.array([np.nan if v is None else float(v) for v in series.to_list()]))
    if series.dtype.is_temporal():
        return array_column(series.to_numpy())
    return object_column(series.to_list())


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:10])
    return shown if len(names) <= 10 else f"{shown}, ... ({len(names)} columns)"

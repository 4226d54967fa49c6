"""Tables of every kind as columns of numbers and categories: DataFrames, Arrow tables, dicts of columns, arrays."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any, Protocol, runtime_checkable

import narwhals.stable.v2 as nw
import numpy as np

from .table import Array, CategoryColumn, Column, DataTable, NumberColumn

TEXT = (nw.String, nw.Categorical, nw.Enum)
DASK = {
    "Array": "X.map_blocks(model.predict, drop_axis=1, dtype=float)",
    "DataFrame": "X.map_partitions(model.predict)",
}


@runtime_checkable
class ArrowStream(Protocol):
    """What gives its rows by the Arrow protocol, such as a record batch or the answer of a database."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows."""


@runtime_checkable
class DaskCollection(Protocol):
    """What Dask will compute."""

    def __dask_graph__(self) -> Any:
        """How."""


def is_table(X: Any) -> bool:
    """Whether X has columns of its own: a DataFrame, eager or lazy, an Arrow table or batch, or a dict of columns."""
    seen = seen_by_narwhals(X)
    frames = nw.DataFrame | nw.LazyFrame | DataTable | Mapping
    return isinstance(seen, frames) or (isinstance(seen, ArrowStream) and not isinstance(seen, nw.Series))


def as_table(X: Any, names: Sequence[str] | None = None) -> DataTable:
    """A Table from a DataFrame of any library, eager or lazy, an Arrow table or batch, a dict of columns or an array.

    Of a lazy frame the columns of these names are computed, or all. Arrays have no names: theirs are ``names``, or x0,
    x1, ...
    """
    if isinstance(X, DataTable):
        return X
    refuse_dask(X, "X")
    if not is_table(X):
        return table_from_array(np.asarray(X), names)
    if isinstance(X, Mapping):
        return table_of({str(name): listed_column(str(name), values) for name, values in X.items()})
    frame = frame_of(X, names)
    if frame is None or frame.implementation.is_pyarrow():
        from .arrow import table_from_arrow

        return table_from_arrow(X if frame is None else frame.to_native())
    return DataTable(
        tuple(str(name) for name in frame.columns),
        tuple(frame_column(series) for series in frame.iter_columns()),
        len(frame),
    )


def frame_of(X: Any, names: Sequence[str] | None = None) -> nw.DataFrame[Any] | None:
    """X as narwhals sees it, these columns of a lazy one computed; None for what is no DataFrame."""
    frame = seen_by_narwhals(X)
    if isinstance(frame, nw.LazyFrame):
        found = frame.collect_schema().names()
        return frame.select(names if names is not None and set(names) <= set(found) else found).collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def seen_by_narwhals(X: Any) -> Any:
    """A DataFrame or a column of one by the interface of narwhals; anything else as it is."""
    try:
        return nw.from_native(X, pass_through=True, allow_series=True)
    except nw.exceptions.DuplicateError as error:
        raise ValueError(f"Two columns of the table have the same name: rename one ({error}).") from error


def plain_columns(X: Any) -> Iterator[Array]:
    """The columns of a table as numpy has them, before anything is made of them."""
    frame = frame_of(X)
    if frame is not None:
        return (series.to_numpy() for series in frame.iter_columns())
    return map(np.asarray, X.values()) if isinstance(X, Mapping) else iter(np.asarray(X).T)


def refuse_dask(X: Any, name: str) -> None:
    """Refuse rows that are with Dask, and say who takes them."""
    if isinstance(X, DaskCollection):
        predicts = DASK.get(type(X).__name__, DASK["DataFrame"])
        raise TypeError(
            f"{name} is a Dask {type(X).__name__}: fit(bo.DaskBlocks(...)) learns from it, {predicts} predicts, "
            f"{name}.compute() brings its rows into memory."
        )


def table_of(columns: dict[str, Column]) -> DataTable:
    """A Table of columns of the same length."""
    lengths = {name: len(column) for name, column in columns.items()}
    first, n_rows = next(iter(lengths.items()), ("", 0))
    for name, length in lengths.items():
        if length != n_rows:
            raise ValueError(f"The column {name!r} has {length} rows but {first!r} has {n_rows}: they must be equal.")
    return DataTable(tuple(columns), tuple(columns.values()), n_rows)


def table_from_array(array: Array, names: Sequence[str] | None) -> DataTable:
    """A Table from rows and columns in an array."""
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
    return DataTable(tuple(names), tuple(array_column(column) for column in array.T), len(array))


def frame_column(series: Any) -> Column:
    """A column of a DataFrame; numbers keep their type where none is missing."""
    kind = series.dtype
    if kind in TEXT:
        return text_column(series)
    return array_column((series.cast(nw.Float64) if kind == nw.Decimal else series).to_numpy())


def text_column(series: Any) -> CategoryColumn:
    """A column of a DataFrame that holds labels."""
    if series.implementation.is_pandas():  # which does this ten times faster
        found, labels = series.to_native().factorize()
        return CategoryColumn(found.astype(np.int64), tuple(labels.tolist()))
    known: dict[Any, int] = {}
    missing = series.is_null().to_numpy()
    codes = np.full(len(series), -1)
    codes[~missing] = [known.setdefault(label, len(known)) for label in series.drop_nulls().to_list()]
    return CategoryColumn(codes, tuple(known))


def listed_column(name: str, values: Any) -> Column:
    """A column of a dict: a list or an array."""
    try:
        array = np.asarray(values)
    except ValueError:  # lists of different lengths
        array = np.empty((0, 0))
    if array.ndim != 1:
        raise ValueError(f"The column {name!r} is not a list of numbers or strings: give each column as one.")
    return array_column(array)


def array_column(values: Array) -> Column:
    """A column from an array: numbers, times (seconds since 1970), or categories from strings and objects."""
    if values.dtype.kind in "biuf":
        return NumberColumn(values)
    if values.dtype.kind in "mM":
        unit = "datetime64[ms]" if values.dtype.kind == "M" else "timedelta64[ms]"
        seconds = values.astype(unit).astype(np.float64) / 1e3
        return NumberColumn(np.where(np.isnat(values), np.nan, seconds))
    return object_column(values.tolist())


def object_column(values: Sequence[Any]) -> Column:
    """A column from Python values: numbers where all that is not missing is numbers, else categories."""
    if values and all(value is None or isinstance(value, date) for value in values):
        return array_column(np.array(values, dtype="datetime64[ms]"))
    known: dict[Any, int] = {}
    codes = np.fromiter((_code(value, known) for value in values), dtype=np.int64, count=len(values))
    if not all(isinstance(label, int | float | np.number) for label in known):
        return CategoryColumn(codes, tuple(known))
    whole = np.array([*known])
    if whole.dtype.kind in "bi" and (codes >= 0).all():
        return NumberColumn(whole[codes])
    return NumberColumn(np.array([*(float(label) for label in known), np.nan])[codes])


def _code(value: Any, known: dict[Any, int]) -> int:
    if isinstance(value, str | int | float | np.number):
        return known.setdefault(value, len(known)) if value == value else -1  # NaN differs from itself
    if is_missing(value):
        return -1
    raise TypeError(
        f"A table holds numbers and strings, not {type(value).__name__} (argument must be a string or a number)."
    )


def is_missing(value: Any) -> bool:
    """Whether a Python object stands for a missing value: None, NaN, NaT, pandas.NaT, pandas.NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(np.isscalar(value) and value != value)

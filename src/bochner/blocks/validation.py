"""The door for arrays: scikit-learn's validation, with one sentence of help where rows or targets cannot be read."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import assert_all_finite, check_array
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, validate_data

from ..tables.adapters import as_table, frame_of, is_missing, plain_columns, refuse_dask
from ..tables.table import Column, listed
from .base import Array, BlockSource

DATES = (
    "{name} is an array of dates or times, not of numbers: give numbers such as days since the first, "
    "or a table with columns of dates, which bo.TableEncoder takes."
)
IN_PIPELINE = "sklearn.pipeline.make_pipeline(bo.TableEncoder(), model)"


def validated(estimator: Any, X: Any, *targets: Any, **options: Any) -> Any:
    """``validate_data``; what it cannot read is named, with what to do about it.

    Targets y may follow X: numbers with ``y_numeric=True``, else labels.
    """
    refuse_elsewhere(X, "X")
    refuse_dates(X, "X")
    targets = tuple(checked_targets(y, numeric=options.get("y_numeric", False)) for y in targets)
    try:
        return validate_data(estimator, X, *targets, **options)
    except (ValueError, TypeError):
        sentence = what_is_wrong(X, "X", IN_PIPELINE)
        if sentence is None:
            raise
    raise ValueError(sentence)


def checked_rows(X: Any, name: str = "X", **options: Any) -> Any:
    """``check_array`` for functions that take rows, in the same words."""
    refuse_elsewhere(X, name)
    refuse_dates(X, name)
    try:
        return check_array(X, input_name=name, **options)
    except (ValueError, TypeError):
        sentence = what_is_wrong(X, name, f"bo.TableEncoder().fit_transform({name})")
        if sentence is None:
            raise
    raise ValueError(sentence)


def checked_finite(X: Any, name: str) -> None:
    """Refuse numbers of a block that are not finite."""
    try:
        return assert_all_finite(X, input_name=name)
    except ValueError:
        sentence = what_is_wrong(X, name, "bo.TableEncoder().fit_transform(X)")
        if sentence is None:
            raise
    raise ValueError(f"In a block, {sentence}")


def checked_targets(y: Any, *, numeric: bool) -> Any:
    """Targets as scikit-learn may read them: a missing one among Python objects is refused, not made NaN unseen.

    With ``numeric`` objects become numbers here, before anyone asks whether they are finite.
    """
    if y is None:
        return y
    refuse_elsewhere(y, "y")
    values = as_values(y, "y", "target")
    if values.dtype.kind in "fO":
        refuse_missing(values, "y", "leave out rows without a target")
    if not numeric:
        return y
    refuse_dates(values, "y")
    if values.dtype.kind not in "OUS":
        return y
    other = first_not_number(values)
    if other is not None:
        raise ValueError(
            f"y holds {str(other)!r}, which is not a number: regression needs numbers, classifiers take labels."
        )
    return values.astype(np.float64)


def check_labels(y: Any) -> None:
    """Refuse targets that are no labels."""
    try:
        return check_classification_targets(y)
    except ValueError:
        pass
    raise ValueError(
        "Unknown label type: y holds numbers with fractions, or lists, which are no classes: "
        "give one label to each row, or use a regressor."
    )


def checked_weights(sample_weight: Any, X: Any) -> Array:
    """Weights of rows as numbers of at least 0."""
    if not np.isscalar(sample_weight):
        values = as_values(sample_weight, "sample_weight", "weight")
        refuse_dates(values, "sample_weight")
        other = first_not_number(values) if values.dtype.kind in "OUS" else None
        if other is not None and not is_missing(other):
            raise ValueError(f"sample_weight holds {str(other)!r}, which is not a number: give each row a number >= 0.")
        if values.dtype.kind in "fO":
            refuse_missing(values, "sample_weight", "leave out rows without a weight, or give them 0")
    return _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)


def as_values(y: Any, name: str, kind: str) -> Array:
    """One entry for each row, or one sentence."""
    if sp.issparse(y):
        raise TypeError(f"Sparse data was passed for {name}, but dense data is required: give {name}.toarray().")
    try:
        values = np.asarray(y)
    except ValueError:
        ragged = True
    else:
        ragged = False
    if ragged:
        raise ValueError(f"{name} has entries of different lengths: give one {kind} to each row.")
    if values.ndim == 0:
        raise ValueError(f"{name} is a {type(y).__name__}: y should be a 1d array, with one {kind} to each row.")
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {name} has complex numbers, where real ones are needed.")
    return values


def refuse_missing(values: Array, name: str, advice: str) -> None:
    """Refuse entries that are missing or infinite, and say where the first one is."""
    if values.dtype.kind == "f" and np.isfinite(values).all():
        return
    for place, value in zip(np.ndindex(values.shape), values.ravel()):
        at = f"{name}[{', '.join(map(str, place))}]"
        if is_missing(value):
            raise ValueError(f"{name} has a missing value ({value}) at {at}: {advice}.")
        if isinstance(value, float | np.floating) and np.isinf(value):
            raise ValueError(f"{name} has an infinity ({value}) at {at}: replace it by a number.")


def refuse_dates(X: Any, name: str) -> None:
    """Refuse an array of dates: as numbers they would be nanoseconds or days, whichever it was made with."""
    if isinstance(X, np.ndarray) and X.dtype.kind in "mM":
        raise ValueError(DATES.format(name=name))


def refuse_elsewhere(X: Any, name: str) -> None:
    """Refuse rows that are not in memory, and say who takes them."""
    if isinstance(X, BlockSource):
        raise TypeError(
            f"{name} is a source of blocks ({type(X).__name__}), and rows in memory are needed here: "
            "give a part of the table at a time, as in X = next(iter(source)).X."
        )
    refuse_dask(X, name)


def what_is_wrong(X: Any, name: str, example: str) -> str | None:
    """One sentence on what in a table is no number, with an example of encoding; None where something else is wrong."""
    if sp.issparse(X):
        stored = X.tocoo()
        for i in np.flatnonzero(~np.isfinite(stored.data))[:1]:
            return not_finite(stored.data[i], name, f"{name}[{stored.row[i]}, {stored.col[i]}]", example)
        return None
    shape = what_is_wrong_with_the_shape(X, name)
    if shape is not None:
        return shape
    try:
        table = as_table(X)
    except (ValueError, TypeError):
        return None
    named = frame_of(X) is not None
    found = list(zip(table.names, table.columns, (column.dtype.kind for column in plain_columns(X))))
    others = [label for label, column, kind in found if not is_numbers(column, kind)]
    if others:
        which = f"{name} has columns that are not numbers ({listed(others)})"
        return f"{which}: bo.TableEncoder makes numbers of them, as in {example}."
    for j, (label, column, _) in enumerate(found):
        values = np.asarray(column.plain(), dtype=np.float64)
        for i in np.flatnonzero(~np.isfinite(values))[:1]:
            where = f"row {i} of the column {label!r}" if named else f"{name}[{i}, {j}]"
            return not_finite(values[i], name, where, example)
    return None


def what_is_wrong_with_the_shape(X: Any, name: str) -> str | None:
    """One sentence on what is no table of rows and columns; None where it is one."""
    if getattr(X, "columns", None) is not None:
        return None
    try:
        array = np.asarray(X)
    except ValueError:
        return f"{name} has rows of different lengths: give every row an entry for every column."
    if array.dtype.kind == "c":
        return f"Complex data not supported: {name} has complex numbers; give real and imaginary parts as columns."
    if array.dtype.names is not None:
        return f"{name} is an array of records: give a DataFrame, or an array of rows and columns."
    if array.ndim == 0:
        return (
            f"{name} is a {type(X).__name__}, not rows and columns: give an array, a sparse matrix or a DataFrame "
            "(Reshape your data)."
        )
    if array.ndim == 1:
        return (
            f"{name} has one dimension, not rows and columns: Reshape your data with {name}.reshape(-1, 1) for one "
            f"column or {name}.reshape(1, -1) for one row."
        )
    if array.ndim > 2:
        return f"{name} has {array.ndim} dimensions, not rows and columns: Reshape your data to two."
    if array.dtype.kind == "O" and any(isinstance(value, date | timedelta) for value in array.ravel()):
        return DATES.format(name=name)
    return None


def is_numbers(column: Column, kind: str) -> bool:
    """Whether a column, of an array of this kind, can be read as numbers: dates cannot, digits can."""
    return kind not in "mM" and (kind not in "OUS" or first_not_number(column.plain()) is None)


def not_finite(value: float, name: str, where: str, example: str) -> str:
    """One sentence on a number that is none."""
    if np.isnan(value):
        return f"{name} has missing values (NaN), the first in {where}: bo.TableEncoder fills them in, as in {example}."
    return f"{name} has an infinity (inf) in {where}: replace it by a number."


def first_not_number(values: Array) -> Any:
    """The first value that cannot be read as a number; None if all can."""
    for value in values.ravel():
        try:
            float(value)
        except (ValueError, TypeError):
            return value
    return None

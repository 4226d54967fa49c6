"""What the column to predict holds: numbers, or labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .data import Files, NamedColumns, SvmlightData
from .problems import DataProblem, using

MOST_WHOLE_LABELS = 20  # whole numbers of at most so many values are labels; --task says otherwise


@dataclass(frozen=True)
class Target:
    """The column to predict.

    Attributes
    ----------
    name : of the column
    task : "regression" or "classification"
    words : why
    """

    name: str
    task: str
    words: str


def looked_at(data: Files, name: str | None, task: str | None) -> Target:
    """Read the whole column once; missing values, and a column of one value, are refused."""
    if name is None:
        if not isinstance(data, SvmlightData):
            raise DataProblem(f"Say which column of {data.words} is to be predicted: --target COL.")
        name = "the target of its rows"
    values: set[Any] = set()
    n_rows, missing, whole, text = 0, 0, True, False
    for some in _values(data, name):
        n_rows += len(some)
        missing += int((some != some).sum()) if some.dtype.kind == "f" else sum(value is None for value in some)
        if some.dtype.kind == "f":
            whole = whole and bool((some == some.round())[some == some].all())
        else:
            text = True
        if len(values) <= MOST_WHOLE_LABELS or text:
            values.update(some.tolist() if text else set(some.tolist()))
    if n_rows == 0:
        raise DataProblem(f"{data.words} has no rows.")
    if missing:
        raise DataProblem(f"{name!r} has {missing} missing values: rows without a target cannot be learned from.")
    if len(values) < 2:
        raise DataProblem(f"{name!r} has one value only, {next(iter(values))!r}: there is nothing to learn.")
    few = whole and len(values) <= MOST_WHOLE_LABELS
    found = "classification" if text or few else "regression"
    if task == "regression" and text:
        raise DataProblem(f"{name!r} holds words such as {next(iter(values))!r}: regression needs numbers.")
    kind = "labels" if text else "whole numbers of few values" if few else "numbers"
    count = f"{len(values)} different" if text or few else f"more than {MOST_WHOLE_LABELS} different"
    return Target(name, task or found, f"{kind}, {count}")


def _values(data: Files, name: str) -> Any:
    """The column, some rows at a time: floats with nan, or objects with None."""
    import numpy as np

    if isinstance(data, SvmlightData):
        with using(data.words):
            for block in data.source():
                yield np.asarray(block.y, dtype=float)
    elif isinstance(data, NamedColumns):
        import pyarrow as pa

        data.known([name])
        kind = data.schema().field(name).type
        number = pa.types.is_floating(kind) or pa.types.is_integer(kind) or pa.types.is_null(kind)
        for rows in data.batches([name], {}):
            column = rows.column(0)
            yield column.cast(pa.float64()).to_numpy() if number else np.array(column.to_pylist(), dtype=object)

"""Models from files, and new rows as they need them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import Any

from .data import Files, NamedColumns, SvmlightData, listed
from .options import Session
from .problems import DataProblem, ModelProblem, using


def loaded(path: str) -> Any:
    """The model in a file."""
    from ..store import load

    if not os.path.exists(path):
        raise ModelProblem(f"There is no model file {path!r}.")
    return load(path)


def ready(model: Any, session: Session) -> Any:
    """The model with the threads and the memory of a session."""
    settings = {"engine": session.engine(), "n_jobs": session.threads, "memory": session.memory}
    return model.set_params(**{name: value for name, value in settings.items() if name in model.get_params(deep=False)})


def columns_of(model: Any) -> list[str] | None:
    """The names of the columns that a model takes; None if it was fitted on arrays."""
    if model.encoder_ is not None:
        return [code.name for code in model.encoder_.codes_]
    named = getattr(model, "feature_names_in_", None)
    return None if named is None else list(named)


def rows_for(model: Any, data: Files, keep: Sequence[str] = (), *, as_text: bool = True) -> Iterator[tuple[Any, Any]]:
    """Rows as the model takes them, some at a time, each with a table of the columns to keep.

    Of CSV files these are kept to the letter: long numbers of accounts are not rounded.
    """
    if isinstance(data, SvmlightData):
        if keep:
            raise DataProblem(f"{data.words} has no names of columns: there is no {keep[0]!r} to keep.")
        for block in data.source(n_features=model.n_features_in_):
            yield block.X, None
    elif isinstance(data, NamedColumns):
        yield from _table_rows(model, data, keep, as_text)


def _table_rows(model: Any, data: NamedColumns, keep: Sequence[str], as_text: bool) -> Iterator[tuple[Any, Any]]:
    import numpy as np
    import pyarrow as pa

    data.known(keep)
    names = columns_of(model)
    wanted = [name for name in data.names if name not in keep] if names is None else names
    there = set(data.names)
    absent = [name for name in wanted if name not in there]
    if absent:
        raise DataProblem(f"{data.words} lacks columns that the model needs: {listed(absent)}.")
    if len(wanted) == 0 or (names is None and len(wanted) != model.n_features_in_):
        raise DataProblem(f"{data.words} has {len(wanted)} columns, but the model takes {model.n_features_in_}.")
    every = list(dict.fromkeys([*wanted, *keep]))
    text = {name: pa.string() for name in every if as_text and name not in wanted}
    for rows in data.batches(every, types_of(model) | text):
        chosen = rows.select(wanted)
        with using(data.words):
            plain = model.encoder_ is None and names is None
            yield (
                np.column_stack([column.to_numpy() for column in chosen.columns]) if plain else chosen,
                rows.select(keep),
            )


def types_of(model: Any) -> dict[str, Any]:
    """How the columns of a CSV file are to be read: numbers as numbers, labels as text."""
    import pyarrow as pa

    from ..tables.column_codes import NumberCode

    if model.encoder_ is None:
        return {}
    return {
        code.name: pa.float64() if isinstance(code, NumberCode) else pa.string()
        for code in model.encoder_.codes_
        if isinstance(code, NumberCode) or all(isinstance(label, str) for label in code.labels)
    }


def described(model: Any) -> str:
    """How the columns were read."""
    from ..tables.column_codes import NumberCode

    codes = [] if model.encoder_ is None else model.encoder_.codes_
    numbers = [code for code in codes if isinstance(code, NumberCode)]
    labels = [code for code in codes if not isinstance(code, NumberCode)]
    missing = [code.name for code in numbers if code.indicator] + [code.name for code in labels if code.missing]
    words = [f"{len(codes)} columns: {len(numbers)} of numbers"]
    if labels:
        words.append(f"{len(labels)} of labels ({listed([f'{code.name}: {len(code.labels)}' for code in labels], 6)})")
    if missing:
        words.append(f"with missing values {listed(missing, 6)}")
    return ", ".join(words)

"""What the checks share: one sentence for whatever is wrong, and the function that finds the check of a class."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ..format import Array, ModelFileError

FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


@singledispatch
def check(item: Any) -> None:
    """Refuse an object whose parts do not fit together; classes that compute nothing have nothing to check."""


def require(condition: bool, item: Any, what: str) -> None:
    """One reason, naming the class."""
    if not condition:
        raise ModelFileError(f"it is not consistent: the {what} of {type(item).__name__} cannot be right")


def part(item: Any, name: str, kind: Any) -> Any:
    """An attribute of the expected kind."""
    value = vars(item).get(name)
    require(isinstance(value, kind), item, name)
    return value


def count(item: Any, name: str, least: int = 1) -> int:
    """A whole number of at least this much."""
    value = vars(item).get(name)
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    require(whole and value >= least, item, name)
    return int(value)


MOST_COLUMNS = 1 << 20


def columns(item: Any, shown: bool) -> int:
    """Columns of the data; few enough to make a row of where no array in the file shows that there are so many."""
    value = count(item, "n_features_in")
    require(shown or value <= MOST_COLUMNS, item, "n_features_in")
    return value


def number(item: Any, name: str, least: float = -np.inf) -> float:
    """A finite number of at least this much."""
    value = vars(item).get(name)
    real = isinstance(value, float | int | np.floating) and not isinstance(value, bool)
    require(real and least <= value < np.inf, item, name)
    return float(value)


def array(item: Any, name: str, shape: tuple[int | None, ...], dtypes: tuple[np.dtype, ...] = FLOATS) -> Array:
    """A finite array of these types and this shape (None: any length)."""
    value = part(item, name, np.ndarray)
    fits = value.ndim == len(shape) and all(want in (None, have) for want, have in zip(shape, value.shape))
    require(fits and value.dtype in dtypes and bool(np.isfinite(value).all()), item, name)
    return value

"""Consistency of the encodings of tables that travel with a model."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...tables import TableEncoder
from ...tables.column_codes import ColumnCode
from .base import FLOATS, check, count, number, part, require


@check.register
def _(code: ColumnCode) -> None:
    state: dict[str, Any] = vars(code)
    part(code, "name", str)
    for name in ("indicator", "missing", "soft"):
        require(isinstance(state.get(name, False), bool), code, name)
    for name in ("fill", "centre", "scale", "linear", "zero"):
        if state.get(name) is not None:
            number(code, name)
    require(state.get("scale", 1.0) not in (None, 0.0) and state.get("centre", 0.0) is not None, code, "scale")
    labels = state.get("labels", ())
    require(
        isinstance(labels, tuple) and all(isinstance(x, str | int | float | np.generic) for x in labels), code, "labels"
    )


@check.register
def _(encoder: TableEncoder) -> None:
    if "codes_" in vars(encoder):
        codes = part(encoder, "codes_", list)
        require(all(isinstance(code, ColumnCode) for code in codes), encoder, "codes_")
        require(count(encoder, "n_features_in_") == len(codes), encoder, "n_features_in_")
        require(part(encoder, "dtype_", np.dtype) in FLOATS, encoder, "dtype_")

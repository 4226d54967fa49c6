"""Tables of counts and shares, whose zeros mean something."""

from __future__ import annotations

from typing import Any

import numpy as np

from .adapters import as_table
from .encoder import TableEncoder
from .table import NumberColumn

FEWEST = 5  # columns
OFTEN = 0.2  # of the numbers are zero, at least


def holds_counts(table: Any) -> bool:
    """Whether the numbers of a table are never negative and often zero, and more than labels 0 and 1."""
    numbers = [column.values for column in as_table(table).columns if isinstance(column, NumberColumn)]
    if len(numbers) < FEWEST or not len(numbers[0]):
        return False
    some = np.column_stack([values[:: max(1, len(values) // 1000)] for values in numbers]).astype(np.float64)
    if (some == 0.0).mean() < OFTEN or (some < 0.0).any() or not (some > 1.0).any() | ((some > 0) & (some < 1)).any():
        return False
    return all(not (values < 0).any() for values in numbers)


def keep_zeros(encoder: TableEncoder) -> None:
    """Let a fitted encoder leave zeros where they are."""
    encoder.codes_ = [code.with_zero() for code in encoder.codes_]

"""What a number is, where one is asked for."""

from __future__ import annotations

import sys
from numbers import Real
from typing import Any, TypeGuard

import numpy as np


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a parameter is a finite number: no truth value, no NaN, nothing beyond the floats."""
    real = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return bool(real and abs(value) <= sys.float_info.max)


def refuse_no_numbers(X: Any) -> None:
    """Refuse rows of complex numbers, dates or words where a kernel is evaluated."""
    kind = np.asarray(X).dtype.kind
    if kind not in "biufO":
        raise ValueError(
            f"A kernel needs rows of real numbers, but it was given {KINDS.get(kind, 'other things')}: "
            "make numbers of them, as bo.TableEncoder does."
        )


KINDS = {"c": "complex numbers", "M": "dates", "m": "times", "U": "words", "S": "bytes", "V": "records"}

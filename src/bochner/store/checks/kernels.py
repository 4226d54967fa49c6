"""Limits on kernels whose evaluation takes time that grows with a number or with nesting: a file must not hang."""

from __future__ import annotations

from typing import Any

from ...kernels import Kernel
from ...kernels.composed import Composed
from ...kernels.vovk import Vovk
from .base import check, require

MOST_TERMS = 100_000
DEEPEST_COMPOSITION = 3


@check.register
def _(kernel: Vovk) -> None:
    degree = vars(kernel).get("degree")
    require(degree is None or (isinstance(degree, int) and degree <= MOST_TERMS), kernel, "degree")


@check.register
def _(kernel: Composed) -> None:
    require(_depth(kernel) <= DEEPEST_COMPOSITION, kernel, "nesting")


def _depth(kernel: Any) -> int:
    """Compositions inside compositions; the store limits how deep other kernels nest."""
    inside = [_depth(value) for value in vars(kernel).values() if isinstance(value, Kernel)]
    return isinstance(kernel, Composed) + max(inside, default=0)

"""Limits on kernels that features evaluate, whose time grows with a number or with nesting: a file must not hang."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...kernels import Kernel
from ...kernels.composed import Composed
from ...kernels.vovk import Vovk
from .base import part, require

MOST_TERMS = 1000
MOST_COMPOSITIONS = 2


def used_kernel(features: Any, kind: Any = Kernel) -> Kernel:
    """The kernel of features, every part of it quick to evaluate."""
    kernel: Kernel = part(features, "kernel", kind)
    parts = list(_parts(kernel))
    for one in parts:
        if isinstance(one, Vovk):
            degree = vars(one).get("degree")
            require(degree is None or (isinstance(degree, int) and degree <= MOST_TERMS), one, "degree")
    require(sum(isinstance(one, Composed) for one in parts) <= MOST_COMPOSITIONS, features, "kernel")
    return kernel


def _parts(kernel: Kernel) -> Iterator[Kernel]:
    """The kernel and the kernels it is made of; the decoder has limited how deep and how many."""
    yield kernel
    for value in vars(kernel).values():
        if isinstance(value, Kernel):
            yield from _parts(value)

"""How every loop of this package is compiled: once for a machine where it has a place to keep the result."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba

from ..interrupts import finished_first


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator: numba.njit that releases the GIL, with more options of njit where they are given.

    The machine code is kept beside the source, or in the user's cache folder. Where neither can be written, as in an
    installation for reading only, or where the disk is full, it is compiled anew in every process. Compiling is not
    interrupted.

    Examples
    --------
    >>> @compiled()
    ... def double(x):
    ...     return 2.0 * x
    >>> double(1.5)
    3.0
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher = numba.njit(nogil=True, **options)(function)
        with suppress(RuntimeError):  # there is no place for it
            dispatcher.enable_caching()
        _finish(dispatcher)
        return dispatcher

    return decorate


def _finish(dispatcher: Any) -> None:
    """Let the compiler come to its end, whatever happens to the result."""
    compile_once = dispatcher.compile

    def compile_(signature: Any) -> Any:
        with finished_first():
            try:
                return compile_once(signature)
            except OSError:  # it could not be kept, but is compiled
                return compile_once(signature)

    dispatcher.compile = compile_

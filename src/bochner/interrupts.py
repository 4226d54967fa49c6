"""Work that Ctrl-C must not cut in half."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def finished_first() -> Iterator[None]:
    """Ctrl-C waits until the block is finished, and is then what it was.

    Python imports modules and numba compiles functions once in a process. Where they are interrupted, half of their
    tables are filled for good, and whoever needs them later fails. Only the main thread is ever interrupted.
    """
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    pressed: list[tuple[Any, ...]] = []
    signal.signal(signal.SIGINT, lambda *arguments: pressed.append(arguments))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if pressed:
            before(*pressed[0])

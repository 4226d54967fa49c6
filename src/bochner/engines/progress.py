"""Progress bars: rows done, rows per second, time left; silent unless asked for and somebody can see them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


def _ignore(_rows: int) -> None:
    """No bar, nothing to do."""


def watched() -> bool:
    """Whether standard error is a terminal, or a notebook shows it."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def progress_bar(total: int | None, label: str, shown: bool) -> Iterator[Callable[[int], object]]:
    """A function to call with the number of rows done."""
    if not (shown and watched()):
        yield _ignore
        return
    from tqdm.auto import tqdm  # which knows notebooks

    with tqdm(total=total, desc=label, unit=" rows", unit_scale=True, leave=False) as bar:
        yield bar.update

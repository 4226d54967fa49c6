"""Progress bars: rows done, rows per second, time left; silent unless asked for and on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tqdm import tqdm


def _ignore(_rows: int) -> None:
    """No bar, nothing to do."""


@contextmanager
def progress_bar(total: int | None, label: str, shown: bool) -> Iterator[Callable[[int], object]]:
    """A function to call with the number of rows done."""
    if not (shown and sys.stderr.isatty()):
        yield _ignore
        return
    with tqdm(total=total, desc=label, unit=" rows", unit_scale=True, leave=False) as bar:
        yield bar.update

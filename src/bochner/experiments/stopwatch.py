"""How long something took, on a machine that may have other work."""

from __future__ import annotations

import time


class Stopwatch:
    """Seconds since it was made: on the clock, or of this process's processors where that is less.

    Work of others makes the clock go on, not the processors; threads that work side by side, the other way round.

    Examples
    --------
    >>> watch = Stopwatch()
    >>> 0.0 <= watch.seconds() < 60.0
    True
    """

    def __init__(self) -> None:
        self.start = time.perf_counter(), time.process_time()

    def seconds(self) -> float:
        """The time until now."""
        return min(time.perf_counter() - self.start[0], time.process_time() - self.start[1])

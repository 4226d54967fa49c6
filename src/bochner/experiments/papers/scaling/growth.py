"""The powers of the number of rows by which time and memory grow."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .machines import Fit

LEAST_MEGABYTES = 1.0  # below, the system's pages are what is measured


@dataclass(frozen=True)
class PowerLaw:
    """t(n) = t_1 (n / n_1)^p, and the same for memory, through two fits."""

    n_rows: int
    seconds: float
    megabytes: float
    time: float
    memory: float

    @classmethod
    def between(cls, few: Fit, many: Fit) -> PowerLaw:
        """From a small fit and a large one."""
        ratio = np.log(many.n_rows / few.n_rows)
        less, more = (max(fit.megabytes, LEAST_MEGABYTES) for fit in (few, many))
        time, memory = np.log(many.seconds / few.seconds) / ratio, np.log(more / less) / ratio
        return cls(many.n_rows, many.seconds, more, float(time), float(memory))

    def at(self, n_rows: int) -> tuple[float, float]:
        """Seconds and megabytes of a fit of so many rows."""
        ratio = n_rows / self.n_rows
        return self.seconds * ratio**self.time, self.megabytes * ratio**self.memory

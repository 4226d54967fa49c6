"""How much a search may spend: seconds, or a number of trials."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from ..amounts import seconds_of


class Clock(ABC):
    """Says whether there is enough left for one more step."""

    trials = 0

    @abstractmethod
    def allows(self, seconds: float) -> bool:
        """Whether a step that will take so long may begin, with the final fit still to come."""

    @abstractmethod
    def has_time(self, seconds: float) -> bool:
        """Whether so much time may go by: always true where trials are counted, of which learning makes none."""

    @abstractmethod
    def left(self) -> float:
        """Seconds until the end."""

    @abstractmethod
    def keep(self, seconds: float) -> None:
        """Keep at least so much for the final fit, as far as that is reasonable."""

    def count(self) -> None:
        """One trial was made."""
        self.trials += 1


class SecondsClock(Clock):
    """A number of seconds from now on, a share of which is kept for the final fit."""

    def __init__(self, seconds: float) -> None:
        self.start = time.perf_counter()
        self.seconds = seconds
        self.kept = 0.2 * seconds

    def keep(self, seconds: float) -> None:
        self.kept = max(self.kept, min(1.2 * seconds, 0.4 * self.seconds))

    def elapsed(self) -> float:
        return time.perf_counter() - self.start

    def left(self) -> float:
        return self.seconds - self.elapsed()

    def has_time(self, seconds: float) -> bool:
        return self.elapsed() + seconds + self.kept <= self.seconds

    def allows(self, seconds: float) -> bool:
        return self.has_time(seconds)


class TrialsClock(Clock):
    """A number of trials: nothing depends on time, so that the same seed gives the same result."""

    def __init__(self, trials: int) -> None:
        self.most = trials

    def keep(self, seconds: float) -> None:
        """Trials take no time."""

    def has_time(self, seconds: float) -> bool:
        return True

    def left(self) -> float:
        return float("inf")

    def allows(self, seconds: float) -> bool:
        return self.trials < self.most


def clock_for(budget: Any) -> Clock:
    """The clock of a budget such as "60s", "2min" or 20 (trials), or one clear sentence."""
    if isinstance(budget, int | np.integer) and not isinstance(budget, bool) and budget >= 1:
        return TrialsClock(int(budget))
    if isinstance(budget, str):
        return SecondsClock(seconds_of(budget, "budget"))
    raise ValueError(f"budget must be a time such as '60s' or '2min', or a number of trials >= 1, not {budget!r}.")

"""The choice of a penalty by rows held out: one search, whatever is minimised."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

Array = np.ndarray


class Fold(ABC):
    """Solutions on the rows outside a fold, each the start of the next, and their errors inside it."""

    def __init__(self) -> None:
        self.solutions: dict[float, Array] = {}

    @abstractmethod
    def solve(self, penalty: float, start: Array | None) -> Array:
        """The solution for a penalty, from another one's."""

    @abstractmethod
    def held_out(self, solution: Array) -> tuple[float, float]:
        """Sum of the errors of the rows inside, and their weight."""

    def error(self, penalty: float, beside: float | None) -> tuple[float, float]:
        """Error and weight of the held-out rows; starts from the solution of another penalty (None: the last)."""
        nearest = next(reversed(self.solutions), None) if beside is None else beside
        found = self.solve(penalty, None if nearest is None else self.solutions[nearest])
        self.solutions[penalty] = found
        return self.held_out(found)


class PenaltySearch:
    """Held-out error along a path of penalties: powers of ten, and then of sqrt(10) beside the best.

    The path sets out from ``scale`` and goes down to 10^lowest of it while the error falls, else up to 10^highest. Of
    errors that are ``equal``, because solutions that are not exact are compared, the largest penalty wins.
    """

    def __init__(self, folds: Sequence[Fold], scale: float, lowest: int, highest: int, equal: float) -> None:
        self.folds = folds
        self.scale, self.lowest, self.highest, self.equal = scale, lowest, highest, equal
        self.errors: dict[float, float] = {}

    def best(self) -> float:
        """The penalty of least held-out error."""
        for decade in range(0, self.lowest - 1, -1):
            self._try(self.scale * 10.0**decade, None)
            if self._best() != self.scale * 10.0**decade:
                break
        for decade in range(1, self.highest + 1):
            if self._best() != self.scale * 10.0 ** (decade - 1):
                break
            self._try(self.scale * 10.0**decade, self.scale * 10.0 ** (decade - 1))
        coarse = self._best()
        for factor in (10.0**0.5, 10.0**-0.5):
            self._try(coarse * factor, coarse)
        return self._best()

    def path(self) -> tuple[Array, Array]:
        """The penalties tried, in order of size, and the mean error of each on the held-out rows."""
        penalties = np.array(sorted(self.errors))
        return penalties, np.array([self.errors[penalty] for penalty in penalties])

    def _best(self) -> float:
        """The largest penalty whose error is as good as the least."""
        least = min(self.errors.values())
        return max(penalty for penalty, error in self.errors.items() if error <= (1.0 + self.equal) * least)

    def _try(self, penalty: float, beside: float | None) -> None:
        tried = [fold.error(penalty, beside) for fold in self.folds]
        errors, weights = (sum(part) for part in zip(*tried))
        self.errors[penalty] = errors / weights if weights > 0.0 else 0.0
        kept = {penalty, beside, self._best()}
        for fold in self.folds:
            fold.solutions = {known: found for known, found in fold.solutions.items() if known in kept}

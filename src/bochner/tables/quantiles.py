"""Quantiles of a stream in bounded memory, without chance: the compaction of Manku, Rajagopalan and Lindsay (1998)."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

CAPACITY = 2048  # values per level


class QuantileSketch:
    """Levels of sorted samples; a value at level l stands for 2^l of them.

    A level that overflows is sorted and every second value goes up a level, the odd and the even ones in turn. The
    rank error is at most n log2(n / CAPACITY) / (2 CAPACITY): under 0.3 % of the rows at n = 10^7.
    """

    def __init__(self) -> None:
        self.levels: list[Array] = [np.empty(0)]
        self.odd = False

    def update(self, values: Array) -> None:
        """Take in values, none of them NaN."""
        for start in range(0, len(values), CAPACITY):
            self.levels[0] = np.concatenate([self.levels[0], values[start : start + CAPACITY]])
            self._compact()

    def merge(self, other: QuantileSketch) -> None:
        """Take in what another sketch has seen."""
        for level, values in enumerate(other.levels):
            if level == len(self.levels):
                self.levels.append(np.empty(0))
            self.levels[level] = np.concatenate([self.levels[level], values])
        self._compact()

    def _compact(self) -> None:
        level = 0
        while level < len(self.levels):
            values = self.levels[level]
            if len(values) > CAPACITY:
                even = len(values) // 2 * 2
                ordered = np.sort(values)
                if level + 1 == len(self.levels):
                    self.levels.append(np.empty(0))
                self.levels[level + 1] = np.concatenate([self.levels[level + 1], ordered[int(self.odd) : even : 2]])
                self.levels[level] = ordered[even:]
                self.odd = not self.odd
            level += 1

    def kept(self) -> tuple[Array, Array]:
        """The values kept, and how many each stands for."""
        weights = [np.full(len(kept), 2.0**level) for level, kept in enumerate(self.levels)]
        return np.concatenate(self.levels), np.concatenate(weights)

    def quantile(self, share: float) -> float:
        """The value below which this share of the values lies; NaN where there are none."""
        values, weights = self.kept()
        if len(values) == 0:
            return float("nan")
        order = np.argsort(values, kind="stable")
        middle = np.cumsum(weights[order]) - weights[order] / 2
        return float(np.interp(share * weights.sum(), middle, values[order]))

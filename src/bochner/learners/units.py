"""Targets in units of their own: what a solver finds does not depend on where y lies and how wide it is."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..blocks import Block
from ..solvers.objective import Solution

Array = np.ndarray

UNIT_ROWS = 20_000  # rows that tell the mean and the spread of the targets


@dataclass(frozen=True)
class Units:
    """y = shift + unit y' with y' of about mean 0 and spread 1; one unit for all targets, whose losses are added."""

    shift: Array
    unit: float

    @classmethod
    def of(cls, rows: Block, centred: bool) -> Units:
        """From rows whose targets are a table; without an intercept nothing could take a shift back."""
        y = np.asarray(rows.y, dtype=np.float64)
        counts = rows.weight is not None and bool(np.any(rows.weight))
        mean = np.average(y, axis=0, weights=rows.weight if counts else None)
        size = float(np.abs(y - mean).max(initial=0.0))
        if not size > 0.0:
            size = float(np.abs(y).max(initial=0.0)) or 1.0
        spread = np.sqrt(np.average(np.square((y - mean) / size), axis=0, weights=rows.weight if counts else None))
        return cls(mean if centred else np.zeros_like(mean), size * (float(spread.max()) or 1.0))

    def __call__(self, block: Block) -> Block:
        return replace(block, y=(np.asarray(block.y, dtype=np.float64) - self.shift) / self.unit)

    def restored(self, solution: Solution) -> Solution:
        """The solution for y from that for y', with the value of a quadratic objective."""
        parameters = self.unit * solution.parameters
        parameters[-1] += self.shift
        return replace(solution, parameters=parameters, value=self.unit**2 * solution.value)

"""What a fit costs, from a few timed pieces: laws by which they grow with rows and width."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..blocks.base import lane_count
from ..blocks.memory import most_threads
from ..engines.timed import PassCost


@dataclass(frozen=True)
class Machine:
    """Who makes the passes: threads, and the memory they may take."""

    threads: int
    memory: int


@dataclass(frozen=True)
class PassModel:
    """One pass over rows: seconds a row for making designs and for taking them in, a lane for states and merges."""

    kind: str
    share: float  # of the rows that the pass goes over
    block_rows: int
    state_bytes: float
    kept: bool
    reading: float
    gathering: float
    opening: float
    merging: float

    @classmethod
    def of(cls, cost: PassCost, n_rows: int) -> PassModel:
        """The rates of a pass that was timed."""
        rows = max(1, cost.n_rows)
        return cls(
            cost.kind,
            cost.n_rows / n_rows,
            max(1, cost.block_rows),
            cost.state_bytes,
            cost.kept,
            sum(cost.reading) / rows,
            sum(cost.gathering) / rows,
            float(np.mean(cost.opening)) if cost.opening else 0.0,
            float(np.mean(cost.merging)) if cost.merging else 0.0,
        )

    def least(self, other: PassModel) -> PassModel:
        """The better of two timings of the same pass, piece by piece."""
        return replace(
            self,
            reading=min(self.reading, other.reading),
            gathering=min(self.gathering, other.gathering),
            opening=min(self.opening, other.opening),
            merging=min(self.merging, other.merging),
        )

    def slower(self, factor: float) -> PassModel:
        """The same with every piece so many times as long."""
        return replace(
            self,
            reading=factor * self.reading,
            gathering=factor * self.gathering,
            opening=factor * self.opening,
            merging=factor * self.merging,
        )

    def seconds(self, n_rows: int, machine: Machine, reading: float) -> float:
        """Time of the pass over its share of so many rows, with this rate of reading.

        Lanes are worked on in threads and merged one after the other; threads wait for the last block.
        """
        rows = self.share * n_rows
        n_parts = max(1, int(np.ceil(rows / self.block_rows)))
        n_lanes = lane_count(n_parts, machine.memory, int(self.state_bytes))
        threads = min(machine.threads, n_lanes, most_threads(machine.memory, int(self.state_bytes), 0))
        rounds = np.ceil(n_parts / threads) * threads / n_parts
        work = rows * (reading + self.gathering) * rounds + n_lanes * self.opening
        return work / threads + (n_lanes - 1) * self.merging


@dataclass(frozen=True)
class FitModel:
    """A fit at one width: its passes, and what is done between them."""

    passes: tuple[PassModel, ...]
    solving: float  # seconds, whatever the number of rows
    solving_per_row: float
    row_bytes: float  # of a design

    def seconds(self, n_rows: int, machine: Machine) -> float:
        """Time of a fit of so many rows.

        Designs kept between passes are made once; those for which half the memory has no room, in each pass.
        """
        made_again = 1.0 - min(1.0, machine.memory / 2 / (n_rows * self.row_bytes))
        first = max((one.reading for one in self.passes if one.kept), default=0.0)
        total = self.solving + self.solving_per_row * n_rows
        for one in self.passes:
            reading = max(one.reading, made_again * first) if one.kept else one.reading
            total += one.seconds(n_rows, machine, reading)
        return total

    @property
    def state_bytes(self) -> float:
        """Size of the largest statistic."""
        return max((one.state_bytes for one in self.passes), default=0.0)

    def kept_bytes(self, n_rows: int, memory: int) -> float:
        """Memory of the designs that are kept between passes."""
        return min(memory / 2, n_rows * self.row_bytes) if any(one.kept for one in self.passes) else 0.0

    def widened(self, half: FitModel, factor: float) -> FitModel:
        """The same fit at ``factor`` times the width, by the powers that a fit at half the width shows."""
        passes = tuple(widened_pass(one, half.passes, factor) for one in self.passes)
        return FitModel(
            passes,
            grown(half.solving, self.solving, factor),
            grown(half.solving_per_row, self.solving_per_row, factor),
            self.row_bytes * factor ** power(half.row_bytes, self.row_bytes),
        )


def widened_pass(one: PassModel, others: Sequence[PassModel], factor: float) -> PassModel:
    """A pass at ``factor`` times the width; passes of the same kind at half the width tell the powers."""
    alike = [other for other in others if other.kind == one.kind] or [one]
    mean = {
        name: float(np.mean([getattr(other, name) for other in alike])) for name in ("reading", "gathering", "merging")
    }
    states = factor ** power(alike[0].state_bytes, one.state_bytes)
    return replace(
        one,
        block_rows=max(256, int(one.block_rows / factor)),
        state_bytes=one.state_bytes * states,
        reading=one.reading * factor ** power(mean["reading"], one.reading),
        gathering=one.gathering * factor ** power(mean["gathering"], one.gathering),
        opening=one.opening * states,
        merging=one.merging * states,
    )


def power(half: float, whole: float) -> int:
    """The power of the width by which a cost grows: 0, 1 or 2."""
    if min(half, whole) <= 0.0:
        return 1
    return int(np.clip(np.rint(np.log2(whole / half)), 0, 2))


def grown(half: float, whole: float, factor: float) -> float:
    """A cost at ``factor`` times the width, from those at half the width and at the whole.

    It grows by the power that the two show, and by the third where they show more than the second: what is cubic in
    the end (a decomposition) is not yet at small widths, where it finds its matrix in the cache.
    """
    if min(half, whole) <= 0.0:
        return whole
    exponent = float(np.clip(np.log2(whole / half), 0.0, 2.0))
    return whole * factor ** (3.0 if exponent == 2.0 else exponent)

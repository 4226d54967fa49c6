"""An engine that notes what its passes cost, piece by piece: what forecasts are made from."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..blocks import ArrayBlocks, Block, BlockSource, Monoid, Part, WrappedBlocks
from ..blocks.base import WrappedPart
from ..blocks.tree import Folding, Node, PlainFolding, Report
from .base import PLAIN, DelegatingEngine, Engine, S
from .local import ThreadEngine

Clock = Callable[[], float]


@dataclass
class PassCost:
    """Seconds of processor time that the pieces of one pass took, summed over its threads."""

    kind: str  # what was gathered
    state_bytes: int
    kept: bool  # whether blocks come from a shelf after the first pass
    clock: Clock
    n_rows: int = 0
    block_rows: int = 0  # of the largest block
    reading: list[float] = field(default_factory=list)  # rows to designs, one entry for each block
    gathering: list[float] = field(default_factory=list)  # update of the statistic, one entry for each block
    opening: list[float] = field(default_factory=list)  # of an empty statistic, for each lane
    merging: list[float] = field(default_factory=list)  # of two lanes


class TimedEngine(DelegatingEngine):
    """Another engine, in this process, with a record of each pass it makes.

    Parameters
    ----------
    engine : Engine
        Who does the work.
    clock : function, default=time.thread_time
        Seconds of the thread that asks: other work on the machine does not count.
    """

    def __init__(self, engine: Engine, clock: Clock = time.thread_time) -> None:
        self.engine = engine
        self.clock = clock
        self.working = engine
        self.passes: list[PassCost] = []
        self.wall = 0.0  # of all passes
        self.processor = 0.0

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        return [cls(ThreadEngine(2))]

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        cost = self._new_pass(type(statistic).__name__, statistic.nbytes, source)
        return self._timed(lambda: self.engine.fold(statistic, TimedBlocks(source, cost), TimedFolding(cost)))

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        cost = self._new_pass(getattr(function, "__name__", type(function).__name__), 0, source)
        return self._timed(lambda: self.engine.map(TimedFunction(function, cost), TimedBlocks(source, cost)))

    def _new_pass(self, kind: str, state_bytes: int, source: BlockSource) -> PassCost:
        self.passes.append(PassCost(kind, state_bytes, bool(source.shelves()), self.clock))
        return self.passes[-1]

    def _timed(self, work: Callable[[], Any]) -> Any:
        wall, processor = time.perf_counter(), time.process_time()
        result = work()
        self.wall += time.perf_counter() - wall
        self.processor += time.process_time() - processor
        return result


@dataclass(frozen=True)
class TimedPart(WrappedPart):
    """A part that notes what making its block takes."""

    part: Part
    cost: PassCost

    def __call__(self) -> Block:
        start = self.cost.clock()
        block = self.part()
        self.cost.reading.append(self.cost.clock() - start)
        self.cost.n_rows += block.n_rows
        self.cost.block_rows = max(self.cost.block_rows, block.n_rows)
        return block


class TimedBlocks(WrappedBlocks):
    """A source whose parts note what they take."""

    def __init__(self, source: BlockSource, cost: PassCost) -> None:
        super().__init__(source)
        self.cost = cost

    @classmethod
    def examples(cls, X: np.ndarray, y: np.ndarray, folder: Path) -> list[Self]:
        return [cls(ArrayBlocks(X, y), PassCost("example", 0, False, time.thread_time))]

    def parts(self) -> list[TimedPart]:
        return [TimedPart(part, self.cost) for part in self.source.parts()]

    def lanes(self, state_bytes: int, memory: int) -> Iterable[Sequence[Part]]:
        return ([TimedPart(part, self.cost) for part in lane] for lane in self.source.lanes(state_bytes, memory))

    def rechunked(self, block_rows: int) -> TimedBlocks:
        return TimedBlocks(self.source.rechunked(block_rows), self.cost)


@dataclass(frozen=True)
class TimedFunction:
    """A function of blocks that notes what it takes."""

    function: Callable[[Block], Any]
    cost: PassCost

    def __call__(self, block: Block) -> Any:
        start = self.cost.clock()
        result = self.function(block)
        self.cost.gathering.append(self.cost.clock() - start)
        return result


class TimedState(Monoid):
    """A statistic that notes what its updates take."""

    def __init__(self, state: Monoid, cost: PassCost) -> None:
        self.inner = state
        self.cost = cost

    def zero(self) -> TimedState:
        start = self.cost.clock()
        state = TimedState(self.inner.zero(), self.cost)
        self.cost.opening.append(self.cost.clock() - start)
        return state

    def update(self, block: Block) -> None:
        start = self.cost.clock()
        self.inner.update(block)
        self.cost.gathering.append(self.cost.clock() - start)

    def merge(self, other: TimedState) -> None:
        self.inner.merge(other.inner)

    @property
    def nbytes(self) -> int:
        return self.inner.nbytes


class TimedFolding(Folding):
    """A plain fold whose updates and merges are timed."""

    def __init__(self, cost: PassCost) -> None:
        self.cost = cost
        self.plain = PlainFolding()

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        node = self.plain.lane(TimedState(statistic, self.cost), index, parts, done)
        start = self.cost.clock()
        node.state.inner.merge(statistic.zero())  # rows that wait to be taken in are part of the update
        self.cost.gathering.append(self.cost.clock() - start)
        return Node(node.level, node.index, node.state.inner)

    def merge(self, left: Node, right: Node) -> Node:
        start = self.cost.clock()
        node = self.plain.merge(left, right)
        self.cost.merging.append(self.cost.clock() - start)
        return node

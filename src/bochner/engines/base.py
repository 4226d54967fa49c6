"""Who makes a pass over the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..blocks import Block, BlockSource, Part
from ..statistics import Statistic

S = TypeVar("S", bound=Statistic)


class Engine(ABC):
    """Makes passes. Laws: every engine returns the same bits for the same source; ``map`` keeps the order of parts."""

    @abstractmethod
    def fold(self, statistic: S, source: BlockSource) -> S:
        """Take all blocks of the source into (a fresh copy of) the statistic."""

    @abstractmethod
    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        """Apply the function to every block, in order."""


def fold_lane(statistic: S, parts: Sequence[Part], done: Callable[[int], object]) -> S:
    """Fold the parts of one lane, in order, reporting the rows of each."""
    state = statistic.zero()
    for part in parts:
        block = part()
        state.update(block)
        done(block.n_rows)
    return state


def merged(states: list[S]) -> S:
    """Merge lanes pairwise, in order: the tree is the same whoever made the lanes."""
    while len(states) > 1:
        for left, right in zip(states[::2], states[1::2]):
            left.merge(right)
        states = states[::2]
    return states[0]

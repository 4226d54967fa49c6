"""Who makes a pass over the rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from ..blocks import Block, BlockSource, Monoid
from ..blocks.base import Task
from ..blocks.tree import Folding, PlainFolding

S = TypeVar("S", bound=Monoid)

PLAIN = PlainFolding()


def check_engine(engine: Any) -> None:
    """Refuse what makes no passes."""
    if not (engine is None or isinstance(engine, Engine)):
        raise TypeError(
            "engine must be None, bo.SerialEngine(), bo.ThreadEngine() or bo.DaskEngine(), "
            f"not {type(engine).__name__}."
        )


class Engine(ABC):
    """Makes passes. Laws: every engine returns the same bits for the same source; ``map`` keeps the order of parts."""

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        """Instances that the contracts in tests look at; files go into the folder."""
        return [cls()]

    @abstractmethod
    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        """Take all blocks of the source into (a fresh copy of) the statistic."""

    @abstractmethod
    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        """Apply the function to every block, in order."""

    @abstractmethod
    def run(self, tasks: Sequence[Task]) -> list[Any]:
        """Run independent tasks; their results in order."""

    def __sklearn_clone__(self) -> Self:
        """An engine has no fitted state: clones of a learner share it."""
        return self

"""Who makes a pass over the rows, and what it may use."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from ..amounts import bytes_of
from ..blocks import Block, BlockSource, Monoid
from ..blocks.base import Task
from ..blocks.tree import Folding, PlainFolding
from ..compute.threads import thread_count

S = TypeVar("S", bound=Monoid)
Parameters = Callable[[], Mapping[str, Any]]  # on which a result depends beside the rows: asked for where it is saved

PLAIN = PlainFolding()


class Engine(BaseEstimator, ABC):
    """Makes passes. Laws: every engine returns the same bits for the same source; ``map`` keeps the order of parts.

    ``n_jobs`` are the threads of this process, for passes and for what is done between them; ``memory`` is what
    blocks, statistics and designs that are kept between passes may take; ``progress`` shows a bar.
    """

    n_jobs: int | None
    memory: int | str
    progress: bool

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        """Instances that the contracts in tests look at; files go into the folder."""
        return [cls()]

    @property
    def threads(self) -> int:
        """Threads of this process."""
        return thread_count(self.n_jobs)

    @property
    def memory_bytes(self) -> int:
        """The memory as a number."""
        return bytes_of(self.memory)

    @contextmanager
    def opened(self, parameters: Parameters) -> Iterator[Engine]:
        """The engine for one fit: where work is saved, it belongs to these parameters."""
        self.check()
        yield self

    def check(self) -> None:
        """Refuse parameters of the wrong kind."""
        _ = self.threads, self.memory_bytes
        if not isinstance(self.progress, bool | np.bool_):
            raise ValueError(f"progress must be True or False, not {self.progress!r}.")

    @abstractmethod
    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        """Take all blocks of the source into (a fresh copy of) the statistic."""

    @abstractmethod
    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        """Apply the function to every block, in order."""

    @abstractmethod
    def run(self, tasks: Sequence[Task]) -> list[Any]:
        """Run independent tasks; their results in order."""


class DelegatingEngine(Engine, ABC):
    """An engine that lets another one work."""

    working: Engine

    @property
    def n_jobs(self) -> int | None:  # type: ignore[override]
        return self.working.n_jobs

    @property
    def memory(self) -> int | str:  # type: ignore[override]
        return self.working.memory

    @property
    def progress(self) -> bool:  # type: ignore[override]
        return self.working.progress

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        return self.working.fold(statistic, source, folding)

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        return self.working.map(function, source)

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        return self.working.run(tasks)

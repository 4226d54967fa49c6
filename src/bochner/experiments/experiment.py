"""What an experiment is: a published result, and the run that finds its numbers again."""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Protocol, TypeVar

from tqdm.auto import tqdm

from .datasets import DataSets
from .result import Result

T = TypeVar("T")


class Progress(Protocol):
    """Goes through things one by one, and shows how far it is."""

    def __call__(self, things: Iterable[T], label: str, /) -> Iterator[T]: ...


def bar(things: Iterable[T], label: str, /) -> Iterator[T]:
    """A progress bar on standard error, where that is a screen."""
    yield from tqdm(things, desc=label, leave=False, file=sys.stderr, disable=None)


def silent(things: Iterable[T], _: str, /) -> Iterator[T]:
    """No progress bar."""
    yield from things


class Experiment(ABC):
    """One file of ``bochner.experiments.papers`` holds one subclass; the catalogue finds it there.

    Attributes
    ----------
    name : what the user types, of small letters and hyphens
    title : one line
    source : what was published, and where
    question : two or three sentences for the page: what is measured, and what was published
    sets : names of the data sets it reads
    """

    name: ClassVar[str]
    title: ClassVar[str]
    source: ClassVar[str]
    question: ClassVar[str]
    sets: ClassVar[tuple[str, ...]] = ()
    seed: ClassVar[int] = 0

    @abstractmethod
    def run(self, quick: bool, data: DataSets, progress: Progress) -> Result:
        """Find the numbers.

        Parameters
        ----------
        quick : bool
            A few seconds, with fewer draws and rows; the claims must hold all the same.
        data : Data
            ``data.load(name)`` gives the rows of a set, in a quick run generated ones where the set is not there.
        progress : Progress
            ``for thing in progress(things, "label")``.

        Returns
        -------
        Result
            The same numbers for the same ``seed``, times apart.
        """

    def __init_subclass__(cls, **keywords: Any) -> None:
        super().__init_subclass__(**keywords)
        missing = [name for name in ("name", "title", "source", "question") if name not in vars(cls)]
        if missing:
            raise TypeError(f"The experiment {cls.__name__} has no {' and no '.join(missing)}.")

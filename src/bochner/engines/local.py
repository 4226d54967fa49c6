"""Engines in this process: one thread, or several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from itertools import chain, islice
from numbers import Integral
from pathlib import Path
from threading import Event
from typing import Any, Self

from ..blocks import Block, BlockSource, Part
from ..blocks.base import Task, in_turn
from ..blocks.memory import DEFAULT_MEMORY, most_threads
from ..blocks.tree import Folding, MergeTree, Report, fold_in_turn
from ..compute.threads import single_threaded_blas
from .base import PLAIN, Engine, S
from .progress import progress_bar


class SerialEngine(Engine):
    """One thread. The reference: every other engine must return its bits.

    Parameters
    ----------
    memory, progress : see ThreadEngine

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> source = bo.ArrayBlocks(np.ones((10, 2)), block_rows=4)
    >>> bo.SerialEngine().map(lambda block: block.n_rows, source)
    [4, 4, 2]
    """

    n_jobs = 1

    def __init__(self, memory: int | str = DEFAULT_MEMORY, progress: bool = False) -> None:
        self.memory = memory
        self.progress = progress

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        with single_threaded_blas(), progress_bar(source.n_rows, "fit", self.progress) as done:
            return fold_in_turn(statistic, source, folding, done, self.memory_bytes)

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        with single_threaded_blas(), progress_bar(source.n_rows, "pass", self.progress) as done:
            return [_apply(function, part, done) for lane in source.lanes(1, self.memory_bytes) for part in lane]

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        with single_threaded_blas():
            return in_turn(tasks)


class ThreadEngine(Engine):
    """Threads over lanes, BLAS held to one thread in each.

    Parameters
    ----------
    n_jobs : int, default=None
        None: as many threads as BLAS would use. Fewer run where the memory is too small for so many.
    memory : int or str, default="2GB"
        What statistics, blocks, and designs that are kept between passes may take.
    progress : bool, default=False
        Show a bar where standard error is a terminal.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> source = bo.ArrayBlocks(np.ones((10, 2)), block_rows=4)
    >>> bo.ThreadEngine(n_jobs=2).map(lambda block: block.n_rows, source)
    [4, 4, 2]
    """

    def __init__(self, n_jobs: int | None = None, memory: int | str = DEFAULT_MEMORY, progress: bool = False) -> None:
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        return [cls(n_jobs) for n_jobs in (1, 2, 5)]

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        tree, memory = MergeTree(folding.merge), self.memory_bytes
        threads = min(self.threads, most_threads(memory, statistic.nbytes, source.reading_bytes))
        with progress_bar(source.n_rows, "fit", self.progress) as done, single_threaded_blas():

            def fold_lane(index: int, lane: Sequence[Part], report: Report) -> None:
                tree.add(folding.lane(statistic, index, lane, report))

            _over_lanes(fold_lane, source.lanes(statistic.nbytes, memory), threads, done)
            return tree.root()

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        results: dict[int, list[Any]] = {}
        threads = min(self.threads, most_threads(self.memory_bytes, 0, source.reading_bytes))
        with progress_bar(source.n_rows, "pass", self.progress) as done, single_threaded_blas():

            def map_lane(index: int, lane: Sequence[Part], report: Report) -> None:
                results[index] = [_apply(function, part, report) for part in lane]

            _over_lanes(map_lane, source.lanes(1, self.memory_bytes), threads, done)
        return list(chain.from_iterable(results[index] for index in range(len(results))))

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        threads = min(self.threads, len(tasks))
        with single_threaded_blas():
            if threads <= 1:
                return in_turn(tasks)
            with ThreadPoolExecutor(threads) as pool:
                return list(pool.map(lambda task: task(), tasks))


def as_engine(engine: Any) -> Engine:
    """An engine as it is, threads for a number of them, and for None as many as BLAS would use."""
    if isinstance(engine, Engine):
        return engine
    if engine is None:
        return ThreadEngine()
    if isinstance(engine, Integral) and not isinstance(engine, bool):
        return ThreadEngine(int(engine))
    raise TypeError(
        "engine must be None, a number of threads, or an engine such as bo.ThreadEngine(n_jobs=2, memory='1GB'), "
        f"bo.DaskEngine() or bo.CheckpointEngine(folder), not {type(engine).__name__}."
    )


class Interrupted(Exception):
    """Another lane failed, or the user asked to stop."""


def _over_lanes(
    work: Callable[[int, Sequence[Part], Report], None], lanes: Iterable[Sequence[Part]], threads: int, done: Report
) -> None:
    """Work on lanes in threads, taking a lane from the source only when it will soon be wanted.

    Parts of one lane stay in one thread, in order: files are read forwards. After an error or a keyboard interrupt
    the other lanes end at their next block. One lane, or one thread, is this thread's work: few rows pay for no other.
    """
    waiting = iter(lanes)
    first = list(islice(waiting, 2))
    lanes = chain(first, waiting)
    if threads == 1 or len(first) == 1:
        for index, lane in enumerate(lanes):
            work(index, lane, done)
        return
    stopped = Event()

    def report(n_rows: int) -> None:
        if stopped.is_set():
            raise Interrupted
        done(n_rows)

    pending: set[Future[None]] = set()
    with ThreadPoolExecutor(threads) as pool:
        try:
            for index, lane in enumerate(lanes):
                pending.add(pool.submit(work, index, lane, report))
                if len(pending) > threads:
                    pending = _settled(pending)
            while pending:
                pending = _settled(pending)
        except BaseException:
            stopped.set()
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def _settled(pending: set[Future[None]]) -> set[Future[None]]:
    """Wait for one of the futures, raise its error if it has one, and return those that still run."""
    finished, running = wait(pending, return_when=FIRST_COMPLETED)
    for future in finished:
        future.result()
    return running


def _apply(function: Callable[[Block], Any], part: Part, done: Report) -> Any:
    block = part()
    result = function(block)
    done(block.n_rows)
    return result

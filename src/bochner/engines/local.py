"""Engines in this process: one thread, or several."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from ..blocks import Block, BlockSource
from ..compute.threads import single_threaded_blas, thread_count
from .base import Engine, S, fold_lane, merged
from .progress import progress_bar


class SerialEngine(Engine):
    """One thread. The reference: every other engine must return its bits.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> source = bo.ArrayBlocks(np.ones((10, 2)), block_rows=4)
    >>> bo.SerialEngine().map(lambda block: block.n_rows, source)
    [4, 4, 2]
    """

    def __init__(self, progress: bool = False) -> None:
        self.progress = progress

    def fold(self, statistic: S, source: BlockSource) -> S:
        with single_threaded_blas(), progress_bar(source.n_rows, "fit", self.progress) as done:
            return merged([fold_lane(statistic, lane, done) for lane in source.lanes(statistic.nbytes)])

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        with single_threaded_blas(), progress_bar(source.n_rows, "pass", self.progress) as done:
            return [_apply(function, part, done) for part in source.parts()]


class ThreadEngine(Engine):
    """Threads over lanes, BLAS held to one thread in each.

    Parameters
    ----------
    n_jobs : int, default=None
        None: as many threads as BLAS would use.
    progress : bool, default=False
        Show a bar where standard error is a terminal.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> source = bo.ArrayBlocks(np.ones((10, 2)), block_rows=4)
    >>> bo.ThreadEngine(n_jobs=2).map(lambda block: block.n_rows, source)
    [4, 4, 2]
    """

    def __init__(self, n_jobs: int | None = None, progress: bool = False) -> None:
        self.n_jobs = n_jobs
        self.progress = progress

    def fold(self, statistic: S, source: BlockSource) -> S:
        lanes = source.lanes(statistic.nbytes)
        threads = thread_count(self.n_jobs)
        with (
            progress_bar(source.n_rows, "fit", self.progress) as done,
            single_threaded_blas(),
            ThreadPoolExecutor(threads) as pool,
        ):
            return merged(list(pool.map(lambda lane: fold_lane(statistic, lane, done), lanes)))

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        threads = thread_count(self.n_jobs)
        with (
            progress_bar(source.n_rows, "pass", self.progress) as done,
            single_threaded_blas(),
            ThreadPoolExecutor(threads) as pool,
        ):
            return list(pool.map(lambda part: _apply(function, part, done), source.parts()))


def _apply(function: Callable[[Block], Any], part: Callable[[], Block], done: Callable[[int], object]) -> Any:
    block = part()
    result = function(block)
    done(block.n_rows)
    return result

"""Threads over rows, with BLAS held to one thread in each: the one place where threads are started."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from numbers import Integral
from threading import Lock

from threadpoolctl import LibController, ThreadpoolController


@lru_cache(maxsize=1)
def blas_libraries() -> tuple[LibController, ...]:
    """The BLAS libraries loaded in this process (numpy and scipy may each bring one)."""
    import scipy.linalg  # noqa: F401  loads scipy's BLAS before the libraries are listed

    return tuple(ThreadpoolController().select(user_api="blas").lib_controllers)


def thread_count(n_jobs: int | None) -> int:
    """Threads to use: None means what BLAS would use, -1 every core, -2 all but one, and so on."""
    if n_jobs is None:
        return max((library.num_threads for library in blas_libraries()), default=1) or 1
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, Integral) or n_jobs == 0:
        raise ValueError(f"n_jobs must be a number of threads, -1 for every core, or None, but it is {n_jobs!r}.")
    if n_jobs < 0:
        import os

        return max(1, (os.cpu_count() or 1) + 1 + n_jobs)
    return int(n_jobs)


class _Holders:
    """How many hold BLAS to one thread now, and what to give back when the last one leaves."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.count = 0
        self.before: list[int] = []


_HOLDERS = _Holders()  # BLAS threads are one setting of the process, so there is one count of who holds it


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Hold BLAS to one thread, so that our threads do not fight with its own and results do not depend on it.

    Fits may run side by side in threads: the first to come sets the number, the last to leave gives it back.
    """
    with _HOLDERS.lock:
        if _HOLDERS.count == 0:
            _HOLDERS.before = [library.num_threads for library in blas_libraries()]
            for library in blas_libraries():
                library.set_num_threads(1)
        _HOLDERS.count += 1
    try:
        yield
    finally:
        with _HOLDERS.lock:
            _HOLDERS.count -= 1
            if _HOLDERS.count == 0:
                for library, count in zip(blas_libraries(), _HOLDERS.before):
                    library.set_num_threads(count)


FEW_ROWS = 32


def over_row_chunks(task: Callable[[int, int], object], n_rows: int, chunk: int, n_jobs: int | None) -> None:
    """Call task(start, stop) for every chunk of rows, on threads where there is more than one chunk."""
    ranges = [(start, min(start + chunk, n_rows)) for start in range(0, n_rows, chunk)]
    if n_rows <= FEW_ROWS:  # a single row must not pay for threads
        task(0, n_rows)
        return
    threads = min(thread_count(n_jobs), len(ranges))
    with single_threaded_blas():
        if threads == 1:
            for start, stop in ranges:
                task(start, stop)
            return
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(task, start, stop) for start, stop in ranges]:
                done.result()


def side_by_side(task: Callable[[int], object], places: Iterable[int], threads: int) -> None:
    """Call task(place) for every place, on threads, each with a BLAS of one thread."""
    with single_threaded_blas():
        if threads == 1:
            for place in places:
                task(place)
            return
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(task, places))

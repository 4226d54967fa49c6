"""Passes on a Dask cluster. One of the two files that import Dask."""

from __future__ import annotations

import copy
import io
import pickle
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..blocks import Block, BlockSource, Part
from ..blocks.base import Task
from ..blocks.cached import Shelf, shelf_named
from ..blocks.dask_blocks import NEEDS_DASK, is_future
from ..blocks.memory import DEFAULT_MEMORY
from ..blocks.tree import Folding, Node
from ..compute.threads import single_threaded_blas
from ..maps import Features
from .base import PLAIN, Engine, S
from .progress import progress_bar

Lanes = Sequence[Sequence[Part]]

LARGE = 1 << 16  # bytes of an array from which it pays to look for zeros
LOOK_SECONDS = 0.5  # between two looks whether there are workers
MOST_LOSSES = 3  # of all workers in one pass, after which it is not begun again
MORE_MEMORY = "give the workers more memory, or lower memory= of the engine"
GOES_ON = "and fit again: with bo.CheckpointEngine(folder, engine) a fit goes on from what was saved"
CLOSED = f"The Dask client was closed or has lost its scheduler: connect a new client {GOES_ON}."


class DaskEngine(Engine):
    """A Dask cluster: lanes are folded on the workers and merged pairwise there; only statistics come back.

    The bits are those of ThreadEngine. Each worker is given neighbouring lanes, as many as its threads make its share,
    so that all work to the end and few statistics travel. Blocks that a learner reads again and again are kept on the
    workers, each lane coming back to the same one.

    A worker that dies costs the lanes it had: Dask gives them to others. Where all have died, the pass is begun again
    as soon as there are workers, three times at most (with a checkpoint, from what was saved). Where there are no
    workers for longer than ``patience``, where the same lane ended worker after worker, or the client was closed, the
    fit ends with a RuntimeError that says so.

    Parameters
    ----------
    client : distributed.Client, default=None
        None: the current client when a pass is made.
    n_jobs : int, default=None
        Threads of this process, for what is solved and predicted here; None: as many as BLAS would use.
    memory : int or str, default="2GB"
        What statistics, blocks, and designs that are kept between passes may take in each process.
    progress : bool, default=False
        Show a bar where standard error is a terminal.
    patience : float, default=600
        Seconds to wait for a worker where there is none, at the start (a cluster that queues for its machines may need
        more) and whenever the last one has gone; workers that Dask has paused for want of memory do not count.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> model = bo.KernelRidge(engine=bo.DaskEngine(Client(n_workers=4)))  # doctest: +SKIP
    >>> model.fit(bo.ParquetBlocks("s3://bucket/folder", target="y"))  # doctest: +SKIP
    """

    def __init__(
        self,
        client: Any = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        patience: float = 600.0,
    ) -> None:
        self.client = client
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.patience = patience
        self._on_workers: WeakKeyDictionary[Features, Any] = WeakKeyDictionary()
        self._shelves: WeakKeyDictionary[Shelf, dict[str, Any]] = WeakKeyDictionary()

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        lanes = list(source.lanes(statistic.nbytes, self.memory_bytes))
        return self._persistently(lambda client: self._fold(client, statistic, source, lanes, folding))

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        arguments = [(function, lane) for lane in source.lanes(1, self.memory_bytes)]
        return self._persistently(lambda client: self._map(client, arguments, source))

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        return self._persistently(lambda client: self._run(client, tasks))

    def _fold(self, client: Any, statistic: S, source: BlockSource, lanes: Lanes, folding: Folding) -> S:
        arguments = [(statistic, lane, folding, index) for index, lane in enumerate(lanes)]
        leaves = futures = self._submit_lanes(client, fold_lane, arguments, source)
        while len(futures) > 1:
            pairs = [
                client.submit(merge_nodes, folding, left, right, pure=False, priority=1)  # before other lanes
                for left, right in zip(futures[::2], futures[1::2])
            ]
            futures = pairs + futures[len(pairs) * 2 :]
        with self._watched(source, lanes, leaves), released_on_error([*leaves, *futures]):
            self._wait(client, futures)
            root: Node = futures[0].result()
        return copy.deepcopy(root.state)  # what came over the wire is read-only

    def _map(self, client: Any, arguments: Sequence[Any], source: BlockSource) -> list[Any]:
        futures = self._submit_lanes(client, map_lane, arguments, source)
        return list(chain.from_iterable(self._gathered(client, futures)))

    def _run(self, client: Any, tasks: Sequence[Task]) -> list[Any]:
        return self._gathered(client, [self._submit(client, run_task, packed((task,)), None) for task in tasks])

    def _persistently(self, work: Callable[[Any], Any]) -> Any:
        """Do the work, and once more where all the workers that had a part of it were lost."""
        client, losses = self._client(), 0
        while True:
            try:
                return work(client)
            except Exception as error:
                self._on_workers.clear()
                self._shelves.clear()
                if client.status != "running":
                    raise RuntimeError(CLOSED) from error
                if not isinstance(error, CancelledError):
                    raise
                losses += 1
                if losses > MOST_LOSSES:
                    raise RuntimeError(
                        f"The Dask cluster lost all of its workers {losses} times in one pass, for want of memory or "
                        f"ended from outside: {MORE_MEMORY}, {GOES_ON}."
                    ) from error

    def _client(self) -> Any:
        try:
            from distributed import get_client
        except ImportError as error:
            raise ImportError(NEEDS_DASK) from error
        try:
            client = get_client() if self.client is None else self.client
        except ValueError as error:
            raise RuntimeError("DaskEngine needs a client: make a distributed.Client, or give one.") from error
        status = getattr(client, "status", None)
        if status is None:
            raise TypeError(f"DaskEngine takes a distributed.Client, not {type(client).__name__}.")
        if status != "running":
            raise RuntimeError(CLOSED)
        return client

    def _workers(self, client: Any) -> dict[str, Any]:
        """The workers that take work, by address."""
        try:
            workers = client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, KeyError, TimeoutError) as error:  # nobody answers
            raise CancelledError from error
        return {name: worker for name, worker in workers.items() if worker.get("status", "running") == "running"}

    def _waited_for_workers(self, client: Any) -> dict[str, Any]:
        """The workers there are; where there are none, those that come before patience ends."""
        end = time.monotonic() + self.patience
        while not (workers := self._workers(client)):
            if time.monotonic() > end:
                raise RuntimeError(
                    f"No Dask worker has taken work for {self.patience:g} seconds: start workers, or raise patience= "
                    f"of DaskEngine, {GOES_ON}."
                )
            time.sleep(LOOK_SECONDS)
        return workers

    def _wait(self, client: Any, futures: Sequence[Any]) -> None:
        """Wait for futures while there are workers."""
        for future in futures:
            while not future.done():
                try:
                    future.exception(timeout=LOOK_SECONDS)
                except TimeoutError:
                    self._waited_for_workers(client)

    def _gathered(self, client: Any, futures: Sequence[Any]) -> list[Any]:
        with released_on_error(futures):
            self._wait(client, futures)
            return client.gather(futures)

    def _submit_lanes(
        self, client: Any, task: Callable[..., Any], arguments: Sequence[Any], source: BlockSource
    ) -> list[Any]:
        """Send a task for each lane to its worker; rows that some worker has already, and does not keep, stay there."""
        places, kept = self._places(client, source), bool(source.shelves())
        futures = []
        for index, one in enumerate(arguments):
            packet = packed(one)
            free = kept or not any(is_future(thing) for thing in packet[1])
            place = places[index * len(places) // len(arguments)] if places and free else None
            futures.append(self._submit(client, task, packet, place))
        return futures

    def _submit(self, client: Any, task: Callable[..., Any], packet: tuple[bytes, list[Any]], place: str | None) -> Any:
        """Send a task with its arguments in one pickle, without features and futures: the workers have those."""
        payload, shared = packet
        there = [self._scattered(client, one) if isinstance(one, Features) else one for one in shared]
        where = {} if place is None else {"workers": [place], "allow_other_workers": True}
        return client.submit(task, payload, there, pure=False, **where)

    def _scattered(self, client: Any, features: Features) -> Any:
        if features not in self._on_workers:
            try:
                self._on_workers[features] = client.scatter(features, broadcast=True, hash=False)
            except TimeoutError as error:  # the last worker has just gone
                raise CancelledError from error
        return self._on_workers[features]

    def _places(self, client: Any, source: BlockSource) -> list[str]:
        """Workers to which lanes are given, and come back where blocks are kept on shelves: one entry a thread.

        Neighbouring lanes go to the same worker, which hardly changes with their number. Workers are preferred, not
        required: an idle one helps out.
        """
        workers = self._waited_for_workers(client)
        for shelf in source.shelves():
            held = self._shelves.setdefault(shelf, {})
            for worker in workers:
                if worker not in held:  # the result stays on the worker for as long as we hold the future
                    held[worker] = client.submit(shelf_named, shelf.name, shelf.budget, workers=[worker], pure=False)
        return [worker for worker in sorted(workers) for _ in range(workers[worker]["nthreads"])]

    @contextmanager
    def _watched(self, source: BlockSource, lanes: Lanes, futures: Sequence[Any]) -> Iterator[None]:
        """Show progress as lanes end."""
        with progress_bar(source.n_rows, "fit", self.progress) as done:
            if self.progress:
                rows_per_part = (source.n_rows or 0) / max(1, sum(map(len, lanes)))
                for future, lane in zip(futures, lanes):
                    rows = round(rows_per_part * len(lane))
                    future.add_done_callback(lambda _, rows=rows: done(rows))
            yield

    def __sklearn_clone__(self) -> DaskEngine:
        """With the same client: a connection is not copied."""
        return DaskEngine(self.client, self.n_jobs, self.memory, self.progress, self.patience)

    def __reduce__(self) -> tuple[Any, ...]:
        return DaskEngine, (None, self.n_jobs, self.memory, self.progress, self.patience)  # a connection stays


@contextmanager
def released_on_error(futures: Sequence[Any]) -> Iterator[None]:
    """Take work back that nobody waits for any more; tell in a sentence where it ends every worker.

    The futures are released, not cancelled: Dask's scheduler fails an assertion, and drops the client, where a task is
    cancelled on which another one depends that the client no longer holds (merges between the leaves and the root).
    """
    from distributed import KilledWorker

    try:
        yield
    except BaseException as error:
        with suppress(Exception):  # there may be nobody left to tell
            for future in futures:
                future.release()
        if isinstance(error, KilledWorker):
            raise RuntimeError(
                "A part of the work ended one Dask worker after the other, most often for want of memory: "
                f"{MORE_MEMORY}, {GOES_ON}."
            ) from error
        raise


def packed(arguments: Any) -> tuple[bytes, list[Any]]:
    """A pickle of the arguments, and the features and futures that were left out of it."""
    import cloudpickle

    shared: list[Any] = []

    class Packer(cloudpickle.Pickler):
        def persistent_id(self, thing: Any) -> int | None:
            if not (isinstance(thing, Features) or is_future(thing)):
                return None
            if not any(thing is one for one in shared):
                shared.append(thing)
            return next(index for index, one in enumerate(shared) if one is thing)

        def reducer_override(self, thing: Any) -> Any:
            """Large arrays of zeros, such as an empty statistic, go as their shape."""
            if type(thing) is np.ndarray and thing.nbytes > LARGE and thing.dtype.kind == "f" and not thing.any():
                return np.zeros, (thing.shape, thing.dtype)
            return super().reducer_override(thing)

    buffer = io.BytesIO()
    Packer(buffer, protocol=5).dump(arguments)
    return buffer.getvalue(), shared


def unpacked(payload: bytes, shared: Sequence[Any]) -> Any:
    """The arguments that were packed, with what the futures stand for in the place of futures."""

    class Unpacker(pickle.Unpickler):
        def persistent_load(self, index: Any) -> Any:
            return shared[index]

    return Unpacker(io.BytesIO(payload)).load()


def fold_lane(payload: bytes, shared: Sequence[Any]) -> Node:
    """Fold one lane, on a worker."""
    statistic, lane, folding, index = unpacked(payload, shared)
    with single_threaded_blas():
        return folding.lane(statistic, index, lane, int)


def merge_nodes(folding: Folding, left: Node, right: Node) -> Node:
    """Merge two nodes, on a worker; Dask's copy of the left one must not change."""
    return folding.merge(copy.deepcopy(left), right)


def map_lane(payload: bytes, shared: Sequence[Any]) -> list[Any]:
    """Apply a function to the blocks of a lane, on a worker."""
    function, lane = unpacked(payload, shared)
    with single_threaded_blas():
        return [function(part()) for part in lane]


def run_task(payload: bytes, shared: Sequence[Any]) -> Any:
    """Run one task, on a worker."""
    (task,) = unpacked(payload, shared)
    with single_threaded_blas():
        return task()

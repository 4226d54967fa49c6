"""Passes on a Dask cluster. One of the two files that import Dask."""

from __future__ import annotations

import copy
import io
import pickle
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..blocks import Block, BlockSource
from ..blocks.base import Task
from ..blocks.cached import Shelf, shelf_named
from ..blocks.dask import NEEDS_DASK, is_future
from ..blocks.tree import Folding, Node
from ..compute.threads import single_threaded_blas
from ..maps import Features
from .base import PLAIN, Engine, S
from .progress import progress_bar

LARGE = 1 << 16  # bytes of an array from which it pays to look for zeros


class DaskEngine(Engine):
    """A Dask cluster: lanes are folded on the workers and merged pairwise there; only statistics come back.

    The bits are those of ThreadEngine. Each worker is given neighbouring lanes, as many as its threads make its share,
    so that all work to the end and few statistics travel. A worker that dies costs the lanes it had: Dask gives them to
    others. Blocks that a learner reads again and again are kept on the workers, each lane coming back to the same one.

    Parameters
    ----------
    client : distributed.Client, default=None
        None: the current client when a pass is made.
    progress : bool, default=False
        Show a bar where standard error is a terminal.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> model = bo.KernelRidge(engine=bo.DaskEngine(Client(n_workers=4)))  # doctest: +SKIP
    >>> model.fit_blocks(bo.ParquetBlocks("s3://bucket/folder", target="y"))  # doctest: +SKIP
    """

    def __init__(self, client: Any = None, progress: bool = False) -> None:
        self.client = client
        self.progress = progress
        self._on_workers: WeakKeyDictionary[Features, Any] = WeakKeyDictionary()
        self._shelves: WeakKeyDictionary[Shelf, dict[str, Any]] = WeakKeyDictionary()

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        client = self._client()
        lanes = list(source.lanes(statistic.nbytes))
        arguments = [(statistic, lane, folding, index) for index, lane in enumerate(lanes)]
        futures = self._submit_lanes(client, fold_lane, arguments, source)
        leaves = futures
        try:
            while len(futures) > 1:
                pairs = [
                    client.submit(merge_nodes, folding, left, right, pure=False, priority=1)  # before other lanes
                    for left, right in zip(futures[::2], futures[1::2])
                ]
                futures = pairs + futures[len(pairs) * 2 :]
            self._watch(source, lanes, leaves)
            root: Node = futures[0].result()
        except BaseException:
            client.cancel([*leaves, *futures])
            raise
        return copy.deepcopy(root.state)  # what came over the wire is read-only

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        client = self._client()
        futures = self._submit_lanes(client, map_lane, [(function, lane) for lane in source.lanes(1)], source)
        return list(chain.from_iterable(client.gather(futures)))

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        client = self._client()
        return client.gather([self._submit(client, run_task, packed((task,)), None) for task in tasks])

    def _client(self) -> Any:
        try:
            from distributed import get_client
        except ImportError as error:
            raise ImportError(NEEDS_DASK) from error
        return get_client() if self.client is None else self.client

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
            self._on_workers[features] = client.scatter(features, broadcast=True, hash=False)
        return self._on_workers[features]

    def _places(self, client: Any, source: BlockSource) -> list[str]:
        """Workers to which lanes are given, and come back where blocks are kept on shelves: one entry a thread.

        Neighbouring lanes go to the same worker, which hardly changes with their number. Workers are preferred, not
        required: an idle one helps out.
        """
        workers = client.scheduler_info(n_workers=-1)["workers"]
        for shelf in source.shelves():
            held = self._shelves.setdefault(shelf, {})
            for worker in workers:
                if worker not in held:  # the result stays on the worker for as long as we hold the future
                    held[worker] = client.submit(shelf_named, shelf.name, shelf.budget, workers=[worker], pure=False)
        return [worker for worker in sorted(workers) for _ in range(workers[worker]["nthreads"])]

    def _watch(self, source: BlockSource, lanes: Sequence[Sequence[Any]], futures: Sequence[Any]) -> None:
        """Show progress as lanes end."""
        if not self.progress:
            return
        from distributed import as_completed

        rows_per_part = (source.n_rows or 0) / max(1, sum(map(len, lanes)))
        sizes = {future.key: len(lane) for future, lane in zip(futures, lanes)}
        with progress_bar(source.n_rows, "fit", self.progress) as done:
            for future in as_completed(futures):
                done(round(rows_per_part * sizes[future.key]))

    def __reduce__(self) -> tuple[Any, ...]:
        return DaskEngine, (None, self.progress)  # a connection stays where it is


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

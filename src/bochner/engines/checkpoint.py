"""Passes that survive an interruption: states are saved every so often, and the same call resumes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from ..blocks import Block, BlockSource, Monoid, Part
from ..blocks.base import Task
from ..blocks.fingerprint import digest
from ..blocks.tree import Folding, Node, Report
from .base import PLAIN, Engine, S
from .files import Array, read_arrays, remove, write_arrays

LEAST_SECONDS = 2.0  # of work between two saves
SAVE_SHARE = 0.02  # of the time may go into saving


class CheckpointEngine(Engine):
    """An engine whose folds can be resumed.

    Passes are numbered in the order in which the learner asks for them, which is the same in each run. The result of
    a finished pass is kept and returned at once when the pass is asked for again; a pass that was under way goes on
    from the states of its lanes. A learner that iterates therefore comes back to where it was, to the same bits,
    without knowing of it. What ``map`` and ``run`` do is done again.

    Parameters
    ----------
    engine : Engine
        Who does the work. With Dask the folder must be one that all workers see.
    folder : path
    learner : str, default=""
        A digest of the learner's parameters: a folder that belongs to another learner or to other rows is refused.
    """

    def __init__(self, engine: Engine, folder: str | PathLike[str], learner: str = "") -> None:
        self.engine = engine
        self.folder = Path(folder)
        self.learner = learner
        self.n_passes = 0
        self.unsaved: list[tuple[Path, dict[str, Array]]] = []
        self.unsaved_seconds = 0.0
        self.seconds_between = LEAST_SECONDS
        self._fingerprints: WeakKeyDictionary[BlockSource, str] = WeakKeyDictionary()

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        folder = self.folder / f"pass-{self.n_passes:05d}"
        self.n_passes += 1
        self._claim(folder, statistic, source)
        if (folder / "result.npz").exists():
            state = statistic.zero()
            state.restore(read_arrays(folder / "result.npz"))
            return state
        start = time.perf_counter()
        state = self.engine.fold(statistic, source, ResumableFolding(folder))
        self.unsaved.append((folder, state.state()))
        self.unsaved_seconds += time.perf_counter() - start
        if self.unsaved_seconds > self.seconds_between:
            self.flush()
        return state

    def flush(self) -> None:
        """Save the results of finished passes, and drop the states that led to them."""
        start = time.perf_counter()
        for folder, state in self.unsaved:
            write_arrays(folder / "result.npz", state)
            for file in folder.glob("node-*"):
                remove(file)
        self.unsaved.clear()
        self.unsaved_seconds = 0.0
        self.seconds_between = max(LEAST_SECONDS, (time.perf_counter() - start) / SAVE_SHARE)

    def _claim(self, folder: Path, statistic: Monoid, source: BlockSource) -> None:
        """Refuse a folder that belongs to something else; make it ours if it belongs to nobody."""
        if source not in self._fingerprints:
            self._fingerprints[source] = source.fingerprint()
        owner = digest(self.learner, type(statistic).__name__, statistic.nbytes, self._fingerprints[source])
        mark = folder / "owner.npz"
        if not mark.exists():
            write_arrays(mark, {"owner": np.array(owner)})
        elif read_arrays(mark)["owner"].item() != owner:
            raise ValueError(
                f"The checkpoint in {self.folder} was made by another learner or from other rows (a file that was "
                "changed since has other rows): give another folder, or delete it."
            )

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        return self.engine.map(function, source)

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        return self.engine.run(tasks)


class ResumableFolding(Folding):
    """Saves a node of the tree when losing it would cost more than a little, and takes up what was saved.

    A node's file stands for all nodes below it. Lanes below a saved node are passed over: their state is None until
    the node is reached. Picklable, so that workers elsewhere can do the same.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds_between = LEAST_SECONDS

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        if any(self._file(level, index >> level).exists() for level in range(1, 32)):
            return Node(0, index, None, like=statistic)
        node = Node(0, index, statistic.zero(), like=statistic)
        n_folded = self._take_up(node)
        for position in range(n_folded, len(parts)):
            start = time.perf_counter()
            block = parts[position]()
            node.state.update(block)
            node.unsaved_seconds += time.perf_counter() - start
            done(block.n_rows)
            if node.unsaved_seconds > self.seconds_between:
                self._save(node, position + 1)
        return node

    def merge(self, left: Node, right: Node) -> Node:
        node = Node(
            left.level + 1, left.index // 2, left.state, left.unsaved_seconds + right.unsaved_seconds, left.like
        )
        if left.state is not None:
            left.state.merge(right.state)
        elif self._file(node.level, node.index).exists():
            node.state = node.like.zero()
            self._take_up(node)
        if node.unsaved_seconds > self.seconds_between:
            self._save(node, 0)
            self._remove_below(node)
        return node

    def _file(self, level: int, index: int) -> Path:
        return self.folder / f"node-{level}-{index}.npz"

    def _save(self, node: Node, n_folded: int) -> None:
        start = time.perf_counter()
        write_arrays(self._file(node.level, node.index), {**node.state.state(), "n_folded": np.array(n_folded)})
        node.unsaved_seconds = 0.0
        self.seconds_between = max(LEAST_SECONDS, (time.perf_counter() - start) / SAVE_SHARE)

    def _take_up(self, node: Node) -> int:
        """Restore a node from its file, if there is one; the number of parts that its state has seen."""
        file = self._file(node.level, node.index)
        if not file.exists():
            return 0
        saved = read_arrays(file)
        n_folded = int(saved.pop("n_folded"))
        node.state.restore(saved)
        return n_folded

    def _remove_below(self, node: Node) -> None:
        for level in range(node.level):
            width = node.level - level
            for index in range(node.index << width, (node.index + 1) << width):
                remove(self._file(level, index))

"""Passes that survive an interruption: states are saved every so often, and the same call resumes."""

from __future__ import annotations

import shutil
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
from .files import Array, make_folder, read_arrays, remove, write_arrays

LEAST_SECONDS = 5.0  # of work between two saves
MOST_LEVELS = 32  # of a tree over lanes
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
        self.saved = saved_passes(self.folder)
        self.unsaved: dict[int, dict[str, Array]] = {}
        self.unsaved_seconds = 0.0
        self.seconds_between = LEAST_SECONDS
        self._fingerprints: WeakKeyDictionary[BlockSource, str] = WeakKeyDictionary()

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        number, owner = self.n_passes, self._owner(statistic, source)
        self.n_passes += 1
        if number in self.saved:
            saved = read_arrays(self.saved[number], f"{number}/")
            self._refuse_others(saved.pop("owner"), owner)
            state = statistic.zero()
            state.restore(saved)
            return state
        folder = self._pass_folder(number)
        if (folder / "owner.arrays").exists():
            self._refuse_others(read_arrays(folder / "owner.arrays")["owner"], owner)
        elif number == 0:
            make_folder(folder)  # now rather than after an hour, if it cannot be done
        start = time.perf_counter()
        state = self.engine.fold(statistic, source, ResumableFolding(folder, owner))
        self.unsaved[number] = {**state.state(), "owner": np.array(owner)}
        self.unsaved_seconds += time.perf_counter() - start
        if self.unsaved_seconds > self.seconds_between:
            self.flush()
        return state

    def flush(self) -> None:
        """Save the results of finished passes, in one file, and drop the states that led to them."""
        if not self.unsaved:
            return
        start = time.perf_counter()
        first, last = min(self.unsaved), max(self.unsaved)
        arrays = {f"{number}/{name}": value for number, state in self.unsaved.items() for name, value in state.items()}
        write_arrays(self.folder / f"passes-{first:05d}-{last:05d}.arrays", arrays)
        for number in self.unsaved:
            shutil.rmtree(self._pass_folder(number), ignore_errors=True)
        self.unsaved.clear()
        self.unsaved_seconds = 0.0
        self.seconds_between = max(LEAST_SECONDS, (time.perf_counter() - start) / SAVE_SHARE)

    def _pass_folder(self, number: int) -> Path:
        """Where the states of a pass are while it is under way."""
        return self.folder / f"pass-{number:05d}"

    def _owner(self, statistic: Monoid, source: BlockSource) -> str:
        """A digest of all that decides the result of a pass, but for what the passes before it decide."""
        if source not in self._fingerprints:
            self._fingerprints[source] = source.fingerprint()
        return digest(self.learner, type(statistic).__name__, statistic.nbytes, self._fingerprints[source])

    def _refuse_others(self, found: Array, owner: str) -> None:
        if found.item() != owner:
            raise ValueError(
                f"The checkpoint in {self.folder} was made by another learner or from other rows (a file that was "
                "changed since has other rows): give another folder, or delete it."
            )

    def map(self, function: Callable[[Block], Any], source: BlockSource) -> list[Any]:
        return self.engine.map(function, source)

    def run(self, tasks: Sequence[Task]) -> list[Any]:
        return self.engine.run(tasks)


def saved_passes(folder: Path) -> dict[int, Path]:
    """Which finished passes a folder holds, and in which file."""
    found = {}
    for file in sorted(folder.glob("passes-*-*.arrays")):
        first, last = map(int, file.stem.split("-")[1:])
        found.update(dict.fromkeys(range(first, last + 1), file))
    return found


class ResumableFolding(Folding):
    """Saves a node of the tree when losing it would cost more than a little, and takes up what was saved.

    A node's file stands for all nodes below it. Lanes below a saved node are passed over: their state is None until
    the node is reached. Picklable, so that workers elsewhere can do the same.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self.folder = folder
        self.owner = owner
        self.seconds_between = LEAST_SECONDS

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        begun = self._owner_file.exists()
        if begun and any(self._file(level, index >> level).exists() for level in range(1, MOST_LEVELS)):
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

    @property
    def _owner_file(self) -> Path:
        """Says to whom the states in the folder belong; there are none without it."""
        return self.folder / "owner.arrays"

    def _file(self, level: int, index: int) -> Path:
        return self.folder / f"node-{level}-{index}.arrays"

    def _save(self, node: Node, n_folded: int) -> None:
        start = time.perf_counter()
        if not self._owner_file.exists():
            write_arrays(self._owner_file, {"owner": np.array(self.owner)})
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

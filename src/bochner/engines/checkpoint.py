"""Passes that survive an interruption: states are saved every so often, and the same call resumes."""

from __future__ import annotations

import os
import pickle
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Self
from weakref import WeakKeyDictionary

from ..blocks import BlockSource, Monoid, Part
from ..blocks.fingerprint import Digest, digest
from ..blocks.tree import Folding, Node, Report
from .array_files import Array, held, make_folder, read_arrays, remove, write_arrays
from .base import PLAIN, DelegatingEngine, Engine, Parameters, S
from .local import ThreadEngine, as_engine
from .marked import MARKS, Marked, ReadingAgain, marks_from_arrays
from .owner import Owner

LEAST_SECONDS = 5.0  # of work between two saves
MOST_LEVELS = 32  # of a tree over lanes
SAVE_SHARE = 0.02  # of the time may go into saving


class CheckpointEngine(DelegatingEngine):
    """An engine whose fits can be resumed: work is saved in a folder every so often.

    After an interruption of any kind the same call of ``fit`` resumes and ends with the same bits. What
    ``partial_fit`` takes in is not saved. Delete the folder when the model is safe.

    Passes are numbered in the order in which the learner asks for them, which is the same in each run. The result of
    a finished pass is kept and returned at once when the pass is asked for again; a pass that was under way goes on
    from the states of its lanes. A learner that iterates therefore comes back to where it was, to the same bits,
    without knowing of it. What ``map`` and ``run`` do is done again.

    A folder belongs to one version of the library, one learner with its parameters, and one set of rows; anything else
    is refused. Of rows in memory every byte counts: a digest of them is made when the first pass begins, at about 7
    GB/s in each thread. Of rows in files each block that was taken in has a digest in the folder, made as it was read:
    on resuming such blocks are read again and compared. That costs one read of them, without making features, and one
    more for a pass that was under way; a fit that is not interrupted pays only for the digests. Rows that were not yet
    taken in may have changed: the result is that of the rows as they are now.

    Parameters
    ----------
    folder : path
    engine : Engine, int or None, default=None
        Who does the work; a number: so many threads. With Dask the folder must be one that all workers see.

    Examples
    --------
    >>> import bochner as bo
    >>> model = bo.KernelRidge(engine=bo.CheckpointEngine("saved"), random_state=0)  # doctest: +SKIP
    """

    def __init__(self, folder: str | PathLike[str], engine: Any = None) -> None:
        self.folder = folder
        self.engine = engine

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        return [cls(folder)]

    @property
    def working(self) -> Engine:  # type: ignore[override]
        """Who does the work."""
        return as_engine(self.engine)

    @contextmanager
    def opened(self, parameters: Parameters) -> Iterator[Engine]:
        learner = digest_of(parameters())
        with held(self.folder), self.working.opened(parameters) as engine:
            saving = SavingEngine(engine, Path(self.folder), learner)
            yield saving
            saving.flush()


def digest_of(parameters: Any) -> str:
    """A digest of the parameters of a learner, on which a result depends beside the rows."""
    try:
        return digest(parameters)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ValueError(
            f"A checkpoint cannot tell the parameters of this learner from others ({error}): "
            "give parameters that can be pickled."
        ) from error


class SavingEngine(DelegatingEngine):
    """The engine of one fit whose passes are saved in a folder, by a digest of the learner's parameters."""

    def __init__(self, engine: Engine, folder: Path, learner: str = "") -> None:
        self.engine = engine
        self.folder = folder
        self.learner = learner
        self.working = engine
        self.n_passes = 0
        self.saved = saved_passes(self.folder)
        self.unsaved: dict[int, dict[str, Array]] = {}
        self.unsaved_seconds = 0.0
        self.seconds_between = LEAST_SECONDS
        self._digest = Digest()
        self._fingerprints: WeakKeyDictionary[BlockSource, str] = WeakKeyDictionary()
        self._read_again: WeakKeyDictionary[BlockSource, list[int]] = WeakKeyDictionary()  # marks

    @classmethod
    def examples(cls, folder: Path) -> list[Self]:
        return [cls(ThreadEngine(2), folder / "saving", "example")]

    def fold(self, statistic: S, source: BlockSource, folding: Folding = PLAIN) -> S:
        number, owner = self.n_passes, self._owner(statistic, source)
        self.n_passes += 1
        state = Marked(statistic)
        if number in self.saved:
            saved = read_arrays(self.saved[number], f"{number}/")
            owner.refuse_others(saved.pop("owner"))
            state = state.zero()
            state.restore(saved)
            self._refuse_changed(state, source, owner)
            return state.inner
        resumable = ResumableFolding(self._pass_folder(number), owner)
        resumable.refuse_others()
        if number == 0:
            make_folder(resumable.folder)  # now rather than after an hour, if it cannot be done
        start = time.perf_counter()
        state = self.engine.fold(state, source, resumable)
        if state is None:
            raise owner.of_other_rows("there are fewer of them now")
        self.unsaved[number] = {**state.state(), "owner": owner.array}
        self.unsaved_seconds += time.perf_counter() - start
        if self.unsaved_seconds > self.seconds_between:
            self.flush()
        return state.inner

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

    def _owner(self, statistic: Monoid, source: BlockSource) -> Owner:
        """All that decides the result of a pass, but for what the passes before it decide."""
        if source not in self._fingerprints:
            self._fingerprints[source] = source.fingerprint(self._digest)
        rows = self._digest(type(statistic).__name__, statistic.nbytes, self.memory_bytes, self._fingerprints[source])
        return Owner(str(self.folder), self.learner, rows)

    def _refuse_changed(self, state: Marked, source: BlockSource, owner: Owner) -> None:
        """Read the rows of a finished pass again, once for all passes over them; those in memory need not be."""
        marks = list(chain.from_iterable(state.marks))
        if not any(marks) or self._read_again.get(source.origin) == marks:
            return
        last_lane: Any = self.engine.fold(state, source, ReadingAgain(owner, state.marks))
        if last_lane + 1 < len(state.marks):
            raise owner.of_other_rows("there are fewer of them now")
        self._read_again[source.origin] = marks


def saved_passes(folder: Path) -> dict[int, Path]:
    """Which finished passes a folder holds, and in which file."""
    found = {}
    for file in sorted(folder.glob("passes-*-*.arrays")):
        first, last = map(int, file.stem.split("-")[1:])
        found.update(dict.fromkeys(range(first, last + 1), file))
    return found


class ResumableFolding(Folding):
    """Saves a node of the tree when losing it would cost more than a little, and takes up what was saved.

    A node's file stands for all nodes below it. Lanes below a saved node are passed over, once their rows are seen to
    be those that it took in: their state is None until the node is reached. Picklable, so that workers elsewhere can
    do the same.
    """

    def __init__(self, folder: Path, owner: Owner) -> None:
        self.folder = folder
        self.owner = owner
        self.seconds_between = LEAST_SECONDS

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        level = self._saved_above(index)
        if level > 0:
            above = marks_from_arrays(read_arrays(self._file(level, index >> level), MARKS))
            place = index % (1 << level)
            self.owner.refuse_changed(above[place] if place < len(above) else [], parts, done)
            return Node(0, index, None, like=statistic)
        node = Node(0, index, statistic.zero(), like=statistic)
        if level == 0:
            self._take_up(node)
        taken_in = node.state.marks[0]
        self.owner.refuse_changed(taken_in, parts[: len(taken_in)], done)
        for part in parts[len(taken_in) :]:
            start = time.perf_counter()
            block = part()
            node.state.update(block)
            node.unsaved_seconds += time.perf_counter() - start
            done(block.n_rows)
            if node.unsaved_seconds > self.seconds_between:
                self._save(node)
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
            self._save(node)
            self._remove_below(node)
        return node

    def refuse_others(self) -> None:
        """Refuse to go on where somebody else was at work."""
        for file in self.folder.glob("node-*"):
            self.owner.refuse_others(read_arrays(file, "owner")[""])
            return

    def _saved_above(self, index: int) -> int:
        """The level of the file that stands for this lane; -1 if there is none."""
        names = os.listdir(self.folder) if self.folder.exists() else []
        levels = [level for level in range(MOST_LEVELS) if self._file(level, index >> level).name in names]
        return max(levels, default=-1)

    def _file(self, level: int, index: int) -> Path:
        return self.folder / f"node-{level}-{index}.arrays"

    def _save(self, node: Node) -> None:
        start = time.perf_counter()
        write_arrays(self._file(node.level, node.index), {**node.state.state(), "owner": self.owner.array})
        node.unsaved_seconds = 0.0
        self.seconds_between = max(LEAST_SECONDS, (time.perf_counter() - start) / SAVE_SHARE)

    def _take_up(self, node: Node) -> None:
        """Restore a node from its file."""
        saved = read_arrays(self._file(node.level, node.index))
        self.owner.refuse_others(saved.pop("owner"))
        node.state.restore(saved)

    def _remove_below(self, node: Node) -> None:
        for level in range(node.level):
            width = node.level - level
            for index in range(node.index << width, (node.index + 1) << width):
                remove(self._file(level, index))

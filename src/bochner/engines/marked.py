"""A statistic that remembers which blocks it has taken in, and a fold that only looks whether they are still there."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, chain, pairwise
from typing import Any

import numpy as np

from ..blocks import Block, Monoid, Part
from ..blocks.tree import Folding, Node, Report
from .owner import Owner

Array = np.ndarray
Marks = list[list[int]]  # of the blocks of each lane, in order

MARKS = "marks/"  # what the arrays with marks begin with


class Marked(Monoid):
    """A statistic, and the marks of the blocks it has taken in, lane by lane."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.marks: Marks = [[]]

    def zero(self) -> Marked:
        return Marked(self.inner.zero())

    def update(self, block: Block) -> None:
        self.inner.update(block)
        self.marks[-1].append(block.mark)

    def merge(self, other: Marked) -> None:
        self.inner.merge(other.inner)
        self.marks += other.marks

    @property
    def nbytes(self) -> int:
        return self.inner.nbytes

    def state(self) -> dict[str, Array]:
        return {**self.inner.state(), **marks_as_arrays(self.marks)}

    def restore(self, state: dict[str, Array]) -> None:
        self.marks = marks_from_arrays({name.removeprefix(MARKS): state[name] for name in state if MARKS in name})
        self.inner.restore({name: value for name, value in state.items() if MARKS not in name})


def marks_as_arrays(marks: Marks) -> dict[str, Array]:
    """Marks as arrays to be saved."""
    return {
        f"{MARKS}lengths": np.array([len(lane) for lane in marks]),
        f"{MARKS}values": np.array(list(chain.from_iterable(marks)), dtype=np.uint64),
    }


def marks_from_arrays(arrays: dict[str, Array]) -> Marks:
    """Marks from the arrays that were saved, by their names without the beginning."""
    values = arrays["values"].tolist()
    edges = accumulate(arrays["lengths"].tolist(), initial=0)
    return [values[start:stop] for start, stop in pairwise(edges)]


class ReadingAgain(Folding):
    """Reads the rows of a finished pass and refuses those that are not what was taken in; takes in nothing."""

    def __init__(self, owner: Owner, marks: Marks) -> None:
        self.owner = owner
        self.marks = marks

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        self.owner.refuse_changed(self.marks[index] if index < len(self.marks) else [], parts, done)
        return Node(0, index, index)

    def merge(self, left: Node, right: Node) -> Node:
        return Node(left.level + 1, left.index // 2, max(left.state, right.state))

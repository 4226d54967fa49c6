"""The reduction tree: lanes folded in order, their states merged pairwise, whoever does the work."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from .base import BlockSource, Part
from .memory import MEMORY
from .monoid import Monoid

M = TypeVar("M", bound=Monoid)
Report = Callable[[int], object]  # told the number of rows done


@dataclass
class Node:
    """The state of lanes ``index * 2^level`` to ``(index + 1) * 2^level``, as far as there are so many."""

    level: int
    index: int
    state: Any
    unsaved_seconds: float = 0.0  # work that would be lost if the process ended now
    like: Any = None  # an empty state, for those who restore nodes from files


class Folding(ABC):
    """What is done at the nodes of the tree: a plain fold, or one that can be resumed."""

    @abstractmethod
    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        """Fold the parts of one lane in order."""

    @abstractmethod
    def merge(self, left: Node, right: Node) -> Node:
        """Merge the right node into the left."""


class PlainFolding(Folding):
    """Nothing but the work."""

    def lane(self, statistic: Monoid, index: int, parts: Sequence[Part], done: Report) -> Node:
        state = statistic.zero()
        for part in parts:
            block = part()
            state.update(block)
            done(block.n_rows)
        return Node(0, index, state)

    def merge(self, left: Node, right: Node) -> Node:
        left.state.merge(right.state)
        return Node(left.level + 1, left.index // 2, left.state)


class MergeTree:
    """Merges siblings as soon as both are there: log2(lanes) states wait at most, and the tree is always the same."""

    def __init__(self, merge: Callable[[Node, Node], Node]) -> None:
        self.merge = merge
        self.waiting: dict[tuple[int, int], Node] = {}
        self.lock = Lock()

    def add(self, node: Node) -> None:
        """Take in the node of a lane; lanes may come in any order."""
        with self.lock:
            while (sibling := self.waiting.pop((node.level, node.index ^ 1), None)) is not None:
                left, right = (node, sibling) if node.index % 2 == 0 else (sibling, node)
                node = self.merge(left, right)
            self.waiting[node.level, node.index] = node

    def root(self) -> Any:
        """The state of all lanes. What has no sibling is merged from the right, as pairing level by level would."""
        nodes = [self.waiting[key] for key in sorted(self.waiting)]  # small trees first: they stand on the right
        if not nodes:
            raise ValueError("The source has no blocks: at least 1 row is needed.")
        root = nodes[0]
        for node in nodes[1:]:
            root = self.merge(node, root)
        return root.state


def fold_in_turn(
    statistic: M, source: BlockSource, folding: Folding | None = None, done: Report = int, memory: int = MEMORY
) -> M:
    """Fold a source here, one lane after the other: the reference for everybody else."""
    folding = PlainFolding() if folding is None else folding
    tree = MergeTree(folding.merge)
    for index, lane in enumerate(source.lanes(statistic.nbytes, memory)):
        tree.add(folding.lane(statistic, index, lane, done))
    return tree.root()

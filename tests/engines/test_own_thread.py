"""Whose thread does the work: one lane, one task or one thread is the caller's own; more are for the engine's."""

from dataclasses import dataclass, field, replace
from threading import get_ident

import numpy as np
import pytest

import bochner as bo
from bochner.blocks import Block


@dataclass
class Seen:
    """Leaves blocks as they are, and knows which threads brought them."""

    threads: set[int] = field(default_factory=set)

    def __call__(self, block: Block) -> Block:
        self.threads.add(get_ident())
        return replace(block)


def threads_of_a_fit(n_rows: int, n_jobs: int) -> set[int]:
    seen = Seen()
    source = bo.ArrayBlocks(np.ones((n_rows, 2)), np.ones(n_rows), block_rows=10).mapped(seen)
    bo.ThreadEngine(n_jobs).map(lambda block: block.n_rows, source)
    return seen.threads


@pytest.mark.parametrize(("n_rows", "n_jobs", "own"), [(10, 4, True), (200, 1, True), (200, 2, False)])
def test_blocks(n_rows: int, n_jobs: int, own: bool) -> None:
    assert (threads_of_a_fit(n_rows, n_jobs) == {get_ident()}) == own


@pytest.mark.parametrize(("n_tasks", "n_jobs", "own"), [(1, 4, True), (5, 1, True), (5, 2, False), (0, 2, False)])
def test_tasks(n_tasks: int, n_jobs: int, own: bool) -> None:
    assert (set(bo.ThreadEngine(n_jobs).run([get_ident] * n_tasks)) == {get_ident()}) == own

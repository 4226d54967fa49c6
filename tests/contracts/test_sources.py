"""Laws of every source of blocks: the rows, in any blocks, as often as wanted, here or elsewhere."""

from __future__ import annotations

import itertools
import pickle
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest

from bochner.blocks import Block, BlockSource
from bochner.blocks.fingerprint import Digest
from bochner.blocks.folded import FoldedBlocks
from bochner.maps.design import Design
from bochner.statistics.dependence import Pairing
from tests.contracts.walk import concrete

N_ROWS, N_COLUMNS = 300, 3
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N_ROWS, N_COLUMNS))
Y = RNG.normal(size=N_ROWS)
BLOCK_ROWS = (7, 64, 128, 1000)


def places(cls: type[BlockSource]) -> range:
    """The examples of a class by number."""
    with TemporaryDirectory() as folder:
        return range(len(cls.examples(X, Y, Path(folder))))


SOURCES = concrete(BlockSource)
EXAMPLES = [pytest.param((cls, place), id=f"{cls.__name__}-{place}") for cls in SOURCES for place in places(cls)]


@pytest.fixture(params=EXAMPLES)
def make(request, tmp_path) -> Callable[..., BlockSource]:
    """An example of a class, of these rows or of others."""
    cls, place = request.param
    return lambda rows=X: cls.examples(rows, Y, tmp_path)[place]


@pytest.fixture
def source(make) -> BlockSource:
    return make()


def test_every_source_gives_an_example():
    assert {example.values[0][0] for example in EXAMPLES} == set(SOURCES)


def array(rows: Any) -> np.ndarray:
    """The rows of a block, whatever holds them."""
    if isinstance(rows, Pairing):
        return rows.left
    if isinstance(rows, Design):
        return rows.dense()
    return rows if isinstance(rows, np.ndarray) else rows.toarray()


def blocks(source: BlockSource) -> list[Block]:
    return [part() for lane in source.lanes(1, 10**9) for part in lane]


def assert_rows(found: list[Block]) -> None:
    """All rows, in order, with their targets where targets of rows are there."""
    np.testing.assert_array_equal(np.concatenate([array(block.X) for block in found]), X)
    targets = [np.reshape(block.y, (block.n_rows, -1)) for block in found if block.y is not None]
    if targets and targets[0].shape[1] == 1:
        np.testing.assert_array_equal(np.concatenate(targets)[:, 0], Y)


def rechunked(source: BlockSource) -> list[BlockSource]:
    """The source in blocks of several sizes; itself where it says that it belongs to its blocks."""
    try:
        return [source.rechunked(block_rows) for block_rows in BLOCK_ROWS]
    except ValueError:
        with pytest.raises(ValueError, match="belong to the blocks"):
            source.rechunked(7)
        return [source]


def test_the_rows_in_blocks_of_any_size(source):
    assert source.n_columns == N_COLUMNS
    assert source.n_rows in (None, N_ROWS)
    for one in rechunked(source):
        found = blocks(one)
        assert_rows(found)
        assert_rows(blocks(one))  # and again
    small = [part() for lane in source.lanes(1, 10**6) for part in lane]
    assert_rows(small)


def test_parts_travel(source):
    source = rechunked(source)[0]
    lanes = [[pickle.loads(pickle.dumps(part)) for part in lane] for lane in source.lanes(1, 10**9)]
    assert_rows([part() for part in itertools.chain.from_iterable(lanes)])
    here = [part.mark() for lane in source.lanes(1, 10**9) for part in lane]
    assert [block.mark for block in blocks(source)] == here


def test_samples_do_not_depend_on_blocks(source):
    for n_rows in (1, 20, N_ROWS):
        first, *others = (array(one.sample(n_rows).X) for one in rechunked(source))
        assert 1 <= len(first) <= max(n_rows, 2)  # one of each source that is chained
        assert (first[:, None] == X).all(axis=2).any(axis=1).all()
        for other in others:
            np.testing.assert_array_equal(other, first)


def test_folds_do_not_depend_on_blocks(source):
    """Every row is inside one fold of three and outside the others, the same in blocks of any size."""
    folds = []
    for one in rechunked(source):
        sizes = [block.n_rows for block in blocks(one)]
        before = np.concatenate([np.ones(b.n_rows) if b.weight is None else b.weight for b in blocks(one)])
        weights = [
            np.concatenate([block.weight for block in blocks(FoldedBlocks(one, sizes, fold, 3, inside=inside))])
            for inside in (True, False)
            for fold in range(3)
        ]
        np.testing.assert_array_equal(np.sum(weights[:3], axis=0), before)
        for inside, outside in zip(weights[:3], weights[3:]):
            np.testing.assert_array_equal(inside + outside, before)
            assert 0.2 < inside[before > 0].sum() / before.sum() < 0.5 or isinstance(source, FoldedBlocks)
        folds.append(np.array(weights[:3]) > 0)
    for other in folds[1:]:
        np.testing.assert_array_equal(other, folds[0])


def told(source: BlockSource) -> tuple[str, list[int]]:
    """What a checkpoint compares: the fingerprint, and the marks of the blocks."""
    return source.fingerprint(Digest()), [part.mark() for lane in source.lanes(1, 10**9) for part in lane]


def test_one_changed_value_is_noticed(source, make):
    before = told(source)
    assert told(source) == before
    changed = X.copy()
    changed[137, 1] += 1e-9
    other = make(changed)
    after = told(other)
    assert after != before
    if any(after[1]):  # rows that are read: the one block that differs is known by its mark
        assert sum(one != other for one, other in zip(after[1], before[1])) == 1

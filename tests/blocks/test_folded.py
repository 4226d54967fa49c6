"""Folds of rows by their position: they share out all rows, whatever the blocks are."""

import numpy as np
import pytest

import bochner as bo
from bochner.blocks.folded import FoldedBlocks, fold_numbers, row_count

X = np.arange(1000.0)[:, None]
WEIGHT = np.random.default_rng(0).uniform(size=1000)


@pytest.mark.parametrize("block_rows", [97, 1000])
def test_every_row_is_inside_one_fold_and_outside_the_others(block_rows):
    source = bo.ArrayBlocks(X, X[:, 0], WEIGHT, block_rows=block_rows)
    rows = [row_count(block) for block in source]
    inside, outside = np.zeros((4, 1000)), np.zeros((4, 1000))
    for fold in range(4):
        for kept, is_inside in ((inside, True), (outside, False)):
            blocks = list(FoldedBlocks(source, rows, fold, 4, inside=is_inside))
            kept[fold] = np.concatenate([block.weight for block in blocks])
            np.testing.assert_array_equal(np.concatenate([block.X for block in blocks]), X)
    np.testing.assert_array_equal(inside + outside, np.tile(WEIGHT, (4, 1)))
    np.testing.assert_array_equal(inside.sum(axis=0), WEIGHT)
    np.testing.assert_array_equal(np.flatnonzero(inside[2]), np.flatnonzero(fold_numbers(0, 1000, 4) == 2))
    assert np.allclose((inside > 0).sum(axis=1), 250, atol=5 * np.sqrt(1000 * 3 / 16))


def test_a_fold_keeps_to_its_blocks():
    with pytest.raises(ValueError, match="rechunk the source first"):
        FoldedBlocks(bo.ArrayBlocks(X), [1000], 0, 2, inside=True).rechunked(10)

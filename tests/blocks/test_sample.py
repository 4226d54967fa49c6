"""Samples of rows are spread evenly, and see every phase of rows that repeat themselves."""

import numpy as np
import pytest

import bochner as bo
from bochner.blocks.sample import sample_rows


@pytest.mark.parametrize(("total", "wanted"), [(10, 3), (1000, 7), (99_991, 20_000), (10**6, 1)])
def test_one_row_of_each_stretch(total, wanted):
    rows = sample_rows(total, wanted)
    step = -(-total // wanted)
    assert rows[0] == 0
    assert len(rows) <= wanted
    assert len(rows) >= total // step
    np.testing.assert_array_equal(rows // step, np.arange(len(rows)))


def test_all_rows_where_no_more_are_wanted():
    assert sample_rows(50, 50) == slice(None)


@pytest.mark.parametrize("period", [2, 5, 7, 10, 12, 24, 60])
@pytest.mark.parametrize("step", [2, 4, 5, 7, 10, 12, 24])
def test_every_phase_of_a_period_is_seen_as_often(period, step):
    rows = sample_rows(240_000 * step, 240_000)
    np.testing.assert_allclose(np.bincount(rows % period) / len(rows), 1.0 / period, rtol=0.01)


def test_a_sample_of_rows_in_turns_has_all_classes():
    """Classes in the order 0 1 2 3 4 0 1 ...: one row in five at a fixed distance would be of one class."""
    rng = np.random.default_rng(0)
    y = np.arange(20_000) % 5
    X = rng.normal(size=(20_000, 2)) + 3.0 * np.column_stack([np.cos(y), np.sin(y)])
    assert len(np.unique(bo.ArrayBlocks(X, y).sample(4_000).y)) == 5

"""Haar directions: orthonormal, uniform, and made in the memory that they take."""

import tracemalloc

import numpy as np
import pytest

from bochner.compute import haar


@pytest.mark.parametrize(("dim", "n"), [(1, 7), (2, 31), (3, 100), (40, 25), (300, 301), (5, 5)])
def test_blocks_are_orthonormal(dim, n):
    rows = haar.haar_rows(dim, n, np.random.default_rng(0))
    size = haar.block_size(dim, n)
    assert rows.shape == (n, dim)
    assert size == min(dim, n)
    for start in range(0, n, size):
        block = rows[start : start + size]
        np.testing.assert_allclose(block @ block.T, np.eye(len(block)), atol=1e-12)


@pytest.mark.parametrize("stacked", [1, 1 << 16])
def test_the_law_is_uniform(monkeypatch, stacked):
    """E q = 0 and E q q' = I / d for every row of a block, at five standard errors; in d = 3 a coordinate is uniform.

    Without the signs of R's diagonal the first coordinate of the first row is always of one sign.
    """
    monkeypatch.setattr(haar, "STACKED", stacked)
    rng, repeats = np.random.default_rng(1), 20_000 if stacked > 1 else 4_000
    blocks = haar.haar_rows(3, 3 * repeats, rng).reshape(repeats, 3, 3)
    error = 1 / np.sqrt(3 * repeats)
    assert np.abs(blocks.mean(axis=0)).max() < 5 * error
    products = np.einsum("nri,nrj->rij", blocks, blocks) / repeats
    assert np.abs(products - np.eye(3) / 3).max() < 5 * np.sqrt(4 / 45 / repeats)
    for level in (-0.9, -0.3, 0.5):
        share = (blocks <= level).mean(axis=0)
        assert np.abs(share - (1 + level) / 2).max() < 5 * 0.5 / np.sqrt(repeats)


def test_smaller_blocks_where_whole_ones_would_take_long(monkeypatch):
    monkeypatch.setattr(haar, "MOST_WORK", 10 * 40 * 4)
    assert haar.block_size(10, 40) == 4
    rows = haar.haar_rows(10, 42, np.random.default_rng(0))
    size = haar.block_size(10, 42)
    for start in range(0, 42, size):
        block = rows[start : start + size]
        np.testing.assert_allclose(block @ block.T, np.eye(len(block)), atol=1e-12)
    assert haar.block_size(10**6, 10**6) == 1


@pytest.mark.parametrize(("dim", "n"), [(20_000, 60), (300, 3_000)])
def test_memory_is_that_of_the_directions(dim, n):
    haar.haar_rows(10, 10, np.random.default_rng(0))
    tracemalloc.start()
    haar.haar_rows(dim, n, np.random.default_rng(0))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.5 * 8 * dim * n + 4 * 8 * haar.STACKED


def test_same_seed_same_bits():
    one, two = (haar.haar_rows(50, 130, np.random.default_rng(5)) for _ in range(2))
    np.testing.assert_array_equal(one, two)

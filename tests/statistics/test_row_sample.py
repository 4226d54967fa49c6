"""Rows drawn by their content: the same in any order, uniform, equal rows one row."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from bochner.blocks import Block
from bochner.compute.row_hash import row_hash
from bochner.maps import DenseDesign
from bochner.statistics import RowSample

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(500, 3)), RNG.normal(size=(500, 2))


def sample(rows, weight=None, pieces=1, capacity=50):
    state = RowSample(3, 2, capacity)
    for piece in np.array_split(rows, pieces):
        part = RowSample(3, 2, capacity)
        some = None if weight is None else weight[piece]
        part.update(Block(DenseDesign(X[piece]), Y[piece], some, hashes=row_hash(X[piece], Y[piece])))
        state.merge(part)
    return state


def test_hashes_do_not_depend_on_neighbours_zeros_or_signs_of_zero():
    marks = row_hash(X, Y)
    np.testing.assert_array_equal(row_hash(X[::-1], Y[::-1])[::-1], marks)
    sparse = sp.random(100, 40, density=0.2, format="csr", random_state=0)
    np.testing.assert_array_equal(row_hash(sparse), row_hash(sparse.toarray()))
    assert row_hash(np.array([[0.0, 1.0]])) == row_hash(np.array([[-0.0, 1.0]]))
    assert (
        len(np.unique(np.concatenate([marks, row_hash(X), row_hash(X[:, ::-1], Y), row_hash(X, Y[:, ::-1])]))) == 2000
    )


def test_hashes_are_uniform():
    """The share of marks below q of the range is q, for rows that differ in their last bits only."""
    near = 1.0 + np.arange(20_000)[:, None] * np.finfo(float).eps
    share = row_hash(near) / 2.0**64
    for q in (0.1, 0.5, 0.9):
        assert abs((share < q).mean() - q) < 5.0 * np.sqrt(q * (1 - q) / 20_000)
    assert abs(np.corrcoef(share[1:], share[:-1])[0, 1]) < 5.0 / np.sqrt(20_000)


def test_the_same_rows_in_any_order_and_any_hands():
    order = RNG.permutation(500)
    one, other = sample(np.arange(500)), sample(order, pieces=7)
    for left, right in zip(one.rows(), other.rows()):
        np.testing.assert_array_equal(left, right)
    smallest = np.argsort(row_hash(X, Y))[:50]
    np.testing.assert_array_equal(one.rows()[0], X[smallest])
    np.testing.assert_array_equal(one.high, Y.max(axis=0))
    np.testing.assert_array_equal(one.low, Y.min(axis=0))


def test_equal_rows_are_one_row_with_the_sum_of_weights():
    counts = RNG.integers(0, 4, size=500)
    repeated, weighted = sample(np.repeat(np.arange(500), counts), pieces=5), sample(np.arange(500), counts * 1.0)
    for left, right in zip(repeated.rows(), weighted.rows()):
        np.testing.assert_array_equal(left, right)
    few = sample(np.arange(20))
    assert few.n_held == 20

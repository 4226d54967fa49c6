"""Leave-one-out errors are those of models fitted again without the row."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.blocks import Block
from bochner.compute.row_hash import row_hash
from bochner.maps import DenseDesign
from bochner.solvers.leave_one_out import LeftOut
from bochner.statistics import Moments, RowSample

RNG = np.random.default_rng(0)
Z, Y = RNG.normal(size=(40, 6)), RNG.normal(size=(40, 2)) + 3.0
WEIGHT = RNG.uniform(0.5, 2.0, size=40)


def solved(left_out, most, alpha, intercept):
    """Plain weighted ridge regression without a row, or without so much of its weight."""
    z, y, v = Z, Y, WEIGHT - (np.arange(40) == left_out) * np.minimum(WEIGHT, most)
    mean, target = (v @ z / v.sum(), v @ y / v.sum()) if intercept else (0.0, 0.0)
    zc, yc = z - mean, y - target
    w = np.linalg.solve(zc.T @ (v[:, None] * zc) + alpha * np.eye(6), zc.T @ (v[:, None] * yc))
    return w, target - mean @ w if intercept else 0.0


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("matrix", [None, RNG.normal(size=(6, 6))])
def test_predictions_are_those_of_models_without_the_row(intercept, matrix):
    moments, sample = Moments(6, 2), RowSample(6, 2, 40)
    raw = Z if matrix is None else np.linalg.solve(matrix.T, Z.T).T
    block = Block(DenseDesign(raw), Y, WEIGHT, hashes=row_hash(raw, Y))
    moments.update(block), sample.update(block)
    used = moments if matrix is None else moments.through(matrix)
    left_out = LeftOut.of(used if intercept else used.uncentred(), sample, matrix, intercept)
    order = np.argsort(block.hashes)
    for alpha, most in ((1e-3, np.inf), (1.0, np.inf), (1.0, 1.0), (30.0, 0.5)):
        expected = np.empty_like(Y)
        for row in range(40):
            w, b = solved(row, most, alpha, intercept)
            expected[row] = Z[row] @ w + b
        expected = np.clip(expected, Y.min(axis=0), Y.max(axis=0))
        np.testing.assert_allclose(
            left_out.predictions(np.array([alpha]), most)[0], expected[order], rtol=1e-8, atol=1e-9
        )


def test_a_row_that_decides_itself_makes_the_error_infinite():
    moments, sample = Moments(6, 2), RowSample(6, 2, 40)
    alone = np.vstack([Z, 1e9 * np.ones((1, 6))])
    targets = np.vstack([Y, [[1.0, 1.0]]])
    block = Block(DenseDesign(alone), targets, hashes=np.arange(41, dtype=np.uint64))
    (
        moments.update(block),
        sample.update(Block(DenseDesign(alone[1:]), targets[1:], hashes=np.arange(40, dtype=np.uint64))),
    )
    left_out = LeftOut.of(moments, sample, None, True)
    assert left_out.errors(np.array([1e-9]), bo.statistics.held_out.squared_error)[0] == np.inf

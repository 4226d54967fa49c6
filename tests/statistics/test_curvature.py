"""Gradient and curvature statistics: the sums they claim to be, for any split of the rows."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from threadpoolctl import threadpool_limits

from bochner.blocks import Block
from bochner.losses import Logistic, Multinomial, SquaredHinge
from bochner.maps import DenseDesign, SparseDesign
from bochner.statistics.curvature import ColumnCurvature, Curvature
from bochner.statistics.gradient import CurvatureProduct, LinearPoint, LossAlong, LossGradient

D, K = 7, 3


def rows(dtype=np.float64, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(101, D)).astype(dtype)
    y = rng.choice([-1.0, 1.0], size=(101, K))
    weight = rng.uniform(0, 2, size=101) * (rng.uniform(size=101) > 0.2)
    return Z, y, weight, rng.normal(size=(D + 1, K)), rng.normal(size=(D + 1, K))


def filled(statistic, Z, y, weight, pieces=(0, 101)):
    for start, stop in pairwise(pieces):
        part = statistic.zero()
        part.update(Block(DenseDesign(Z[start:stop]), y[start:stop], weight[start:stop]))
        statistic.merge(part)
    return statistic


def lower(matrix):
    return matrix[np.tril_indices(len(matrix))]


@pytest.mark.parametrize("pieces", [(0, 101), (0, 0, 40, 41, 101)])
def test_sums_over_rows(pieces):
    Z, y, weight, parameters, direction = rows()
    ones = np.hstack([Z, np.ones((101, 1))])
    point, way = LinearPoint(parameters, Z.dtype), LinearPoint(direction, Z.dtype)
    scores, change = ones @ parameters, ones @ direction
    v = weight[:, None]
    for loss in (SquaredHinge(), Logistic(), Multinomial()):
        seen = filled(LossGradient(loss, point), Z, y, weight, pieces)
        np.testing.assert_allclose(seen.value, (v * loss.value(y, scores)).sum(axis=0), rtol=1e-12)
        np.testing.assert_allclose(seen.gradient, ones.T @ (v * loss.gradient(y, scores)), rtol=1e-10, atol=1e-10)
        product = filled(CurvatureProduct(loss, point, way), Z, y, weight, pieces).product
        np.testing.assert_allclose(product, ones.T @ (v * loss.curvature_times(y, scores, change)), atol=1e-9)
        along = filled(LossAlong(loss, point, way, np.array([0.5, 0.1])), Z, y, weight, pieces).values
        np.testing.assert_allclose(along[1], (v * loss.value(y, scores + 0.1 * change)).sum(axis=0), rtol=1e-12)
        full = filled(Curvature(loss, point, [0, 2]), Z, y, weight, pieces).matrices
        diagonal = filled(ColumnCurvature(loss, point), Z, y, weight, pieces).diagonal
        for matrix, output in zip(full, (0, 2)):
            exact = ones.T @ (ones * (weight * loss.curvature(y, scores)[:, output])[:, None])
            np.testing.assert_allclose(lower(matrix), lower(exact), atol=1e-10)
            np.testing.assert_allclose(diagonal[:, output], np.diag(exact), atol=1e-10)


def test_change_of_curvature_leads_from_one_point_to_the_other():
    Z, y, weight, parameters, direction = rows()
    old, new = LinearPoint(parameters, Z.dtype), LinearPoint(parameters + 0.3 * direction, Z.dtype)
    for loss in (SquaredHinge(), Logistic()):
        change = filled(Curvature(loss, new, [1], before=old), Z, y, weight).matrices[0]
        before = filled(Curvature(loss, old, [1]), Z, y, weight).matrices[0]
        after = filled(Curvature(loss, new, [1]), Z, y, weight).matrices[0]
        np.testing.assert_allclose(lower(before + change), lower(after), atol=1e-10)


def test_float32_features_are_multiplied_in_float32_and_added_in_float64():
    Z, y, weight, parameters, _ = rows(np.float32)
    seen = filled(LossGradient(SquaredHinge(), LinearPoint(parameters, Z.dtype)), Z, y, weight)
    exact = filled(LossGradient(SquaredHinge(), LinearPoint(parameters, np.dtype(float))), Z.astype(float), y, weight)
    assert seen.gradient.dtype == np.float64
    np.testing.assert_allclose(seen.gradient, exact.gradient, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(seen.value, exact.value, rtol=1e-6)


def test_sparse_designs_give_the_same_diagonal():
    Z, y, weight, parameters, _ = rows()
    dense, sparse = (ColumnCurvature(Logistic(), LinearPoint(parameters, Z.dtype)) for _ in range(2))
    dense.update(Block(DenseDesign(Z), y, weight))
    sparse.update(Block(SparseDesign(sp.csr_matrix(Z)), y, weight))
    np.testing.assert_allclose(sparse.diagonal, dense.diagonal, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_last_rows_are_added_up_in_the_same_order_wherever_they_wait(dtype):
    """Few rows wait until the matrix is asked for: after the pass, with all threads, or before they leave a worker."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=(4000, 130)).astype(dtype)
    block = Block(DenseDesign(values), rng.choice([-1.0, 1.0], size=(4000, 1)), rng.uniform(size=4000))
    point = LinearPoint(np.zeros((131, 1)), np.dtype(dtype))
    found = []
    for threads in (1, 2, 3, 4):
        statistic = Curvature(Logistic(), point, [0])
        statistic.update(block)
        with threadpool_limits(threads, user_api="blas"):
            found.append(statistic.matrices.copy())
    for other in found[1:]:
        np.testing.assert_array_equal(other, found[0])

"""Kernels of linearly transformed rows: what they are equal to, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import bochner as bo

RNG = np.random.default_rng(0)
X, Y = RNG.normal(size=(40, 3)), RNG.normal(size=(25, 3))
OBLIQUE = np.array([[0.8, 0.3, -0.4], [-0.2, 0.5, 0.9]])
RADIAL = [bo.Gaussian(1.3), bo.Matern(1.3, 0.5), bo.Matern(1.3, 2.5), bo.RationalQuadratic(1.3, 0.7)]
OTHERS = [bo.Laplace([0.5, 2.0]), bo.Cauchy(), bo.Polynomial(3), bo.ArcCosine(1), bo.Gaussian() + 2.0 * bo.Laplace()]


@pytest.mark.parametrize("kernel", RADIAL, ids=repr)
def test_radial_kernels_do_not_see_a_rotation(kernel):
    rotation = np.linalg.qr(RNG.normal(size=(3, 3)))[0]
    turned = bo.Projected(kernel, rotation)
    np.testing.assert_allclose(turned(X, Y), kernel(X, Y), rtol=1e-12)
    np.testing.assert_allclose(turned.rowwise(X[:25], Y), kernel.rowwise(X[:25], Y), rtol=1e-12)


@pytest.mark.parametrize("kernel", [bo.Gaussian, bo.Laplace, bo.Cauchy, bo.Matern], ids=lambda k: k.__name__)
def test_a_diagonal_matrix_is_one_length_scale_per_column(kernel):
    scales = np.array([0.5, 2.0, 4.0])  # powers of two: division and multiplication by the inverse are the same bits
    projected, scaled = bo.Projected(kernel(), np.diag(1 / scales)), kernel(scales)
    np.testing.assert_array_equal(projected(X, Y), scaled(X, Y))
    np.testing.assert_array_equal(projected.rowwise(X[:25], Y), scaled.rowwise(X[:25], Y))
    any_scales = np.array([0.7, 1.9, 3.1])
    projected = bo.Projected(kernel(), np.diag(1 / any_scales))
    np.testing.assert_allclose(projected(X, Y), kernel(any_scales)(X, Y), rtol=1e-13)


@pytest.mark.parametrize("kernel", RADIAL[:1] + OTHERS, ids=repr)
def test_values_are_those_of_the_kernel_at_changed_rows(kernel):
    projected = bo.Projected(kernel, OBLIQUE)
    A, B = X @ OBLIQUE.T, Y @ OBLIQUE.T
    np.testing.assert_array_equal(projected(X, Y), kernel(A, B))
    np.testing.assert_array_equal(projected(X), kernel(A))
    np.testing.assert_array_equal(projected.rowwise(X[:25], Y), kernel.rowwise(A[:25], B))
    np.testing.assert_array_equal(projected.diagonal(X), kernel.diagonal(A))
    total = sum(weight * term(X, Y) for weight, term in projected.terms())
    np.testing.assert_allclose(total, projected(X, Y), rtol=1e-13)


def test_radial_kernels_are_profiles_of_the_metric():
    """sqrt((x - y)'M(x - y)) with M = A'A, written out."""
    metric = OBLIQUE.T @ OBLIQUE
    delta = X[:25] - Y
    distance = np.sqrt(np.einsum("ij,jk,ik->i", delta, metric, delta))
    kernel = bo.Matern(1.3, 1.5)
    values = bo.Projected(kernel, OBLIQUE).rowwise(X[:25], Y)
    np.testing.assert_allclose(values, kernel.profile(distance / 1.3), rtol=1e-12)


def test_projections_of_projections_are_one():
    outer = np.array([[1.0, 2.0, 0.5], [0.0, 1.0, 1.0]])
    nested = bo.Projected(bo.Projected(bo.Laplace(), [[0.5, -1.0]]), outer)
    np.testing.assert_allclose(nested(X, Y), bo.Projected(bo.Laplace(), np.array([[0.5, -1.0]]) @ outer)(X, Y))


def test_sparse_rows_have_the_same_values():
    rows = X * (X > 0)
    for kind in (sp.csr_matrix, sp.csr_array):
        kernel = bo.Projected(bo.Gaussian(), OBLIQUE)
        np.testing.assert_allclose(kernel(kind(rows), kind(Y)), kernel(rows, Y), rtol=1e-13)
        np.testing.assert_allclose(kernel.diagonal(kind(rows)), np.ones(len(rows)))


def test_words_are_resolved_at_changed_rows():
    resolved = bo.Projected(bo.Gaussian("median"), OBLIQUE).resolve(X)
    assert resolved.kernel.length_scale == bo.Gaussian("median").resolve(X @ OBLIQUE.T).length_scale
    assert resolved.kernel.length_scale != bo.Gaussian("median").resolve(X).length_scale


def test_parameters_reach_the_inner_kernel():
    kernel = clone(bo.Projected(bo.Gaussian(), OBLIQUE)).set_params(kernel__length_scale=3.0)
    np.testing.assert_array_equal(kernel(X), bo.Gaussian(3.0)(X @ OBLIQUE.T))


@pytest.mark.parametrize(
    "matrix", [[1.0, 2.0, 3.0], [[np.nan, 1.0, 2.0]], [[]], [["a", "b", "c"]], [[1], [2, 3]], None]
)
def test_matrices_that_are_no_tables_of_numbers_get_a_sentence(matrix):
    with pytest.raises(ValueError, match=r"^matrix must be a table of finite numbers, a row for each direction\.$"):
        bo.Projected(bo.Gaussian(), matrix)(X)


def test_matrices_for_other_data_get_a_sentence():
    with pytest.raises(ValueError, match=r"^matrix has 2 columns but the data have shape \(40, 3\): give one each\.$"):
        bo.Projected(bo.Gaussian(), [[1.0, 2.0]])(X)

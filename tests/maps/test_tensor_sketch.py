"""TensorSketch: exact variance, the textbook's inner products, both kinds of rows."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner import theory
from bochner.compute.tensor_sketches import serves, sketch_table, tensor_sketch
from tests.helpers import assert_mean, assert_variance

X = np.array([[0.9, -0.6, 0.8], [0.5, 0.5, -0.1]])
Y = np.array([[0.4, 0.7, 1.1], [0.4, 0.6, 0.0]])


@pytest.mark.parametrize("kernel", [bo.Polynomial(1, 0.0), bo.Polynomial(2, 0.0), bo.Polynomial(3, 0.5, 0.8)], ids=repr)
@pytest.mark.parametrize("width", [1, 2, 5, 16])
def test_unbiased_with_the_exact_variance(kernel, width):
    feature_map, rng = bo.TensorSketch(kernel), np.random.default_rng(width)
    both = np.concatenate([X, Y])
    values = np.empty((1000, len(X)))
    for repeat in range(len(values)):
        Z = feature_map.draw(kernel, both, width, rng)(both)
        values[repeat] = (Z[:2] * Z[2:]).sum(axis=1)
    degree, offset, scale = kernel.checked()
    variance = theory.tensor_sketch_variance(X, Y, degree=degree, n_components=width, offset=offset, scale=scale)
    assert_mean(values, kernel.rowwise(X, Y), variance)
    assert_variance(values, variance)


@pytest.mark.parametrize("width", [1, 2, 7, 8])
def test_inner_products_are_those_of_the_textbook_sketch(width):
    """Leaving out the inverse Fourier transform changes no inner product (Parseval)."""
    kernel = bo.Polynomial(3, offset=0.0)
    features = bo.TensorSketch(kernel, width, random_state=0).fit(X).features_
    signs = np.sign(features.weights)
    sketches = np.zeros((3, len(X), width))
    for j in range(3):
        for column in range(X.shape[1]):
            sketches[j, :, features.buckets[j, column]] += signs[j, column] * X[:, column]
    convolved = np.fft.ifft(np.prod(np.fft.fft(sketches, axis=2), axis=0), axis=1).real
    np.testing.assert_allclose(features(X) @ features(X).T, convolved @ convolved.T, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1.5])
def test_sparse_rows_and_precision(offset, dtype):
    rows = sp.random_array((200, 300), density=0.05, rng=np.random.default_rng(0), format="csr").astype(dtype)
    fitted = bo.TensorSketch(bo.Polynomial(3, offset), 129, random_state=0).fit(rows)
    Z = fitted.transform(rows)
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, fitted.transform(rows.toarray()), atol=1e-5 if dtype == np.float32 else 1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("offset", [0.0, 1.5])
@pytest.mark.parametrize(("degree", "width"), [(1, 1024), (2, 1024), (3, 2048)])
def test_direct_sketches_are_those_of_the_fast_transform(degree, width, offset, dtype):
    """Dense rows of few columns skip the fast transform; the sparse rows of the same numbers go through it."""
    rows = np.random.default_rng(0).normal(size=(50, 54)).astype(dtype) / 8
    fitted = bo.TensorSketch(bo.Polynomial(degree, offset), width, random_state=0).fit(rows)
    assert serves(54 + (offset > 0), width)
    Z, slow = fitted.transform(rows), fitted.transform(sp.csr_array(rows))
    assert Z.dtype == dtype
    np.testing.assert_allclose(Z, slow, atol=(2e-6 if dtype == np.float32 else 4e-15) * np.abs(slow).max())
    np.testing.assert_array_equal(fitted.transform(rows[:7]), Z[:7])


def test_direct_sketches_refuse_what_they_could_not_read():
    table = sketch_table(np.zeros((1, 3), dtype=np.int64), np.ones((1, 3)), 1024)
    with pytest.raises(ValueError, match="table for as many"):
        tensor_sketch(np.ones((2, 5)), table, np.empty((2, 1024)))
    with pytest.raises(ValueError, match="is needed"):
        tensor_sketch(np.ones((2, 3)), table, np.empty((2, 1000)))
    with pytest.raises(ValueError, match="between 0 and 1023"):
        sketch_table(np.full((1, 3), 1024), np.ones((1, 3)), 1024)
    huge = np.full((3, 2), 1e20, dtype=np.float32)
    with pytest.raises(ValueError, match="overflow float32"):
        bo.TensorSketch(bo.Polynomial(3), 1024, random_state=0).fit(huge).transform(huge)


def test_overflow_and_foreign_kernels_are_refused():
    rows = np.full((3, 2), 1e20, dtype=np.float32)
    with pytest.raises(ValueError, match="overflow float32"):
        bo.TensorSketch(bo.Polynomial(3), 16, random_state=0).fit(rows).transform(rows)
    with pytest.raises(ValueError, match=r"cannot serve the kernel Vovk.*MaclaurinFeatures"):
        bo.TensorSketch(bo.Vovk(3)).fit(np.eye(2))
    with pytest.raises(ValueError, match="degree"):
        bo.TensorSketch(bo.Polynomial(0)).fit(np.eye(2))


def test_sums_of_polynomials():
    kernel = bo.Polynomial(2) + 0.5 * bo.Polynomial(1)
    Z = bo.TensorSketch(kernel, 20_001, random_state=0).fit_transform(X)
    assert Z.shape[1] == 20_001
    np.testing.assert_allclose(Z @ Z.T, kernel(X), atol=0.2)

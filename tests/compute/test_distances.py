import numpy as np
import pytest
from scipy.spatial.distance import cdist

import bochner as bo
from bochner.compute.distances import manhattan, negative_manhattan


@pytest.mark.parametrize("n_columns", [1, 3, 4, 7, 54])
@pytest.mark.parametrize(("dtype", "error"), [(np.float64, 1e-15), (np.float32, 5e-7)])
def test_distances_are_sums_over_all_columns(n_columns, dtype, error):
    rng = np.random.default_rng(0)
    X, Y = (rng.normal(size=(n, n_columns)).astype(dtype) for n in (37, 21))
    exact = cdist(X.astype(float), Y.astype(float), "cityblock")
    found = -negative_manhattan(X, Y)
    assert found.dtype == dtype
    np.testing.assert_allclose(found, exact, rtol=0, atol=error * n_columns * 4)
    within = np.tril(cdist(X.astype(float), X.astype(float), "cityblock"), -1)
    np.testing.assert_allclose(np.tril(manhattan(np.ascontiguousarray(X.T)), -1), within, atol=error * n_columns * 4)


def test_laplace_values_in_single_precision_have_its_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 6)).astype(np.float32)
    kernel = bo.Laplace([0.5, 1.0, 2.0, 4.0, 8.0, np.inf])
    exact = kernel(X.astype(float))
    np.testing.assert_allclose(kernel.single(X, X), exact, rtol=5e-6, atol=1e-30)
    np.testing.assert_array_equal(np.diag(kernel.single(X, X)), 1.0)

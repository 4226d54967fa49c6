import numpy as np
import pytest
import scipy.sparse as sp

from bochner.compute.products import multiply_complex, overflowed
from bochner.compute.sketches import count_sketch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [0, 1, 7, 64])
def test_complex_products_of_column_slices(dtype, width):
    rng = np.random.default_rng(0)
    out, factor = rng.normal(size=(2, 5, 2 * width + 3)).astype(dtype)
    expected = (out[:, :width] + 1j * out[:, width : 2 * width]) * (
        factor[:, :width] + 1j * factor[:, width : 2 * width]
    )
    rest = out[:, 2 * width :].copy()
    multiply_complex(out[:, :width], out[:, width : 2 * width], factor[:, :width], factor[:, width : 2 * width])
    np.testing.assert_allclose(out[:, :width], expected.real, atol=1e-6)
    np.testing.assert_allclose(out[:, width : 2 * width], expected.imag, atol=1e-6)
    np.testing.assert_array_equal(out[:, 2 * width :], rest)


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_one_bad_value_is_seen(bad):
    values = np.ones((50, 40), np.float32)
    assert not overflowed(values)
    values[31, 7] = bad
    assert overflowed(values)
    values[3, 3] = -bad
    assert overflowed(values)


def test_a_finite_table_whose_sum_overflows_is_not_refused():
    assert not overflowed(np.full((10, 10), 3e38, np.float32))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_count_sketch_is_a_matrix_product(dtype):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9, 12)).astype(dtype) * (rng.random((9, 12)) < 0.5)
    buckets, signs = rng.integers(0, 5, 12), rng.choice(np.array([-1, 1], dtype), 12)
    matrix = np.zeros((12, 5))
    matrix[np.arange(12), buckets] = signs
    for rows in (X.astype(dtype), sp.csr_array(X.astype(dtype)), sp.csr_array(X.astype(dtype))[3:7]):
        out = np.full((rows.shape[0], 5), np.nan, dtype)
        count_sketch(rows, buckets, signs, out)
        np.testing.assert_allclose(out, rows @ matrix, atol=1e-6)


def test_count_sketch_checks_its_buckets():
    X, out = np.ones((2, 3)), np.empty((2, 4))
    for buckets, signs in (
        (np.array([0, 1, 4]), np.ones(3)),
        (np.array([0, -1, 2]), np.ones(3)),
        (np.arange(2), np.ones(2)),
    ):
        with pytest.raises(ValueError, match="sketch"):
            count_sketch(X, buckets, signs, out)

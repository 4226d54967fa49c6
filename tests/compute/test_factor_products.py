import numpy as np
import pytest
import scipy.sparse as sp

from bochner.compute.factor_products import multiply_factors, overflowed
from bochner.compute.sketches import count_sketch


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("begin", [False, True])
@pytest.mark.parametrize(("n_pairs", "n_singles"), [(0, 0), (0, 9), (7, 0), (33, 5)])
def test_products_of_several_factors(n_pairs, n_singles, begin, dtype):
    """Against complex arithmetic; features beyond a factor's columns and the memory beside the features stay."""
    rng = np.random.default_rng(0)
    layout = np.array([(n_pairs, n_singles), (n_pairs // 2, n_singles), (n_pairs // 2, n_singles // 3), (0, 0)])
    values = rng.normal(size=(5, 2 * layout[:, 0].sum() + layout[:, 1].sum())).astype(dtype)
    whole = rng.normal(size=(5, 2 * n_pairs + n_singles + 3)).astype(dtype)
    before, out = whole.copy(), whole[:, : 2 * n_pairs + n_singles]
    pairs = out[:, :n_pairs] + 1j * out[:, n_pairs : 2 * n_pairs]
    singles = out[:, 2 * n_pairs :].copy()
    start = 0
    for number, (p, s) in enumerate(layout):
        real, imaginary, single = np.split(values[:, start : start + 2 * p + s], [p, 2 * p], axis=1)
        first = begin and number == 0
        pairs[:, :p] = real + 1j * imaginary if first else pairs[:, :p] * (real + 1j * imaginary)
        singles[:, :s] = single if first else singles[:, :s] * single
        start += 2 * p + s
    multiply_factors(values, layout, n_pairs, begin, out)
    np.testing.assert_allclose(out, np.concatenate([pairs.real, pairs.imag, singles], axis=1), atol=1e-5)
    np.testing.assert_array_equal(whole[:, out.shape[1] :], before[:, out.shape[1] :])


def test_factors_wider_than_the_features_are_refused():
    for layout in ([[2, 0]], [[1, 2]]):
        with pytest.raises(ValueError, match="wider"):
            multiply_factors(np.ones((1, 4)), np.array(layout), 1, False, np.ones((1, 3)))


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

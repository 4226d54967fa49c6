import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.scales import learn_length_scales


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(600, 5))


@pytest.mark.parametrize("kernel", [bo.Laplace(1.0), bo.Gaussian(1.0), bo.Matern(1.0, nu=1.5)], ids=repr)
def test_columns_that_do_not_matter_get_large_scales(kernel, rows):
    y = np.sin(2 * rows[:, 0]) + np.cos(rows[:, 1])
    scales = learn_length_scales(kernel, rows, y, n_rows=300, random_state=0).length_scale
    assert scales[:2].max() < 0.2 * scales[2:].min()


def test_constant_columns_get_infinite_scales(rows):
    rows[:, 3] = 7.0
    scales = learn_length_scales(bo.Laplace(1.0), rows, rows[:, 0], n_rows=200, random_state=0).length_scale
    assert np.isinf(scales[3])
    assert np.isfinite(scales[[0, 1, 2, 4]]).all()


def test_scales_follow_the_units_of_columns(rows):
    y = np.sin(2 * rows[:, 0]) + rows[:, 1]
    plain = learn_length_scales(bo.Gaussian(1.0), rows, y, n_rows=200, random_state=0).length_scale
    units = np.array([1e3, 1e-3, 5.0, 1.0, 1.0])
    other = learn_length_scales(bo.Gaussian(1.0), 100.0 + rows * units, y, n_rows=200, random_state=0).length_scale
    np.testing.assert_allclose(other[:2], (plain * units)[:2], rtol=0.02)


def test_labels_of_several_classes(rows):
    y = np.array(["a", "b", "c"])[(rows[:, 2] > -0.5).astype(int) + (rows[:, 2] > 0.5)]
    scales = learn_length_scales(bo.Laplace(1.0), rows, y, n_rows=300, random_state=0).length_scale
    assert np.argmin(scales) == 2
    assert np.delete(scales, 2).min() > 4 * scales[2]


def test_same_seed_same_scales_and_sparse_rows(rows):
    y = rows[:, 0] * rows[:, 1]
    first = learn_length_scales(bo.Matern(1.0), rows, y, n_rows=150, random_state=3).length_scale
    again = learn_length_scales(
        bo.Matern(1.0), sp.csr_matrix(rows), y, n_rows=150, random_state=3, n_jobs=1
    ).length_scale
    np.testing.assert_array_equal(first, again)


def test_bad_targets_get_a_sentence(rows):
    with pytest.raises(ValueError, match="y has 10 rows, but X has 600"):
        learn_length_scales(bo.Laplace(1.0), rows, np.zeros(10))

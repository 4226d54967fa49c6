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
        bo.Matern(1.0), sp.csr_matrix(rows), y, n_rows=150, random_state=3, engine=1
    ).length_scale
    np.testing.assert_array_equal(first, again)


def test_bad_targets_get_a_sentence(rows):
    with pytest.raises(ValueError, match="y has 10 rows, but X has 600"):
        learn_length_scales(bo.Laplace(1.0), rows, np.zeros(10))


def test_behind_soft_tails_the_scales_are_those_of_softened_columns(rows):
    """Heavy tails come first: what is learned is what the kernel behind them learns of softened rows."""
    wild = np.sinh(3.0 * rows)
    y = np.sin(2.0 * rows[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=600)
    settings = {"n_rows": 200, "random_state": 0}
    learned = bo.learn_length_scales(bo.SoftTails(bo.Matern(nu=1.5)), wild, y, **settings)
    soft = bo.SoftTails(bo.Gaussian(1.0)).resolve(wild).change()(wild)
    expected = bo.learn_length_scales(bo.Matern(nu=1.5), soft, y, **settings)
    np.testing.assert_array_equal(learned.kernel.length_scale, expected.length_scale)
    scores = [
        bo.ExactKernelRidge(kernel).fit(wild[:400], y[:400]).score(wild[400:], y[400:])
        for kernel in (learned, bo.learn_length_scales(bo.Matern(nu=1.5), wild, y, **settings))
    ]
    assert scores[0] > 0.95 > scores[1]


def test_sparse_rows_have_no_soft_tails(rows):
    y = rows[:, 0] * rows[:, 1]
    learned, plain = (
        bo.learn_length_scales(kernel, sp.csr_matrix(rows), y, n_rows=100, random_state=0)
        for kernel in (bo.SoftTails(bo.Gaussian()), bo.Gaussian())
    )
    np.testing.assert_array_equal(learned.length_scale, plain.length_scale)

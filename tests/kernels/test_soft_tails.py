"""Kernels of rows with soft tails: what c is, that nothing depends on units, and that one cell decides nothing."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo
from bochner.compute.tails import centre_and_spread, soft_tails, weighted_quantiles
from bochner.kernels.length_words import robust_scales


def rows(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return np.column_stack(
        [rng.normal(5.0, 2.0, n), rng.standard_cauchy(n), rng.integers(0, 2, n), rng.gamma(0.3, 9.0, n)]
    )


def test_the_change_is_the_inverse_hyperbolic_sine_about_the_median():
    X = rows()
    kernel = bo.SoftTails(bo.Gaussian(1.0)).resolve(X)
    low, middle, high = np.quantile(X, [0.25, 0.5, 0.75], axis=0, method="inverted_cdf")
    spread = (high - low) / 1.3489795003921634
    np.testing.assert_allclose(kernel.change()(X), 2.0 * np.arcsinh((X - middle) / (2.0 * spread)), rtol=1e-13)
    np.testing.assert_allclose(
        kernel(X, X[:5]), bo.Gaussian(1.0)(kernel.change()(X), kernel.change()(X[:5])), rtol=1e-13
    )


def test_slope_is_one_at_the_centre_and_a_logarithm_far_out():
    small = 1e-6
    assert soft_tails(np.array(small), 0.0, 1.0) == pytest.approx(small, rel=1e-12)
    assert soft_tails(np.array(1e8), 0.0, 1.0) == pytest.approx(2.0 * np.log(1e8), rel=1e-12)


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.floats(-12, 12), st.floats(-1e6, 1e6), st.integers(0, 100))
def test_units_and_offsets_of_columns_do_not_matter(power, offset, seed):
    X = rows(200, seed)
    factor = 10.0**power
    one = bo.SoftTails(bo.Matern("auto", nu=2.5)).resolve(X)
    other = bo.SoftTails(bo.Matern("auto", nu=2.5)).resolve(factor * (X + offset))
    np.testing.assert_allclose(other(factor * (X + offset)), one(X), atol=1e-7)


def test_one_wild_cell_decides_nothing():
    X = rows()
    spoiled = np.append(X, [[1e15, -1e12, 1e9, 1e300]], axis=0)
    plain, wild = (bo.SoftTails(bo.Matern("auto", nu=2.5)).resolve(some) for some in (X, spoiled))
    assert np.abs(plain(X) - wild(X)).max() < 0.1
    assert wild(X[:1], spoiled[-1:]).item() < 1e-3


def test_a_column_whose_quartiles_are_equal_has_the_spread_of_what_differs():
    x = np.zeros((100, 1))
    x[:10, 0] = np.arange(1, 11)
    centre, spread = centre_and_spread(x, np.ones(100))
    assert centre[0] == 0.0
    assert spread[0] == 5.0
    assert centre_and_spread(np.ones((5, 1)), np.ones(5))[1][0] == 1.0


def test_weights_are_repetitions():
    X, weight = rows(50), np.random.default_rng(1).integers(0, 4, size=50)
    kernel = bo.SoftTails(bo.Matern("auto"))
    one, other = kernel.resolve(X, weight.astype(float)), kernel.resolve(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(one(X), other(X), atol=1e-12)
    shares = (0.1, 0.5, 0.9)
    np.testing.assert_array_equal(
        weighted_quantiles(X, weight.astype(float), shares),
        np.quantile(np.repeat(X, weight, axis=0), shares, axis=0, method="inverted_cdf"),
    )


def test_sparse_rows_are_left_as_they_are():
    X = sp.random(200, 30, density=0.1, format="csr", random_state=0)
    assert isinstance(bo.SoftTails(bo.Matern("auto")).resolve(X), bo.Matern)


def test_rare_values_are_no_further_than_two_spreads_apart_and_sparse_agrees_with_dense():
    X = np.random.default_rng(0).normal(size=(1000, 3))
    X[:, 1] = 0.0
    X[:5, 1] = 7.0  # a standard deviation of 0.49 would put these rows 14 away
    scales = robust_scales(X) / robust_scales(X)[0]
    assert scales[1] == pytest.approx(3.5 / X[:, 0].std(), rel=1e-6)
    sparse = sp.random(1000, 8, density=0.2, format="csr", random_state=0)
    sparse.data[:] = np.random.default_rng(1).normal(size=sparse.nnz)
    np.testing.assert_allclose(robust_scales(sparse), robust_scales(sparse.toarray()), rtol=1e-9)


def test_features_of_soft_tails_are_the_kernels_own_at_changed_rows():
    X = rows(100)
    for feature_map in (
        bo.FourierFeatures(bo.SoftTails(bo.Gaussian("auto")), 4000, random_state=0),
        bo.NystroemFeatures(bo.SoftTails(bo.Matern("auto")), 100, random_state=0),
        bo.BinningFeatures(bo.SoftTails(bo.Laplace("auto")), 3000, random_state=0),
    ):
        Z = feature_map.fit_transform(X)
        Z = Z.toarray() if sp.issparse(Z) else Z
        error = np.abs(Z @ Z.T - feature_map.kernel_(X))
        assert error.max() < 0.12  # five standard errors of 3000 draws


def test_what_is_not_found_yet_says_so():
    with pytest.raises(ValueError, match="call kernel"):
        bo.SoftTails(bo.Gaussian(1.0))(rows(5))
    with pytest.raises(ValueError, match="centre has 2 entries"):
        bo.SoftTails(bo.Gaussian(1.0), [0.0, 0.0], [1.0, 1.0])(rows(5))
    with pytest.raises(ValueError, match="spread greater than 0"):
        bo.SoftTails(bo.Gaussian(1.0), [0.0], [0.0])([[1.0]])

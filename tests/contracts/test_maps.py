"""Laws of every feature map in the library, found by walking its classes."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils.estimator_checks import check_estimator

import bochner as bo  # noqa: F401  defines the maps
from bochner.maps import FeatureMap, KernelMap
from tests.contracts.walk import concrete

MAPS = concrete(FeatureMap)


def default(cls):
    return cls(random_state=0)


def rows(dtype=np.float64):
    return np.random.default_rng(0).uniform(0.05, 0.55, size=(400, 3)).astype(dtype)


def dense(Z):
    return Z.toarray() if sp.issparse(Z) else Z


@pytest.mark.parametrize("cls", MAPS)
def test_scikit_learn_checks_pass_with_none_skipped(cls):
    results = check_estimator(cls(), on_fail=None, on_skip=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] != "passed"] == []


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("cls", MAPS)
def test_dtype_rows_and_threads(cls, dtype):
    X = rows(dtype)
    fitted = default(cls).fit(X)
    Z = dense(fitted.transform(X))
    assert Z.dtype == dtype
    assert Z.shape == (len(X), len(fitted.get_feature_names_out()))
    tolerance = 1e-5 if dtype == np.float32 else 1e-10  # Nystroem features divide rounding by up to 1e-5
    np.testing.assert_allclose(dense(fitted.transform(X[17:60])), Z[17:60], atol=tolerance)
    np.testing.assert_allclose(dense(fitted.transform(sp.csr_array(X))), Z, atol=tolerance)
    many = default(cls).set_params(n_jobs=3).fit(X).transform(np.tile(X, (8, 1)))
    one = default(cls).set_params(n_jobs=1).fit(X).transform(np.tile(X, (8, 1)))
    np.testing.assert_array_equal(dense(many), dense(one))


@pytest.mark.parametrize("cls", MAPS)
def test_design_is_the_matrix(cls):
    """Z c, Z'r and the column squares of the design are those of the features that transform returns."""
    X = rows()
    features = default(cls).fit(X).features_
    Z, design = dense(features(X)), features.design(X)
    rng = np.random.default_rng(1)
    c, r, w = rng.normal(size=(Z.shape[1], 2)), rng.normal(size=(len(X), 2)), rng.uniform(size=len(X))
    assert design.shape == Z.shape
    assert design.nbytes > 0
    np.testing.assert_allclose(design.scores(c), Z @ c, atol=1e-8)
    np.testing.assert_allclose(features.scores(X, c), Z @ c, atol=1e-8)
    np.testing.assert_allclose(design.adjoint(r), Z.T @ r, atol=1e-8)
    np.testing.assert_allclose(design.column_squares(None), (Z**2).sum(axis=0), atol=1e-8)
    np.testing.assert_allclose(design.column_squares(w), w @ Z**2, atol=1e-8)
    np.testing.assert_array_equal(dense(design.dense()), Z)


@pytest.mark.parametrize("cls", MAPS)
def test_same_seed_same_map_and_pickle(cls):
    X = rows()
    fitted = default(cls).fit(X)
    Z = dense(fitted.transform(X))
    np.testing.assert_array_equal(dense(default(cls).fit(X).transform(X)), Z)
    np.testing.assert_array_equal(dense(pickle.loads(pickle.dumps(fitted)).transform(X)), Z)
    np.testing.assert_array_equal(dense(clone(fitted).fit(X).transform(X)), Z)


@pytest.mark.parametrize("cls", MAPS)
def test_bad_input_is_one_sentence_and_leaves_no_state(cls):
    X = rows()
    cases = [
        (cls(), np.where(np.arange(3) == 1, np.nan, X), "NaN"),
        (cls(), np.where(np.arange(3) == 1, np.inf, X), "infinity"),
        (cls(), X[:0], "minimum of 1 is required"),
    ]
    if "kernel" in cls().get_params():
        cases.append((cls(kernel="rbf"), X, "bochner kernel"))
    if "n_components" in cls().get_params():
        cases.append((cls(n_components=0), X, "n_components"))
    for estimator, data, message in cases:
        with pytest.raises((ValueError, TypeError), match=message):
            estimator.fit(data)
        assert "features_" not in vars(estimator)
    with pytest.raises(ValueError, match="3 features"):
        default(cls).fit(X).transform(X[:, :2])


@pytest.mark.parametrize("cls", concrete(KernelMap))
def test_maps_of_kernels_see_no_row_so_well_that_it_could_not_judge(cls):
    """Rows held out of a fold have the features that they have anyway."""
    X, some = rows(), np.array([3, 50, 17])
    design = default(cls).fit(X).features_.design(X)
    np.testing.assert_array_equal(dense(design.held_out(some).dense()), dense(design.dense())[some])

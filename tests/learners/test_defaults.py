"""The first line that a newcomer writes, on raw tables: any units, tails, offsets, wild cells, few rows or many."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.maps.changed_rows import behind_changes

SPREADS = np.array([1.0, 1e3, 1e-4, 7.0, 1e5])


def table(n=1200, seed=0):
    """A smooth function of five columns in odd units: one of heavy tails, one mostly zero, one of labels 0 and 1."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    X[:, 1] = rng.standard_t(1.5, size=n)
    X[:, 3] = rng.integers(0, 2, size=n)
    X[:, 4] = np.where(rng.random(n) < 0.8, 0.0, rng.gamma(2.0, size=n))
    y = np.sin(2.0 * X[:, 0]) + np.arctan(X[:, 1]) + X[:, 2] * X[:, 3] + np.tanh(X[:, 4])
    return X * SPREADS, y + 0.1 * rng.normal(size=n)


REGRESSORS = [
    pytest.param(bo.KernelRidge, id="ridge"),
    pytest.param(bo.ExactKernelRidge, id="exact"),
    pytest.param(bo.GaussianProcessRegressor, id="process"),
]
CLASSIFIERS = [
    pytest.param(bo.KernelRidgeClassifier, id="ridge"),
    pytest.param(bo.ExactKernelRidgeClassifier, id="exact"),
]


def score(learner, X, y, X_test, y_test):
    return learner(random_state=0).fit(X, y).score(X_test, y_test)


def changed_tables(X):
    """The same table in other units, far from zero, with columns and cells that say nothing, in single precision."""
    spoiled = X.copy()
    spoiled[7, 0] = 1e12
    spoiled[8, 1] = -1e100
    nearly = np.ones((len(X), 1))
    nearly[3] = 1.0 + 1e-9
    return {
        "units": X * np.array([1e-9, 1e6, 1.0, 1e12, 3.0]),
        "offset": X + 1e6 * SPREADS,
        "constant": np.hstack([X, np.full((len(X), 2), 3.0)]),
        "nearly constant": np.hstack([X, nearly]),
        "wild cells": spoiled,
        "float32": (X + 100 * SPREADS).astype(np.float32),
    }


def gains(learner, seeds):
    """What each change of the table, of y, and each row twice, add to R2, seed by seed."""
    train, test, twice = slice(0, 600), slice(600, None), np.r_[0:600, 0:600]
    found = {}
    for seed in seeds:
        X, y = table(1000, seed)
        plain = score(learner, X[train], y[train], X[test], y[test])
        assert plain > 0.8
        scores = {
            name: score(learner, rows[train], y[train], rows[test], y[test]) for name, rows in changed_tables(X).items()
        }
        scores["y"] = score(learner, X[train], 1e8 + 1e3 * y[train], X[test], 1e8 + 1e3 * y[test])
        scores["twice"] = score(learner, X[twice], y[twice], X[test], y[test])
        for name, value in scores.items():
            found.setdefault(name, []).append(value - plain)
    return found


@pytest.mark.parametrize("learner", REGRESSORS)
def test_raw_tables_are_learned_whatever_is_done_to_them(learner):
    for name, differences in gains(learner, [0]).items():
        assert min(differences) > -0.02, name
        assert name != "y" or abs(differences[0]) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize("learner", REGRESSORS)
def test_nothing_that_is_done_to_a_table_costs_a_hundredth_of_r2(learner):
    """Rows twice are more rows to a likelihood, whose noise is then smaller: a process may lose two hundredths."""
    for name, differences in gains(learner, range(10)).items():
        if name == "twice":
            assert np.mean(differences) > (-0.02 if learner is bo.GaussianProcessRegressor else -0.01)
        else:
            assert abs(np.mean(differences)) < 0.01, name


@pytest.mark.parametrize("learner", REGRESSORS)
def test_far_from_all_rows_predictions_stay_in_the_range_of_the_targets(learner):
    X, y = table(600)
    model = learner(random_state=0).fit(X, y)
    directions = np.random.default_rng(1).normal(size=(300, 5))
    for far in (30.0, 1e4, 1e12):
        predicted = model.predict(X[:300] + far * SPREADS * directions)
        assert np.isfinite(predicted).all()
        assert predicted.min() >= y.min()
        assert predicted.max() <= y.max()


@pytest.mark.parametrize("n", [1, 2, 3, 30])
@pytest.mark.parametrize("learner", REGRESSORS)
def test_few_rows(learner, n):
    X, y = table(n)
    predicted = learner(random_state=0).fit(X, y).predict(table(50, 1)[0])
    assert np.isfinite(predicted).all()


@pytest.mark.parametrize("learner", [bo.KernelRidge, bo.ExactKernelRidge])
def test_the_held_out_error_is_that_of_new_rows(learner):
    """Mean of eight tables: within five standard errors of the mean of their differences."""
    apart = []
    for seed in range(8):
        X, y = table(1500, seed)
        model = learner(random_state=seed).fit(X[:500], y[:500])
        apart.append(model.held_out_error_ / np.mean((model.predict(X[500:]) - y[500:]) ** 2) - 1.0)
    assert abs(np.mean(apart)) < 5.0 * np.std(apart) / np.sqrt(8)
    assert abs(np.mean(apart)) < 0.3


@pytest.mark.parametrize("learner", CLASSIFIERS)
def test_classifiers_on_raw_tables_and_their_share_of_wrong_labels(learner):
    apart = []
    for seed in range(8):
        X, y = table(1500, seed)
        labels = np.digitize(y, [-0.7, 0.7])
        model = learner(random_state=seed).fit(X[:500], labels[:500])
        right = model.score(X[500:], labels[500:])
        assert right > 0.75
        apart.append(model.held_out_error_ - (1.0 - right))
    assert abs(np.mean(apart)) < 5.0 * np.std(apart) / np.sqrt(8)


def test_outlying_rows_no_longer_ruin_fourier_features_either():
    """GCV picks an alpha that explodes on new outlying rows; leave-one-out sees it, and the range holds the rest."""
    rng = np.random.default_rng(0)
    X = rng.standard_t(1.2, size=(3000, 4))
    y = np.arctan(X).sum(axis=1) + 0.3 * rng.normal(size=3000)
    fourier = bo.FourierFeatures(n_components=600, random_state=0)
    chosen = bo.KernelRidge(fourier).fit(X[:2000], y[:2000])
    assert chosen.score(X[2000:], y[2000:]) > bo.KernelRidge(fourier, alpha="gcv").fit(X[:2000], y[:2000]).score(
        X[2000:], y[2000:]
    )
    assert chosen.score(X[2000:], y[2000:]) > 0.3


def test_what_is_given_is_used_as_given():
    X, y = table(400)
    given = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian("std"), 100, random_state=0), alpha=1e-3).fit(X, y)
    assert given.range_ is None
    with pytest.raises(AttributeError, match="held_out_error_ exists only"):
        _ = given.held_out_error_
    assert bo.ExactKernelRidge(bo.Gaussian("std"), alpha=0.1).fit(X, y).range_ is None
    assert bo.GaussianProcessRegressor(bo.FourierFeatures(bo.Gaussian("std"), 500)).fit(X, y).range_ is None


def test_sparse_rows_stay_sparse_and_have_no_tails():
    X = sp.random(300, 5000, density=0.01, format="csr", random_state=0)
    y = np.asarray(X[:, :50].sum(axis=1)).ravel()
    model = bo.KernelRidge(random_state=0).fit(X, y)
    assert isinstance(model.feature_map_.kernel_, bo.Matern)
    assert sp.issparse(behind_changes(model.features_).landmarks)


def test_pieces_engines_files_and_graphs_agree_with_the_whole(tmp_path):
    X, y = table(3000)
    whole = bo.KernelRidge(random_state=0).fit(X, y)
    fourier = bo.FourierFeatures(bo.SoftTails(bo.Gaussian(1.0), np.zeros(5), SPREADS), 200, random_state=3)
    pieces, again = bo.KernelRidge(fourier), bo.KernelRidge(fourier).fit(X, y)
    for start, stop in ((0, 700), (700, 701), (701, 3000)):
        pieces.partial_fit(X[start:stop], y[start:stop])
    np.testing.assert_allclose(pieces.predict(X[:50]), again.predict(X[:50]), rtol=1e-9, atol=1e-9)
    assert pieces.alpha_ == pytest.approx(again.alpha_, rel=1e-9)
    streamed = bo.KernelRidge(random_state=0, engine=bo.SerialEngine()).fit(bo.ArrayBlocks(X, y))
    np.testing.assert_array_equal(streamed.predict(X[:50]), whole.predict(X[:50]))
    bo.save(whole, tmp_path / "model")
    loaded = bo.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), whole.predict(X))
    assert loaded.held_out_error_ == whole.held_out_error_
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(whole)).predict(X), whole.predict(X))


def test_the_process_knows_that_it_knows_nothing_far_away():
    """Variances are divided by the share of the feature space that is free: far from the rows they are a²."""
    X, y = table(1500)
    model = bo.GaussianProcessRegressor(random_state=0).fit(X, y)
    far = X + 50.0 * SPREADS * np.random.default_rng(0).normal(size=X.shape)
    std = model.predict(far, return_std=True)[1]
    assert np.sqrt(np.mean(std**2)) == pytest.approx(model.amplitude_, rel=0.1)


def test_scales_of_many_columns_must_pay_for_themselves():
    """With few rows and many columns that all count a little, scales of their own would fit noise."""
    rng = np.random.default_rng(0)
    factors = rng.normal(size=(400, 4))
    X = factors @ rng.normal(size=(4, 60)) + rng.normal(size=(400, 60))
    y = np.sin(factors[:, 0]) + factors[:, 1] + 0.5 * rng.normal(size=400)
    learned = bo.GaussianProcessRegressor(random_state=0).fit(X[:200], y[:200])
    exact = bo.ExactKernelRidge(random_state=0).fit(X[:200], y[:200])
    assert learned.score(X[200:], y[200:]) > exact.score(X[200:], y[200:]) - 0.05
    assert np.ptp(np.log(learned.feature_map_.kernel_.kernel.length_scale)) < 2.0

"""KernelRidge by its iterative solvers, and what the moments give beside the solution."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_friedman1
from sklearn.exceptions import ConvergenceWarning
from sklearn.preprocessing import OneHotEncoder

import bochner as bo

BINNING = bo.BinningFeatures(bo.Laplace(3.0), 16, 16 * 64, random_state=0)


def data(n_rows=1500, seed=0, n_targets=1):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-3, 3, size=(n_rows, 2))
    y = np.sin(X[:, :1]) * np.cos(X[:, 1:]) + np.arange(n_targets) + 0.1 * rng.normal(size=(n_rows, n_targets))
    return X, y[:, 0] if n_targets == 1 else y


@pytest.mark.parametrize("n_targets", [1, 3])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("feature_map", [BINNING, bo.FourierFeatures(bo.Gaussian(1.5), 300, random_state=0)])
def test_conjugate_gradients_and_moments_agree(feature_map, fit_intercept, n_targets):
    X, y = data(n_targets=n_targets)
    options = {"alpha": 0.3, "fit_intercept": fit_intercept}
    iterative = bo.KernelRidge(feature_map, solver="cg", tol=1e-12, max_iter=3000, **options).fit(X, y)
    direct = bo.KernelRidge(feature_map, solver="cholesky", **options).fit(X, y)
    assert iterative.n_iter_ > direct.n_iter_ == 1
    np.testing.assert_allclose(iterative.coef_, direct.coef_, atol=1e-8)
    np.testing.assert_allclose(iterative.predict(X), direct.predict(X), atol=1e-8)


def test_the_preconditioner_from_a_sample_makes_wide_maps_quick():
    X, y = data(4000)
    wide = bo.FourierFeatures(bo.Gaussian(1.0), 1500, random_state=0)
    model = bo.KernelRidge(wide, alpha=0.01, solver="cg", tol=1e-4).fit(X, y)
    assert model.n_iter_ < 40
    exact = bo.KernelRidge(wide, alpha=0.01, solver="cholesky").fit(X, y)
    np.testing.assert_allclose(model.predict(X), exact.predict(X), atol=2e-3)


def test_auto_chooses_by_the_kind_and_number_of_features():
    X, y = data(300)
    assert bo.KernelRidge(BINNING, alpha=1.0).fit(X, y).solver_ == "cg"
    assert bo.KernelRidge(alpha=1.0).fit(X, y).solver_ == "cholesky"
    onehot = OneHotEncoder(handle_unknown="ignore")
    assert bo.KernelRidge(onehot, alpha=1.0).fit(np.round(X), y).solver_ == "cg"


@pytest.mark.parametrize("feature_map", [BINNING, bo.FourierFeatures(bo.Gaussian(1.5), 200, random_state=0)])
def test_pieces_give_the_solution_of_the_whole(feature_map):
    X, y = data()
    options = {"alpha": 0.3, "solver": "cg", "tol": 1e-12, "max_iter": 3000}
    whole = bo.KernelRidge(feature_map, **options).fit(X, y)
    pieces = bo.KernelRidge(feature_map, **options)
    pieces.partial_fit(X, y)  # the features are drawn from the first piece
    first = pieces.coef_.copy()
    np.testing.assert_allclose(first, whole.coef_, atol=1e-8)
    pieces.partial_fit(X[:500], y[:500])
    weight = np.where(np.arange(len(X)) < 500, 2.0, 1.0)
    doubled = bo.KernelRidge(feature_map, **options).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(pieces.coef_, doubled.coef_, atol=1e-8)
    whole.partial_fit(X[:500], y[:500])
    np.testing.assert_allclose(whole.coef_, doubled.coef_, atol=1e-8)
    with pytest.raises(ValueError, match="begin with partial_fit"):
        bo.KernelRidge(feature_map, engine=bo.ThreadEngine(memory=100_000), **options).fit(X, y).partial_fit(X, y)
    with pytest.raises(ValueError, match="an engine with more memory"):
        bo.KernelRidge(feature_map, engine=bo.ThreadEngine(memory=20_000), **options).partial_fit(X, y)


def test_weights_are_repetitions_and_zero_weights_are_absences():
    X, y = data(600)
    weight = np.random.default_rng(1).integers(0, 3, size=600)
    options = {"alpha": 0.5, "tol": 1e-12, "max_iter": 3000}
    weighted = bo.KernelRidge(BINNING, **options).fit(X, y, sample_weight=weight)
    repeated = bo.KernelRidge(BINNING, **options).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-9)


def test_blocks_and_threads_do_not_matter():
    X, y = data(5000)
    options = {"alpha": 0.5, "tol": 1e-10, "max_iter": 3000, "random_state": 0}
    whole = bo.KernelRidge(BINNING, **options).fit(X, y)
    for n_jobs in (1, 3):
        again = bo.KernelRidge(BINNING, engine=n_jobs, **options).fit(X, y)
        assert np.array_equal(again.coef_, whole.coef_)
    small = bo.KernelRidge(BINNING, engine=bo.ThreadEngine(memory="500KB"), **options).fit(X, y)
    np.testing.assert_allclose(small.coef_, whole.coef_, atol=1e-7)
    streamed = bo.KernelRidge(BINNING, **options).fit(bo.ArrayBlocks(X, y, block_rows=777))
    assert np.array_equal(streamed.coef_, whole.coef_)
    sparse = bo.KernelRidge(BINNING, **options).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.coef_, whole.coef_, atol=1e-12)


def test_single_precision_stays_single_and_close():
    X, y = data(30_000)
    options = {"alpha": 0.5, "tol": 1e-5, "max_iter": 1000}
    double = bo.KernelRidge(BINNING, **options).fit(X, y)
    single = bo.KernelRidge(BINNING, **options).fit(X.astype(np.float32), y)
    assert single.coef_.dtype == single.predict(X[:3].astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), double.predict(X), atol=2e-3)


def test_alpha_is_chosen_near_the_best():
    X, y = make_friedman1(3000, noise=3.0, random_state=0)
    train, test = slice(0, 1500), slice(1500, None)
    binning = bo.BinningFeatures(bo.Laplace(2.0), 100, random_state=0)
    chosen = bo.KernelRidge(binning).fit(X[train], y[train])
    alphas, errors = chosen.path_
    assert chosen.alpha_ in alphas
    assert len(alphas) == len(errors) >= 4
    scores = [
        bo.KernelRidge(binning, alpha=chosen.alpha_ * factor).fit(X[train], y[train]).score(X[test], y[test])
        for factor in (1e-3, 1.0, 1e3)
    ]
    assert scores[1] > max(scores[0], scores[2])


def test_classifier_of_several_classes():
    X, y = data(3000)
    labels = np.array(["low", "middle", "high"])[np.digitize(y, [-0.3, 0.3])]
    model = bo.KernelRidgeClassifier(BINNING).fit(X[:2000], labels[:2000])
    assert model.coef_.shape == (3, 16 * 64)
    assert model.score(X[2000:], labels[2000:]) > 0.8


def test_many_targets_are_solved_in_groups_where_memory_is_short():
    X, y = data(800, n_targets=5)
    options = {"alpha": 0.5, "tol": 1e-12, "max_iter": 3000}
    whole = bo.KernelRidge(BINNING, **options).fit(X, y)
    grouped = bo.KernelRidge(BINNING, engine=bo.ThreadEngine(memory=12 * 16 * 64 * 8 * 2), **options).fit(X, y)
    np.testing.assert_allclose(grouped.coef_, whole.coef_, atol=1e-9)
    np.testing.assert_allclose(grouped.intercept_, whole.intercept_, atol=1e-9)


@pytest.mark.parametrize("solver", ["cg", "cholesky"])
def test_another_alpha_without_the_rows_is_the_fit_for_it(solver):
    X, y = data(n_targets=2)
    model = bo.KernelRidge(BINNING, 3.0, solver=solver, tol=1e-12, max_iter=3000).fit(X, y)
    model.solve_again(0.1)
    afresh = bo.KernelRidge(BINNING, 0.1, solver=solver, tol=1e-12, max_iter=3000).fit(X, y)
    assert model.alpha_ == 0.1
    np.testing.assert_allclose(model.coef_, afresh.coef_, atol=1e-9)
    with pytest.raises(ValueError, match="alpha must be"):
        model.solve_again(-1.0)


def test_stochastic_gradients_keep_nothing_for_another_alpha():
    X, y = data()
    model = bo.KernelRidge(bo.FourierFeatures(random_state=0), 1.0, solver="sgd").fit(X, y)
    with pytest.raises(ValueError, match="solve_again needs what this fit"):
        model.solve_again(0.1)
    assert model.alpha == 1.0


def test_not_converged_is_said():
    X, y = data()
    with pytest.warns(ConvergenceWarning, match="stopped after 2 iterations.*raise max_iter"):
        model = bo.KernelRidge(BINNING, alpha=1e-4, tol=1e-9, max_iter=2).fit(X, y)
    assert model.n_iter_ == 2
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        bo.KernelRidge(BINNING, alpha=1.0).fit(X, y)


def test_stochastic_gradients_approach_the_solution_and_go_on():
    X, y = data(20_000)
    fourier = bo.FourierFeatures(bo.Gaussian(2.0), 100, directions="iid", random_state=0)
    exact = bo.KernelRidge(fourier, alpha=0.0).fit(X, y).score(X, y)
    model = bo.KernelRidge(fourier, solver="sgd").fit(X[:1000], y[:1000])
    early = model.score(X, y)
    model.partial_fit(X[1000:], y[1000:])
    assert early < model.score(X, y)
    assert exact - 0.02 < model.score(X, y) <= exact
    strong = bo.KernelRidge(fourier, alpha=1e7, solver="sgd").fit(X, y)
    assert np.abs(strong.coef_).max() < 0.1 * np.abs(model.coef_).max()
    with pytest.raises(ValueError, match="use solver='cg'"):
        bo.KernelRidge(BINNING, solver="sgd").fit(X, y)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("alpha", [0.0, 1e-3, 1.0, 10.0, 1000.0])
def test_stochastic_gradients_learn_a_smooth_kernel_at_every_alpha(alpha, dtype):
    X = np.random.default_rng(0).uniform(-3, 3, size=(24_000, 3)).astype(dtype)
    y = np.sin(2 * X[:, 0])
    rows, new = slice(20_000), slice(20_000, None)
    fourier = bo.FourierFeatures(bo.Gaussian(3.0), 256, random_state=0)  # eigenvalues from 0.7 down to 1e-17
    exact = bo.KernelRidge(fourier, alpha).fit(X[rows].astype(float), y[rows]).score(X[new], y[new])
    whole = bo.KernelRidge(fourier, alpha, solver="sgd").fit(X[rows], y[rows])
    allowed = 0.005 if alpha else 0.03  # without a penalty one pass leaves the smallest eigenvalues unlearned
    assert abs(whole.score(X[new], y[new]) - exact) < allowed
    weighted = bo.KernelRidge(fourier, 7 * alpha, solver="sgd").fit(X[rows], y[rows], np.full(20_000, 7.0))
    np.testing.assert_allclose(weighted.predict(X[new]), whole.predict(X[new]), atol=1e-4)
    pieces = bo.KernelRidge(fourier, alpha, solver="sgd")  # which cannot know how many rows there will be
    for start in range(0, 20_000, 2_500):
        pieces.partial_fit(X[start : start + 2_500], y[start : start + 2_500])
    assert abs(pieces.score(X[new], y[new]) - exact) < 0.01 + allowed


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.4])
def test_leave_one_out_is_what_refitting_without_each_row_gives(alpha, fit_intercept):
    X, y = data(40)
    weight = np.random.default_rng(0).uniform(0.5, 2.0, size=40)
    fourier = bo.FourierFeatures(bo.Gaussian([2.0, 2.0]), 8, random_state=0)
    options = {"alpha": alpha, "fit_intercept": fit_intercept}
    model = bo.KernelRidge(fourier, **options).fit(X, y, sample_weight=weight)
    refitted = []
    for row in range(40):
        others = np.arange(40) != row
        without = bo.KernelRidge(fourier, **options).fit(X[others], y[others], sample_weight=weight[others])
        refitted.append(y[row] - without.predict(X[[row]])[0])
    np.testing.assert_allclose(model.leave_one_out(X, y, weight), refitted, atol=1e-7)


def test_leave_one_out_of_the_reference_values():
    Z = np.array([[1.0, 0], [0, 1], [1, 1], [2, -1]])
    y = np.array([1.0, 2, 3, 0])
    from sklearn.preprocessing import FunctionTransformer

    model = bo.KernelRidge(FunctionTransformer(), alpha=0.5, fit_intercept=False).fit(Z, y)
    np.testing.assert_allclose(model.coef_, [0.87356322, 1.67816092], atol=1e-8)
    np.testing.assert_allclose(model.leave_one_out(Z, y), [0.15068493, 0.45901639, 1, -0.28571429], atol=1e-8)


def test_intervals_hold_as_many_targets_as_they_say():
    X, y = data(6000, n_targets=2)
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.5), 200, random_state=0)).fit(X[:2000], y[:2000])
    for coverage in (0.5, 0.9):
        lower, upper = model.predict_interval(X[2000:], coverage)
        inside = ((lower < y[2000:]) & (y[2000:] < upper)).mean(axis=0)
        assert (np.abs(inside - coverage) < 5 * np.sqrt(coverage * (1 - coverage) / 4000) + 0.01).all()
    with pytest.raises(ValueError, match="coverage"):
        model.predict_interval(X, 1.0)
    with pytest.raises(ValueError, match="use solver='cholesky'"):
        bo.KernelRidge(BINNING, alpha=1.0).fit(X, y).predict_interval(X)


def test_bad_parameters():
    X, y = data(50)
    for options, message in (
        ({"solver": "lbfgs"}, "solver must be"),
        ({"tol": 0.0}, "tol must be"),
        ({"max_iter": 0}, "max_iter"),
        ({"solver": "cholesky", "engine": bo.ThreadEngine(memory="1MB"), "feature_map": BINNING}, "use solver='cg'"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.KernelRidge(**{"alpha": 1.0, **options}).fit(X, y)

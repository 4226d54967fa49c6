"""Kernel logistic regression: optimal, and as LogisticRegression on the same features."""

import tracemalloc

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

import bochner as bo

from .test_svm import features_of, fourier, problem


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("classes", "solver"), [(2, "newton"), (2, "newton-cg"), (4, "auto")])
def test_equals_scikit_learn_on_the_same_features(fit_intercept, classes, solver):
    X, y, weight = problem(classes=classes)
    for C in (0.1, 10.0):
        model = bo.KernelLogisticRegression(fourier(), C=C, solver=solver, fit_intercept=fit_intercept, tol=1e-12)
        model.fit(X, y, sample_weight=weight)
        Z = features_of(model, X)
        theirs = LogisticRegression(C=C, fit_intercept=fit_intercept, tol=1e-10, max_iter=10_000)
        theirs.fit(Z, y, sample_weight=weight)
        np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(Z), atol=2e-5)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=2e-4 * np.abs(theirs.coef_).max())
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X), rtol=1e-10)


@pytest.mark.parametrize("classes", [2, 5])
@pytest.mark.parametrize("C", [0.01, 100.0])
def test_likelihood_is_stationary(classes, C):
    """W = C sum_i v_i (e_{y_i} - p_i) z_i', and weighted mean probabilities are the weighted class frequencies."""
    X, y, weight = problem(classes=classes)
    model = bo.KernelLogisticRegression(fourier(), C=C, tol=1e-13).fit(X, y, sample_weight=weight)
    Z = features_of(model, X)
    residual = weight[:, None] * (np.eye(classes)[y] - model.predict_proba(X))
    expected = C * residual.T @ Z
    scale = C * np.abs(weight @ np.abs(Z)).max()
    got = model.coef_ if classes > 2 else np.vstack([-model.coef_, model.coef_])
    np.testing.assert_allclose(got, expected, atol=1e-6 * scale)
    np.testing.assert_allclose(residual.sum(axis=0), 0.0, atol=1e-6 * weight.sum())


def test_automatic_C_follows_the_held_out_likelihood():
    X, y, _ = problem(n=600, noise=0.6, classes=3)
    model = bo.KernelLogisticRegression(fourier(), C="auto").fit(X, y)
    values, costs = model.C_path_
    assert model.C_ == values[np.argmin(costs)]
    assert 0 < costs.min() < np.log(3)


def test_same_bits_for_any_number_of_threads_and_float32_kept():
    X, y, _ = problem(n=2000, classes=3, dtype=np.float32)
    models = [bo.KernelLogisticRegression(fourier(), engine=jobs).fit(X, y) for jobs in (1, 2, 3)]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
    assert models[0].predict_proba(X).dtype == np.float32


def test_newton_refuses_coupled_outputs():
    X, y, _ = problem(n=60, classes=3)
    with pytest.raises(ValueError, match="use 'newton-cg'"):
        bo.KernelLogisticRegression(fourier(), solver="newton").fit(X, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_binned_rows_give_the_solution_of_their_sparse_matrix(classes):
    X, y, weight = problem(classes=classes)
    coded = bo.BinningFeatures(bo.Laplace(3.0), n_grids=20, n_components=20 << 8, random_state=0)
    model = bo.KernelLogisticRegression(coded, C=10.0, tol=1e-10).fit(X, y, sample_weight=weight)
    Z = model.feature_map_.transform(X)
    theirs = LogisticRegression(C=10.0, tol=1e-8, max_iter=10_000).fit(Z, y, sample_weight=weight)
    np.testing.assert_allclose(model.predict_proba(X), theirs.predict_proba(Z), atol=2e-5)


@pytest.mark.parametrize("machine", [bo.KernelLogisticRegression, bo.KernelSVC])
def test_binned_rows_are_never_written_out(machine):
    X, y, _ = problem(2000, noise=0.1)
    coded = bo.BinningFeatures(bo.Laplace(4.0), n_grids=50, n_components=50 << 12, random_state=0)
    machine(coded, C=10.0).fit(X[:200], y[:200])  # compiles
    tracemalloc.start()
    try:
        model = machine(coded, C=10.0, engine=1).fit(X[:1600], y[:1600])
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    vectors = 8 * (50 << 12)
    assert peak < 30 * vectors  # a dense matrix of the rows would take 1600
    assert model.score(X[1600:], y[1600:]) > 0.85

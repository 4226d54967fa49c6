"""Steps with the largest curvature: the first is ridge regression, many of them reach Newton's solution."""

import numpy as np
import pytest

import bochner as bo
from bochner.losses import Logistic, SquaredHinge
from bochner.solvers.majorised import CurvatureBound


def problem(classes, n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    value = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    y = np.digitize(value, np.quantile(value, np.arange(1, classes) / classes))
    return X, y, rng.uniform(0.5, 2.0, size=n)


def fourier():
    return bo.FourierFeatures(bo.Gaussian(1.5), 60, random_state=0)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic()], ids=["squared hinge", "logistic"])
def test_no_score_has_more_curvature_than_zero(loss):
    scores = np.linspace(-30, 30, 2001)[:, None]
    for sign in (-1.0, 1.0):
        y = np.full_like(scores, sign)
        assert (loss.curvature(y, scores) <= loss.curvature(y[:1], np.zeros((1, 1)))).all()


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("classes", [2, 4])
def test_many_steps_reach_newtons_solution(classes, fit_intercept):
    X, y, weight = problem(classes)
    options = {"C": 3.0, "fit_intercept": fit_intercept}
    newton = bo.KernelSVC(fourier(), solver="newton", tol=1e-12, **options).fit(X, y, sample_weight=weight)
    steps = bo.KernelSVC(fourier(), solver="majorised", tol=1e-14, max_iter=3000, **options)
    steps.fit(X, y, sample_weight=weight)
    assert newton.objective_ <= steps.objective_ * (1 + 1e-10)
    np.testing.assert_allclose(steps.objective_, newton.objective_, rtol=1e-7)
    np.testing.assert_allclose(steps.coef_, newton.coef_, atol=1e-2 * np.abs(newton.coef_).max())


def test_logistic_too():
    X, y, _ = problem(2)
    newton = bo.KernelLogisticRegression(fourier(), C=3.0, solver="newton", tol=1e-12).fit(X, y)
    steps = bo.KernelLogisticRegression(fourier(), C=3.0, solver="majorised", tol=1e-14, max_iter=3000).fit(X, y)
    np.testing.assert_allclose(steps.objective_, newton.objective_, rtol=1e-7)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_first_step_is_ridge_regression_and_each_is_better():
    X, y, weight = problem(3)
    ridge = bo.KernelRidgeClassifier(fourier(), alpha=1 / (2 * 3.0)).fit(X, y, sample_weight=weight)
    first = bo.KernelSVC(fourier(), C=3.0, solver="majorised", tol=1e3).fit(X, y, sample_weight=weight)
    assert first.n_iter_ == 1
    np.testing.assert_allclose(first.coef_, ridge.coef_, atol=2e-5)  # the factor has a jitter of 1e-7
    values = []
    for steps in (1, 5, 25, 125):
        model = bo.KernelSVC(fourier(), C=3.0, solver="majorised", tol=1e-14, max_iter=steps).fit(X, y)
        values.append(model.objective_)
    assert values == sorted(values, reverse=True)


def test_what_it_cannot_solve():
    X, y, _ = problem(3)
    for machine in (
        bo.KernelLogisticRegression(fourier(), solver="majorised"),
        bo.KernelSVC(bo.BinningFeatures(bo.Laplace(1.0), 20), solver="majorised"),
    ):
        with pytest.raises(ValueError, match="solver='majorised' needs dense features"):
            machine.fit(X, y)


@pytest.mark.parametrize("classes", [2, 4])
def test_features_that_depend_on_each_other_in_single_precision(classes):
    """Additive features of 0/1 columns are multiples of each other: rounding may leave them less than no curvature."""
    rng = np.random.default_rng(0)
    X = (rng.random((10_000, 100)) < 0.3).astype(np.float32)
    value = X @ rng.normal(size=100)
    y = np.digitize(value, np.quantile(value, np.arange(1, classes) / classes))
    additive = bo.AdditiveFeatures(bo.Intersection(), 2)
    single, double = (
        bo.KernelSVC(additive, C=100.0, solver="majorised", tol=1e-3, max_iter=200).fit(X.astype(dtype), y)
        for dtype in (np.float32, np.float64)
    )
    assert np.isfinite(single.decision_function(X)).all()
    np.testing.assert_allclose(single.objective_, double.objective_, rtol=0.05)  # other steps, to the same tolerance


@pytest.mark.parametrize("classes", [2, 4])
def test_a_bound_that_is_none_is_found_out(classes, monkeypatch):
    """With a hundredth of the curvature steps would be a hundred times too long."""

    def understated(self, objective):
        honest(self, objective)
        self.matrix *= 0.01

    X, y, _ = problem(classes)
    newton = bo.KernelSVC(fourier(), C=3.0, solver="newton", tol=1e-12).fit(X, y)
    honest = CurvatureBound.__init__
    monkeypatch.setattr(CurvatureBound, "__init__", understated)
    steps = bo.KernelSVC(fourier(), C=3.0, solver="majorised", tol=1e-14, max_iter=3000).fit(X, y)
    np.testing.assert_allclose(steps.objective_, newton.objective_, rtol=1e-6)

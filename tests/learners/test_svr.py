"""Support vector regression: optimal, and as LinearSVR on the same features."""

import numpy as np
import pytest
from sklearn.svm import LinearSVR

import bochner as bo
from bochner.losses import EpsilonInsensitive, Huber, SquaredEpsilonInsensitive

from .test_svm import features_of, fourier

LOSS = {
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "huber": Huber,
}


def problem(n=400, seed=0, targets=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.standard_t(2, size=n)
    y = y if targets is None else np.stack([y + k for k in range(targets)], axis=1)
    return X, y, rng.uniform(0.0, 2.0, size=n)


def value(loss, epsilon, Z, y, weight, coef, intercept, C):
    losses = LOSS[loss](epsilon).value(y[:, None], (Z @ coef + intercept)[:, None])[:, 0]
    return 0.5 * coef @ coef + C * weight @ losses


@pytest.mark.parametrize(
    ("loss", "solver"),
    [("squared_epsilon_insensitive", "auto"), ("epsilon_insensitive", "newton-cg"), ("epsilon_insensitive", "dual")],
)
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_reaches_the_objective_of_linear_svr(loss, solver, epsilon):
    X, y, weight = problem()
    for C in (0.1, 3.0):
        model = bo.KernelSVR(
            fourier(), C=C, loss=loss, solver=solver, epsilon=epsilon, fit_intercept=False, tol=1e-5, max_iter=500
        )
        model.fit(X, y, sample_weight=weight)
        Z = features_of(model, X)
        theirs = LinearSVR(
            loss=loss, C=C, epsilon=epsilon, fit_intercept=False, tol=1e-7, max_iter=200_000, random_state=0
        ).fit(Z, y, sample_weight=weight)
        ours = value(loss, epsilon, Z, y, weight, model.coef_, 0.0, C)
        assert ours == pytest.approx(value(loss, epsilon, Z, y, weight, theirs.coef_, 0.0, C), rel=1e-4)


@pytest.mark.parametrize("loss", ["squared_epsilon_insensitive", "huber"])
@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
def test_smooth_losses_are_stationary(loss, solver):
    X, y, weight = problem()
    model = bo.KernelSVR(fourier(), C=5.0, loss=loss, epsilon=0.2, solver=solver, tol=1e-13)
    model.fit(X, y, sample_weight=weight)
    Z = features_of(model, X)
    gradient = LOSS[loss](0.2).gradient(y, Z @ model.coef_ + model.intercept_)
    size = 5.0 * np.abs(weight * gradient) @ np.abs(Z)
    assert np.abs(model.coef_ + 5.0 * Z.T @ (weight * gradient)).max() < 1e-6 * size.max()
    assert abs(weight @ gradient) < 1e-6 * (weight @ np.abs(gradient))


@pytest.mark.parametrize("solver", ["auto", "dual"])
def test_epsilon_insensitive_with_intercept_beats_every_perturbation(solver):
    X, y, weight = problem()
    model = bo.KernelSVR(
        fourier(40), C=1.0, epsilon=0.1, loss="epsilon_insensitive", solver=solver, tol=1e-6, max_iter=2000
    )
    model.fit(X, y + 3.0, sample_weight=weight)
    Z = features_of(model, X)
    best = value("epsilon_insensitive", 0.1, Z, y + 3.0, weight, model.coef_, model.intercept_, 1.0)
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 1e-1):
        for shift in (-size, size):
            there = value("epsilon_insensitive", 0.1, Z, y + 3.0, weight, model.coef_, model.intercept_ + shift, 1.0)
            assert there >= best * (1 - 2e-6)
        for _ in range(20):
            coef = model.coef_ + size * rng.normal(size=40)
            there = value("epsilon_insensitive", 0.1, Z, y + 3.0, weight, coef, model.intercept_, 1.0)
            assert there >= best * (1 - 2e-6)


def test_several_targets_are_solved_together():
    X, y, _ = problem(targets=3)
    model = bo.KernelSVR(fourier(), C=10.0, tol=1e-10).fit(X, y)
    assert model.predict(X).shape == y.shape
    alone = bo.KernelSVR(fourier(), C=10.0, tol=1e-10).fit(X, y[:, 1])
    np.testing.assert_allclose(model.predict(X)[:, 1], alone.predict(X), atol=1e-6)
    assert model.coef_.shape == (3, 60)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"epsilon": -0.1}, "epsilon must be"), ({"epsilon": 0.0, "loss": "huber"}, "> 0"), ({"loss": "l1"}, "loss must")],
)
def test_bad_parameters_get_one_sentence(options, message):
    X, y, _ = problem(n=50)
    with pytest.raises(ValueError, match=message):
        bo.KernelSVR(fourier(), **options).fit(X, y)


def test_targets_that_are_not_finite_are_refused():
    X, y, _ = problem(n=50)
    y[3] = np.nan
    with pytest.raises(ValueError, match=r"missing value \(nan\) at y\[3\]"):
        bo.KernelSVR().fit(X, y)
    with pytest.raises(ValueError, match=r"missing value|NaN"):
        bo.KernelSVR().fit(bo.ArrayBlocks(X, y))

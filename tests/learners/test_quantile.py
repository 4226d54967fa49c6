"""Quantile regression: the optimum of its dual problem, and quantiles that are known."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import norm

import bochner as bo
from bochner.losses import Pinball

FEW = bo.FourierFeatures(bo.Gaussian(1.0), 12, random_state=0)


def problem(n=400, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 2))
    return X, np.sin(2 * X[:, 0]) + (0.2 + 0.1 * np.abs(X[:, 1])) * rng.standard_t(3, size=n)


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "dual"])
@pytest.mark.parametrize("quantile", [0.2, 0.5])
def test_the_minimum_is_that_of_the_dual_problem(quantile, solver):
    """Without an intercept: max y'b - ||Z'b||²/2 over C (q - 1) <= b_i <= C q, by L-BFGS-B."""
    X, y = problem(200)
    C = 5.0
    settings = {"fit_intercept": False, "solver": solver, "tol": 1e-5, "max_iter": 2000}
    model = bo.KernelQuantileRegressor(FEW, quantile, C, **settings).fit(X, y)
    Z = model.feature_map_.transform(X)

    def minus(b):
        pull = Z.T @ b
        return 0.5 * pull @ pull - y @ b, Z @ pull - y

    options = {"maxiter": 20_000, "maxfun": 100_000, "ftol": 1e-14, "gtol": 1e-9}
    box = [(C * (quantile - 1), C * quantile)] * len(y)
    best = -minimize(minus, np.zeros(len(y)), jac=True, bounds=box, method="L-BFGS-B", options=options).fun
    assert best * (1 - 1e-6) <= model.objective_ <= best * (1 + 3e-5)
    value = 0.5 * model.coef_ @ model.coef_ + C * Pinball(quantile).value(y, model.predict(X)).sum()
    assert model.objective_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_the_share_below_is_the_quantile(quantile):
    """The intercept is not penalised: v-weighted, the rows below add up to q but for the few that lie on the curve."""
    X, y = problem(1000)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(y))
    model = bo.KernelQuantileRegressor(FEW, quantile, 10.0, tol=1e-6, max_iter=1000).fit(X, y, weight)
    below = weight @ (y < model.predict(X)) / weight.sum()
    assert abs(below - quantile) <= (len(model.coef_) + 2) * weight.max() / weight.sum()


@pytest.mark.parametrize("quantile", [0.1, 0.5, 0.9])
def test_quantiles_that_are_known_are_found(quantile):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(4000, 1))
    spread = 0.2 + 0.2 * np.abs(X[:, 0])
    y = np.sin(2 * X[:, 0]) + spread * rng.normal(size=len(X))
    features = bo.FourierFeatures(bo.Gaussian(0.7), 60, random_state=0)
    model = bo.KernelQuantileRegressor(features, quantile).fit(X, y)
    true = np.sin(2 * X[:, 0]) + spread * norm.ppf(quantile)
    assert np.sqrt(np.mean((model.predict(X) - true) ** 2)) < 0.08


def test_several_targets_are_as_many_machines():
    X, y = problem()
    both = bo.KernelQuantileRegressor(FEW, 0.3, 1.0, tol=1e-7, max_iter=1000).fit(X, np.column_stack([y, -y]))
    one = bo.KernelQuantileRegressor(FEW, 0.3, 1.0, tol=1e-7, max_iter=1000).fit(X, y)
    np.testing.assert_allclose(both.predict(X)[:, 0], one.predict(X), atol=1e-3)


def test_the_machine_in_a_file_and_in_onnx_is_the_machine(tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = problem()
    model = bo.KernelQuantileRegressor(FEW, 0.3, 1.0).fit(X, y)
    bo.save(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(X), model.predict(X))
    bo.to_onnx(model, tmp_path / "model.onnx")
    (predicted,) = onnxruntime.InferenceSession(tmp_path / "model.onnx").run(None, {"X": X})
    np.testing.assert_allclose(predicted, model.predict(X), atol=1e-6)


@pytest.mark.parametrize("quantile", [0.0, 1.0, -1, "median", True])
def test_quantiles_that_are_none_get_one_sentence(quantile):
    X, y = problem(50)
    with pytest.raises(ValueError, match="quantile must be a number between 0 and 1"):
        bo.KernelQuantileRegressor(FEW, quantile).fit(X, y)

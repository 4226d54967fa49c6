"""Another unit of y, or another zero, changes nothing but the unit and the zero; numbers at the ends of floats."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo

RNG = np.random.default_rng(0)
X = RNG.uniform(-3, 3, size=(200, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=200)
FOURIER = bo.FourierFeatures(bo.Gaussian(1.5), 40, random_state=0)


def svr(unit, loss, solver="auto", C=10.0):
    """What C means depends on the unit of y where the loss grows with it and the penalty with its square."""
    C = C * unit if loss == "epsilon_insensitive" and C != "auto" else C
    return bo.KernelSVR(FOURIER, C, epsilon=0.1 * unit, loss=loss, solver=solver)


MACHINES = {
    "ridge": lambda unit: bo.KernelRidge(FOURIER, 1e-2),
    "ridge by gcv": lambda unit: bo.KernelRidge(FOURIER, "gcv"),
    "ridge by default": lambda unit: bo.KernelRidge(random_state=0),
    "ridge by passes": lambda unit: bo.KernelRidge(FOURIER, 1e-2, solver="cg", tol=1e-9),
    "ridge of bins": lambda unit: bo.KernelRidge(bo.BinningFeatures(bo.Laplace(3.0), 20, random_state=0), 1.0),
    "ridge by gradients": lambda unit: bo.KernelRidge(FOURIER, 1e-2, solver="sgd"),
    "exact": lambda unit: bo.ExactKernelRidge(bo.Gaussian(1.5), 1e-2),
    "exact by default": lambda unit: bo.ExactKernelRidge(random_state=0),
    "squared epsilon": lambda unit: svr(unit, "squared_epsilon_insensitive"),
    "squared epsilon by passes": lambda unit: svr(unit, "squared_epsilon_insensitive", "newton-cg"),
    "squared epsilon by default": lambda unit: bo.KernelSVR(FOURIER, 5.0),
    "huber by default": lambda unit: bo.KernelSVR(FOURIER, 5.0, loss="huber"),
    "quantile": lambda unit: bo.KernelQuantileRegressor(FOURIER, 0.3, 5.0 * unit),
    "epsilon": lambda unit: svr(unit, "epsilon_insensitive"),
    "squared epsilon, C chosen": lambda unit: svr(unit, "squared_epsilon_insensitive", C="auto"),
    "epsilon by its dual": lambda unit: svr(unit, "epsilon_insensitive", "dual"),
    "huber": lambda unit: svr(unit, "huber"),
    "process": lambda unit: bo.GaussianProcessRegressor(FOURIER),
    "process that learns": lambda unit: bo.GaussianProcessRegressor(bo.FourierFeatures(None, 40, random_state=0)),
}


def predictions(name, unit=1.0, zero=0.0, rows=X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (MACHINES[name](unit).fit(rows, unit * Y + zero).predict(rows) - zero) / unit


@pytest.mark.parametrize("name", MACHINES)
def test_units_and_zeros_of_y_do_not_matter(name):
    expected = predictions(name)
    assert 1 - np.square(expected - Y).mean() / Y.var() > 0.5

    @settings(max_examples=4, deadline=None, derandomize=True)
    @given(st.integers(-100, 100))
    def units(power):
        np.testing.assert_allclose(predictions(name, 10.0**power), expected, rtol=0, atol=1e-6)

    units()
    np.testing.assert_allclose(predictions(name, 1e-3, 1e5), expected, rtol=0, atol=1e-5)  # 1e8 spreads away
    np.testing.assert_allclose(predictions(name, 1.0, -1e8), expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("size", [1e160, 1e-160, 1e300])
@pytest.mark.parametrize("name", ["ridge by default", "exact by default", "process that learns"])
def test_units_of_x_do_not_matter(name, size):
    np.testing.assert_allclose(predictions(name, rows=size * X), predictions(name), rtol=0, atol=1e-4)


@pytest.mark.parametrize("name", MACHINES)
def test_numbers_at_the_ends_of_floats_are_named(name):
    model, weight = MACHINES[name](1.0), np.ones(200)
    for size in (1e200, 1e-200, 1e306):
        with pytest.raises(ValueError, match=r"targets y are of size .*divide y by"):
            model.fit(X, size * Y)
        with pytest.raises(ValueError, match=r"sample_weight is of size .*divide them by"):
            model.fit(X, Y, sample_weight=size * weight)
    with pytest.raises(ValueError, match="with float32 rows"):
        model.fit(X.astype(np.float32), 1e30 * Y)
    with pytest.raises(ValueError, match="targets y are of size"):
        model.fit(bo.ArrayBlocks(X, 1e200 * Y))
    with pytest.raises(ValueError, match="sample_weight is of size"):
        model.fit(bo.ArrayBlocks(X, Y, 1e200 * weight))


def test_one_weight_may_be_as_small_as_it_likes():
    weight = np.r_[1e-300, np.ones(199)]
    without = bo.KernelRidge(FOURIER, 1e-2).fit(X[1:], Y[1:]).predict(X)
    np.testing.assert_allclose(bo.KernelRidge(FOURIER, 1e-2).fit(X, Y, weight).predict(X), without, atol=1e-9)


def test_attributes_of_support_vector_regression_are_those_of_y():
    unit, zero = 1e3, 5e4
    model = svr(unit, "epsilon_insensitive").fit(X, unit * Y + zero)
    assert model.C_ == pytest.approx(10.0 * unit)
    Z = FOURIER.fit(X).transform(X)
    np.testing.assert_allclose(Z @ model.coef_ + model.intercept_, model.predict(X), rtol=1e-12)
    missed = np.maximum(0.0, np.abs(unit * Y + zero - model.predict(X)) - 0.1 * unit)
    expected = 0.5 * model.coef_ @ model.coef_ + 10.0 * unit * missed.sum()
    np.testing.assert_allclose(model.objective_, expected, rtol=1e-6)
    without = bo.KernelSVR(FOURIER, 10.0, fit_intercept=False).fit(X, Y + 0.5)
    assert without.intercept_ == 0.0
    assert without.score(X, Y + 0.5) > 0.8

"""Gaussian processes: exact formulas in feature space, optimality of what is maximised, honest variances."""

import warnings

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.exceptions import ConvergenceWarning
from sklearn.gaussian_process import GaussianProcessRegressor as ExactProcess
from sklearn.gaussian_process.kernels import RBF, ConstantKernel
from sklearn.kernel_approximation import Nystroem

import bochner as bo
from bochner.scales.fixed_draws import DrawnEvidence, about_their_mean, fourier_terms

NOISE, AMPLITUDE = 0.3, 1.4


def wave(n=150, dim=2, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, dim))
    y = 3.0 + np.sin(2 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * rng.normal(size=n)
    return X.astype(dtype), y.astype(dtype)


def fourier(n_components=60, **settings):
    return bo.FourierFeatures(bo.Gaussian([0.8, 1.5]), n_components, random_state=0, **settings)


def fitted(**settings):
    X, y = wave()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return bo.GaussianProcessRegressor(fourier(), **settings).fit(X, y), X, y


@pytest.mark.parametrize("n_components", [41, 60, 301])  # fewer and more features than rows, odd and even
def test_mean_variance_and_evidence_are_those_of_the_n_by_n_formulas(n_components):
    X, y = wave()
    new = np.random.default_rng(1).uniform(-3, 3, size=(40, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = bo.GaussianProcessRegressor(fourier(n_components), NOISE, AMPLITUDE).fit(X, y)
    Z, T = model.feature_map_.transform(X), model.feature_map_.transform(new)
    covariance = AMPLITUDE**2 * Z @ Z.T + NOISE**2 * np.eye(len(X))
    cross = AMPLITUDE**2 * T @ Z.T
    mean, std = model.predict(new, return_std=True)
    expected = AMPLITUDE**2 * (T**2).sum(axis=1) - np.einsum("ij,ji->i", cross, np.linalg.solve(covariance, cross.T))
    np.testing.assert_allclose(mean, y.mean() + cross @ np.linalg.solve(covariance, y - y.mean()), rtol=1e-8)
    np.testing.assert_allclose(std**2, expected, rtol=1e-8)
    np.testing.assert_allclose(model.predict(new, return_std=True, with_noise=True)[1] ** 2, expected + NOISE**2)
    evidence = multivariate_normal(np.zeros(len(X)), covariance).logpdf(y - y.mean())
    np.testing.assert_allclose(model.log_marginal_likelihood_, evidence, rtol=1e-8)
    np.testing.assert_allclose(
        model.degrees_of_freedom_, np.trace(np.linalg.solve(covariance, covariance - NOISE**2 * np.eye(len(X))))
    )


def test_covariance_of_new_rows_is_that_of_the_n_by_n_formula():
    X, y = wave()
    new = np.random.default_rng(1).uniform(-3, 3, size=(12, 2))
    model = bo.GaussianProcessRegressor(fourier(301), NOISE, AMPLITUDE).fit(X, y)
    Z, T = model.feature_map_.transform(X), model.feature_map_.transform(new)
    cross = AMPLITUDE**2 * T @ Z.T
    covariance = AMPLITUDE**2 * Z @ Z.T + NOISE**2 * np.eye(len(X))
    expected = AMPLITUDE**2 * T @ T.T - cross @ np.linalg.solve(covariance, cross.T)
    mean, found = model.predict(new, return_cov=True)
    np.testing.assert_array_equal(mean, model.predict(new))
    np.testing.assert_allclose(found, expected, atol=1e-9)
    np.testing.assert_allclose(model.predict(new, return_cov=True, with_noise=True)[1], found + NOISE**2 * np.eye(12))
    with pytest.raises(ValueError, match="return_std and return_cov are both True"):
        model.predict(new, return_std=True, return_cov=True)


@pytest.mark.parametrize("given", [True, False])
def test_values_drawn_at_rows_have_the_mean_and_covariance_that_are_predicted(given):
    X, y = wave()
    new = np.random.default_rng(1).uniform(-3, 3, size=(4, 2))
    model = bo.GaussianProcessRegressor(fourier(301) if given else None, 0.3, 1.0, random_state=0).fit(X, y)
    mean, covariance = model.predict(new, return_cov=True)
    np.testing.assert_allclose(np.diag(covariance), model.predict(new, return_std=True)[1] ** 2, rtol=1e-9)
    n_samples = 20_000
    drawn = model.sample_y(new, n_samples, random_state=0)
    assert drawn.shape == (4, n_samples)
    off = drawn - (model._scores(new, model.coef_[:, None], model.intercept_) if model.range_ else mean[:, None])
    deviation = np.sqrt(np.diag(covariance))
    assert (np.abs(off.mean(axis=1)) < 5 * deviation / np.sqrt(n_samples)).all()
    error = np.sqrt((np.outer(deviation, deviation) ** 2 + covariance**2) / n_samples)
    assert (np.abs(off @ off.T / n_samples - covariance) < 5 * error).all()
    np.testing.assert_allclose(model.sample_paths(3, random_state=1)(new), model.sample_y(new, 3, random_state=1))


def test_agrees_with_the_exact_process_as_the_width_grows():
    X, y = wave(n=100)
    new = np.random.default_rng(1).uniform(-2, 2, size=(40, 2))
    exact = ExactProcess(ConstantKernel(AMPLITUDE**2) * RBF([0.8, 1.5]), alpha=NOISE**2, optimizer=None)
    mean, std = exact.fit(X, y - y.mean()).predict(new, return_std=True)
    errors = []
    for n_components in (64, 1024):
        differences = []
        for seed in range(5):
            feature_map = bo.FourierFeatures(bo.Gaussian([0.8, 1.5]), n_components, random_state=seed)
            model = bo.GaussianProcessRegressor(feature_map, NOISE, AMPLITUDE).fit(X, y)
            found, deviation = model.predict(new, return_std=True)
            gap = abs(model.log_marginal_likelihood_ - exact.log_marginal_likelihood_value_)
            differences.append([np.sqrt(np.mean((found - y.mean() - mean) ** 2)), np.abs(deviation - std).mean(), gap])
        errors.append(np.mean(differences, axis=0))
    assert (errors[1] < errors[0] / 2).all()  # 16 times the width: 4 times the accuracy, up to chance
    assert (errors[1] < [0.06, 0.02, 2.5]).all()


def test_noise_and_amplitude_are_where_the_gradient_of_the_evidence_vanishes():
    model, *_ = fitted(optimize=False)
    best = model.log_marginal_likelihood_
    for noise in model.noise_ * np.array([0.5, 0.99, 1.0, 1.01, 2.0]):
        for amplitude in model.amplitude_ * np.array([0.5, 0.99, 1.0, 1.01, 2.0]):
            assert model.log_marginal_likelihood(noise, amplitude) <= best + 1e-9
    np.testing.assert_allclose(model._spectrum.gradient(model.noise_, model.amplitude_), 0, atol=1e-6)
    step = 1e-5
    s, a = 1.7 * model.noise_, 0.6 * model.amplitude_  # away from the maximum the gradient is the difference quotient
    by_noise = [model.log_marginal_likelihood(s * np.exp(sign * step / 2), a) for sign in (1, -1)]
    by_amplitude = [model.log_marginal_likelihood(s, a * np.exp(sign * step / 2)) for sign in (1, -1)]
    quotients = [(by_noise[0] - by_noise[1]) / (2 * step), (by_amplitude[0] - by_amplitude[1]) / (2 * step)]
    np.testing.assert_allclose(model._spectrum.gradient(s, a), quotients, rtol=1e-6)


@pytest.mark.parametrize("given", ["noise", "amplitude"])
def test_a_given_number_stays_and_the_other_is_best_for_it(given):
    model, *_ = fitted(optimize=False, **{given: 0.7})
    assert getattr(model, given + "_") == 0.7
    by_noise, by_amplitude = model._spectrum.gradient(model.noise_, model.amplitude_)
    assert abs(by_amplitude if given == "noise" else by_noise) < 1e-6


SIX = np.array([[1.0], [3.0], [5.0], [6.0], [7.0], [8.0]])
LINE = bo.FourierFeatures(bo.Gaussian(1.0), 256, random_state=0)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("noise", [1e-8, 1e-3, 1e-2, 1e-1])
def test_a_small_given_noise_does_not_bound_the_amplitude(noise, dtype):
    X, y = SIX.astype(dtype), (SIX[:, 0] * np.sin(SIX[:, 0])).astype(dtype)
    exact = bo.NystroemFeatures(bo.Gaussian(1.0), n_components=6, random_state=0)  # all rows are landmarks
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        model = bo.GaussianProcessRegressor(exact, noise=noise).fit(X, y)
        wide = bo.GaussianProcessRegressor(LINE, noise=noise).fit(X, y)
        same = bo.GaussianProcessRegressor(LINE, noise=1e-3).fit(X, y)
    np.testing.assert_allclose(model.amplitude_, 3.7011187, rtol=1e-3)
    np.testing.assert_allclose(model.log_marginal_likelihood_, -15.481467, atol=5e-3)
    np.testing.assert_allclose(wide.amplitude_, same.amplitude_, rtol=1e-3)  # more features than rows


@pytest.mark.parametrize("amplitude", [1e-8, 1e-3])
def test_a_small_given_amplitude_does_not_bound_the_noise(amplitude):
    y = SIX[:, 0] * np.sin(SIX[:, 0])
    model = bo.GaussianProcessRegressor(LINE, amplitude=amplitude).fit(SIX, y)
    np.testing.assert_allclose(model.noise_, y.std(), rtol=1e-5)  # nothing else is left to explain y


def test_learned_length_scales_are_a_maximum_and_find_the_column_that_matters():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 3)) * [1.0, 10.0, 0.1]
    y = np.sin(3 * X[:, 0]) + 0.1 * rng.normal(size=600)
    model = bo.GaussianProcessRegressor(bo.FourierFeatures(None, 200, random_state=0)).fit(X, y)
    scales = model.feature_map_.kernel_.length_scale
    assert scales[0] < 2.0
    assert scales[1] > 100.0
    assert scales[2] > 1.0
    assert abs(model.noise_ - 0.1) < 0.015
    assert 1 <= model.n_iter_ <= 100
    start = bo.FourierFeatures(None, 200, random_state=0).fit(X)  # the same draw, at the scales it began with
    bare = DrawnEvidence(fourier_terms(start.features_), X, y - y.mean(), np.ones(600))
    factors = np.log(scales / start.kernel_.length_scale)
    _, gradient = about_their_mean(bare, np.ones(3, bool))(factors, *2 * np.log([model.noise_, model.amplitude_]))
    assert (np.abs(gradient) / 600 < 1e-4).all()


def test_optimize_decides_what_is_learned():
    X, y = wave()
    words = bo.FourierFeatures(bo.Gaussian("std"), 200, random_state=0)
    numbers = bo.FourierFeatures(bo.Gaussian(1.7), 200, random_state=0)
    assert bo.GaussianProcessRegressor(words).fit(X, y).n_iter_ > 0
    assert bo.GaussianProcessRegressor(words, optimize=False).fit(X, y).n_iter_ == 0
    kept = bo.GaussianProcessRegressor(numbers).fit(X, y)
    assert kept.feature_map_.kernel_.length_scale == 1.7
    learned = bo.GaussianProcessRegressor(numbers, optimize=True).fit(X, y)
    assert learned.log_marginal_likelihood_ > kept.log_marginal_likelihood_
    with pytest.raises(ValueError, match="optimize=True needs Fourier features"):
        bo.GaussianProcessRegressor(Nystroem(n_components=20), optimize=True).fit(X, y)


def test_sample_paths_are_functions_with_the_posterior_mean_and_variance():
    model, *_ = fitted(noise=NOISE, amplitude=AMPLITUDE)
    new = np.random.default_rng(5).uniform(-3, 3, size=(6, 2))
    paths = model.sample_paths(20_000, random_state=0)
    values = paths(new)
    mean, std = model.predict(new, return_std=True)
    assert values.shape == (6, 20_000)
    assert (abs(values.mean(axis=1) - mean) < 5 * std / np.sqrt(20_000)).all()
    assert (abs(values.var(axis=1) / std**2 - 1) < 5 * np.sqrt(2 / 20_000)).all()
    covariance = model._solved().root @ model._solved().root.T
    Z = model.feature_map_.transform(new)
    expected = Z[0] @ covariance @ Z[1]
    found = np.mean((values[0] - mean[0]) * (values[1] - mean[1]))
    assert abs(found - expected) < 5 * std[0] * std[1] * np.sqrt(2 / 20_000)
    np.testing.assert_array_equal(paths(new), values)  # the same functions at every call
    np.testing.assert_allclose(paths(new[:2]), values[:2], rtol=1e-12)
    with pytest.raises(ValueError, match="3 columns"):
        paths(np.zeros((2, 3)))


def test_too_few_components_starve_the_variance_and_are_warned_about():
    rng = np.random.default_rng(0)
    X = rng.uniform(0, 10, size=(2000, 1))
    y = np.sin(4 * X[:, 0]) + 0.1 * rng.normal(size=2000)
    far = np.linspace(30, 60, 300)[:, None]

    def process(n_components):
        feature_map = bo.FourierFeatures(bo.Gaussian(0.3), n_components, random_state=0)
        return bo.GaussianProcessRegressor(feature_map, noise=0.1, amplitude=1.0)

    with pytest.warns(UserWarning, match="n_components=24 is too small for honest variances") as caught:
        starved = process(24).fit(X, y)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        honest = process(600).fit(X, y)
    exact = ExactProcess(RBF(0.3), alpha=0.01, optimizer=None).fit(X[::4], y[::4])
    assert exact.predict(far, return_std=True)[1].min() > 0.999  # the truth: no data, no knowledge
    assert starved.predict(far, return_std=True)[1].mean() < 0.5
    assert honest.predict(far, return_std=True)[1].mean() > 0.9
    for model in (starved, honest):  # the warning's own formula for the variance where there are no data
        predicted = 1 - model.degrees_of_freedom_ / model.features_.n_components
        measured = np.mean(model.predict(far, return_std=True)[1] ** 2)
        assert abs(measured - predicted) < 0.1


def test_pieces_blocks_engines_and_weights_give_the_posterior_of_the_whole():
    whole, X, y = fitted(optimize=False)
    new = X[:20] + 0.1
    expected = whole.predict(new, return_std=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        pieces = bo.GaussianProcessRegressor(fourier(), optimize=False)
        for start in range(0, 150, 40):
            pieces.partial_fit(X[start : start + 40], y[start : start + 40])
        blocks = bo.GaussianProcessRegressor(fourier(), optimize=False, engine=bo.SerialEngine())
        blocks.fit(bo.ArrayBlocks(X, y, block_rows=7))
        weight = np.arange(150) % 3.0
        weighted = bo.GaussianProcessRegressor(fourier(), optimize=False).fit(X, y, sample_weight=weight)
        repeated = bo.GaussianProcessRegressor(fourier(), optimize=False).fit(
            X.repeat(weight.astype(int), axis=0), y.repeat(weight.astype(int))
        )
        for model, reference in ((pieces, expected), (blocks, expected), (weighted, repeated.predict(new, True))):
            for found, wanted in zip(model.predict(new, return_std=True), reference):
                np.testing.assert_allclose(found, wanted, rtol=1e-7)
        np.testing.assert_allclose(weighted.log_marginal_likelihood_, repeated.log_marginal_likelihood_)


def test_keeps_float32():
    X, y = wave(400, dtype=np.float32)
    model = bo.GaussianProcessRegressor(fourier(512)).fit(X, y)
    double = bo.GaussianProcessRegressor(fourier(512)).fit(X.astype(float), y.astype(float))
    mean, std = model.predict(X, return_std=True)
    assert mean.dtype == std.dtype == np.float32
    assert model.sample_paths(2, random_state=0)(X).dtype == np.float32
    for found, expected in zip((mean, std), double.predict(X.astype(float), return_std=True)):
        np.testing.assert_allclose(found, expected, rtol=2e-3)


@pytest.mark.parametrize("value", [0, -1.0, np.nan, np.inf, "much", True])
@pytest.mark.parametrize("name", ["noise", "amplitude"])
def test_noise_and_amplitude_must_be_positive(name, value):
    X, y = wave(20)
    with pytest.raises(ValueError, match=f"{name} must be a finite number greater than 0"):
        bo.GaussianProcessRegressor(**{name: value}).fit(X, y)


def test_bad_targets_and_weights_get_one_sentence():
    X, y = wave(20)
    spoilt = y.copy()
    spoilt[3] = np.nan
    with pytest.raises(ValueError, match=r"missing value \(nan\) at y\[3\]"):
        bo.GaussianProcessRegressor().fit(X, spoilt)
    with pytest.raises(ValueError, match=r"missing value|NaN"):
        bo.GaussianProcessRegressor().fit(bo.ArrayBlocks(X, spoilt))
    with pytest.raises(ValueError, match="several columns"):
        bo.GaussianProcessRegressor().fit(bo.ArrayBlocks(X, np.column_stack([y, y])))
    with pytest.raises(ValueError, match="zero"):
        bo.GaussianProcessRegressor().fit(X, y, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match="No row counts"):
        bo.GaussianProcessRegressor(fourier()).fit(bo.ArrayBlocks(X, y, np.zeros(20)))
    with pytest.raises(ValueError, match="optimize must be"):
        bo.GaussianProcessRegressor(optimize="yes").fit(X, y)


def test_equal_targets_are_predicted_with_next_to_no_uncertainty():
    X, _ = wave(50)
    mean, std = bo.GaussianProcessRegressor(fourier(200)).fit(X, np.full(50, 7.0)).predict(X, return_std=True)
    np.testing.assert_allclose(mean, 7.0)
    assert (std < 1e-5).all()


def test_says_so_when_the_length_scales_have_not_converged():
    X, y = wave()
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        bo.GaussianProcessRegressor(bo.FourierFeatures(None, 200, random_state=0), max_iter=1).fit(X, y)

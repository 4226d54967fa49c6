"""exp(-r^a): the stable law of its frequencies against closed forms, moments and other kernels."""

import numpy as np
import pytest
from scipy.special import gamma
from scipy.stats import kstest

import bochner as bo
from bochner import theory
from bochner.kernels.shift_invariant import open_uniform
from bochner.kernels.stable import log_stable, stable_gamma
from tests.helpers import assert_mean, assert_variance, distant_pairs, estimates

LEVELS = np.concatenate([2.0 ** -np.arange(54.0, 1.0, -1.0), 1.0 - 2.0 ** -np.arange(1.0, 54.0)])
EXPONENTS = (0.1, 0.7, 1.3, 1.8, 1.999)


@pytest.mark.parametrize("exponent", EXPONENTS)
def test_stable_numbers_have_their_laplace_transform(exponent):
    """E exp(-sA) = exp(-s^{a/2}), at five standard errors of the 400,000 numbers."""
    index = 0.5 * exponent
    uniforms = open_uniform(np.random.default_rng(0), (2, 400_000))
    numbers = np.exp(log_stable(*uniforms, index))
    for s in (0.1, 1.0, 5.0):
        values = np.exp(-s * numbers)
        assert abs(values.mean() - np.exp(-(s**index))) < 5 * values.std() / np.sqrt(len(values)) + 1e-12


def test_index_one_half_is_the_law_of_levy():
    numbers = np.exp(log_stable(*open_uniform(np.random.default_rng(1), (2, 20_000)), 0.5))
    assert kstest(numbers, "levy", args=(0.0, 0.5)).pvalue > 1e-6


@pytest.mark.parametrize(("exponent", "expected"), [(0.7, 0.3705), (1.3, 0.3727), (1.8, 0.3746)])
def test_characteristic_function_at_one_distance(exponent, expected):
    """Δ = (.7, .7), so that r = .99, by 10^6 frequencies: the standard error is .0007."""
    kernel = bo.PoweredExponential(1.0, exponent=exponent)
    exact = float(kernel.at([[0.7, 0.7]])[0])
    assert exact == pytest.approx(expected, abs=5e-5)
    frequencies = kernel.sample_frequencies(2, 1_000_000, np.random.default_rng(2))
    cosines = np.cos(0.7 * frequencies.sum(axis=1))
    error = cosines.std() / 1000.0
    assert error < 8e-4
    assert abs(cosines.mean() - exact) < 5 * error


@pytest.mark.parametrize("dim", [1, 2, 20, 1000])
def test_one_is_the_rough_matern_kernel(dim):
    """The radius law by moments against that of the t law, to the ends of the tails; densities where these are."""
    kernel, matern = bo.PoweredExponential(1.0, exponent=1.0), bo.Matern(1.0, nu=0.5)
    radii = matern.radius_quantile(LEVELS, dim)
    np.testing.assert_allclose(kernel.radius_quantile(LEVELS, dim), radii, rtol=5e-7)
    if dim <= 20:
        inner = radii[(LEVELS > 1e-9) & (LEVELS < 1 - 1e-9)]
        np.testing.assert_allclose(kernel.unit_density(inner, dim), matern.unit_density(inner, dim), rtol=1e-8)
        np.testing.assert_allclose(kernel.unit_density(np.zeros(1), dim), matern.unit_density(np.zeros(1), dim))


@pytest.mark.parametrize("dim", [1, 5])
def test_two_is_the_gaussian(dim):
    kernel, gaussian = bo.PoweredExponential(1.3, 2.0), bo.Gaussian(1.3 / np.sqrt(2.0))
    X = np.random.default_rng(0).normal(size=(20, dim))
    np.testing.assert_allclose(kernel(X), gaussian(X), atol=1e-14)
    np.testing.assert_allclose(kernel.spectral_density(X), gaussian.spectral_density(X), rtol=1e-12)
    assert kernel.frequency_second_moment(dim) == pytest.approx(gaussian.frequency_second_moment(dim))
    np.testing.assert_allclose(
        kernel.radius_quantile(LEVELS, dim) / 1.3, gaussian.radius_quantile(LEVELS, dim) * np.sqrt(2.0) / 1.3
    )
    near = bo.PoweredExponential(1.0, exponent=2.0 - 1e-6).radius_quantile(LEVELS[40:-40], dim)
    np.testing.assert_allclose(near, np.sqrt(2.0) * gaussian.radius_quantile(LEVELS[40:-40], dim), rtol=1e-4)
    assert bo.PoweredExponential(1.0, exponent=1.999).frequency_second_moment(dim) == np.inf


@pytest.mark.parametrize(("exponent", "dim"), [(0.1, 3), (0.7, 1), (1.3, 8), (1.8, 100), (1.999, 1000)])
def test_both_tails_of_the_radius_law_add_up(exponent, dim):
    law = stable_gamma(0.5 * exponent, 0.5 * dim)
    log_values = law.mean + law.spread * np.linspace(-1.0, 1.0, 9)
    np.testing.assert_allclose(law.below(log_values) + law.above(log_values), 1.0, atol=1e-11)
    log_radii = np.log(2.0) + 0.5 * log_values
    density = bo.PoweredExponential(1.0, exponent=exponent).unit_density(np.exp(log_radii), dim) if dim < 100 else None
    if density is not None:  # the density of log Y is the slope of its distribution function
        area = 2.0 * np.pi ** (0.5 * dim) / gamma(0.5 * dim)
        slope = (law.below(log_values + 1e-4) - law.below(log_values - 1e-4)) / 2e-4
        np.testing.assert_allclose(density * area * np.exp(dim * log_radii) * 0.5, slope, rtol=1e-5)


@pytest.mark.parametrize("exponent", [0.7, 1.3, 1.8])
def test_moments_of_the_radius(exponent):
    """E||w||^e = 2^e Γ(1 - e/a) Γ((d+e)/2) / (Γ(1 - e/2) Γ(d/2)), which theory finds from the profile alone."""
    for order, dim in ((0.3, 1), (0.5, 4)):
        exact = 2.0**order * gamma(1 - order / exponent) * gamma(0.5 * (dim + order))
        exact /= gamma(1 - 0.5 * order) * gamma(0.5 * dim)
        kernel = bo.PoweredExponential(1.0, exponent=exponent)
        assert theory.fractional_moment(kernel, order, dim) == pytest.approx(exact, rel=1e-3)
    assert theory.fractional_moment(bo.PoweredExponential(1.0, exponent=exponent), exponent + 1e-3, 2) == np.inf


@pytest.mark.parametrize("exponent", [0.7, 1.8])
def test_orthogonal_features_have_the_predicted_mean_and_variance(exponent):
    X, Y = distant_pairs(4, (0.3, 1.0, 2.0))
    kernel = bo.PoweredExponential(1.0, exponent=exponent)
    values = estimates(bo.FourierFeatures(kernel, 32), (X, Y), repeats=3000)
    exact = theory.orthogonal_variance(np.linalg.norm(X - Y, axis=1), 4, 16, kernel)
    assert_mean(values, kernel.rowwise(X, Y), exact)
    assert_variance(values, exact)


def test_single_precision_keeps_the_longest_frequencies_finite():
    X = np.random.default_rng(0).normal(size=(50, 3)).astype(np.float32)
    for directions in ("iid", "orthogonal"):
        features = bo.FourierFeatures(
            bo.PoweredExponential(1.0, exponent=0.05), 4096, directions=directions, random_state=0
        )
        assert np.isfinite(features.fit_transform(X)).all()


@pytest.mark.parametrize("exponent", [0.0, -1.0, 2.1, np.nan])
def test_refusals(exponent):
    with pytest.raises(ValueError, match="exponent must be greater than 0 and at most 2"):
        bo.PoweredExponential(1.0, exponent=exponent)([[0.0]], [[1.0]])

"""Length scales of Fourier features under a fixed draw: the evidence against the n x n formula, and its gradients."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

import bochner as bo
from bochner.blocks import Block
from bochner.scales.fixed_draws import DrawnEvidence, about_their_mean, fourier_terms, learned_factors

NOISE, AMPLITUDE = 0.3, 1.4
PLACE = np.array([0.2, -0.3, np.log(0.1), np.log(1.5)])  # two log factors, log s², log a²


def wave(n, dim=2):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, dim))
    return X, 3.0 + np.sin(2 * X[:, 0]) + 0.5 * X[:, -1] + 0.2 * rng.normal(size=n)


def features(kernel, n_components, X, **settings):
    return bo.FourierFeatures(kernel, n_components, random_state=0, **settings).fit(X).features_


def quotients(evidence, place, step=1e-5):
    """Central differences along each parameter."""
    ends = [
        [evidence(p[:-2], p[-2], p[-1])[0] for p in (place + one, place - one)] for one in step * np.eye(len(place))
    ]
    return np.array([(up - down) / (2 * step) for up, down in ends])


@pytest.mark.parametrize("settings", [{}, {"embedding": "shifted"}, {"directions": "fastfood"}])
@pytest.mark.parametrize(
    "kernel", [bo.Gaussian([0.8, 1.5]), bo.Laplace(2.0), bo.Matern(1.2, 1.5) + 0.3 * bo.Gaussian(3.0)], ids=repr
)
@pytest.mark.parametrize("n", [30, 80])  # fewer rows than features, and more
def test_the_gradient_is_the_difference_quotient(kernel, settings, n):
    if settings.get("directions") == "fastfood" and isinstance(kernel, bo.Laplace):
        pytest.skip("fastfood needs a radial kernel")
    X, y = wave(n)
    weight = np.random.default_rng(3).integers(1, 4, n).astype(float)
    evidence = DrawnEvidence(fourier_terms(features(kernel, 51, X, **settings)), X, y - y.mean(), weight)
    _, gradient = evidence(PLACE[:2], *PLACE[2:])
    np.testing.assert_allclose(gradient, quotients(evidence, PLACE), rtol=1e-5)


def test_the_evidence_is_that_of_the_n_by_n_formula_and_weights_are_copies():
    X, y = wave(60)
    copies = np.arange(60) % 3 + 1
    for n_components in (31, 101):
        drawn = features(bo.Gaussian(1.0), n_components, X)
        factors = np.array([0.8, 1.5])
        value, _ = DrawnEvidence(fourier_terms(drawn), X, y - 3, copies.astype(float))(
            np.log(factors), 2 * np.log(NOISE), 2 * np.log(AMPLITUDE)
        )
        Z = drawn((X / factors).repeat(copies, axis=0))
        covariance = AMPLITUDE**2 * Z @ Z.T + NOISE**2 * np.eye(len(Z))
        expected = multivariate_normal(np.zeros(len(Z)), covariance).logpdf(y.repeat(copies) - 3)
        np.testing.assert_allclose(value, expected, rtol=1e-6)  # frequencies are rounded to single precision


def test_the_law_of_factors_about_their_mean_has_the_gradient_of_its_value():
    """Also of columns that the features do not see, which have no say in the mean."""
    X, y = wave(50, 4)
    terms = fourier_terms(features(bo.Gaussian([1.0, np.inf, 0.7, 2.0]), 40, X))
    seen = np.array([True, False, True, True])
    bare = DrawnEvidence(terms, X, y - y.mean(), np.ones(50))
    evidence = about_their_mean(bare, seen)
    place = np.array([0.4, 1.0, -0.9, 0.2, np.log(0.1), np.log(1.5)])
    value, gradient = evidence(place[:4], *place[4:])
    np.testing.assert_allclose(gradient, quotients(evidence, place), rtol=1e-5, atol=1e-6)
    apart = place[[0, 2, 3]] - place[[0, 2, 3]].mean()
    assert value == pytest.approx(bare(place[:4], *place[4:])[0] - np.log1p(apart**2).sum())


def test_columns_alike_keep_one_factor_and_others_have_their_own():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 4))
    alike = np.exp(-0.5 * np.square(X).sum(axis=1))
    other = np.sin(3.0 * X[:, 0])
    for y, own in ((alike, False), (other, True)):
        noisy = Block(X, y[:, None] + 0.05 * rng.normal(size=(400, 1)))
        found = learned_factors(features(bo.Gaussian(1.0), 300, X), noisy, None, None, 100)
        assert bool(np.ptp(found.factors)) is own
        assert found.converged
    assert found.factors[0] < 0.2 * found.factors[1:].min()


def test_rows_in_any_order_and_copies_for_weights_teach_the_same():
    X, y = wave(120)
    weight = np.random.default_rng(1).integers(0, 3, 120)
    drawn = features(bo.Gaussian(1.0), 60, X)
    order = np.random.default_rng(2).permutation(weight.sum())
    weighted = learned_factors(drawn, Block(X, y[:, None], weight.astype(float)), None, None, 20)
    copied = learned_factors(drawn, Block(X.repeat(weight, 0)[order], y.repeat(weight)[order, None]), None, None, 20)
    np.testing.assert_array_equal(weighted.factors, copied.factors)

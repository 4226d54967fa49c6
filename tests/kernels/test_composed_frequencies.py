"""Frequencies of compositions: sums of N inner ones. Values, moments, exact cases, and the variance of the features."""

import numpy as np
import pytest

import bochner as bo
from bochner import theory
from bochner.kernels.shift_invariant import open_uniform
from tests.helpers import assert_mean, assert_variance, distant_pairs, estimates

EXP_GAUSSIAN = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
COMPOSITIONS = [
    EXP_GAUSSIAN,
    bo.Composed(bo.Polynomial(3, offset=0.5), bo.Matern([0.7, 1.5, 4.0], nu=1.5)),
    bo.Composed(bo.ExponentialDot(), bo.Laplace(1.3)),
    bo.Composed(bo.Vovk(4), bo.Gaussian(1.3) + 0.5 * bo.Cauchy(2.0)),
    bo.Composed(bo.ExponentialDot(), bo.Composed(bo.Polynomial(2), 0.5 * bo.Gaussian(1.0))),
]


def test_reference_values_of_the_exponential_of_a_gaussian():
    kernel = EXP_GAUSSIAN.shift_invariant()
    assert kernel.at([1.0])[0] == pytest.approx(0.67471200, abs=1e-8)
    assert kernel.frequency_second_moment(2) == pytest.approx(2.0)
    assert theory.variance_supremum(kernel, 2, 6.0) == pytest.approx(1.0972089, abs=1e-7)
    # D Var at Delta = 1: products of shifted cosines have 4.5338427 with the best degree law
    assert 100 * np.e**2 * theory.variance(kernel, [1.0], 100)[0] == pytest.approx(3.7737400, abs=1e-6)
    given = {"delta": 0.05, "dim": 2, "diameter": 6.0}
    width = theory.components_needed(kernel, eps=0.1 / np.e, **given)
    assert width == 153250
    assert width == theory.composed_components_needed(EXP_GAUSSIAN, eps=0.1, method="shift-invariant", **given)


@pytest.mark.parametrize("kernel", COMPOSITIONS, ids=range(len(COMPOSITIONS)))
def test_both_ways_to_draw_have_the_kernel_as_mean(kernel):
    """E cos(w'Δ) = f(k(Δ)) / f(k(0)) and E||w||², where it is finite, at five standard errors."""
    normalised, rng = kernel.shift_invariant(), np.random.default_rng(0)
    delta = np.array([[0.3, -0.2, 0.4], [1.0, 0.0, 0.0], [0.5, 1.5, -1.0]])
    expected = kernel.rowwise(delta, np.zeros_like(delta)) / kernel.diagonal(np.zeros((1, 3)))
    np.testing.assert_allclose(normalised.at(delta), expected, rtol=1e-12)
    uniforms = open_uniform(rng, (40_000, normalised.n_uniforms(3)))
    for w in (normalised.sample_frequencies(3, 100_000, rng), normalised.frequencies(uniforms, 3)):
        cosines = np.cos(w @ delta.T)
        error = cosines.std(axis=0) / np.sqrt(len(w))
        assert (np.abs(cosines.mean(axis=0) - expected) < 5 * error).all()
        moment = normalised.frequency_second_moment(3)
        if isinstance(kernel.base, bo.Gaussian):
            squares = np.square(w).sum(axis=1)
            assert abs(squares.mean() - moment) < 5 * squares.std() / np.sqrt(len(w))
    assert np.isinf(COMPOSITIONS[2].shift_invariant().frequency_second_moment(3))


def test_powers_of_a_gaussian_are_gaussians():
    """k³ with l is k with l/sqrt(3): the law of the radius, found numerically, and the density are known."""
    cubed = bo.Composed(bo.Polynomial(3, offset=0.0), bo.Gaussian(1.5)).shift_invariant()
    levels = np.linspace(0.001, 0.999, 99)
    for dim in (1, 4, 20):
        radii = cubed.radius_quantile(levels, dim)
        np.testing.assert_allclose(radii, np.sqrt(3.0) * bo.Gaussian(1.0).radius_quantile(levels, dim), rtol=1e-4)
        w = np.ones((1, dim)) * np.sqrt(3) / 1.5  # where most of the mass is
        exact = bo.Gaussian(1.5 / np.sqrt(3.0)).spectral_density(w)
        np.testing.assert_allclose(cubed.spectral_density(w), exact, rtol=1e-3)
    assert cubed.frequency_second_moment(2) == pytest.approx(3 * 2 / 1.5**2)


def test_the_constant_term_is_a_frequency_of_length_0():
    kernel = EXP_GAUSSIAN.shift_invariant()
    radii = kernel.radius_quantile(np.array([0.0, 0.367, 0.3679, 0.5, 0.999]), 3)
    assert (radii[:2] == 0).all()  # with probability 1/e = .36788
    assert (np.diff(radii[2:]) > 0).all()
    assert radii[2] > 0
    with pytest.raises(ValueError, match="does not know the density"):
        kernel.spectral_density([1.0])


@pytest.mark.parametrize("directions", ["iid", "orthogonal", "shifted"])
@pytest.mark.parametrize("kernel", COMPOSITIONS, ids=range(len(COMPOSITIONS)))
def test_features_are_unbiased_with_the_predicted_variance(kernel, directions):
    embedding, directions = ("shifted", "iid") if directions == "shifted" else ("paired", directions)
    normalised = kernel.shift_invariant()
    if directions == "orthogonal" and not isinstance(normalised, bo.kernels.RadialKernel):
        with pytest.raises(ValueError, match="need a radial kernel"):
            bo.FourierFeatures(kernel, 10, directions=directions).fit(np.zeros((4, 3)))
        return
    X, Y = distant_pairs(3, (0.4, 1.0, 2.5))
    values = estimates(bo.FourierFeatures(kernel, 32, embedding=embedding, directions=directions), (X, Y), 600)
    size = kernel.diagonal(X[:1])[0]
    exact = size**2 * theory.variance(normalised, X - Y, 32, embedding=embedding, directions=directions)
    assert_mean(values, kernel.rowwise(X, Y), exact)
    assert_variance(values, exact)


def test_quasi_random_and_complex_features():
    X = np.random.default_rng(0).normal(size=(40, 2))
    exact = EXP_GAUSSIAN(X)
    for options in ({"directions": "sobol"}, {"directions": "halton"}, {"embedding": "complex"}):
        Z = bo.FourierFeatures(EXP_GAUSSIAN, 4096, random_state=0, **options).fit_transform(X)
        assert np.abs((Z @ Z.conj().T).real - exact).max() < 0.15
    summed = bo.FourierFeatures(EXP_GAUSSIAN + 2.0 * bo.Laplace(1.0), 6000, random_state=0).fit(X)
    assert np.abs(summed.transform(X) @ summed.transform(X).T - exact - 2 * bo.Laplace(1.0)(X)).max() < 0.3


def test_words_are_resolved_and_reports_agree():
    X = np.random.default_rng(0).normal(size=(80, 3))
    fitted = bo.FourierFeatures(bo.Composed(bo.Polynomial(2), bo.Gaussian("median")), 40, random_state=0).fit(X)
    assert isinstance(fitted.kernel_.inner.length_scale, float)
    assert "as theory predicts" in str(bo.error_report(fitted, X, random_state=0))


def test_what_is_not_shift_invariant_is_refused():
    X = np.random.default_rng(0).uniform(0.1, 0.3, size=(20, 2))
    for kernel in (
        bo.Composed(bo.ExponentialDot(), bo.ArcCosine()),
        bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0) * bo.Polynomial(2)),
        bo.Composed(bo.ExponentialDot(), bo.Polynomial(2)),
    ):
        assert kernel.shift_invariant() is None
        with pytest.raises(ValueError, match=r"FourierFeatures cannot serve .* use MaclaurinFeatures"):
            bo.FourierFeatures(kernel, 10).fit(X)
    with pytest.raises(ValueError, match="does not converge within 1024 terms"):
        bo.FourierFeatures(bo.Composed(bo.Vovk(), 0.9999 * bo.Gaussian(1.0)), 10).fit(X)
    with pytest.raises(ValueError, match=r"kernel\.shift_invariant\(\)"):
        theory.variance(EXP_GAUSSIAN, [1.0], 10)

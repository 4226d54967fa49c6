"""Densities of frequencies, kernels from samplers, and functions of one or two differences that need not be radial."""

import numpy as np
import pytest

import bochner as bo
from bochner.kernels.general import grid_spectrum, slanted
from bochner.kernels.spectral import normal_frequencies

A = np.array([[2.0, 1.0], [1.0, 2.0]])


@pytest.mark.parametrize(
    ("kernel", "dim", "value"),
    [
        (bo.Gaussian(1.0), 2, 0.1591549431),
        (bo.Laplace(1.0), 1, 0.3183098862),
        (bo.Cauchy(1.0), 1, 0.5),
        (bo.Matern(1.0, nu=1.5), 3, 0.0779970835),
        (bo.StretchedExponential(1.0, exponent=0.5), 1, 2 / np.pi),
        (bo.Gaussian(2.0) * bo.Gaussian(2.0), 1, np.sqrt(2.0) / np.sqrt(2 * np.pi)),
        (bo.Gaussian([2.0, 0.5]), 2, 0.1591549431),
        (bo.Laplace(3.0), 2, (3 / np.pi) ** 2),
    ],
    ids=str,
)
def test_densities_at_zero(kernel, dim, value):
    assert kernel.spectral_density(np.zeros(dim))[0] == pytest.approx(value, rel=1e-4)


def test_densities_of_sums_products_and_projections():
    w = np.random.default_rng(0).normal(size=(7, 2))
    both = bo.Gaussian(1.0) + 0.5 * bo.Laplace(2.0)
    expected = bo.Gaussian(1.0).spectral_density(w) + 0.5 * bo.Laplace(2.0).spectral_density(w)
    np.testing.assert_allclose(both.spectral_density(w), expected)
    spread = both * bo.Gaussian(2.0)  # of two products, one of them of Gaussians: normal with variances added up
    normal = np.exp(-0.5 * np.square(w).sum(axis=1) / 1.25) / (2 * np.pi * 1.25)
    other = (bo.Laplace(2.0) * bo.Gaussian(2.0)).spectral_density(w)
    np.testing.assert_allclose(spread.spectral_density(w), normal + 0.5 * other, rtol=1e-3)
    turned = bo.Gaussian(bo.Metric(np.linalg.cholesky(A).T))
    exact = np.exp(-0.5 * np.einsum("ij,jk,ik->i", w, np.linalg.inv(A), w)) / (2 * np.pi * np.sqrt(3.0))
    np.testing.assert_allclose(turned.spectral_density(w), exact)
    with pytest.raises(ValueError, match=r"square and invertible.*shape \(1, 2\)"):
        bo.Gaussian(bo.Metric([[1.0, 2.0]])).spectral_density(w)
    for kernel in (bo.Polynomial(2), bo.Polynomial(2) * bo.Gaussian(1.0), bo.Gaussian(1.0) + bo.ArcCosine()):
        with pytest.raises(ValueError, match="no spectral density"):
            kernel.spectral_density(w)
    with pytest.raises(ValueError, match="does not know the density"):
        bo.Spectral(normal_frequencies).spectral_density(w)


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Gaussian(1.3),
        bo.Laplace(1.3),
        bo.Cauchy(1.3),
        bo.Matern(1.3, 0.8),
        bo.RationalQuadratic(1.3, 0.4),
        bo.RationalQuadratic(1.3, 3.0),
        bo.Reciprocal(1.3),
        bo.StretchedExponential(1.3, 0.7),
        bo.RadialProfile(lambda r: np.exp(-(r**1.5)), length_scale=1.3),
        bo.ProductProfile(lambda r: np.exp(-(r**1.5)), length_scale=1.3),
        bo.GeneralProfile(lambda d: np.exp(-0.5 * d[:, 0] ** 2) * np.cos(2 * d[:, 0]), length_scale=1.3),
    ],
    ids=lambda kernel: type(kernel).__name__,
)
def test_the_transform_of_the_density_is_the_kernel(kernel):
    """Mass 1 and k(1), by Gauss's rule in pieces of log w up to 3000; what is beyond falls as w^-1.7 or faster."""
    nodes, weights = np.polynomial.legendre.leggauss(12)
    edges = np.concatenate([[0.0], np.geomspace(1e-9, 1.0, 60), np.arange(1.25, 3000.0, 0.25)])
    middle, half = 0.5 * (edges[1:] + edges[:-1]), 0.5 * np.diff(edges)
    w = (middle[:, None] + half[:, None] * nodes).ravel()
    masses = 2 * kernel.spectral_density(w[:, None]) * (half[:, None] * weights).ravel()
    beyond = 2 * 3000.0 * kernel.spectral_density([3000.0])[0] / 0.7
    for distance in (0.0, 1.0):
        exact = kernel.at(np.array([[distance]]))[0]
        assert masses @ np.cos(w * distance) == pytest.approx(exact, abs=1.1 * beyond + 1e-4)


def test_densities_of_profiles_are_those_of_the_closed_forms():
    w = np.linspace(0.1, 6.0, 30)[:, None] * np.array([[0.6, -0.48, 0.64]])
    for kernel in (
        bo.Gaussian(1.0),
        bo.Matern(1.0, nu=0.5),
        bo.Matern(1.0, nu=2.5),
        bo.RationalQuadratic(1.0, alpha=0.7),
    ):
        numerical = bo.RadialProfile(kernel.profile, 1.0)
        np.testing.assert_allclose(numerical.spectral_density(w), kernel.spectral_density(w), rtol=1e-5, atol=1e-10)
    for kernel in (bo.Reciprocal(1.0), bo.Laplace(1.0), bo.Cauchy(1.0)):
        numerical = bo.ProductProfile(kernel.profile, 1.0)
        np.testing.assert_allclose(numerical.spectral_density(w), kernel.spectral_density(w), rtol=1e-5, atol=1e-10)


def test_a_kernel_from_a_sampler():
    kernel = bo.Spectral(normal_frequencies)
    value, error = kernel([[0.0]], [[1.0]])[0, 0], kernel.standard_error([1.0])[0]
    assert abs(value - 0.6065306597) < 5 * error
    assert error == pytest.approx(np.sqrt(0.1997882004 / 2**14), rel=0.05)
    rows = np.random.default_rng(0).normal(size=(40, 3))
    K = kernel(rows)
    np.testing.assert_allclose(kernel.rowwise(rows, rows[::-1]), np.diag(K[:, ::-1]), atol=1e-12)
    np.testing.assert_allclose(np.diag(K), 1.0, atol=1e-12)
    assert np.linalg.eigvalsh(K).min() > -1e-10
    np.testing.assert_array_equal(kernel(rows), K)
    fitted = bo.FourierFeatures(kernel, 40_000, random_state=0).fit(rows)
    Z = fitted.transform(rows[:2])
    delta = rows[:1] - rows[1:2]
    spread = np.sqrt(bo.theory.variance(bo.Gaussian(1.0), delta, 40_000))[0]
    assert abs(Z[0] @ Z[1] - bo.Gaussian(1.0).at(delta)[0]) < 5 * spread
    model = bo.KernelRidge(bo.FourierFeatures(kernel, 200, random_state=0)).fit(rows, rows[:, 0])
    assert model.score(rows, rows[:, 0]) > 0.9


def test_values_and_moments_may_be_given():
    kernel = bo.Spectral(normal_frequencies, value=bo.Gaussian(1.0).at, second_moment=float)
    assert kernel([[0.0]], [[1.0]])[0, 0] == pytest.approx(0.6065306597)
    assert kernel.standard_error([[1.0], [2.0]]).tolist() == [0.0, 0.0]
    assert kernel.frequency_second_moment(4) == 4.0
    assert bo.theory.variance(kernel, [1.0], 100)[0] == pytest.approx(0.00399576, abs=1e-8)
    width = bo.theory.components_needed(kernel, eps=0.1, delta=0.05, dim=2, diameter=6.0)
    assert width >= bo.theory.components_needed(bo.Gaussian(1.0), eps=0.1, delta=0.05, dim=2, diameter=6.0)
    with pytest.raises(ValueError, match="give it to bo"):
        bo.Spectral(normal_frequencies).frequency_second_moment(2)
    with pytest.raises(ValueError, match="use directions='iid'"):
        bo.FourierFeatures(kernel, 10, directions="sobol").fit(np.zeros((3, 2)))
    with pytest.raises(ValueError, match=r"must give a finite array of shape \(16384, 2\)"):
        bo.Spectral(lambda dim, n, rng: rng.normal(size=n))(np.zeros((3, 2)))
    with pytest.raises(ValueError, match="must be vectorised"):
        bo.Spectral(normal_frequencies, value=lambda delta: delta)(np.zeros((3, 2)))


def test_a_slanted_gaussian():
    kernel = bo.GeneralProfile(slanted, 1.0)
    assert kernel.at([0.5, -0.3])[0] == pytest.approx(0.82695913, abs=1e-8)
    frequencies = kernel.sample_frequencies(2, 200_000, np.random.default_rng(0))
    products = frequencies[:, 0] * frequencies[:, 1]
    assert abs(products.mean() - 1.0) < 5 * products.std() / np.sqrt(len(products))
    assert kernel.frequency_second_moment(2) == pytest.approx(4.0, rel=1e-6)
    w = np.array([[0.0, 0.0], [1.0, -1.0], [1.0, 1.0], [0.3, 2.0]])
    exact = np.exp(-0.5 * np.einsum("ij,jk,ik->i", w, np.linalg.inv(A), w)) / (2 * np.pi * np.sqrt(3.0))
    np.testing.assert_allclose(kernel.spectral_density(w), exact, rtol=2e-2)
    turned = bo.Gaussian(bo.Metric(np.linalg.cholesky(A).T))
    rows = np.random.default_rng(1).normal(size=(20, 2))
    np.testing.assert_allclose(kernel(rows), turned(rows), atol=1e-12)
    fitted = bo.FourierFeatures(kernel, 400, random_state=0, directions="sobol").fit(rows)
    assert np.abs(fitted.transform(rows) @ fitted.transform(rows).T - kernel(rows)).max() < 0.15


def waves(d):
    return np.exp(-0.5 * np.square(d).sum(axis=1)) * np.cos(3 * d[:, 0] - 2 * d[:, -1])


def kink(d):
    return np.exp(-np.abs(d).sum(axis=1))


@pytest.mark.parametrize(
    ("function", "dim", "error"),
    [
        (waves, 1, 1e-4),
        (waves, 2, 1e-4),
        (lambda d: bo.Matern(1.0, nu=1.5).profile(np.linalg.norm(d, axis=1)), 1, 1e-4),
        (lambda d: (1 + np.square(d).sum(axis=1)) ** -0.5, 1, 5e-4),
        (kink, 1, 1e-4),
        (kink, 2, 3e-3),
    ],
    ids=["waves", "waves, 2", "matern", "slow", "kink", "kink, 2"],
)
def test_functions_of_many_kinds(function, dim, error):
    found = grid_spectrum(function, dim)
    delta = np.random.default_rng(5).normal(size=(200, dim)) * np.geomspace(0.05, 8.0, 200)[:, None]
    np.testing.assert_allclose(found.kernel(delta), function(delta), atol=error)
    assert found.reached[-1] == pytest.approx(1.0)
    assert np.diff(found.reached).min() >= 0.0
    draws = found.quantile(np.random.default_rng(6).uniform(size=(100_000, dim)))
    for one in delta[::40]:
        waves = np.cos(draws @ one)
        assert abs(waves.mean() - function(one[None])[0]) < 5 * waves.std() / np.sqrt(len(waves)) + error


@pytest.mark.parametrize(
    ("function", "dim", "message"),
    [
        (lambda d: np.maximum(1 - np.linalg.norm(d, axis=1), 0), 2, "negative mass 0.12"),
        (lambda d: np.exp(-(d[:, 0] ** 4)), 1, "negative mass 0.1"),
        (lambda d: np.cos(d[:, 0]), 1, "no spectrum that a grid"),
        (lambda d: np.exp(-np.square(d[:, 0])) * (1 + 0.1 * d[:, 0] ** 3), 1, "no spectrum that a grid"),
        (lambda d: 2 * np.exp(-np.square(d[:, 0])), 1, r"profile\(0\) = 1"),
        (lambda d: np.exp(-np.square(d[:, 0])) * (1 + 9 * d[:, 0] ** 2), 1, "is violated at"),
    ],
    ids=["hat", "fourth power", "wave", "uneven", "scaled", "above"],
)
def test_functions_without_a_spectrum_are_refused(function, dim, message):
    """The hat's negative mass in the plane is 0.124, by a Hankel transform."""
    with pytest.raises(ValueError, match=message):
        bo.FourierFeatures(bo.GeneralProfile(function, 1.0), 10).fit(np.zeros((4, dim)))


def test_drawn_features_are_stored_without_the_functions(tmp_path):
    rows = np.random.default_rng(0).normal(size=(30, 2))
    for kernel in (bo.Spectral(normal_frequencies), bo.GeneralProfile(slanted, 1.0)):
        fitted = bo.FourierFeatures(kernel, 20, random_state=0).fit(rows)
        bo.save(fitted, tmp_path / "map")
        np.testing.assert_array_equal(bo.load(tmp_path / "map").transform(rows), fitted.transform(rows))


def test_three_columns_and_what_is_no_function_are_refused():
    with pytest.raises(ValueError, match="serves data of 1 or 2 columns, and these have 3"):
        bo.FourierFeatures(bo.GeneralProfile(slanted, 1.0), 10).fit(np.zeros((4, 3)))
    for cls in (bo.GeneralProfile, bo.RadialProfile, bo.ProductProfile):
        with pytest.raises(TypeError, match=r"^A profile must be a function of (differences|distances), not str\.$"):
            cls("gaussian")

"""Orthogonal features of radial kernels: reference values, limits, simulation at five standard errors, no nan."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import hyp0f1

import bochner as bo
from bochner import theory
from bochner.compute import haar
from bochner.maps.directions import orthogonal
from bochner.theory.radial import spherical_loss, spherical_mean
from tests.helpers import assert_mean, assert_variance
from tests.theory.reference import VALUES, split

GAUSSIAN_BY_ITS_RADII = bo.Matern(1.0, nu=np.inf)  # the same kernel, whose covariance goes through the law of its radii


def test_reference_values():
    for key, expected in VALUES["orf_cov"].items():
        at = split(key)
        assert theory.orthogonal_covariance(at["z"], int(at["d"]))[0] == pytest.approx(expected, rel=1e-10)
    for key, expected in VALUES["orf_var m=d"].items():
        at = split(key)
        dim = int(at["d"])
        value = theory.orthogonal_variance(at["z"], dim, dim, radii="independent")[0]
        assert value == pytest.approx(expected, rel=1e-9)
    for key, expected in VALUES["fixed_norm_kernel j_d(sqrt(d) z)"].items():
        at = split(key)
        assert theory.fixed_norm_mean(at["z"], int(at["d"]))[0] == pytest.approx(expected, rel=1e-10)


def test_gaussian_covariance_where_its_formulas_meet_and_at_extremes():
    mpmath = pytest.importorskip("mpmath")
    for dim in (2, 3, 8, 784):
        for z in (1e-3, 0.1, 1.9999, 2.0001, 5.0, 12.0):
            x = mpmath.mpf(z) ** 2
            exact = mpmath.hyp1f1(dim, mpmath.mpf(dim) / 2, -x / 2) - mpmath.exp(-x)
            assert theory.orthogonal_covariance(z, dim)[0] == pytest.approx(float(exact), rel=1e-7, abs=1e-15)
    assert theory.orthogonal_covariance(3.0, 1)[0] == 0.0


@pytest.mark.parametrize(
    ("dim", "z", "expected"),
    [
        (3, 39.0, 8.61063220665e-10),
        (3, 60.0, 6.45693761701e-11),
        (5, 40.0, -4.38702e-15),
        (21, 60.0, -2.14195e-56),
        (100, 10.0, 2.85538e-37),
        (784, 28.0, -9.07616e-289),
    ],
)
def test_gaussian_covariance_far_out(dim, z, expected):
    """Where 1F1 overflows or scipy has no value: from mpmath."""
    assert theory.orthogonal_covariance(z, dim)[0] == pytest.approx(expected, rel=2e-5)


def test_fixed_norms_of_many_columns():
    np.testing.assert_allclose(
        theory.fixed_norm_mean([0.5, 1.0, 2.0], 1000), [0.88248313663, 0.60637914729, 0.134793219599], rtol=1e-11
    )


@settings(derandomize=True, max_examples=60, deadline=None)
@given(dim=st.integers(1, 3000), z=st.floats(0.0, 1e6))
def test_gaussian_covariances_and_means_are_always_numbers(dim, z):
    covariance = theory.orthogonal_covariance([z, np.sqrt(dim)], dim)
    assert np.isfinite(covariance).all()
    assert (np.abs(covariance) <= 1.0).all()
    assert (np.abs(theory.fixed_norm_mean([z, np.sqrt(dim)], dim)) <= 1.0 + 1e-12).all()


@settings(derandomize=True, max_examples=8, deadline=None)
@given(dim=st.integers(1, 400), m=st.integers(1, 300), z=st.floats(0.0, 1e4))
def test_variances_are_always_numbers_between_0_and_that_of_one_frequency(dim, m, z):
    for kernel in (bo.Gaussian(1.0), bo.Matern(1.0, nu=0.5)):
        value = theory.orthogonal_variance([z, 0.0], dim, m, kernel)
        assert np.isfinite(value).all()
        assert 0.0 <= value[0] <= 0.6
        assert value[1] == 0.0


@pytest.mark.parametrize("dim", [2, 3, 5, 16, 101, 299, 300, 1000])
def test_spherical_mean(dim):
    mpmath = pytest.importorskip("mpmath")
    points = np.array([1e-3, 0.05, 1.9, 2.1, 10.0, 60.0, 2 * np.sqrt(dim), 5 * np.sqrt(dim)])
    exact = np.array([float(mpmath.hyp0f1(mpmath.mpf(dim) / 2, -(mpmath.mpf(t) ** 2) / 4)) for t in points])
    np.testing.assert_allclose(spherical_mean(points, dim), exact, atol=2e-12)
    lost = float(1 - mpmath.hyp0f1(mpmath.mpf(dim) / 2, -(mpmath.mpf(1e-3) ** 2) / 4))
    assert spherical_loss(points[:1], dim)[0] == pytest.approx(lost, rel=1e-9)


@pytest.mark.parametrize(
    ("nu", "dim", "z", "expected"),
    [
        (1.5, 4, 1.0, -0.0383064),
        (2.5, 4, 1.0, -0.0420547),
        (0.5, 4, 1.0, -0.02075),
        (1.5, 16, 1.0, -0.0091526),
        (1.5, 4, 2.0, -0.0298235),
    ],
)
def test_covariance_of_matern_kernels(nu, dim, z, expected):
    """By quadrature over both radii, 600 x 600 points."""
    covariance = theory.orthogonal_covariance(z, dim, bo.Matern(1.0, nu=nu))
    assert covariance[0] == pytest.approx(expected, abs=1e-7 if nu > 1 else 5e-6)
    if (nu, dim, z) == (1.5, 4, 1.0):
        variance = theory.orthogonal_variance(z, dim, 4, bo.Matern(1.0, nu=nu), radii="independent")
        assert variance[0] == pytest.approx(0.0553280, abs=1e-7)


@pytest.mark.parametrize("dim", [2, 3, 8, 64, 301])
def test_the_law_of_radii_gives_the_gaussian_its_closed_form(dim):
    z = np.array([1e-3, 0.05, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(
        theory.orthogonal_covariance(z, dim, GAUSSIAN_BY_ITS_RADII), theory.orthogonal_covariance(z, dim), rtol=1e-4
    )


def test_radius_variance():
    z = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(theory.radius_variance(z, 8), [0.0030469, 0.0235753, 0.0275276], atol=6e-8)
    np.testing.assert_allclose(theory.radius_variance(1.0, 4), 0.0479414, atol=6e-8)
    np.testing.assert_allclose(theory.radius_variance(1.0, 16), 0.0116572, atol=6e-8)
    for dim in (1, 2, 3, 30):
        exact = np.exp(-(z**2)) * (hyp0f1(dim / 2, z**4 / 4) - 1)
        np.testing.assert_allclose(theory.radius_variance(z, dim), exact, rtol=1e-9)


def test_what_stratified_radii_leave():
    """At one length scale, 64 frequencies; and in one dimension, where radii are all there is."""
    for dim, expected in ((4, 0.419), (8, 0.520), (16, 0.634)):
        left = theory.orthogonal_variance(1.0, dim, 64) / theory.orthogonal_variance(1.0, dim, 64, radii="independent")
        assert left[0] == pytest.approx(expected, abs=1e-3)
    one = theory.orthogonal_variance(1.0, 1, 40) / theory.orthogonal_variance(1.0, 1, 40, radii="independent")
    assert one[0] < 0.004


def test_many_strata_gain_the_variance_of_the_radii():
    """m Var -> v + (d-1) cov - Var j_d(z R), with an error of order d/m."""
    z, dim, m = np.array([0.5, 1.0, 2.0]), 4, 40_000
    for kernel in (bo.Gaussian(1.0), bo.Matern(1.0, nu=1.5), bo.RationalQuadratic(1.0, alpha=2.0)):
        limit = m * theory.orthogonal_variance(z, dim, m, kernel, radii="independent")
        limit -= theory.radius_variance(z, dim, kernel)
        np.testing.assert_allclose(m * theory.orthogonal_variance(z, dim, m, kernel), limit, rtol=1e-3)


def test_few_and_many_strata_and_tables_agree():
    z = np.geomspace(0.1, 4.0, 140)  # more distances than are worked out one by one
    for kernel in (bo.Gaussian(1.0), bo.Matern(1.0, nu=0.5)):
        some = theory.orthogonal_variance(z[::20], 5, 30, kernel)
        np.testing.assert_allclose(theory.orthogonal_variance(z, 5, 30, kernel)[::20], some, rtol=1e-3)
        scaled = [m * theory.orthogonal_variance(z[::20], 5, m, kernel) for m in (125, 130)]
        np.testing.assert_allclose(*scaled, rtol=5e-3)


def simulated(kernel, dim, m, z, repeats):
    """The mean of m cosines in an oblique direction, under independent draws of the map's frequencies."""
    rng = np.random.default_rng([dim, m])
    oblique = np.arange(1.0, dim + 1)
    delta = np.outer(oblique / np.linalg.norm(oblique), z)
    values = np.empty((repeats, len(z)))
    for repeat in range(repeats):
        projection, _ = orthogonal(kernel, dim, m, rng, np.dtype(float))
        values[repeat] = np.cos(2 * np.pi * projection.matrix.T @ delta).mean(axis=0)
    return values


@pytest.mark.parametrize(("dim", "m"), [(1, 6), (2, 2), (3, 10), (8, 5), (4, 64)])
@pytest.mark.parametrize("kernel", [bo.Gaussian(1.0), bo.Matern(1.0, nu=0.5), bo.RationalQuadratic(1.0, alpha=0.5)])
def test_simulated_mean_and_variance(kernel, dim, m):
    z = np.array([0.3, 1.0, 2.0, 4.0])
    values = simulated(kernel, dim, m, z, 4000)
    exact = theory.orthogonal_variance(z, dim, m, kernel)
    assert_mean(values, kernel.profile(z), exact)
    assert_variance(values, exact)


def test_smaller_blocks_have_their_own_variance(monkeypatch):
    monkeypatch.setattr(haar, "MOST_WORK", 6 * 12 * 3)
    z = np.array([0.5, 1.0, 2.0])
    values = simulated(bo.Gaussian(1.0), 6, 12, z, 4000)
    exact = theory.orthogonal_variance(z, 6, 12)
    assert_variance(values, exact)
    monkeypatch.undo()
    assert (theory.orthogonal_variance(z, 6, 12)[:2] < exact[:2]).all()


def test_refusals():
    with pytest.raises(ValueError, match="radial kernel"):
        theory.variance(bo.Laplace(1.0), [1.0, 0.0], 10, directions="orthogonal")
    with pytest.raises(ValueError, match="radii must be"):
        theory.orthogonal_variance(1.0, 2, 3, radii="sorted")
    with pytest.raises(ValueError, match="finite"):
        theory.orthogonal_covariance(np.nan, 2)

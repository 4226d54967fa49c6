"""The numerical Bochner transform against laws known in closed form, and against its own definition."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.special import gamma, jv, kv, sici

from bochner.kernels.spectrum import (
    NEGATIVE_MASS_TOLERANCE,
    RadialSpectrum,
    radial_spectrum,
    refuse_if_not_positive_definite,
    second_derivative_at_zero,
)

Profile = Callable[[np.ndarray], np.ndarray]


def gaussian(r: np.ndarray) -> np.ndarray:
    return np.exp(-0.5 * r**2)


def two_gaussians(r: np.ndarray) -> np.ndarray:
    return 0.5 * np.exp(-0.5 * r**2) + 0.5 * np.exp(-0.02 * r**2)


def laplace(r: np.ndarray) -> np.ndarray:
    return np.exp(-r)


def matern_three_halves(r: np.ndarray) -> np.ndarray:
    return (1.0 + np.sqrt(3.0) * r) * np.exp(-np.sqrt(3.0) * r)


def matern(nu: float) -> Profile:
    def profile(r: np.ndarray) -> np.ndarray:
        z = np.sqrt(2.0 * nu) * np.maximum(r, 1e-30)
        return np.where(r < 1e-30, 1.0, 2.0 ** (1.0 - nu) / gamma(nu) * z**nu * kv(nu, z))

    return profile


def rational_quadratic(r: np.ndarray) -> np.ndarray:
    return (1.0 + r**2 / 4.0) ** -2.0


def cauchy(r: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + r**2)


def slow(r: np.ndarray) -> np.ndarray:
    return 1.0 / (1.0 + r)


def hat(r: np.ndarray) -> np.ndarray:
    return np.maximum(1.0 - r, 0.0)


def ripple(r: np.ndarray) -> np.ndarray:
    return np.exp(np.cos(r) - 1.0)


def wendland(r: np.ndarray) -> np.ndarray:
    return np.maximum(1.0 - r, 0.0) ** 4 * (4.0 * r + 1.0)


def sinc(r: np.ndarray) -> np.ndarray:
    return np.sinc(r / np.pi)


def with_floor(r: np.ndarray) -> np.ndarray:
    return 0.6 + 0.4 * np.exp(-(r**2))


def stretched(power: float) -> Profile:
    return lambda r: np.exp(-(r**power))


STRETCHED = {power: stretched(power) for power in (0.5, 1.5, 2.1, 4.0)}


@cache
def spectrum_of(profile: Profile, dim: int) -> RadialSpectrum:
    return radial_spectrum(profile, dim)


def average_over_directions(dim: int, t: np.ndarray) -> np.ndarray:
    """E cos(t <e, direction>) over the unit sphere of R^dim."""
    if dim == 1:
        return np.cos(t)
    t = np.maximum(t, 1e-6)
    return gamma(dim / 2) * (2.0 / t) ** (dim / 2 - 1) * jv(dim / 2 - 1, t)


# closed forms


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 10, 30, 300])
def test_gaussian_is_chi(dim: int) -> None:
    spectrum = spectrum_of(gaussian, dim)
    radii = np.append(stats.chi(dim).ppf([0.01, 0.1, 0.5, 0.9, 0.999]), 1.3)
    # the table is linear between radii a factor exp(h) apart: error h^2 / 8 max |rho^2 F''(rho)|
    grid = stats.chi(dim).ppf(np.linspace(1e-4, 1 - 1e-4, 2000))
    curvature = grid**2 * stats.chi(dim).pdf(grid) * ((dim - 1) / grid - grid)
    bound = 1e-9 + 1.01 * 1.25e-3**2 / 8 * np.abs(curvature).max()
    np.testing.assert_allclose(spectrum.probability_below(radii), stats.chi(dim).cdf(radii), rtol=0, atol=bound)


def test_gaussian_reference_values() -> None:
    expected = {1: 0.80639903, 2: 0.57044264, 3: 0.36084069, 5: 0.10984283}
    for dim, value in expected.items():
        assert spectrum_of(gaussian, dim).probability_below(1.3) == pytest.approx(value, abs=2e-7)


@pytest.mark.parametrize("dim", [1, 2, 3, 5, 10, 30, 60])
def test_mixture_of_gaussians(dim: int) -> None:
    """Not the subtracted reference: the transform itself has to find both components."""
    radii = np.linspace(0.05, 1.6, 40) * np.sqrt(dim)
    exact = 0.5 * stats.chi(dim).cdf(radii) + 0.5 * stats.chi(dim).cdf(5.0 * radii)
    spectrum = spectrum_of(two_gaussians, dim)
    error = np.abs(spectrum.probability_below(radii) - exact).max()
    assert error < (3e-6 if dim <= 30 else 1e-4)
    assert error < 2.0 * spectrum.quadrature_error + 3e-6


@pytest.mark.parametrize(
    ("nu", "dim"), [(nu, d) for nu in (0.3, 0.5, 1.5) for d in (1, 2, 3, 5, 10, 30)] + [(0.5, 1000), (1.5, 1000)]
)
def test_matern_is_student(nu: float, dim: int) -> None:
    """rho^2 / dim has the F(dim, 2 nu) law, its heavy tail included, far beyond the table."""
    profile = {0.5: laplace, 1.5: matern_three_halves}.get(nu) or matern(nu)
    spectrum = radial_spectrum(profile, dim)
    law = stats.f(dim, 2.0 * nu)
    probability = np.array([1e-3, 0.02, 0.2, 0.5, 0.8, 0.97, 0.999, 1 - 1e-5, 1 - 1e-7])
    radii = np.sqrt(dim * law.ppf(probability))
    np.testing.assert_allclose(spectrum.probability_below(radii), probability, atol=2e-6)
    np.testing.assert_allclose(1.0 - spectrum.probability_below(radii[-3:]), 1.0 - probability[-3:], rtol=0.02)
    assert spectrum.tail_exponent == pytest.approx(2.0 * nu, rel=0.02)
    far = spectrum.quantile(1.0 - 1e-12)
    assert far == pytest.approx(np.sqrt(dim * law.isf(1e-12)), rel=0.15)


def test_matern_three_halves_reference_values() -> None:
    expected = {1: 0.71553249, 2: 0.48840933, 3: 0.32452087, 5: 0.13665743}
    for dim, value in expected.items():
        assert spectrum_of(matern_three_halves, dim).probability_below(1.3) == pytest.approx(value, abs=2e-7)


def test_laplace_reference_values() -> None:
    spectrum = spectrum_of(laplace, 1)
    # two-sided law of |w|: F(|w|) = 2 F(w) - 1, where F(1) = .75, F(3) = .89758361765043
    assert spectrum.probability_below(1.0) == pytest.approx(2 * 0.75 - 1, abs=2e-7)
    assert spectrum.probability_below(3.0) == pytest.approx(2 * 0.89758361765043 - 1, abs=2e-7)


def test_hat_is_fejer() -> None:
    radii = np.geomspace(1e-2, 1e3, 200)
    exact = 2 / np.pi * (sici(radii)[0] - (1 - np.cos(radii)) / radii)
    np.testing.assert_allclose(spectrum_of(hat, 1).probability_below(radii), exact, atol=1e-6)


def test_sinc_is_uniform_in_one_dimension_and_an_atom_in_three() -> None:
    u = np.linspace(0.01, 0.99, 99)
    np.testing.assert_allclose(spectrum_of(sinc, 1).quantile(u), u, atol=2e-3)
    np.testing.assert_allclose(spectrum_of(sinc, 3).quantile(u), 1.0, atol=3e-3)


# the definition


@pytest.mark.parametrize(
    ("profile", "dim"),
    [(p, d) for p in (gaussian, two_gaussians, laplace, matern_three_halves, cauchy, slow) for d in (1, 3, 10)]
    + [(STRETCHED[1.5], d) for d in (1, 3, 10)]
    + [(STRETCHED[0.5], d) for d in (1, 3, 10)]
    + [(with_floor, d) for d in (1, 10)]
    + [(hat, 1), (wendland, 1), (wendland, 3), (sinc, 1), (sinc, 2), (sinc, 3), (np.cos, 1)],
)
def test_transform_of_the_drawn_law_is_the_profile(profile: Profile, dim: int) -> None:
    spectrum = spectrum_of(profile, dim)
    refuse_if_not_positive_definite(spectrum)
    radii = spectrum.quantile((np.arange(20000) + 0.5) / 20000)
    for r in (0.1, 0.5, 1.0, 2.0, 4.0):
        implied = average_over_directions(dim, radii * r).mean()
        assert implied == pytest.approx(float(profile(np.array([r]))[0]), abs=2e-3)


def test_the_error_of_a_periodic_profile_is_not_understated() -> None:
    """exp(cos r - 1) has atoms at 0, 1, 2, ...: its last ones lie beyond the table, in a power law."""
    spectrum = spectrum_of(ripple, 1)
    radii = spectrum.quantile((np.arange(400_000) + 0.5) / 400_000)
    errors = [np.cos(radii * r).mean() - ripple(r) for r in (0.3, 1.0, 2.0, 3.14, 6.28, 20.0)]
    assert np.abs(errors).max() < spectrum.quadrature_error < 10.0 * np.abs(errors).max()


@pytest.mark.parametrize("profile", [gaussian, laplace, hat, sinc])
@pytest.mark.parametrize("scale", [1e-3, 1e3])
def test_scale_equivariance(profile: Profile, scale: float) -> None:
    u = np.linspace(0.001, 0.999, 50)
    scaled = radial_spectrum(lambda r: profile(r / scale), 1)
    np.testing.assert_allclose(scaled.quantile(u) * scale, spectrum_of(profile, 1).quantile(u), rtol=1e-5)


@pytest.mark.parametrize("profile", [gaussian, laplace, hat])
def test_quantile_inverts_the_cdf(profile: Profile) -> None:
    spectrum = spectrum_of(profile, 1)
    assert np.all(np.diff(spectrum.radii) > 0)
    assert np.all(np.diff(spectrum.cdf) > 0)
    assert spectrum.cdf[0] == 0.0
    assert 0.999 < spectrum.cdf[-1] < 1.0
    np.testing.assert_allclose(spectrum.quantile(spectrum.cdf), spectrum.radii, rtol=1e-12)
    radii = np.concatenate([spectrum.quantile([0.1, 0.5, 0.9]), spectrum.radii[-1] * np.array([1.01, 1.1])])
    np.testing.assert_allclose(spectrum.quantile(spectrum.probability_below(radii)), radii, rtol=1e-6)
    u = np.linspace(0, 1, 1001)
    assert np.all(np.diff(spectrum.quantile(u)) > 0)
    assert np.all(np.isfinite(spectrum.quantile(u)))
    assert spectrum.quantile(0.5).shape == ()


# refusals


@pytest.mark.parametrize(
    ("profile", "dim"),
    [(STRETCHED[4.0], d) for d in (1, 2, 3, 10, 30)]
    + [(STRETCHED[2.1], d) for d in (1, 3, 10)]
    + [(hat, d) for d in (2, 3, 10)]
    + [(wendland, 4), (wendland, 5), (sinc, 5), (np.cos, 2)],
)
def test_refuses_what_is_not_positive_definite(profile: Profile, dim: int) -> None:
    with pytest.raises(ValueError, match=f"not positive definite in dimension {dim}: its spectrum has negative mass"):
        refuse_if_not_positive_definite(spectrum_of(profile, dim))


def test_negative_mass_of_a_known_signed_law() -> None:
    """1.1 exp(-r^2/2) - 0.1 exp(-2 r^2): density 1.1 N(0, 1) - 0.1 N(0, 4), negative beyond a crossing c."""
    spectrum = radial_spectrum(lambda r: 1.1 * np.exp(-0.5 * r**2) - 0.1 * np.exp(-2.0 * r**2), 1)
    crossing = np.sqrt(np.log(22.0) / (0.5 - 0.125))
    exact = 0.1 * stats.chi(1).sf(crossing / 2) - 1.1 * stats.chi(1).sf(crossing)
    assert spectrum.negative_mass == pytest.approx(exact, rel=1e-4)
    assert exact > NEGATIVE_MASS_TOLERANCE


def test_accepts_the_slowest_and_the_roughest_without_false_alarm() -> None:
    for profile, dims in (
        (lambda r: (1.0 + r) ** -0.1, (1, 30)),
        (lambda r: np.maximum(1.0 - r, 0.0) ** 11, (20,)),  # Askey: positive definite up to dimension 21
        (with_floor, (30,)),
    ):
        for dim in dims:
            refuse_if_not_positive_definite(radial_spectrum(profile, dim))


def test_untrusted_quadrature_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r'dimension 1000 .* use form="product" or a smaller dimension'):
        radial_spectrum(two_gaussians, 1000)


@pytest.mark.parametrize(
    ("profile", "message"),
    [
        (lambda r: 0.9 * np.exp(-r), r"profile\(0\) = 0.9"),
        (lambda r: float(np.exp(-np.sum(r))), "must be vectorised"),
        (lambda r: np.where(r > 2.0, np.nan, np.exp(-r)), "must be finite"),
        (lambda r: 1.0 + r**2 * np.exp(-r), "not positive definite in any dimension"),
        (lambda r: np.ones_like(r), "constant"),
        (lambda r: np.where(r == 0.0, 1.0, 0.5 * np.exp(-r)), "not continuous at 0"),
    ],
)
def test_bad_profiles(profile: Profile, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        radial_spectrum(profile, 2)


def test_bad_arguments() -> None:
    with pytest.raises(ValueError, match="at least 1; got 0"):
        radial_spectrum(gaussian, 0)
    with pytest.raises(ValueError, match="between 0 and 1"):
        spectrum_of(gaussian, 1).quantile([0.5, 1.5])


# the second derivative


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        (gaussian, 1.0),
        (rational_quadratic, 1.0),
        (cauchy, 2.0),
        (matern_three_halves, 3.0),
        (matern(1.2), 6.0),
        (sinc, 1.0 / 3.0),
        (lambda r: gaussian(r / 1e3), 1e-6),
        (lambda r: gaussian(r / 1e-3), 1e6),
        (laplace, np.inf),
        (hat, np.inf),
        (matern(1.0), np.inf),
        (STRETCHED[1.5], np.inf),
        (stretched(1.99), np.inf),
        (lambda r: 0.999 * gaussian(r) + 0.001 * laplace(r), np.inf),
    ],
)
def test_second_derivative_at_zero(profile: Profile, expected: float) -> None:
    assert second_derivative_at_zero(profile) == pytest.approx(expected, rel=1e-6)


def test_second_moment_of_the_law_is_dim_times_the_second_derivative() -> None:
    for dim in (1, 3, 10):
        radii = spectrum_of(cauchy, dim).quantile((np.arange(200000) + 0.5) / 200000)
        assert np.mean(radii**2) == pytest.approx(dim * second_derivative_at_zero(cauchy), rel=1e-3)

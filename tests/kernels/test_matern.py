"""Matern kernels: values of every smoothness against arbitrary precision."""

import mpmath
import numpy as np
import pytest

import bochner as bo

# nu, r, k: thirteen digits by arbitrary precision.
LARGE = [
    (200, 0.01, 0.9999497500127),
    (200, 0.1, 0.9949875426388),
    (200, 0.5, 0.881977864764),
    (200, 1.0, 0.6053932407903),
    (1000, 0.1, 0.9950075116501),
    (1000, 1.0, 0.6063032030052),
    (1000, 3.0, 0.0111713857086),
    (150, 0.0586, 0.998272999722),
]


@pytest.mark.parametrize(("nu", "r", "value"), LARGE)
def test_values_of_very_smooth_kernels(nu, r, value):
    digits = len(str(value)) - 2
    np.testing.assert_allclose(bo.Matern(1.0, nu=nu)([[0.0]], [[r]]), [[value]], rtol=0, atol=10.0**-digits)


@pytest.mark.parametrize("nu", [0.3, 2.0, 7.3, 49.9, 50.0, 90.0, 135.0, 155.0, 1e4])
def test_every_smoothness_is_exact(nu):
    distances = np.array([1e-9, 1e-6, 1e-4, 0.01, 0.06, 0.3, 1.0, 2.5, 6.0])
    with mpmath.workdps(40):
        scaled = [mpmath.sqrt(2 * mpmath.mpf(nu)) * mpmath.mpf(float(r)) for r in distances]
        size = mpmath.mpf(2) ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu)
        exact = [float(size * s**nu * mpmath.besselk(nu, s)) for s in scaled]
    np.testing.assert_allclose(bo.Matern(1.0, nu=nu).profile(distances), exact, rtol=1e-12)


@pytest.mark.parametrize("nu", [1.0, 2.5, 60.0])
def test_ends_of_the_profile(nu):
    np.testing.assert_array_equal(
        bo.Matern(1.0, nu=nu).profile(np.array([0.0, 1e5, 1e200, np.inf])), [1.0, 0.0, 0.0, 0.0]
    )


def test_great_smoothness_is_the_gaussian():
    r = np.linspace(0, 4, 30)
    np.testing.assert_allclose(bo.Matern(1.0, nu=1e9).profile(r), bo.Gaussian(1.0).profile(r), rtol=1e-7)

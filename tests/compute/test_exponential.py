import mpmath
import numpy as np
import pytest

from bochner.compute.exponential import gaussians


def exponents():
    """Numbers at and beside multiples of ln(2) / 2, where the reduction changes, and random ones of all sizes."""
    rng = np.random.default_rng(0)
    edges = -np.arange(0, 2040) * np.log(2) / 2
    beside = [np.nextafter(edges, -np.inf), np.minimum(np.nextafter(edges, np.inf), 0.0)]
    random = [-rng.uniform(0, size, 2000) for size in (1e-12, 1.0, 30.0, 707.0)]
    return np.concatenate([edges, *beside, *random, [0.0, -0.0]])


def test_gaussians_are_exact_to_the_last_bits():
    x = exponents()
    values = x[None, :].copy()
    gaussians(values, np.zeros(1), np.zeros(len(x)))
    with mpmath.workdps(40):
        exact = np.array([float(mpmath.exp(mpmath.mpf(number))) for number in x])
    assert np.abs(values[0] / exact - 1).max() <= 4.5e-16


def test_gaussians_subtract_halves_and_stay_between_0_and_1():
    rng = np.random.default_rng(1)
    X, Y = rng.normal(size=(7, 3)), rng.normal(size=(5, 3))
    values = X @ Y.T
    gaussians(values, 0.5 * (X**2).sum(axis=1), 0.5 * (Y**2).sum(axis=1))
    distances = ((X[:, None] - Y[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(values, np.exp(-0.5 * distances), rtol=1e-14)
    outside = np.array([[1e-9, 5.0, -708.5, -1e300, -np.inf]])
    gaussians(outside, np.zeros(1), np.zeros(5))
    assert outside.tolist() == [[1.0, 1.0, 0.0, 0.0, 0.0]]


def test_gaussians_refuse_what_the_loops_could_not_read():
    with pytest.raises(ValueError, match="products must be a C-ordered float64 array"):
        gaussians(np.zeros((2, 2), dtype=np.float32), np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match=r"right must be .* of shape \(3,\)"):
        gaussians(np.zeros((2, 3)), np.zeros(2), np.zeros(2))

import mpmath
import numpy as np
import pytest

import bochner as bo
from bochner.compute.exponential import gaussians, materns
from bochner.kernels.matern import POLYNOMIALS


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


def test_single_precision_is_exact_to_its_last_bits():
    x = exponents()[exponents() > -86.0].astype(np.float32)
    zeros, none = np.zeros(len(x), np.float32), np.zeros(1, np.float32)
    values = x[None, :].copy()
    gaussians(values, none, zeros)
    assert values.dtype == np.float32
    assert np.abs(values[0] / np.exp(x.astype(np.float64)) - 1).max() <= 3e-7
    for nu, polynomial in POLYNOMIALS.items():
        values = x[None, :].copy()
        materns(values, none, zeros, float(np.sqrt(2 * nu)), polynomial)
        exact = bo.Matern(1.0, nu=nu).profile(np.sqrt(-2.0 * x.astype(np.float64)))
        assert np.abs(values[0] / exact - 1).max() <= 4e-6  # that of the root times the exponent
    outside = np.array([[1e-9, 5.0, -87.5, -1e30, -np.inf]], dtype=np.float32)
    gaussians(outside, none, np.zeros(5, np.float32))
    assert outside.tolist() == [[1.0, 1.0, 0.0, 0.0, 0.0]]


def test_gaussians_refuse_what_the_loops_could_not_read():
    with pytest.raises(ValueError, match="left must be a C-ordered array of float64, or all of float32"):
        gaussians(np.zeros((2, 2), dtype=np.float32), np.zeros(2), np.zeros(2))
    with pytest.raises(ValueError, match="products must be a C-ordered array of float64"):
        gaussians(np.zeros((2, 2), dtype=np.int64), np.zeros(2, np.int64), np.zeros(2, np.int64))
    with pytest.raises(ValueError, match=r"right must be .* of shape \(3,\)"):
        gaussians(np.zeros((2, 3)), np.zeros(2), np.zeros(2))


MATERNS = {0.5: (1.0,), 1.5: (1.0, 1.0), 2.5: (1.0, 1.0, 1.0 / 3.0)}


def distances():
    """Squared distances over the whole range, from denormal numbers to where exponentials are 0."""
    rng = np.random.default_rng(2)
    s = np.concatenate([[0.0], 10.0 ** rng.uniform(-150, 0, 1000), rng.uniform(0, 40, 2000), rng.uniform(0, 700, 1000)])
    return s**2


@pytest.mark.parametrize("nu", MATERNS)
def test_materns_are_exact_to_the_last_bits(nu):
    """s = sqrt(2 nu) ||Δ|| is rounded a few times, which e^-s turns into a relative error of s times that."""
    squares = distances()
    values = np.zeros((1, len(squares)))
    materns(values, np.zeros(1), 0.5 * squares, float(np.sqrt(2 * nu)), POLYNOMIALS[nu])
    with mpmath.workdps(40):
        s = [mpmath.sqrt(2 * mpmath.mpf(nu) * mpmath.mpf(square)) for square in squares]
        inside = np.array([one < 708 for one in s])
        exact = np.array(
            [float(mpmath.exp(-one) * mpmath.fdot((c, one**k) for k, c in enumerate(MATERNS[nu]))) for one in s]
        )
    assert inside.sum() > 3400
    error = np.abs(values[0, inside] / exact[inside] - 1)
    assert (error <= 2.3e-16 * (6 + 3 * np.array(s, dtype=float)[inside])).all()
    assert error[squares[inside] < 1e-2].max() <= 1e-15
    assert values[0, 0] == 1.0
    assert (values[0, ~inside] == 0.0).all()


def test_materns_beyond_the_normal_numbers_are_0_and_rounded_squares_are_not_negative():
    products = np.array([[0.0, 0.0, 0.0, 1.0 + 1e-15]])
    halves = np.array([0.5 * 708.1**2, 1e300, np.inf, 1.0])
    for scale, polynomial in ((1.0, (1.0,)), (1.0, (1.0, 1.0, 1.0 / 3.0))):
        values = products.copy()
        materns(values, np.zeros(1), halves, scale, polynomial)
        assert values.tolist() == [[0.0, 0.0, 0.0, 1.0]]


@pytest.mark.parametrize("nu", MATERNS)
def test_matern_is_its_profile_of_the_distance(nu):
    rng = np.random.default_rng(3)
    for columns, spread in ((1, 1.0), (4, 3.0), (30, 40.0)):
        X, Y = spread * rng.normal(size=(30, columns)), spread * rng.normal(size=(50, columns))
        scales = rng.uniform(0.5, 2.0, size=columns)
        kernel = bo.Matern(scales, nu)
        exact = kernel.profile(np.linalg.norm((X[:, None] - Y[None]) / scales, axis=2))
        np.testing.assert_allclose(kernel(X, Y), exact, rtol=1e-12, atol=1e-300)
        # Products cancel where rows are equal: distances of 0 are exact, those of close rows to 1e-8.
        np.testing.assert_array_equal(np.diag(kernel(X)), np.ones(len(X)))
        np.testing.assert_allclose(kernel(X), kernel(X, X), atol=1e-5)
        assert np.abs(kernel(X) - kernel(X).T).max() <= 1e-12


def test_materns_refuse_what_the_loops_could_not_read():
    with pytest.raises(ValueError, match="must be a C-ordered array of float64, or all of float32"):
        materns(np.zeros((2, 2), order="F")[:, ::-1], np.zeros(2), np.zeros(2), 1.0, (1.0,))
    with pytest.raises(ValueError, match="left must be a C-ordered array of float64"):
        materns(np.zeros((2, 2)), np.zeros(2, dtype=np.float32), np.zeros(2), 1.0, (1.0,))
    with pytest.raises(ValueError, match=r"right must be .* of shape \(3,\)"):
        materns(np.zeros((2, 3)), np.zeros(2), np.zeros(2), 1.0, (1.0,))
    materns(np.zeros((0, 3)), np.zeros(0), np.zeros(3), 1.0, (1.0,))

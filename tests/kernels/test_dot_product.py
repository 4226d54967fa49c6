"""Dot-product kernels: coefficients, domains, and series found numerically."""

import math

import mpmath
import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.kernels.maclaurin_series import maclaurin_series


def test_reference_coefficients():
    np.testing.assert_array_equal(
        bo.Polynomial(10).coefficients(12), [1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1, 0]
    )
    np.testing.assert_allclose(bo.ExponentialDot(2.0).coefficients(4), [1, 1 / 4, 1 / 32, 1 / 384], rtol=1e-14)
    np.testing.assert_array_equal(bo.Vovk(3).coefficients(5), [1, 1, 1, 0, 0])
    expected = [0.318309886, 0.5, 0.159154943, 0, 0.0132629119, 0, 0.00397887358]
    np.testing.assert_allclose(bo.ArcCosine(1).coefficients(7), expected, rtol=3e-9)
    assert bo.Vovk(5)([[0.31]], [[1.0]]).item() == pytest.approx(1.44512621, abs=1e-8)
    assert bo.Vovk(5)([[1.0]], [[1.0]]).item() == 5.0


def test_polynomial_coefficients_are_binomials_not_divided_by_factorials():
    """A published map divides the binomials by n! once more, so that (x.y)² is estimated as half of itself."""
    assert bo.Polynomial(2, offset=0.0).coefficients(3)[2] == 1.0
    assert bo.Polynomial(3, offset=0.0).coefficients(4)[3] == 1.0
    assert bo.Polynomial(100, offset=0.5, scale=0.5).coefficients(101).sum() == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize(
    ("function", "exact"),
    [
        (np.exp, lambda n: 1 / mpmath.factorial(n)),
        (np.cosh, lambda n: 1 / mpmath.factorial(n) if n % 2 == 0 else 0),
        (lambda t: 1 / (1 - t), lambda n: 1),
        (lambda t: (1 + t) ** 10, lambda n: math.comb(10, n)),
        (lambda t: np.exp(200 * t), lambda n: mpmath.mpf(200) ** n / mpmath.factorial(n)),
        (lambda t: np.exp(t / 1e4), lambda n: mpmath.mpf(1e-4) ** n / mpmath.factorial(n)),
    ],
    ids=["exp", "cosh", "geometric", "binomial", "steep", "flat"],
)
def test_numerical_coefficients_against_exact_ones(function, exact):
    found = bo.DotProduct(function).coefficients(41)
    np.testing.assert_allclose(found, [float(exact(n)) for n in range(41)], rtol=1e-10)


def test_numerical_coefficients_against_taylor_in_many_digits():
    mpmath.mp.dps = 40
    expected = [float(c) for c in mpmath.taylor(mpmath.asin, 0, 15)]
    np.testing.assert_allclose(bo.DotProduct(np.arcsin).coefficients(16), expected, rtol=1e-11, atol=1e-30)


@pytest.mark.parametrize(
    ("function", "coefficient"),
    [(np.tanh, "a_3 = -0.333333"), (np.cos, "a_2 = -0.5"), (lambda t: 1 - 1e-3 * t, "a_1 = -0.001")],
)
def test_a_negative_coefficient_is_named(function, coefficient):
    with pytest.raises(ValueError, match=f"not positive definite.*{coefficient}"):
        bo.DotProduct(function).coefficients(10)
    with pytest.raises(ValueError, match=coefficient):
        bo.MaclaurinFeatures(bo.DotProduct(function)).fit(np.eye(3))


@pytest.mark.parametrize("function", [np.abs, np.log, lambda t: np.maximum(t.real, 0), lambda t: np.sqrt(t)])
def test_functions_without_a_series_are_refused(function):
    with pytest.raises(ValueError, match="DotProduct"):
        bo.DotProduct(function).coefficients(10)


@pytest.mark.parametrize(
    ("function", "radius"), [(lambda t: 1 / (1 - t), 1.0), (np.arcsin, 1.0), (lambda t: np.exp(t) / (3 - t), 3.0)]
)
def test_radius_of_convergence_is_found_to_one_per_cent(function, radius):
    assert maclaurin_series(function).radius == pytest.approx(radius, rel=0.01)
    assert bo.DotProduct(function, convergence_radius=radius).radius == radius


def test_entire_functions_converge_everywhere():
    assert bo.DotProduct(np.exp).radius == np.inf
    assert bo.DotProduct(lambda t: (1 + t) ** 3).radius == np.inf


def test_vovk_refuses_data_outside_its_ball():
    inside, outside = np.array([[0.6, 0.6]]), np.array([[0.8, 0.8]])
    assert bo.Vovk()(inside).item() == pytest.approx(1 / (1 - 0.72))
    for call in (bo.Vovk(), bo.Vovk().diagonal, lambda X: bo.Vovk().rowwise(X, X)):
        with pytest.raises(ValueError, match=r"smaller than 1 .* reach 1\.28"):
            call(outside)
    assert bo.Vovk(3)(outside).item() == pytest.approx(1 + 1.28 + 1.28**2)
    with pytest.raises(ValueError, match="scale the data down"):
        bo.Composed(bo.Vovk(), bo.Gaussian(1.0))(inside)


def test_arc_cosine_values():
    """Order 1 at right angles is ||x|| ||y|| / π; on the diagonal k_0 = 1 and k_1 = ||x||²; a zero row is no NaN."""
    X = np.array([[3.0, 0.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]])
    zero, one = bo.ArcCosine(0)(X), bo.ArcCosine(1)(X)
    assert one[0, 1] == pytest.approx(6 / np.pi)
    assert zero[0, 2] == pytest.approx(0.75)
    np.testing.assert_allclose(np.diag(one), [9, 4, 2, 0], rtol=1e-7)
    np.testing.assert_allclose(np.diag(zero), [1, 1, 1, 0.5], atol=1e-7)
    np.testing.assert_allclose(bo.ArcCosine(1)(sp.csr_array(X)), one)


def test_words_are_resolved_from_the_rows():
    X = np.array([[3.0, 4.0], [0.0, 1.0]])
    assert bo.ExponentialDot("norm").resolve(X).sigma == pytest.approx(np.sqrt(13))
    assert bo.Polynomial(2, scale="norm").resolve(X).scale == pytest.approx(1 / 13)
    assert bo.ExponentialDot("norm").resolve(X, np.array([1.0, 3.0])).sigma == pytest.approx(np.sqrt(7))
    composed = bo.Composed(bo.ExponentialDot("norm"), bo.Polynomial(1, offset=0.0)).resolve(X)
    assert composed.outer.sigma == pytest.approx(np.sqrt(13))


@pytest.mark.parametrize(
    ("kernel", "message"),
    [
        (bo.Polynomial(0), "degree"),
        (bo.Polynomial(2.5), "degree"),
        (bo.Polynomial(2, offset=-1.0), "offset"),
        (bo.Polynomial(2, scale=0.0), "scale"),
        (bo.Polynomial(2, scale="norm"), "resolved from data"),
        (bo.ExponentialDot(-1.0), "sigma"),
        (bo.ExponentialDot("median"), "sigma"),
        (bo.Vovk(0), "degree"),
        (bo.ArcCosine(2), "order"),
        (bo.Composed(bo.Gaussian(1.0), bo.Gaussian(1.0)), "outer"),
        (bo.Composed(bo.ExponentialDot(), "rbf"), "inner"),
        (bo.DotProduct("exp"), "function"),
    ],
    ids=repr,
)
def test_bad_parameters_are_one_sentence(kernel, message):
    with pytest.raises((ValueError, TypeError), match=message):
        kernel(np.eye(2))


def guarded(t):
    """-log(1 - t)/t with its limit near 0, as a careful user writes it."""
    near = np.abs(t) < 1e-8
    return np.where(near, 1.0, -np.log1p(-t) / np.where(near, 1.0, t))


def test_a_quotient_that_rounding_spoils_near_zero_and_terms_beyond_the_first_points():
    """-log(1 - t)/t = sum t^n / (n + 1) has a limit at 0; exp(exp(t) - 1) has large terms and no singularity."""
    quotient = bo.DotProduct(lambda t: -np.log(1.0 - t) / t)
    for one in (quotient, bo.DotProduct(guarded)):
        np.testing.assert_allclose(one.coefficients(40), 1.0 / np.arange(1.0, 41.0), rtol=1e-10)
        assert one.radius == pytest.approx(1.0, abs=2e-3)
    steep = bo.DotProduct(lambda t: 1.0 / (1.0 - 1e5 * t))
    assert steep.radius == pytest.approx(1e-5, rel=2e-3)
    rows = np.array([[0.0, 0.0], [0.5, 0.5]])
    np.testing.assert_allclose(quotient(rows), [[1.0, 1.0], [1.0, 2.0 * np.log(2.0)]], rtol=1e-12)
    bell = bo.DotProduct(lambda t: np.exp(np.exp(t) - 1.0))
    np.testing.assert_allclose(bell.coefficients(5), [1, 1, 1, 5 / 6, 15 / 24], rtol=1e-10)
    assert bell.radius == np.inf

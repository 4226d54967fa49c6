"""Theorem 4 of Kar and Karnick: reference widths, truncation, H0/1, polynomials, compositions; none is too small."""

import numpy as np
import pytest
from scipy.special import factorial

import bochner as bo
from bochner import theory

EXP = 1 / factorial(np.arange(60))
GIVEN = {"eps": 0.1, "delta": 0.05, "dim": 5, "radius": 1.0}
COMPOSED = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
SETTING = {"eps": 0.1, "delta": 0.05, "dim": 2, "diameter": 6.0}


def needed(**more):
    return theory.maclaurin_components_needed(EXP, **GIVEN | more)


def test_reference_values():
    assert [needed(p=p) for p in (1.5, 2.0, 3.0)] == [1843012, 1456207, 4146777]
    assert needed(degrees="proportional") == 672500
    assert needed(degrees="proportional", h01=True) == 45064
    assert needed(degrees="proportional", dim=40) == 5584974
    with pytest.raises(ValueError, match="has not converged"):  # Vovk's infinite kernel beyond its radius
        theory.maclaurin_components_needed(np.ones(200), **GIVEN)
    with pytest.raises(ValueError, match="numbers >= 0"):
        theory.maclaurin_components_needed([1.0, -1.0], **GIVEN)


def test_truncation():
    bias = {3: 0.0516151618, 4: 0.0099484951, 5: 0.0016151618, 6: 0.0002262729, 8: 3.0586e-6}
    plain = {3: 2920608, 4: 829434, 5: 694706, 6: 675541, 8: 672541}
    with_h01 = {3: 174780, 4: 54409, 5: 46391, 6: 45245, 8: 45066}
    for q, expected in bias.items():
        assert theory.truncation_bias(EXP, q + 1, 1.0) == pytest.approx(expected, rel=1e-5)
        assert needed(degrees="proportional", max_degree=q) == plain[q]
        assert needed(degrees="proportional", max_degree=q, h01=True) == with_h01[q]
        assert needed(max_degree=q) > needed()
    with pytest.raises(ValueError, match=r"leaves out 0.2183.*max_degree=3"):
        needed(max_degree=2)


def test_a_complete_polynomial_needs_no_padding():
    a = bo.Polynomial(10, offset=1.0).coefficients(11)
    with pytest.raises(ValueError, match="complete=True"):
        theory.maclaurin_components_needed(a, **GIVEN)
    found = theory.maclaurin_components_needed(a, complete=True, **GIVEN)
    assert found == theory.maclaurin_components_needed(np.append(a, 0.0), **GIVEN)
    assert theory.maclaurin_components_needed([1.0, 2.0], complete=True, h01=True, **GIVEN) == 0  # nothing is random


def test_the_bound_of_a_feature_is_the_largest_there_is():
    """B = max a_n R^{2n} / P_n, read off the width: B² = D eps² / (8 [...])."""
    for p, expected in ((1.5, 4.5), (2.0, 4.0), (3.0, 6.75)):
        assert np.sqrt(needed(p=p) / needed(degrees="proportional")) == pytest.approx(expected / np.e, rel=1e-5)
        law = theory.geometric_degrees(60, p)
        assert np.max(EXP / law) == pytest.approx(expected)


def test_compositions():
    def width(**more):
        return theory.composed_components_needed(COMPOSED, **SETTING | more)

    assert width() == 2439426
    assert width(degrees="geometric") == 20334198
    assert width(projection="complex") == 297423
    assert width(method="shift-invariant") == 153250
    assert 153250 < width(method="shift-invariant", rigorous=True) < 160000
    # What the inner scalars are can be said: the same numbers, and the Lipschitz constant C M of the inner kernel.
    mean = theory.fractional_moment(bo.Gaussian(1.0), 1.0, 2)
    described = {"scalar_bound": np.sqrt(2), "scalar_slope": np.sqrt(2) * mean}
    assert width() < width(**described) < 1.1 * width()
    nested = bo.Composed(bo.ExponentialDot(), bo.Composed(bo.Polynomial(1, offset=0.0), bo.Gaussian(1.0)))
    assert theory.composed_components_needed(nested, **SETTING) == width()
    with pytest.raises(ValueError, match="scalar_bound"):
        theory.composed_components_needed(bo.Composed(bo.ExponentialDot(), bo.ArcCosine()), **SETTING)
    with pytest.raises(ValueError, match="infinite"):
        theory.composed_components_needed(bo.Composed(bo.ExponentialDot(), bo.Laplace(1.0)), **SETTING)
    with pytest.raises(ValueError, match=r"bo\.Composed"):
        theory.composed_components_needed(bo.Gaussian(1.0), **SETTING)


def test_the_composition_is_shift_invariant():
    """f(k)/f(1) has the sum of N inner frequencies for a frequency, N of law a_n / f(1): value, moment, variance."""
    rng = np.random.default_rng(0)
    counts = rng.poisson(1.0, size=400_000)  # a_n / e
    w = rng.normal(size=400_000) * np.sqrt(counts)
    value = np.exp(np.exp(-0.5) - 1)
    assert value == pytest.approx(0.67471200, abs=1e-8)
    cosines = np.cos(w)
    assert abs(cosines.mean() - value) < 5 * cosines.std() / np.sqrt(len(w))
    assert np.mean(w**2) == pytest.approx(1.0, abs=0.02)  # sigma_p² f'(1)/f(1)
    doubled = np.exp(np.exp(-2.0) - 1)
    paired = np.e**2 * (1 + doubled - 2 * value**2)  # D Var of e times the estimate
    assert paired == pytest.approx(3.7737400, abs=1e-6)
    k, m = np.exp(-0.5), 1 + np.exp(-2.0) / 2  # products of shifted cosines, under two degree laws
    for law, expected in (
        (theory.optimal_degrees(EXP, m), 4.5338427),
        (theory.proportional_degrees(EXP, np.sqrt(2)), 9.2379599),
    ):
        assert theory.composed_variance(EXP, law, k, m, 1)[0] == pytest.approx(expected, abs=1e-6)


def test_the_cost_of_a_column():
    for p in (1.5, 2.0, 3.0):
        plain = theory.maclaurin_cost(theory.geometric_degrees(400, p), 54)
        assert plain.factors == pytest.approx(1 / (p - 1))
        assert theory.maclaurin_cost(theory.geometric_degrees(400, p, start=2), 54).factors == pytest.approx(
            2 + 1 / (p - 1)
        )
        degrees = np.random.default_rng(0).geometric(1 - 1 / p, size=200_000) - 1
        products = np.maximum(degrees - 1, 0)
        error = products.std() / np.sqrt(len(products))
        assert plain.multiplications - 54 * plain.factors == pytest.approx(products.mean(), abs=5 * error)
    with pytest.raises(ValueError, match="degree_law"):
        theory.maclaurin_cost([0.0, 0.0], 3)

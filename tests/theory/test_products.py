"""Maclaurin, TensorSketch and binning: reference values, and simulation from the definitions."""

import numpy as np
import pytest
from scipy.special import factorial

import bochner as bo
from bochner import theory
from tests.helpers import assert_mean, assert_variance
from tests.theory.reference import VALUES, split

X, Y = np.array([0.5, -0.3, 0.4]), np.array([0.2, 0.1, 0.6])
N_TERMS = 60
EXP = 1 / factorial(np.arange(N_TERMS))
REFERENCE = VALUES["rm x=(.5,-.3,.4) y=(.2,.1,.6)"]


def test_maclaurin_reference_values():
    moment = theory.projection_moments(X, Y)[0][0]
    assert moment == pytest.approx(REFERENCE["m_rademacher"], rel=1e-12)
    laws = {
        "var_exp_p1_5": theory.geometric_degrees(N_TERMS, 1.5),
        "var_exp_p2": theory.geometric_degrees(N_TERMS, 2.0),
        "var_exp_p3": theory.geometric_degrees(N_TERMS, 3.0),
        "var_exp_reweighted_R1": theory.proportional_degrees(EXP, 1.0),
        "var_exp_optimal": theory.optimal_degrees(EXP, moment),
    }
    for key, law in laws.items():
        assert theory.maclaurin_variance(EXP, law, X, Y, 1)[0] == pytest.approx(REFERENCE[key], rel=1e-10)
    law = theory.geometric_degrees(N_TERMS, 2.0, start=2)
    value = theory.maclaurin_variance(EXP, law, X, Y, 1, start=2)[0]
    assert value == pytest.approx(REFERENCE["var_exp_H01_p2"], rel=1e-10)


def test_degree_laws_are_probabilities():
    for p in (1.5, 2.0, 3.0):
        for start in (0, 2):
            assert theory.geometric_degrees(400, p, start).sum() == pytest.approx(1.0)
    assert theory.proportional_degrees(EXP, 0.7).sum() == pytest.approx(1.0)
    with pytest.raises(ValueError, match="greater than 1"):
        theory.geometric_degrees(10, 1.0)


def test_truncation_reference_value():
    assert round(theory.truncation_bias(EXP, 6, 1.0), 10) == 0.0016151618


def test_neither_factor_of_a_term_need_fit_the_floating_point_range():
    """Coefficients that underflow, moments whose powers overflow: their products are moderate."""
    a, law = np.array([1.0, 0.0, 1e-200]), np.array([0.5, 0.0, 0.5])
    x, y = np.array([1e50, 0.0]), np.array([0.0, 1e50])  # m = 1e200: a_2² = 1e-400 and m² = 1e400
    assert theory.maclaurin_variance(a, law, x, y, 1)[0] == pytest.approx(1.0 / 0.5 + 1.0 / 0.5 - 1.0)
    assert theory.maclaurin_variance([1.0, 0.0, 1.0], law, x, y, 1)[0] == np.inf


@pytest.mark.parametrize("allocation", ["independent", "stratified"])
@pytest.mark.parametrize(("x", "y"), [([0.5, -0.3, 0.4], [-0.4, 0.2, 0.1]), ([1.0, 1.0], [0.5, -0.5])])
def test_powers_of_negative_numbers_keep_their_sign(x, y, allocation):
    """An obtuse pair has t < 0, two columns that cancel a negative pseudo-moment 2t² - q: by plain powers."""
    x, y = np.array(x), np.array(y)
    a, law, n = EXP[:6], np.array([0.3, 0.3, 0.15, 0.1, 0.1, 0.05]), np.arange(6)
    t, q = x @ y, np.sum((x * y) ** 2)
    moment, pseudo = (x @ x) * (y @ y) + t**2 - q, 2 * t**2 - q
    assert t < 0 or pseudo < 0
    mean = np.sum(a**2 * t ** (2 * n) / law) if allocation == "stratified" else np.sum(a * t**n) ** 2
    expected = np.sum(a**2 * (moment**n + pseudo**n) / law) - 2 * mean
    found = theory.maclaurin_variance(a, law, x, y, 1, projection="complex", allocation=allocation)
    assert found[0] == pytest.approx(expected, rel=1e-12)


def test_a_variance_of_zero_is_zero():
    """TensorSketch of one column is exact, and rounding must not make its variance negative or its root visible."""
    rng = np.random.default_rng(0)
    for degree in (1, 2, 3, 7):
        for width in (2, 7, 64):
            x, y = rng.normal(size=(2, 500, 1)) * 10.0 ** rng.integers(-3, 4, size=(500, 1))
            assert (theory.tensor_sketch_variance(x, y, degree=degree, n_components=width) == 0).all()
    assert theory.tensor_sketch_variance([0.7], [0.3], degree=3, n_components=7)[0] == 0.0


def factors(projection, size, rng):
    """W(x) W(y)* of independent projections."""
    if projection == "gaussian":
        w = rng.normal(size=(*size, 3))
    elif projection == "rademacher":
        w = rng.choice([-1.0, 1.0], size=(*size, 3))
    else:
        w = rng.choice([1, -1, 1j, -1j], size=(*size, 3))
    return (w @ X) * np.conj(w @ Y)


@pytest.mark.parametrize("start", [0, 2])
@pytest.mark.parametrize("projection", ["rademacher", "gaussian", "complex"])
def test_simulated_maclaurin_variance(projection, start):
    rng = np.random.default_rng(0)
    law = theory.geometric_degrees(12, 2.0, start)
    law /= law.sum()
    a = EXP[:12]
    degrees = rng.choice(12, size=400_000, p=law)
    products = np.ones(len(degrees), dtype=complex)
    for j in range(degrees.max()):
        products[degrees > j] *= factors(projection, (int((degrees > j).sum()),), rng)
    values = (a[degrees] / law[degrees] * products.real)[:, None]
    expected = np.atleast_1d(np.sum(a[start:] * REFERENCE["t"] ** np.arange(start, 12)))
    # One complex feature is two real columns.
    width = 2 if projection == "complex" else 1
    variance = theory.maclaurin_variance(a, law, X, Y, width, projection=projection, start=start)
    assert_mean(values, expected, variance)
    assert_variance(values, variance)


def test_stratified_degrees_leave_the_variance_within_degrees():
    a, law = np.array([0.0, 1.0, 0.5]), np.array([0.0, 0.5, 0.5])
    rng = np.random.default_rng(0)
    first, second = factors("rademacher", (100_000, 1), rng), factors("rademacher", (100_000, 1, 2), rng)
    values = first.real[:, 0] + 0.5 * second.prod(axis=2).real[:, 0]  # one column of each degree, D P_n = 1
    expected = theory.maclaurin_variance(a, law, X, Y, 2, start=1, allocation="stratified")
    assert_variance(values[:, None], expected)


def test_composed_variance_reference_value():
    k = np.exp(-0.5)
    value = theory.composed_variance(EXP, theory.geometric_degrees(N_TERMS), k, 1 + np.exp(-2.0) / 2, 1)[0]
    assert round(value, 4) == 5.8064


def test_complex_to_real_reference_values():
    for degree, complex_value, real_value in ((2, 0.05093, 0.05847), (6, 1.604e-4, 3.096e-4)):
        a, law = np.zeros(degree + 1), np.zeros(degree + 1)
        a[degree] = law[degree] = 1.0
        value = theory.maclaurin_variance(a, law, X, Y, 1, projection="complex")[0]
        assert float(f"{value:.4g}") == complex_value
        assert float(f"{theory.maclaurin_variance(a, law, X, Y, 1)[0]:.4g}") == real_value


def test_tensor_sketch_reference_values():
    x, y = [0.9, -0.6, 0.8], [0.4, 0.7, 1.1]
    for key, expected in VALUES["tensorsketch_var x=(.9,-.6,.8) y=(.4,.7,1.1)"].items():
        at = split(key)
        value = theory.tensor_sketch_variance(x, y, degree=int(at["p"]), n_components=int(at["D"]))[0]
        assert value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("width", [4, 5])
def test_simulated_tensor_sketch_variance(width):
    rng = np.random.default_rng(0)
    x, y = np.array([0.9, -0.6, 0.8]), np.array([0.4, 0.7, 1.1])
    repeats, degree, offset, scale = 40_000, 2, 0.5, 0.7
    rows = [np.append(np.sqrt(scale) * row, np.sqrt(offset)) for row in (x, y)]
    transforms = [1.0, 1.0]
    for _ in range(degree):
        buckets, signs = rng.integers(width, size=(repeats, 4)), rng.choice([-1.0, 1.0], size=(repeats, 4))
        for index, row in enumerate(rows):
            sketch = np.zeros((repeats, width))
            for column in range(4):
                sketch[np.arange(repeats), buckets[:, column]] += signs[:, column] * row[column]
            transforms[index] = transforms[index] * np.fft.fft(sketch, axis=1)
    values = np.sum(transforms[0] * np.conj(transforms[1]), axis=1).real[:, None] / width
    given = {"degree": degree, "n_components": width, "offset": offset, "scale": scale}
    variance = theory.tensor_sketch_variance(x, y, **given)
    assert_mean(values, np.array([(offset + scale * x @ y) ** degree]), variance)
    assert_variance(values, variance)


@pytest.mark.parametrize("hashing", ["exact", "plain", "signed"])
def test_simulated_binning_mean_and_variance(hashing):
    rng = np.random.default_rng(0)
    delta, n_buckets = 0.8, 8
    k = bo.Laplace(1.0)([[0.0]], [[delta]])[0]
    pitch = rng.gamma(2.0, size=(100_000, 4))
    shift = rng.uniform(size=pitch.shape) * pitch
    same = np.floor((delta + shift) / pitch) == np.floor(shift / pitch)
    collide = rng.integers(n_buckets, size=same.shape) == 0
    sign = rng.choice([-1.0, 1.0], size=same.shape)
    other = {"exact": 0.0, "plain": collide, "signed": collide * sign}[hashing]
    values = np.where(same, 1.0, other).mean(axis=1)[:, None]
    mean = theory.binning_mean(k, hashing=hashing, n_buckets=n_buckets)
    variance = theory.binning_variance(k, 4, hashing=hashing, n_buckets=n_buckets)
    assert_mean(values, mean, variance)
    assert_variance(values, variance)


def test_binning_reference_values():
    k = 0.27253
    assert round(theory.binning_mean(k, hashing="plain", n_buckets=16)[0], 4) == 0.3180
    assert round(theory.binning_variance(k, 1, hashing="signed", n_buckets=16)[0], 4) == 0.2437
    with pytest.raises(ValueError, match="n_buckets"):
        theory.binning_variance(k, 1, hashing="signed")
    with pytest.raises(ValueError, match="hashing must be"):
        theory.binning_variance(k, 1, hashing="md5")


def test_stratified_pitches_lower_the_variance_by_the_gain():
    kernel, delta, grids = bo.Laplace([1.0, 0.7]), np.array([0.6, -0.3]), 50
    rng = np.random.default_rng(0)
    values = np.empty(5_000)
    for repeat in range(len(values)):
        pitch = kernel.stratified_pitches(2, grids, rng)
        shift = rng.uniform(size=pitch.shape) * pitch
        values[repeat] = (np.floor((delta + shift) / pitch) == np.floor(shift / pitch)).all(axis=1).mean()
    k, gain = kernel.at(delta), theory.stratification_gain(kernel, delta)
    assert 0.2 < gain[0] / (k[0] * (1 - k[0]))  # the test could see it missing
    assert_mean(values[:, None], k, k * (1 - k) / grids)
    assert_variance(values[:, None], theory.binning_variance(k, grids, gain=gain))
    with pytest.raises(ValueError, match="Laplace kernel"):
        theory.stratification_gain(bo.Gaussian(1.0), delta)


def test_the_gain_of_strata_far_out():
    """Reference values of e^{-r}(1 - r) + r² E_1(r) - e^{-2r}, from where its terms cancel to where it underflows."""
    for r, expected in ((1.0, 0.0840486511589), (51.0, 2.63056955729e-24), (300.0, 3.3982622867e-133)):
        assert theory.stratification_gain(bo.Laplace(1.0), [r])[0] == pytest.approx(expected, rel=1e-10)
    assert theory.stratification_gain(bo.Laplace(1.0), [360.0])[0] == pytest.approx(2.48381771152e-159, rel=1e-10)
    assert theory.stratification_gain(bo.Laplace(1.0), [800.0])[0] == 0.0
    r = np.concatenate([np.geomspace(1e-8, 1e300, 400), [0.0]])
    two = theory.stratification_gain(bo.Laplace(1.0), np.stack([r, r[::-1]], axis=1))
    assert (np.isfinite(two) & (two >= 0)).all()

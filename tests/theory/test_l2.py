"""The squared L2 error: expectation and variance against reference values, quadrature and simulation."""

import numpy as np
import pytest

import bochner as bo
from bochner import theory
from tests.helpers import assert_variance
from tests.theory.reference import VALUES

GAUSSIAN = bo.Gaussian(1.0)


def test_l2_reference_values():
    cases = {
        "gauss mu s=.8 sig=1.2 d=3": (bo.Gaussian(1.2), {"normal": 0.8, "dim": 3}),
        "box side 2 d=2 sig=1": (GAUSSIAN, {"uniform": 2.0, "dim": 2}),
        "[-3,3] d=1 sig=1": (GAUSSIAN, {"uniform": 6.0, "dim": 1}),
    }
    for key, (kernel, measure) in cases.items():
        expected = VALUES["L2 D*E||f||^2"][key]
        assert 10 * theory.l2_error(kernel, n_components=10, **measure) == pytest.approx(expected["phi"], rel=1e-12)
        shifted = theory.l2_error(kernel, n_components=10, embedding="shifted", **measure)
        assert 10 * shifted == pytest.approx(expected["psi"], rel=1e-12)


@pytest.mark.parametrize("measure", [{"normal": 0.8}, {"uniform": 3.0}])
@pytest.mark.parametrize(
    "kernel",
    [bo.Gaussian([0.7, 2.0]), bo.Laplace([0.7, 2.0]), bo.Cauchy(1.5), bo.Matern(1.2), bo.Matern([0.7, 2.0], nu=0.5)],
)
def test_l2_closed_forms_are_the_average_over_the_measure(kernel, measure):
    rng = np.random.default_rng(0)
    shape = (2, 200_000, 2)
    x, y = rng.normal(0, 0.8, shape) if "normal" in measure else rng.uniform(0, 3.0, shape)
    for embedding in ("paired", "shifted"):
        given = {"n_components": 7, "embedding": embedding}
        values = theory.variance(kernel, x - y, 7, embedding=embedding)
        assert theory.l2_error(kernel, difference=x - y, **given) == pytest.approx(values.mean())
        exact = theory.l2_error(kernel, dim=2, **measure, **given)
        assert abs(exact - values.mean()) < 5 * values.std() / np.sqrt(len(values))


def test_l2_refusals():
    with pytest.raises(ValueError, match="one of normal"):
        theory.l2_error(GAUSSIAN, n_components=5, dim=1)
    with pytest.raises(ValueError, match="dim is needed"):
        theory.l2_error(GAUSSIAN, n_components=5, normal=1.0)
    with pytest.raises(ValueError, match="sampled_l2_error"):
        theory.l2_error(bo.Gaussian(1.0) * bo.Cauchy(1.0), n_components=5, dim=2, normal=1.0)
    with pytest.raises(ValueError, match="two tables"):
        theory.sampled_l2_error(GAUSSIAN, lambda n, rng: (np.zeros((n, 1)), np.zeros((n, 2))), n_components=5)


def test_l2_error_of_radial_kernels():
    given = {"n_components": 10, "dim": 3, "normal": 1.0}
    assert 10 * theory.l2_error(bo.Matern(1.0, nu=1.5), **given) == pytest.approx(0.9112174, abs=1e-7)
    shifted = theory.l2_error(bo.Matern(1.0, nu=1.5), embedding="shifted", **given)
    assert 10 * shifted == pytest.approx(0.9556087, abs=1e-7)
    # A Gaussian that the library does not know to be one, against the closed forms
    radial = bo.RadialProfile(GAUSSIAN.profile, length_scale=[0.4, 1.0, 3.0])
    for measure in ({"normal": 0.8}, {"uniform": 3.0}):
        found = theory.l2_error(radial, n_components=10, dim=3, **measure)
        exact = theory.l2_error(bo.Gaussian([0.4, 1.0, 3.0]), n_components=10, dim=3, **measure)
        assert found == pytest.approx(exact, rel=1e-7)
    one = theory.l2_error(bo.Matern([2.0, np.inf]), n_components=10, dim=2, uniform=3.0)  # a column that does not count
    assert one == pytest.approx(theory.l2_error(bo.Matern(2.0), n_components=10, dim=1, uniform=3.0), rel=1e-7)


def test_any_measure_by_sampling():
    def ring(n, rng):
        angles = rng.uniform(0, 2 * np.pi, size=(2, n))
        return tuple(np.stack([np.cos(a), np.sin(a)], axis=1) for a in angles)

    kernel = bo.RationalQuadratic(0.6)
    value, error = theory.sampled_l2_error(kernel, ring, n_components=9, n_draws=50_000)
    angle = (np.arange(20_000) + 0.5) * np.pi / 20_000  # the angle between two points is uniform
    exact = theory.l2_error(kernel, n_components=9, difference=2 * np.sin(angle / 2)[:, None])
    assert abs(value - exact) < 5 * error < 0.02 * exact
    assert theory.sampled_l2_error(kernel, ring, n_components=9, n_draws=50_000) == (value, error)


def line(n=24, side=6.0):
    """Gauss-Legendre nodes for x and y independent and uniform on [-3, 3]."""
    nodes, weights = np.polynomial.legendre.leggauss(n)
    x, y = np.meshgrid(0.5 * side * nodes, 0.5 * side * nodes)
    return (x.reshape(-1, 1), y.reshape(-1, 1)), np.outer(weights, weights).ravel() / 4


THREE = (np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [-1.0], [0.5]]))


def test_l2_variance_reference_values():
    pairs, weights = line()
    for width, expected in ((50, 0.0116453569), (500, 0.0011795582)):
        found = theory.l2_variance(GAUSSIAN, n_components=width, pairs=pairs, weights=weights)
        assert np.sqrt(found) == pytest.approx(expected, rel=1e-7)
    for embedding, mean, deviation in (("paired", 0.0721197, 0.0889735), ("shifted", 0.0860599, 0.0866540)):
        given = {"n_components": 10, "embedding": embedding}
        assert theory.l2_error(GAUSSIAN, difference=THREE[0] - THREE[1], **given) == pytest.approx(mean, abs=1e-7)
        assert theory.l2_variance(GAUSSIAN, pairs=THREE, **given) ** 0.5 == pytest.approx(deviation, abs=1e-7)
    with pytest.raises(ValueError, match="one number for each"):
        theory.l2_variance(GAUSSIAN, n_components=10, pairs=THREE, weights=[1.0])
    same = (THREE[0], THREE[0])  # on the diagonal paired features have no error
    assert theory.l2_variance(GAUSSIAN, n_components=10, pairs=same) == pytest.approx(0.0, abs=1e-15)


@pytest.mark.parametrize(("embedding", "width"), [("paired", 6), ("paired", 5), ("shifted", 3), ("paired", 1)])
@pytest.mark.parametrize("kernel", [bo.Gaussian(1.3), bo.Laplace(0.8)])
def test_simulated_l2_variance(kernel, embedding, width):
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 4, 2))
    weights = np.array([0.1, 0.4, 0.3, 0.2])
    repeats, n_pairs = 60_000, width // 2 if embedding == "paired" else 0
    values = np.zeros((repeats, 4))
    for term in range(n_pairs + (width - 2 * n_pairs)):
        w, phase = kernel.sample_frequencies(2, repeats, rng), rng.uniform(0, 2 * np.pi, size=(repeats, 1))
        values += np.cos(w @ (x - y).T) * (2 if term < n_pairs else 1) / width
        values += np.cos(w @ (x + y).T + phase) * (0 if term < n_pairs else 1) / width
    squares = (values - kernel.at(x - y)) ** 2 @ weights
    exact = theory.l2_variance(kernel, n_components=width, pairs=(x, y), weights=weights, embedding=embedding)
    assert_variance(squares[:, None], np.array([exact]))


def test_l2_concentration_is_not_violated():
    rng = np.random.default_rng(1)
    delta = rng.normal(size=200) * np.sqrt(2)
    squares = np.empty(500)
    for repeat in range(500):
        error = np.cos(np.outer(delta, rng.normal(size=50))).mean(axis=1) - np.exp(-0.5 * delta**2)
        squares[repeat] = np.mean(error**2)
    expected = theory.l2_error(GAUSSIAN, n_components=100, difference=delta[:, None])
    assert abs(squares.mean() - expected) < 5 * squares.std() / np.sqrt(500)
    pairs = (delta[:, None], np.zeros((200, 1)))
    variance = theory.l2_variance(GAUSSIAN, n_components=100, pairs=pairs)
    for excess in (0.005, 0.02, 0.1):
        share = np.mean(np.abs(squares - expected) >= excess)
        assert share <= theory.l2_concentration(excess=excess, n_components=100)
        assert share <= theory.l2_concentration(excess=excess, n_components=100, method="chebyshev", variance=variance)


def test_the_five_per_cent_points_of_the_concentration_bounds():
    """The excess that each promises with 95 %, D = 500, uniform on [-3, 3]: simulated .0021."""
    pairs, weights = line()
    variance = theory.l2_variance(GAUSSIAN, n_components=500, pairs=pairs, weights=weights)
    given = {"n_components": 500, "method": "chebyshev", "variance": variance}
    assert theory.l2_concentration(excess=0.0053, **given) == pytest.approx(0.05, abs=5e-4)
    assert theory.l2_concentration(excess=0.687, n_components=500) == pytest.approx(0.05, abs=5e-4)
    with pytest.raises(ValueError, match="needs variance"):
        theory.l2_concentration(excess=0.1, n_components=10, method="chebyshev")

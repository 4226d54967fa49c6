"""Compositions over any inner kernel: behind a change of rows, with scalars of a user's own, or with an inner map."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.kernels import ScalarKernel
from bochner.maps.scalar_laws import scalar_law
from tests.helpers import assert_mean, assert_variance

SAMPLES = 100_000
MATRIX = np.array([[0.8, 0.3, 0.0], [-0.2, 0.5, 0.4]])


class Waves(ScalarKernel):
    """The Gaussian of one length scale, known by its scalar features; these may be of another, which is wrong."""

    def __init__(self, length_scale=1.0, drawn=1.0):
        self.length_scale = length_scale
        self.drawn = drawn

    def __call__(self, X, Y=None):
        return bo.Gaussian(self.length_scale)(X, Y)

    def rowwise(self, X, Y):
        return bo.Gaussian(self.length_scale).rowwise(X, Y)

    def diagonal(self, X):
        return np.ones(X.shape[0])

    def sample_scalars(self, rows, n, rng):
        w, phase = rng.normal(size=(rows.shape[1], n)) / self.drawn, rng.uniform(0, 2 * np.pi, size=n)
        return lambda X: np.sqrt(2) * np.cos(X @ w + phase)


INNER = {
    "metric": bo.Matern(bo.Metric(MATRIX), nu=1.5),
    "series in a metric": 0.05 * bo.Polynomial(2) * bo.Gaussian(bo.Metric(MATRIX / 2.0)),
    "tails": bo.SoftTails(bo.Laplace(1.0), [0.1, 0.0, -0.2], [0.5, 1.0, 2.0]),
    "tails and a metric": bo.SoftTails(bo.Gaussian(bo.Metric(MATRIX)), [0.1, 0.0, -0.2], [0.5, 1.0, 2.0]),
    "given": Waves(),
    "sum": 0.5 * bo.Gaussian(bo.Metric(MATRIX)) + 0.5 * Waves(),
}


def pairs():
    rng = np.random.default_rng(3)
    x, y = 0.7 * rng.normal(size=(2, 4, 3))
    y[1], y[3] = x[1] + 0.1, x[3]
    return x, y


@pytest.mark.parametrize("name", INNER)
def test_scalars_are_unbiased_with_their_moment(name):
    kernel, (x, y) = INNER[name], pairs()
    both = np.concatenate([x, y])
    law = scalar_law(kernel, both, np.random.default_rng(1))
    values = np.empty((2 * len(x), SAMPLES))
    law.draw(both, SAMPLES, np.random.default_rng(0)).fill(both, values)
    products = (values[: len(x)] * values[len(x) :]).T
    exact, moment = kernel.rowwise(x, y), law.moment(x, y)
    assert_mean(products, exact, products.var(axis=0))
    if name in ("given", "sum"):  # the moment is a mean over 4096 draws
        np.testing.assert_allclose(moment, np.mean(products**2, axis=0), rtol=0.15)
    else:
        assert_variance(products, moment - exact**2)


@pytest.mark.parametrize("name", INNER)
def test_compositions_converge(name):
    X = 0.7 * np.random.default_rng(0).normal(size=(30, 3))
    kernel = bo.Composed(bo.ExponentialDot(), INNER[name])
    fitted = bo.MaclaurinFeatures(kernel, 30_000, degrees="optimal", random_state=0).fit(X)
    Z = fitted.transform(X)
    assert np.sqrt(np.mean((Z @ Z.T - kernel(X)) ** 2)) < 0.06
    np.testing.assert_allclose(fitted.transform(sp.csr_array(X)), Z, atol=1e-10)
    assert fitted.truncation_error_ < 1e-9


def test_a_user_whose_scalars_are_of_another_kernel_is_told():
    X = np.random.default_rng(0).normal(size=(300, 3))
    bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), Waves()), 50, random_state=0).fit(X)
    for wrong in (1.15, 0.87):
        with pytest.raises(ValueError, match="does not draw features of its kernel"):
            bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), Waves(drawn=wrong)), 50, random_state=0).fit(X)


def test_a_frozen_random_inner_map_is_biased_by_half_its_variance():
    """Eight paired frequencies, Gaussian, Delta = 1, f = exp: the mean is 1.85696 to second order, 1.83406 is right."""
    X, repeats = np.array([[0.0], [1.0]]), 1500
    kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
    inner = bo.FourierFeatures(n_components=16, directions="iid")
    values = np.empty(repeats)
    for repeat in range(repeats):
        mapped = bo.MaclaurinFeatures(kernel, 60, degrees="optimal", inner_map=inner, random_state=repeat)
        Z = mapped.fit_transform(X)
        values[repeat] = Z[0] @ Z[1]
    error = values.std() / np.sqrt(repeats)
    assert abs(values.mean() - 1.85625) < 5 * np.hypot(error, 0.00045)
    k, spread = np.exp(-0.5), 0.1997882004 / 8
    assert np.exp(k) * (1 + spread / 2) == pytest.approx(1.85696, abs=1e-5)


def test_an_exact_inner_map_leaves_no_bias():
    """Nystroem with every row as a landmark: the mean over 400 draws is f(K)."""
    X = 0.8 * np.random.default_rng(0).normal(size=(6, 2))
    kernel = bo.Composed(bo.ExponentialDot(), bo.Matern(1.0, nu=2.5) + 0.2 * bo.ArcCosine())
    values = np.empty((400, 36))
    for repeat in range(400):
        mapped = bo.MaclaurinFeatures(
            kernel, 200, degrees="optimal", inner_map=bo.NystroemFeatures(n_components=6), random_state=repeat
        ).fit(X)
        Z = mapped.transform(X)
        values[repeat] = (Z @ Z.T).ravel()
    assert mapped.inner_error_ < 1e-6
    assert_mean(values, kernel(X).ravel(), values.var(axis=0))


def test_the_inner_error_is_what_no_width_removes():
    X = np.random.default_rng(0).normal(size=(200, 3))
    kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
    fitted = bo.MaclaurinFeatures(
        kernel, 20_000, degrees="optimal", inner_map=bo.NystroemFeatures(n_components=20), random_state=0
    ).fit(X)
    Z = fitted.transform(X)
    error = (Z @ Z.T - kernel(X))[np.triu_indices(200, 1)]
    assert 0.05 < fitted.inner_error_ < 0.5
    assert np.sqrt(np.mean(error**2)) == pytest.approx(fitted.inner_error_, rel=0.25)
    h01 = bo.MaclaurinFeatures(kernel, 400, h01=True, inner_map=bo.NystroemFeatures(n_components=20), random_state=0)
    assert h01.fit(X).transform(X).shape == (200, 400)


def test_errors_say_what_to_do():
    X = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(ValueError, match="inner_map serves a composition on its own"):
        bo.MaclaurinFeatures(bo.ExponentialDot(), 20, inner_map=bo.NystroemFeatures()).fit(X)
    fitted = bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), Waves()), 20, random_state=0).fit(X)
    with pytest.raises(bo.ModelFileError, match="use pickle or joblib"):
        bo.save(fitted, "never written")

"""Compositions over binning and additive inner kernels: scalar features with their exact second moments."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner import theory
from bochner.kernels import BinningKernel, Kernel, ShiftInvariantKernel
from bochner.maps.scalar_laws import scalar_law
from tests.helpers import assert_mean, assert_variance

SAMPLES = 100_000


class OnlyBinning(BinningKernel):
    """exp(-sum |x_j - y_j|), of which nothing but the pitch law is known."""

    def __call__(self, X, Y=None):
        return bo.Laplace(1.0)(X, Y)

    def rowwise(self, X, Y):
        return bo.Laplace(1.0).rowwise(X, Y)

    def diagonal(self, X):
        return np.ones(len(X))

    def unit_pitches(self, uniforms):
        return bo.Laplace(1.0).unit_pitches(uniforms)


class Unknown(Kernel):
    """A kernel of which nothing but its values is known."""

    def __call__(self, X, Y=None):
        return bo.Laplace(1.0)(X, Y)

    def rowwise(self, X, Y):
        return bo.Laplace(1.0).rowwise(X, Y)

    def diagonal(self, X):
        return np.ones(len(X))


INNER = {
    "binning": OnlyBinning(),
    "chi2": bo.AdditiveChi2(),
    "intersection": bo.Intersection(),
    "jensen-shannon": bo.JensenShannon(),
    "hellinger": bo.Hellinger(),
    "powers": bo.AdditiveChi2(exponent=0.8),
    "sum": 0.6 * bo.AdditiveChi2() + 0.3 * OnlyBinning() + 0.4 * bo.Gaussian(0.7),
    "product": bo.Intersection() * bo.Gaussian(0.8),
}


def pairs_in(dim):
    """Pairs of histograms: far, near, with zeros that meet and that do not, and equal."""
    rng = np.random.default_rng(dim)
    x, y = rng.dirichlet(np.ones(dim), size=(2, 4)) * 1.2
    y[1] = x[1] * np.exp(0.3 * rng.normal(size=dim))
    y[3] = x[3]
    if dim > 1:
        x[2, 0], y[2, -1] = 0.0, 0.0
    return x, y


@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("name", INNER)
def test_scalars_are_unbiased_with_their_moment(name, dim):
    """E W(x)W(y) = b(x, y) and E (W(x)W(y))² = m, at five standard errors of the exact variance m - b²."""
    kernel, (x, y) = INNER[name], pairs_in(dim)
    both = np.concatenate([x, y])
    law = scalar_law(kernel, both, np.random.default_rng(1))
    values = np.empty((2 * len(x), SAMPLES))
    law.draw(both, SAMPLES, np.random.default_rng(0)).fill(both, values)
    products = (values[: len(x)] * values[len(x) :]).T
    exact = kernel.rowwise(x, y)
    variance = np.maximum(law.moment(x, y) - exact**2, 0.0)
    assert_mean(products, exact, variance)
    assert_variance(products, variance)


@pytest.mark.parametrize("name", INNER)
def test_compositions_have_fresh_inner_draws(name):
    """A factor used twice would estimate E W^4 instead of (E W²)²: far outside five standard errors."""
    inner, (x, y) = INNER[name], pairs_in(3)
    kernel, both = bo.Composed(bo.Polynomial(2, offset=0.3), inner), np.concatenate(pairs_in(3))
    feature_map = bo.MaclaurinFeatures(kernel, SAMPLES, allocation="independent", random_state=5)
    Z = feature_map.fit(both).transform(both)
    products = SAMPLES * (Z[: len(x)] * Z[len(x) :]).T
    a = kernel.coefficients(3)
    law = 2.0 ** -np.arange(3.0) / 1.75
    moment = scalar_law(inner, both, np.random.default_rng(0)).moment(x, y)
    variance = theory.composed_variance(a, law, inner.rowwise(x, y), moment, 1)
    assert_mean(products, kernel.rowwise(x, y), variance)
    assert_variance(products, variance)


def test_the_kernel_of_the_test_is_served_by_binning_alone():
    assert not isinstance(INNER["binning"], ShiftInvariantKernel)
    with pytest.raises(ValueError, match="use BinningFeatures"):
        bo.FourierFeatures(INNER["binning"]).fit(np.eye(3))


@pytest.mark.parametrize("degrees", ["geometric", "proportional", "optimal"])
@pytest.mark.parametrize("name", ["binning", "chi2", "sum"])
def test_the_error_falls_with_the_width(name, degrees):
    X = np.random.default_rng(0).dirichlet(np.ones(4), size=40)
    kernel = bo.Composed(bo.ExponentialDot(), INNER[name])
    Z = bo.MaclaurinFeatures(kernel, 40_000, degrees=degrees, random_state=0).fit_transform(X)
    assert np.sqrt(np.mean((Z @ Z.T - kernel(X)) ** 2)) < 0.05


@pytest.mark.parametrize("name", INNER)
def test_sparse_rows_and_precision(name):
    X = np.random.default_rng(0).dirichlet(np.ones(4), size=40)
    X[X < 0.1] = 0.0
    kernel = bo.Composed(bo.ExponentialDot(), INNER[name])
    fitted = bo.MaclaurinFeatures(kernel, 60, random_state=0).fit(X)
    np.testing.assert_allclose(fitted.transform(sp.csr_array(X)), fitted.transform(X), atol=1e-12)
    single = bo.MaclaurinFeatures(kernel, 60, random_state=0).fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, fitted.transform(X), atol=2e-3)


def test_what_cannot_be_served_is_refused_in_one_sentence():
    X = np.random.default_rng(0).dirichlet(np.ones(4), size=20)
    kernel = bo.Composed(bo.ExponentialDot(), bo.AdditiveChi2())
    fitted = bo.MaclaurinFeatures(kernel, 20, random_state=0).fit(X)
    with pytest.raises(ValueError, match="Negative values"):
        fitted.transform(-X)
    with pytest.raises(ValueError, match=r"complex.*rademacher"):
        bo.MaclaurinFeatures(kernel, 20, projection="complex").fit(X)
    unknown = bo.AdditiveChi2() + Unknown()
    with pytest.raises(ValueError, match=r"Unknown: no unbiased scalar feature of it is known.*NystroemFeatures"):
        bo.MaclaurinFeatures(bo.Composed(bo.ExponentialDot(), unknown), 20).fit(X)
    guarded = bo.MaclaurinFeatures(bo.Composed(bo.Vovk(), 0.5 * bo.AdditiveChi2()), 20, random_state=0).fit(X)
    with pytest.raises(ValueError, match="smaller than 1"):
        guarded.transform(3.0 * X)

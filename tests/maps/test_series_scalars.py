"""Dot-product, arc-cosine and composed kernels within sums and products: scalar features and their second moments."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner import theory
from bochner.maps.scalar_laws import scalar_law
from tests.helpers import assert_mean, assert_variance

SAMPLES = 100_000

ALONE = {
    "polynomial": bo.Polynomial(3, offset=0.5),
    "exponential": bo.ExponentialDot(),
    "vovk": bo.Vovk(),
    "step": bo.ArcCosine(0),
    "rectifier": bo.ArcCosine(1),
    "series of cosines": bo.Composed(bo.Polynomial(2), bo.Gaussian(0.7)),
    "series of a sum": bo.Composed(bo.Polynomial(2, offset=0.3), bo.Gaussian(1.0) + bo.Polynomial(2)),
}
MIXED = {
    "sum": bo.Gaussian(1.0) + bo.Polynomial(2),
    "product": bo.Laplace(1.0) * bo.Polynomial(2),
    "vovk and cosines": bo.Vovk() * bo.Gaussian(2.0) + 0.5 * bo.Vovk(),
    "rectifiers": 0.5 * bo.ArcCosine(1) + bo.ArcCosine(0) * bo.Polynomial(2),
    "series": 0.3 * bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) + bo.Polynomial(2)) + bo.Laplace(1.0),
}


def pairs_in(dim, radius=0.6):
    """Pairs of rows in a ball: of either sign, near, opposed, orthogonal to one axis, and equal."""
    rng = np.random.default_rng(dim)
    x, y = rng.normal(size=(2, 5, dim))
    y[1] = x[1] + 0.2 * rng.normal(size=dim)
    y[2] = 0.3 * y[2] - x[2]
    x[3, 0] = 0.0 if dim > 1 else x[3, 0]
    y[4] = x[4]
    norms = np.linspace(0.5 * radius, radius, 5)[:, None]
    return tuple(norms * rows / np.linalg.norm(rows, axis=1, keepdims=True) for rows in (x, y))


def pairs_for(name, dim):
    """Nearer the edge of the ball of convergence the fourth moments of Vovk's scalars are beyond any sample."""
    return pairs_in(dim, 0.3 if "vovk" in name else 0.6)


def law_of(kernel, rows):
    return scalar_law(kernel, rows, np.random.default_rng(1))


@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("name", [*ALONE, *MIXED])
def test_scalars_are_unbiased_with_their_moment(name, dim):
    """E W(x)W(y) = b(x, y) and E (W(x)W(y))² = m, at five standard errors of the exact variance m - b²."""
    kernel, (x, y) = (ALONE | MIXED)[name], pairs_for(name, dim)
    both = np.concatenate([x, y])
    law, values = law_of(kernel, both), np.empty((len(both), SAMPLES))
    law.draw(both, SAMPLES, np.random.default_rng(0)).fill(both, values)
    products = (values[: len(x)] * values[len(x) :]).T
    exact = kernel.rowwise(x, y)
    variance = np.maximum(law.moment(x, y) - exact**2, 0.0)
    assert_mean(products, exact, variance)
    assert_variance(products, variance)


def test_the_moment_is_exact():
    """Against all degrees and all signs of two columns, weighted with their probabilities."""
    x, y = np.array([[0.3, -1.1]]), np.array([[0.7, 0.4]])
    kernel, signs = bo.Polynomial(2, offset=0.5), np.array(list(product([-1.0, 1.0], repeat=2)))
    law = law_of(kernel, np.concatenate([x, y]))
    np.testing.assert_allclose(law.probabilities.sum(), 1.0, rtol=1e-12)
    squares = (signs @ x[0] * (signs @ y[0])) ** 2
    powers = [1.0, squares.mean(), np.mean(np.outer(squares, squares))]
    expected = sum(a**2 / p * power for a, p, power in zip(kernel.coefficients(3), law.probabilities, powers))
    np.testing.assert_allclose(law.moment(x, y), expected, rtol=1e-12)


def test_degrees_are_those_of_least_mean_variance():
    """Any other law of the degrees has a larger mean second moment over the pairs of rows that chose it."""
    rows = np.random.default_rng(0).normal(size=(2, 4))
    law = law_of(bo.Polynomial(3), rows)
    best, chosen = law.moment(rows, rows[::-1]).mean(), law.probabilities
    for change in np.eye(4) * 0.02:
        law.probabilities = (chosen + change) / 1.02
        assert law.moment(rows, rows[::-1]).mean() > best


@pytest.mark.parametrize("name", MIXED)
def test_compositions_have_fresh_inner_draws(name):
    """Factors that shared draws, or met in the order of their degrees, would be far outside five standard errors."""
    inner, (x, y) = MIXED[name], pairs_for(name, 3)
    kernel, both = bo.Composed(bo.Polynomial(2, offset=0.3), inner), np.concatenate([x, y])
    feature_map = bo.MaclaurinFeatures(kernel, SAMPLES, allocation="independent", random_state=5).fit(both)
    Z = feature_map.transform(both)
    products = SAMPLES * (Z[: len(x)] * Z[len(x) :]).T
    law = 2.0 ** -np.arange(3.0) / 1.75
    moment = law_of(inner, both).moment(x, y)
    variance = theory.composed_variance(kernel.coefficients(3), law, inner.rowwise(x, y), moment, 1)
    assert_mean(products, kernel.rowwise(x, y), variance)
    assert_variance(products, variance)


@pytest.mark.parametrize("degrees", ["geometric", "proportional", "optimal"])
def test_the_error_falls_with_the_width(degrees):
    X = np.random.default_rng(0).uniform(-0.3, 0.3, size=(40, 4))
    kernel = bo.Composed(bo.ExponentialDot(), 0.4 * bo.Gaussian(1.0) + 0.8 * bo.Polynomial(2))
    Z = bo.MaclaurinFeatures(kernel, 40_000, degrees=degrees, random_state=0).fit_transform(X)
    assert np.sqrt(np.mean((Z @ Z.T - kernel(X)) ** 2)) < 0.05


@pytest.mark.parametrize("name", MIXED)
def test_sparse_rows_and_precision(name):
    X = np.concatenate(pairs_in(4))
    X[np.abs(X) < 0.1] = 0.0
    kernel = bo.Composed(bo.Polynomial(2), MIXED[name])
    fitted = bo.MaclaurinFeatures(kernel, 60, random_state=0).fit(X)
    np.testing.assert_allclose(fitted.transform(sp.csr_array(X)), fitted.transform(X), atol=1e-12)
    single = bo.MaclaurinFeatures(kernel, 60, random_state=0).fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, fitted.transform(X), atol=2e-3)


def test_high_degrees_neither_vanish_nor_overflow_in_single_precision():
    """Degrees near 100, whose scales are near 1e-100: without spreading them over the factors all would be zero."""
    X = np.random.default_rng(0).normal(size=(30, 5))
    X *= 10.0 / np.linalg.norm(X, axis=1, keepdims=True)
    law = law_of(bo.ExponentialDot(), X)
    assert law.degrees[np.argmax(law.probabilities)] > 90
    values = [np.empty((30, 2000), dtype=dtype) for dtype in (np.float32, np.float64)]
    for some in values:
        rows = X.astype(some.dtype)
        law.draw(rows, 2000, np.random.default_rng(0)).fill(rows, some)
    assert np.mean(values[0] != 0) > 0.9
    np.testing.assert_allclose(values[0], values[1], rtol=1e-2, atol=1e-20)
    fitted = bo.MaclaurinFeatures(
        bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) + bo.ExponentialDot(3.0)), 50, random_state=0
    )
    fitted.fit(X.astype(np.float32))
    with pytest.raises(ValueError, match="overflow float32"):
        fitted.transform(1e30 * X.astype(np.float32))


def test_what_cannot_be_served_is_refused_in_one_sentence():
    X = np.concatenate(pairs_in(3))
    guarded = bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) * bo.Vovk()), 20, random_state=0).fit(
        X
    )
    with pytest.raises(ValueError, match=r"Vovk exists only where InnerProduct.* smaller than 1 .*scale the data down"):
        guarded.transform(2.0 * X)
    slow = X * np.sqrt(0.99) / np.linalg.norm(X, axis=1, keepdims=True)
    with pytest.raises(ValueError, match=r"inner kernel Vovk needs too many terms .*0\.99.* scale the data"):
        bo.MaclaurinFeatures(bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) + bo.Vovk()), 20).fit(slow)
    rectified = bo.MaclaurinFeatures(bo.Composed(bo.Vovk(), bo.ArcCosine(1)), 20, random_state=0).fit(X)
    with pytest.raises(ValueError, match="smaller than 1"):
        rectified.transform(2.0 * X)
    large = bo.Composed(bo.ExponentialDot(), 100.0 * bo.Intersection())
    with pytest.raises(ValueError, match="weights of the features underflow float32"):
        bo.MaclaurinFeatures(large, 20, degrees="optimal").fit(np.abs(X).astype(np.float32))

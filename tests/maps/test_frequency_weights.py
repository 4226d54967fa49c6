"""Fitted weights of frequencies: the optimum of their problem, smaller errors between new rows, fewer columns."""

import numpy as np
import pytest
from scipy.optimize import nnls

import bochner as bo
from bochner.maps.frequency_weights import smallest_squares


@pytest.mark.parametrize("n", [3, 40, 100, 300])
def test_the_weights_are_the_best_there_are(n):
    """The objective is that of Lawson and Hanson's active sets on the same problem."""
    rng = np.random.default_rng(n)
    table, target = np.cos(rng.normal(size=(1000, 2)) @ rng.normal(size=(2, n))), np.exp(-rng.random(1000))
    found = smallest_squares(table, target, 10.0, 1 / n)
    rows = np.vstack([table, np.sqrt(10.0) * np.eye(n)])
    exact, _ = nnls(rows, np.concatenate([target, np.full(n, np.sqrt(10.0) / n)]))
    assert (found >= 0).all()
    np.testing.assert_allclose(found, exact, atol=1e-10)


def error(fitted, dim, seed):
    X, Y = np.random.default_rng(seed).normal(size=(2, 3000, dim))
    return np.sqrt(
        np.mean((np.einsum("ij,ij->i", fitted.transform(X), fitted.transform(Y)) - fitted.kernel_.rowwise(X, Y)) ** 2)
    )


@pytest.mark.parametrize(("dim", "equal", "fitted"), [(2, 0.0331, 0.0081), (5, 0.0383, 0.0267), (10, 0.0403, 0.0344)])
def test_errors_between_new_rows_fall(dim, equal, fitted):
    """64 frequencies, root mean square over 20 draws, known to a tenth or so."""
    X = np.random.default_rng(1).normal(size=(2000, dim))
    for weights, expected in (("equal", equal), ("fitted", fitted)):
        draws = [bo.FourierFeatures(bo.Gaussian(np.sqrt(dim)), 128, weights=weights, random_state=s) for s in range(20)]
        errors = [error(one.fit(X), dim, 100 + s) for s, one in enumerate(draws)]
        assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(expected, rel=0.25)


@pytest.mark.parametrize("width", [1, 2, 33, 64])
def test_features_are_weighted_waves(width):
    """z(x)'z(y) = sum_i a_i cos w_i'(x - y), a column more for an odd width; equal weights are the same waves."""
    X = np.random.default_rng(0).normal(size=(50, 3))
    given = {"kernel": bo.Laplace(2.0), "n_components": width, "random_state": 0}
    fitted, equal = bo.FourierFeatures(weights="fitted", **given).fit(X), bo.FourierFeatures(**given).fit(X)
    Z, plain = fitted.transform(X), equal.transform(X)
    assert Z.shape == (50, width)
    pairs = width // 2
    if pairs:
        scales = fitted.features_.scales
        np.testing.assert_allclose(Z, plain * scales, atol=1e-12)
        np.testing.assert_array_equal(scales[:pairs], scales[pairs : 2 * pairs])
        assert (scales[2 * pairs :] == 1.0).all()
    single = bo.FourierFeatures(weights="fitted", **given).fit(X.astype(np.float32)).transform(X.astype(np.float32))
    assert single.dtype == np.float32


def test_a_tolerance_takes_fewer_columns():
    X = np.random.default_rng(0).normal(size=(1500, 2))
    given = {"kernel": bo.Gaussian(1.4), "eps": 0.02, "random_state": 0}
    fitted, equal = bo.FourierFeatures(weights="fitted", **given).fit(X), bo.FourierFeatures(**given).fit(X)
    assert fitted.n_components_ < 0.3 * equal.n_components_
    assert error(fitted, 2, seed=7) < 0.02
    assert "for which theory has no prediction" in str(bo.error_report(fitted, X))
    product = bo.FourierFeatures(bo.ExponentialDot(2.0), 64, weights="fitted", random_state=0).fit(X)
    assert np.isfinite(product.transform(X)).all()


def test_refusals():
    X = np.random.default_rng(0).normal(size=(20, 11))
    for options, message in (
        ({"weights": "learned"}, "weights must be 'equal' or 'fitted'"),
        ({"weights": "fitted"}, "gain nothing beyond 10 columns, and the data have 11"),
        ({"weights": "fitted", "embedding": "shifted"}, "need embedding='paired'"),
        ({"weights": "fitted", "embedding": "complex"}, "need embedding='paired'"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.FourierFeatures(bo.Gaussian(1.0), 10, **options).fit(X)

"""Predictions need fewer features than kernel values: the first-order law, and what is measured."""

import numpy as np
import pytest
from scipy.integrate import quad

import bochner as bo


def data(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1, 1, size=(n, 5))
    return X, np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 / 2 + 0.3 * rng.normal(size=n)


def mean_of_gaussian(difference, rate):
    """The integrand of E exp(-rate t²), t the difference of two uniform numbers on (-1, 1)."""
    return (2 - difference) / 2 * np.exp(-rate * difference**2)


@pytest.mark.parametrize("kernel", [bo.Gaussian(1.5), bo.Laplace(3.0)], ids=["gaussian", "laplace"])
def test_first_order_is_what_redraws_do(kernel):
    """Mean over rows of the variance: 5 standard errors, and 3 % for terms of second order in features so wide."""
    X, y = data(40)
    y = y - y.mean()
    new, width, redraws = data(20, seed=1)[0], 4000, 300
    expected = bo.theory.prediction_deviation(kernel, X, y, new, alpha=1.0, n_components=width, n_waves=40_000)
    assert expected.shape == (20,)
    predictions = []
    for seed in range(redraws):
        given = bo.FourierFeatures(kernel, width, directions="iid", random_state=seed).fit(X)
        Z = given.transform(X)
        dual = np.linalg.solve(Z @ Z.T + np.eye(len(X)), y)
        predictions.append(given.transform(new) @ (Z.T @ dual))
    squares = np.square(np.array(predictions) - np.mean(predictions, axis=0)).mean(axis=1) * redraws / (redraws - 1)
    error = squares.std() / np.sqrt(redraws)
    assert abs(squares.mean() - np.mean(expected**2)) < 5 * error + 0.03 * squares.mean()
    exact = bo.ExactKernelRidge(kernel, 1.0, intercept="none").fit(X, y).predict(new)
    assert np.abs(np.mean(predictions, axis=0) - exact).max() < 6 * expected.max() / np.sqrt(redraws)


def test_figures_of_a_thousand_rows():
    """First order 0.0125 at 4000 columns, simulated to a fifth; the variance of kernel values by quadrature."""
    X, y = data(2000)
    y = y - y[:1000].mean()
    found = bo.theory.prediction_deviation(
        bo.Gaussian(1.5), X[:1000], y[:1000], X[1000:1200], alpha=0.3, n_components=4000, n_waves=8000
    )
    assert np.sqrt(np.mean(found**2)) == pytest.approx(0.0125, rel=0.2)
    gap = bo.learning_gap(bo.Gaussian(1.5), X, y, alpha=0.3, within=0.05)
    double, squared = (quad(mean_of_gaussian, 0, 2, args=(rate / 1.5**2,))[0] ** 5 for rate in (2.0, 1.0))
    assert gap.kernel_width == pytest.approx((1 + double - 2 * squared) / 0.01**2, rel=0.02)
    assert gap.prediction_width == pytest.approx(1000 * (0.0250 / (0.01 * y.std())) ** 2, rel=0.5)
    assert gap.learning_width in (64, 128)
    assert np.all(np.diff(gap.ratios) < 0)
    assert gap.exact_error == pytest.approx(0.32, rel=0.1)
    text = str(gap)
    assert f"{gap.kernel_width} features for kernel values to 0.01" in text
    assert f"{gap.learning_width} features for a held-out error within 5 %" in text


def test_words_among_parameters_and_alpha_are_settled():
    X, y = data(300)
    gap = bo.learning_gap(bo.Matern("median", nu=2.5), X, y, within=0.2, n_redraws=2)
    assert gap.alpha > 0
    again = bo.learning_gap(bo.Matern("median", nu=2.5), X, y, within=0.2, n_redraws=2)
    np.testing.assert_array_equal(again.ratios, gap.ratios)


def test_errors_say_what_to_do():
    X, y = data(20)
    given = {"alpha": 1.0, "n_components": 10}
    with pytest.raises(ValueError, match="one number for each of the 20 rows"):
        bo.theory.prediction_deviation(bo.Gaussian(1.0), X, y[:3], X, **given)
    with pytest.raises(ValueError, match="equally many columns"):
        bo.theory.prediction_deviation(bo.Gaussian(1.0), X, y, X[:, :2], **given)
    with pytest.raises(ValueError, match="needs a shift-invariant kernel"):
        bo.theory.prediction_deviation(bo.Polynomial(2), X, y, X, **given)
    with pytest.raises(ValueError, match="alpha must be a finite number greater than 0"):
        bo.theory.prediction_deviation(bo.Gaussian(1.0), X, y, X, alpha=0.0, n_components=10)
    with pytest.raises(ValueError, match="shift-invariant kernel"):
        bo.learning_gap(bo.Polynomial(2), X, y)

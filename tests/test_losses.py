"""Losses: gradients and curvatures are the derivatives they claim to be."""

import numpy as np
import pytest

from bochner.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Multinomial,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)

MARGIN = [SquaredHinge(), Hinge(), Logistic()]
REGRESSION = [Squared(), EpsilonInsensitive(0.3), SquaredEpsilonInsensitive(0.3), Huber(0.7)]


def targets(loss, rng, shape):
    if loss in MARGIN:
        return rng.choice([-1.0, 1.0], size=shape)
    if isinstance(loss, Multinomial):
        return np.eye(shape[1])[rng.integers(shape[1], size=shape[0])]
    return rng.normal(size=shape)


@pytest.mark.parametrize("loss", [*MARGIN, *REGRESSION, Multinomial()], ids=lambda loss: type(loss).__name__)
def test_gradient_and_curvature_are_derivatives(loss):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(400, 3)) * 2
    y = targets(loss, rng, scores.shape)
    for column in range(3):
        step = np.zeros(3)
        step[column] = 1e-6
        slope = (loss.value(y, scores + step) - loss.value(y, scores - step)) / 2e-6
        slope = slope[:, column] if loss.separable else slope.sum(axis=1)
        np.testing.assert_allclose(slope, loss.gradient(y, scores)[:, column], atol=1e-6)
        bend = (loss.gradient(y, scores + step) - loss.gradient(y, scores - step))[:, column] / 2e-6
        np.testing.assert_allclose(bend, loss.curvature(y, scores)[:, column], atol=1e-6)
    change = rng.normal(size=scores.shape)
    bend = (loss.gradient(y, scores + 1e-6 * change) - loss.gradient(y, scores - 1e-6 * change)) / 2e-6
    np.testing.assert_allclose(bend, loss.curvature_times(y, scores, change), atol=1e-5)


def test_likelihoods_survive_large_scores():
    y = np.array([[1.0], [-1.0]])
    for score in (800.0, -800.0):
        scores = np.full((2, 1), score)
        assert np.isfinite(Logistic().value(y, scores)).all()
        assert np.isfinite(Logistic().gradient(y, scores)).all()
    scores = np.array([[900.0, -900.0, 0.0]])
    indicator = np.array([[0.0, 1.0, 0.0]])
    assert Multinomial().value(indicator, scores).sum() == pytest.approx(1800.0)

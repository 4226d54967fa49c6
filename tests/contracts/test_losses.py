"""Laws of every loss, found by walking the classes: its gradient and curvature are derivatives of its value."""

import numpy as np
import pytest

from bochner.losses import Loss
from tests.contracts.examples import LOSSES as GIVEN
from tests.contracts.examples import examples

LOSSES = examples(Loss, GIVEN)


def scores_and_targets(loss):
    rng = np.random.default_rng(0)
    score = rng.normal(scale=2.0, size=(400, 3))
    y = np.where(rng.uniform(size=score.shape) < 0.5, -1.0, 1.0)
    if not loss.separable:  # indicators of one class a row
        y = np.eye(3)[rng.integers(3, size=len(score))]
    return y, score


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_gradient_is_the_derivative_of_the_value(loss):
    y, score = scores_and_targets(loss)
    gradient, step = loss.gradient(y, score), 1e-6
    for column in range(3):
        shift = step * np.eye(3)[column]
        difference = (loss.value(y, score + shift) - loss.value(y, score - shift)).sum(axis=1) / (2 * step)
        away = np.abs(gradient_jump(loss, y, score, shift)) < 0.1  # not within a step of a kink
        assert away.mean() > 0.99
        np.testing.assert_allclose(difference[away], gradient[away, column], atol=1e-6)


def gradient_jump(loss, y, score, shift):
    return (loss.gradient(y, score + shift) - loss.gradient(y, score - shift)).sum(axis=1)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_curvature_is_the_derivative_of_the_gradient_and_never_negative(loss):
    y, score = scores_and_targets(loss)
    rng = np.random.default_rng(1)
    change, step = rng.normal(size=score.shape), 1e-6
    assert (loss.curvature(y, score) >= 0).all()
    numerical = (loss.gradient(y, score + step * change) - loss.gradient(y, score - step * change)) / (2 * step)
    smooth = np.abs(numerical) < 100  # beyond a kink of the gradient, if it has any
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(loss.curvature_times(y, score, change)[smooth], numerical[smooth], atol=1e-4)
    if loss.separable:
        np.testing.assert_array_equal(loss.curvature_times(y, score, change), loss.curvature(y, score) * change)


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)
def test_convex(loss):
    y, score = scores_and_targets(loss)
    other = np.random.default_rng(2).normal(scale=2.0, size=score.shape)
    middle = loss.value(y, (score + other) / 2).sum(axis=1)
    assert (middle <= (loss.value(y, score) + loss.value(y, other)).sum(axis=1) / 2 + 1e-12).all()

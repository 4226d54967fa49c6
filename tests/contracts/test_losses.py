"""Laws of every loss: derivatives, convexity, and each trait says what it says."""

from dataclasses import replace

import numpy as np
import pytest

from bochner.losses import Loss, Pinball
from bochner.solvers.smoothing import Smoothed
from tests.contracts.walk import examples, name_of

LOSSES = examples(Loss)
SEPARABLE = [loss for loss in LOSSES if loss.separable]
STRAIGHT = [loss for loss in LOSSES if loss.straight() is not None]
STEP = 1e-6


def scores_and_targets(loss, seed=0):
    rng = np.random.default_rng(seed)
    score = rng.normal(scale=2.0, size=(400, 3))
    y = np.where(rng.uniform(size=score.shape) < 0.5, -1.0, 1.0)
    if not loss.separable:  # indicators of one class a row
        y = np.eye(3)[rng.integers(3, size=len(score))]
    return y, score


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_gradient_is_the_derivative_of_the_value(loss):
    y, score = scores_and_targets(loss)
    gradient = loss.gradient(y, score)
    for column in range(3):
        shift = STEP * np.eye(3)[column]
        difference = (loss.value(y, score + shift) - loss.value(y, score - shift)).sum(axis=1) / (2 * STEP)
        jump = (loss.gradient(y, score + shift) - loss.gradient(y, score - shift)).sum(axis=1)
        away = np.abs(jump) < 0.1  # not within a step of a kink
        assert away.mean() > 0.99
        np.testing.assert_allclose(difference[away], gradient[away, column], atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_curvature_is_the_derivative_of_the_gradient_and_never_negative(loss):
    y, score = scores_and_targets(loss)
    change = np.random.default_rng(1).normal(size=score.shape)
    curvature = loss.curvature(y, score)
    assert (curvature >= 0).all()
    numerical = (loss.gradient(y, score + STEP * change) - loss.gradient(y, score - STEP * change)) / (2 * STEP)
    smooth = np.abs(numerical) < 100  # beyond a kink of the gradient, if it has any
    assert smooth.mean() > 0.99
    np.testing.assert_allclose(loss.curvature_times(y, score, change)[smooth], numerical[smooth], atol=1e-4)
    for column in range(3):  # the diagonal, where outputs are coupled
        shift = STEP * np.eye(3)[column]
        numerical = (loss.gradient(y, score + shift) - loss.gradient(y, score - shift))[:, column] / (2 * STEP)
        smooth = np.abs(numerical) < 100
        np.testing.assert_allclose(curvature[smooth, column], numerical[smooth], atol=1e-4)


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_convex_and_never_negative(loss):
    y, score = scores_and_targets(loss)
    other = np.random.default_rng(2).normal(scale=2.0, size=score.shape)
    ends = loss.value(y, score).sum(axis=1), loss.value(y, other).sum(axis=1)
    assert min(ends[0].min(), ends[1].min()) >= 0.0
    middle = loss.value(y, (score + other) / 2).sum(axis=1)
    assert (middle <= (ends[0] + ends[1]) / 2 + 1e-12).all()


@pytest.mark.parametrize("loss", LOSSES, ids=name_of)
def test_finite_where_scores_are_large(loss):
    y, score = scores_and_targets(loss)
    with np.errstate(over="raise", invalid="raise"):
        for size in (-400.0, 400.0):
            for value in (loss.value(y, size * score), loss.gradient(y, size * score), loss.curvature(y, size * score)):
                assert np.isfinite(value).all()


@pytest.mark.parametrize("loss", SEPARABLE, ids=name_of)
def test_outputs_of_a_separable_loss_do_not_see_each_other(loss):
    y, score = scores_and_targets(loss)
    changed = score.copy()
    changed[:, 1] += 1.0
    for of in (loss.value, loss.gradient, loss.curvature):
        np.testing.assert_array_equal(of(y, changed)[:, [0, 2]], of(y, score)[:, [0, 2]])
    np.testing.assert_array_equal(loss.curvature_times(y, score, score), loss.curvature(y, score) * score)


@pytest.mark.parametrize("loss", SEPARABLE, ids=name_of)
def test_losses_that_are_called_smooth_are(loss):
    """A gradient without jumps changes by no more than its largest curvature times a step of the score."""
    y = np.repeat([-1.0, 1.0], 20_001)[:, None]
    score = np.tile(np.linspace(-4.0, 4.0, 20_001), 2)[:, None]
    same = y[1:, 0] == y[:-1, 0]
    jumps = np.abs(np.diff(loss.gradient(y, score)[:, 0]))[same]
    largest = loss.curvature(y, score).max() * 8.0 / 20_000
    assert (jumps.max() <= 1.001 * largest + 1e-12) == loss.smooth


@pytest.mark.parametrize("loss", [loss for loss in SEPARABLE if loss.smooth], ids=name_of)
def test_flat_curvature_takes_two_values(loss):
    y, score = scores_and_targets(loss)
    assert (len(np.unique(loss.curvature(y, score).round(9))) <= 2) == loss.flat_curvature


@pytest.mark.parametrize("loss", STRAIGHT, ids=name_of)
def test_straight_losses_are_the_largest_of_their_lines(loss):
    """l(y, s) >= b (y - s) - tube |b| for every b of the box, which holds 0, and equal where b is minus the slope."""
    y, score = scores_and_targets(loss)
    lower, upper = (np.broadcast_to(bound, y.shape) for bound in loss.box(y))
    assert (lower <= 0.0).all()
    assert (upper >= 0.0).all()
    for part in (0.0, 0.3, 1.0):
        dual = lower + part * (upper - lower)
        assert (loss.value(y, score) >= dual * (y - score) - loss.tube * np.abs(dual) - 1e-12).all()
    dual = -loss.gradient(y, score)
    np.testing.assert_allclose(loss.value(y, score), dual * (y - score) - loss.tube * np.abs(dual), atol=1e-12)


@pytest.mark.parametrize("width", [1.0, 1e-3])
@pytest.mark.parametrize("loss", STRAIGHT, ids=name_of)
def test_smoothing_lowers_a_straight_loss_by_less_than_half_the_width(loss, width):
    y, score = scores_and_targets(loss)
    smoothed = Smoothed(loss, width)
    lowered = loss.value(y, score) - smoothed.value(y, score)
    assert lowered.min() >= -1e-12
    assert lowered.max() <= 0.5 * width + 1e-12
    dual = -smoothed.gradient(y, score)
    gap = loss.value(y, score) - dual * (y - score) + loss.tube * np.abs(dual)
    np.testing.assert_allclose(smoothed.gap(y, score), gap.sum(axis=1), atol=1e-12)
    assert (np.abs(gap - (lowered - 0.5 * width * dual**2)) <= 1e-12).all()


@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss.most_curved_at_zero], ids=name_of)
def test_losses_called_most_curved_at_zero_are(loss):
    y, score = scores_and_targets(loss)
    most = loss.curvature(y, np.zeros_like(score))
    assert (most == most[0, 0]).all()
    assert (loss.curvature(y, score) <= most).all()


def test_the_pinball_is_least_at_the_quantile():
    y = np.random.default_rng(0).exponential(size=2001)
    for quantile in (0.1, 0.5, 0.9):
        places = np.linspace(0.0, 3.0, 601)
        means = [Pinball(quantile).value(y, np.full_like(y, place)).mean() for place in places]
        assert abs(places[np.argmin(means)] - np.quantile(y, quantile)) < 0.02


@pytest.mark.parametrize(
    "loss", [loss for loss in LOSSES if "epsilon" in vars(loss) or "quantile" in vars(loss)], ids=name_of
)
def test_the_degree_is_that_of_units(loss):
    """l(u y, u s; u epsilon) = u^p l(y, s; epsilon)."""
    y, score = scores_and_targets(loss)
    unit = 3.0
    larger = replace(loss, **{name: unit * value for name, value in vars(loss).items() if name == "epsilon"})
    np.testing.assert_allclose(larger.value(unit * y, unit * score), unit**loss.degree * loss.value(y, score))

"""Losses: their values at a point, by hand, and far from 0. What holds for every loss is in tests/contracts."""

import numpy as np
import pytest

from bochner import losses


@pytest.mark.parametrize(
    ("loss", "y", "score", "value"),
    [
        (losses.Squared(), 1.0, 3.0, 4.0),
        (losses.SquaredHinge(), -1.0, 0.5, 2.25),
        (losses.Hinge(), -1.0, 0.5, 1.5),
        (losses.Logistic(), 1.0, 0.0, np.log(2.0)),
        (losses.EpsilonInsensitive(0.3), 1.0, 3.0, 1.7),
        (losses.SquaredEpsilonInsensitive(0.3), 1.0, 3.0, 2.89),
        (losses.Huber(0.7), 1.0, 1.5, 0.125),
        (losses.Huber(0.7), 1.0, 3.0, 0.7 * 2.0 - 0.245),
    ],
)
def test_values(loss, y, score, value):
    assert loss.value(np.array([[y]]), np.array([[score]])).item() == pytest.approx(value)


def test_likelihoods_survive_large_scores():
    assert losses.Logistic().value(np.array([[-1.0]]), np.array([[800.0]])).item() == pytest.approx(800.0)
    indicator, scores = np.array([[0.0, 1.0, 0.0]]), np.array([[900.0, -900.0, 0.0]])
    assert losses.Multinomial().value(indicator, scores).sum() == pytest.approx(1800.0)
    assert losses.Multinomial().value(indicator, np.zeros((1, 3))).sum() == pytest.approx(np.log(3.0))

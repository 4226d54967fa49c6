"""What the search learns of length scales: from how many rows."""

import numpy as np

import bochner as bo
from bochner.auto import lessons as lessons_module
from bochner.auto.lessons import Lessons
from bochner.scales.metric import between, learned_metric


def lessons(X, y):
    return Lessons(X, y[:, None], 0, 1, lambda: False, np.arange(X.shape[1]))


def test_the_metric_of_many_rows_is_the_mean_of_two_samples(monkeypatch):
    monkeypatch.setattr(lessons_module, "METRIC_ROWS", 200)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = np.sin(2.0 * X[:, 0] + X[:, 1])

    def alone(order, part):
        chosen = order[200 * part : 200 * (part + 1)]
        found = learned_metric(bo.Gaussian(1.0), X[chosen], y[chosen, None], max_iter=lessons_module.METRIC_STEPS)
        return found.matrix, X[chosen]

    order = np.random.default_rng(0).permutation(2000)
    (first, rows), (second, _) = alone(order, 0), alone(order, 1)
    np.testing.assert_array_equal(lessons(X, y).metric(bo.Gaussian(1.0)), between(first, second, rows))
    order = np.random.default_rng(0).permutation(1600)
    np.testing.assert_array_equal(lessons(X[:1600], y[:1600]).metric(bo.Gaussian(1.0)), alone(order, 0)[0])

"""Length scales from neighbourhoods: where they start, and what they find that random rows do not show."""

from __future__ import annotations

import numpy as np

import bochner as bo
from bochner.auto import scales as scales_module
from bochner.auto.metric import between, learned_metric
from bochner.auto.scales import FURTHEST, NEAREST, Learner, within_reach


def learner(X, y, seed=0):
    return Learner(X, y[:, None], seed, 1, lambda: False, np.arange(X.shape[1]))


def test_two_values_far_apart_do_not_pull_other_columns_near():
    scales = within_reach(np.array([1e-3, 20.0, 1e4]), np.ones(3))
    assert np.allclose(scales, [1e-3, 20.0, FURTHEST * NEAREST])


def test_a_column_that_was_constant_in_the_sample_counts_as_ignored_and_a_constant_one_not_at_all():
    scales = within_reach(np.array([2.0, np.inf, np.inf]), np.array([1.0, 0.1, 0.0]))
    assert np.allclose(scales[:2], [2.0, FURTHEST * 2.0])
    assert np.isinf(scales[2])


def test_neighbourhoods_see_the_fine_structure_of_a_column_and_ignore_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = np.sign(np.sin(12.0 * X[:, 0])) + 0.3 * X[:, 1]
    local = learner(X, y).local(bo.Laplace(1.0), np.array([1.0, 1.0, 1.0]))
    assert local[0] * 5.0 < local[1] < local[2]


def test_neighbourhoods_reach_a_column_that_the_sample_did_not_see_vary():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=8_000), rng.random(8_000) < 0.02], axis=1)
    y = np.where(X[:, 1] > 0, -1.0, 1.0) * np.sign(X[:, 0])
    local = learner(X, y).local(bo.Laplace(1.0), np.array([1.0, np.inf]))
    assert local[1] < 1.0


def test_the_metric_of_many_rows_is_the_mean_of_two_samples(monkeypatch):
    monkeypatch.setattr(scales_module, "METRIC_ROWS", 200)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    y = np.sin(2.0 * X[:, 0] + X[:, 1])

    def alone(order, part):
        chosen = order[200 * part : 200 * (part + 1)]
        found = learned_metric(bo.Gaussian(1.0), X[chosen], y[chosen, None], max_iter=scales_module.METRIC_STEPS)
        return found.matrix, X[chosen]

    order = np.random.default_rng(0).permutation(2000)
    (first, rows), (second, _) = alone(order, 0), alone(order, 1)
    np.testing.assert_array_equal(learner(X, y).metric(bo.Gaussian(1.0)), between(first, second, rows))
    order = np.random.default_rng(0).permutation(1600)
    np.testing.assert_array_equal(learner(X[:1600], y[:1600]).metric(bo.Gaussian(1.0)), alone(order, 0)[0])

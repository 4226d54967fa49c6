"""Length scales from neighbourhoods: where they start, and what they find that random rows do not show."""

from __future__ import annotations

import numpy as np

import bochner as bo
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
    local = learner(X, y).local(bo.Laplace(), np.array([1.0, 1.0, 1.0]))
    assert local[0] * 5.0 < local[1] < local[2]


def test_neighbourhoods_reach_a_column_that_the_sample_did_not_see_vary():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=8_000), rng.random(8_000) < 0.02], axis=1)
    y = np.where(X[:, 1] > 0, -1.0, 1.0) * np.sign(X[:, 0])
    local = learner(X, y).local(bo.Laplace(), np.array([1.0, np.inf]))
    assert local[1] < 1.0

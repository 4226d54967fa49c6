"""Length scales from neighbourhoods: where they start, and what they find that random rows do not show."""

from __future__ import annotations

import numpy as np
import pytest

import bochner as bo
from bochner.scales.neighbourhoods import FURTHEST, NEAREST, local_scales, neighbourhoods, within_reach


def local(X, y, scales):
    rng = np.random.default_rng(0)
    return local_scales(bo.Laplace(1.0), X, y[:, None], np.array(scales), np.arange(X.shape[1]), rng, threads=1)


def test_two_values_far_apart_do_not_pull_other_columns_near():
    scales = within_reach(np.array([1e-3, 20.0, 1e4]), np.ones(3))
    assert np.allclose(scales, [1e-3, 20.0, FURTHEST * NEAREST])


def test_a_column_that_was_constant_in_the_sample_counts_as_ignored_and_a_constant_one_not_at_all():
    scales = within_reach(np.array([2.0, np.inf, np.inf]), np.array([1.0, 0.1, 0.0]))
    assert np.allclose(scales[:2], [2.0, FURTHEST * 2.0])
    assert np.isinf(scales[2])


def test_neighbourhoods_are_near_and_disjoint():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3)).astype(np.float32)
    leaves = neighbourhoods(X, np.ones(3), 50, 20, rng)
    assert len(leaves) == 20
    assert {len(leaf) for leaf in leaves} < set(range(50, 100))
    assert len({len(leaf) for leaf in leaves}) == 1
    joined = np.concatenate(leaves)
    assert len(np.unique(joined)) == len(joined)
    inside = np.mean([X[leaf].var(axis=0).sum() for leaf in leaves])
    assert inside < 0.3 * X.var(axis=0).sum()


def test_neighbourhoods_follow_the_length_scales():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 3))
    scales = np.array([1.0, 5.0, np.inf])
    inside = np.mean([X[leaf].var(axis=0) for leaf in neighbourhoods(X, scales, 50, 20, rng)], axis=0)
    assert inside[0] < 0.5 * inside[1] < 0.2 * inside[2]
    assert inside[2] == pytest.approx(1.0, abs=5 * np.sqrt(2 / (20 * 50)))  # which is as if it were not there


def test_neighbourhoods_see_the_fine_structure_of_a_column_and_ignore_noise():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_000, 3))
    y = np.sign(np.sin(12.0 * X[:, 0])) + 0.3 * X[:, 1]
    found = local(X, y, [1.0, 1.0, 1.0])
    assert found[0] * 5.0 < found[1] < found[2]


def test_neighbourhoods_reach_a_column_that_the_sample_did_not_see_vary():
    rng = np.random.default_rng(0)
    X = np.stack([rng.normal(size=8_000), rng.random(8_000) < 0.02], axis=1)
    y = np.where(X[:, 1] > 0, -1.0, 1.0) * np.sign(X[:, 0])
    assert local(X, y, [1.0, np.inf])[1] < 1.0

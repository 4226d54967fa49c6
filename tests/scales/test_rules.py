"""Length scales and metrics that need no targets, against their definitions."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

import bochner as bo
from bochner.scales.random_rows import shared_spread
from bochner.scales.rules import by_spread, in_units, principal_directions


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(800, 3)) * [1.0, 4.0, 0.5]


def median(rows, metric="euclidean"):
    return np.median(pairwise_distances(rows, metric=metric)[np.triu_indices(len(rows), 1)])


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Laplace()], ids=repr)
def test_rows_over_scales_by_spread_are_a_distance_of_one_apart_and_columns_as_wide(kernel, rows):
    scales = by_spread(kernel, rows)
    np.testing.assert_allclose(scales / scales[0], rows.std(axis=0) / rows[:, 0].std(), rtol=1e-6)
    assert median(rows / scales, kernel.distance) == pytest.approx(1.0, rel=0.02)


@pytest.mark.parametrize("kernel", [bo.Gaussian(), bo.Laplace()], ids=repr)
def test_one_scale_in_the_units_that_columns_were_divided_by(kernel, rows):
    units = np.array([2.0, 1.0, 10.0])
    scales = in_units(kernel, rows, units)
    np.testing.assert_allclose(scales * units, scales[0] * units[0])
    assert median(rows / scales, kernel.distance) == pytest.approx(1.0, rel=0.02)


def test_principal_directions_are_those_of_the_covariance_in_units():
    rng = np.random.default_rng(1)
    turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    units = np.array([1.0, 5.0, 0.2])
    inner = rng.normal(size=(4000, 3)) * [3.0, 1.5, 0.1]
    rows = inner @ turn.T / units
    matrix = principal_directions(rows, units)
    assert matrix.shape == (2, 3)  # nine tenths of the variance
    in_units = matrix / units
    found = in_units / np.linalg.norm(in_units, axis=1, keepdims=True)
    np.testing.assert_allclose(np.abs(found @ turn[:, :2]), np.eye(2), atol=0.05)
    np.testing.assert_allclose(np.linalg.norm(in_units, axis=1), np.linalg.norm(in_units[0]))  # turned, not stretched
    assert median(rows[::4] @ matrix.T) == pytest.approx(1.0, rel=0.02)


def test_columns_of_a_group_have_the_root_mean_square_of_their_spreads():
    found = shared_spread(np.array([1.0, 7.0, 2.0, 0.0]), np.array([5, 0, 5, 5]))
    np.testing.assert_allclose(found, np.sqrt([5 / 3, 49.0, 5 / 3, 5 / 3]))

"""The uniform bound of random binning: reference widths, and simulation, which it is not far above."""

import numpy as np
import pytest

import bochner as bo
from bochner import theory

LAPLACE = bo.Laplace(1.0)


def test_reference_values():
    for dim, expected in {1: 1029, 2: 2045, 5: 5370, 10: 11339}.items():
        found = theory.grids_needed(LAPLACE, eps=0.1, delta=0.05, sides=[6.0] * dim)
        assert abs(found - expected) <= 2
        assert theory.binning_bound(LAPLACE, eps=0.1, n_grids=found, sides=[6.0] * dim) <= 0.05
        assert theory.binning_bound(LAPLACE, eps=0.1, n_grids=found - 1, sides=[6.0] * dim) > 0.05
    assert theory.grids_needed(LAPLACE, eps=0.1, delta=0.05, n_points=1000) == 841


def test_what_the_bound_needs_of_the_kernel_is_its_slope_at_zero():
    given = {"eps": 0.1, "delta": 0.05}
    same = theory.grids_needed(LAPLACE, sides=[6.0, 3.0], **given)
    assert theory.grids_needed(bo.Laplace([2.0, 0.5]), sides=[12.0, 1.5], **given) == same
    assert theory.grids_needed(bo.StretchedExponential(1.0, exponent=1.0), sides=[6.0, 3.0], **given) == same
    assert abs(theory.grids_needed(bo.Reciprocal(1.0), sides=[6.0, 3.0], **given) - same) <= 1  # 1/(1 + r), slope 1
    assert theory.binning_bound(bo.StretchedExponential(1.0), eps=0.1, n_grids=10**9, sides=[1.0]) == np.inf
    with pytest.raises(ValueError, match="give n_points"):
        theory.grids_needed(bo.StretchedExponential(1.0), sides=[1.0], **given)
    for kernel in (bo.Laplace(0.7), bo.Reciprocal(2.0)):  # E(1/δ) by simulation
        pitches = kernel.sample_pitches(1, 400_000, np.random.default_rng(0))[:, 0]
        rate = 1 / kernel.length_scale
        assert np.mean(1 / pitches) == pytest.approx(rate, rel=0.02)


def largest_errors(points, grids, repeats, seed=0):
    """Largest error between rows of points, Laplace kernel of length scale 1, under independent draws."""
    rng = np.random.default_rng(seed)
    exact, found = LAPLACE(points), np.empty(repeats)
    for repeat in range(repeats):
        together = np.zeros(exact.shape)
        for _ in range(grids):
            pitch = rng.gamma(2.0, size=points.shape[1])
            bins = np.floor((points + rng.uniform(size=points.shape[1]) * pitch) / pitch)
            together += (bins[:, None, :] == bins[None, :, :]).all(axis=2)
        found[repeat] = np.abs(together / grids - exact).max()
    return found


def test_no_error_is_above_the_bound_and_it_is_not_far_above():
    points = np.linspace(0, 6, 61)[:, None]
    found = largest_errors(points, 500, 40)
    promised = next(
        eps
        for eps in np.linspace(0.02, 0.5, 481)
        if theory.binning_bound(LAPLACE, eps=eps, n_grids=500, sides=[6.0]) <= 0.05
    )
    assert promised == pytest.approx(0.141, abs=0.002)
    assert promised / 2.3 < np.quantile(found, 0.95) < promised
    for eps in np.linspace(0.05, 0.3, 26):
        share = np.mean(found >= eps)
        assert share <= theory.binning_bound(LAPLACE, eps=eps, n_grids=500, sides=[6.0])
        assert share <= theory.binning_bound(LAPLACE, eps=eps, n_grids=500, n_points=61)


@pytest.mark.parametrize(
    ("kernel", "change", "message"),
    [
        (bo.Gaussian(1.0), {"sides": [1.0]}, "pitch law"),
        (bo.ProductProfile(lambda r: np.exp(-(r**2)), 1.0), {"sides": [1.0]}, "convex"),
        (LAPLACE, {}, "Give one of sides"),
        (LAPLACE, {"sides": [1.0], "n_points": 3}, "Give one of sides"),
        (LAPLACE, {"sides": 6.0}, "one length"),
        (LAPLACE, {"sides": [0.0]}, "one length"),
        (LAPLACE, {"n_points": 1}, "at least 2"),
    ],
)
def test_refusals(kernel, change, message):
    with pytest.raises(ValueError, match=message):
        theory.grids_needed(kernel, eps=0.1, delta=0.05, **change)

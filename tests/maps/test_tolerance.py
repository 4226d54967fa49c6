"""A tolerance in place of a width: met by the map that is kept, for every map that takes one."""

import numpy as np
import pytest

import bochner as bo
from bochner.maps.measure import estimated_values, exact_values, sample_pairs

ROWS = np.random.default_rng(0).uniform(-0.6, 0.6, size=(500, 3))

MAPS = [
    bo.FourierFeatures(bo.Gaussian("median"), eps=0.04),
    bo.FourierFeatures(bo.Laplace("median"), eps=0.04),
    bo.FourierFeatures(bo.Gaussian("median") + 0.5 * bo.Laplace("median"), eps=0.04),
    bo.BinningFeatures(bo.Laplace("median"), eps=0.04),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.7), eps=0.04),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.7), h01=True, eps=0.04),
]


@pytest.mark.parametrize("feature_map", MAPS, ids=lambda m: " ".join(repr(m).split())[:70])
def test_the_error_is_the_tolerance(feature_map):
    """Over draws the error of the width that is found is near the tolerance: not above, and not far below."""
    squares = []
    pairs = sample_pairs(ROWS, 2000, np.random.default_rng(9))
    for seed in range(8):
        fitted = feature_map.set_params(random_state=seed).fit(ROWS)
        errors = estimated_values(fitted.features_, pairs) - exact_values(fitted.kernel_, pairs)
        squares.append(np.mean(errors**2) / np.mean(fitted.kernel_.diagonal(ROWS)) ** 2)
        assert fitted.transform(ROWS[:2]).shape[1] == fitted.n_components_
    assert 0.02 < np.sqrt(np.mean(squares)) < 0.044


def test_sketches_meet_the_tolerance():
    """Few columns seldom collide, so most draws are better than the average that the pilot sees."""
    fitted = bo.TensorSketch(bo.Polynomial(3, scale=0.3), eps=0.05, random_state=0).fit(ROWS)
    pairs = sample_pairs(ROWS, 2000, np.random.default_rng(9))
    errors = estimated_values(fitted.features_, pairs) - exact_values(fitted.kernel_, pairs)
    assert np.sqrt(np.mean(errors**2)) < 0.055 * np.mean(fitted.kernel_.diagonal(ROWS))


def test_landmarks_are_added_until_the_tolerance_is_met():
    fitted = bo.NystroemFeatures(bo.Gaussian("median"), eps=0.01, random_state=0).fit(ROWS)
    pairs = sample_pairs(ROWS, 2000, np.random.default_rng(9))
    errors = estimated_values(fitted.features_, pairs) - exact_values(fitted.kernel_, pairs)
    assert 0.001 < np.sqrt(np.mean(errors**2)) < 0.012


def test_half_the_tolerance_needs_four_times_the_width():
    widths = [
        np.mean([bo.FourierFeatures(bo.Cauchy(), eps=eps, random_state=s).fit(ROWS).n_components_ for s in range(6)])
        for eps in (0.04, 0.02)
    ]
    assert 3 < widths[1] / widths[0] < 5.3


def test_learners_take_it_through_their_map():
    y = ROWS[:, 0] * ROWS[:, 1]
    model = bo.KernelRidge(bo.FourierFeatures(eps=0.02, random_state=0)).fit(ROWS, y)
    assert len(model.coef_) == model.feature_map_.n_components_ > 20
    assert model.score(ROWS, y) > 0.9


def test_defaults_and_refusals():
    assert bo.FourierFeatures().fit(ROWS).n_components_ == 256
    for eps in (0.0, 1.0, -0.1, np.nan, "small", True):
        with pytest.raises(ValueError, match="eps must be"):
            bo.FourierFeatures(eps=eps).fit(ROWS)
    with pytest.raises(ValueError, match="both given"):
        bo.FourierFeatures(n_components=100, eps=0.1).fit(ROWS)
    with pytest.raises(ValueError, match="needs about"):
        bo.FourierFeatures(bo.Laplace(), eps=1e-4).fit(ROWS)
    with pytest.raises(ValueError, match="at least two"):
        bo.FourierFeatures(bo.Laplace(), eps=0.1).fit(ROWS[:1])

"""A tolerance in place of a width: met by the map that is kept, for every map that takes one."""

import numpy as np
import pytest
from sklearn.base import clone

import bochner as bo
from bochner.maps.tolerance import Judges

ROWS = np.random.default_rng(0).uniform(-0.6, 0.6, size=(500, 3))

MAPS = {
    "fourier": bo.FourierFeatures(bo.Gaussian("median"), eps=0.04),
    "rough": bo.FourierFeatures(bo.Laplace("median"), eps=0.06),
    "shifted": bo.FourierFeatures(bo.Cauchy("median"), directions="iid", embedding="shifted", eps=0.06),
    "sum": bo.FourierFeatures(bo.Gaussian("median") + 0.5 * bo.Laplace("median"), eps=0.06),
    "binning": bo.BinningFeatures(bo.Laplace("median"), eps=0.1),
    "vocabulary": bo.BinningFeatures(bo.Laplace("median"), hashing="exact", eps=0.1),
    "maclaurin": bo.MaclaurinFeatures(bo.ExponentialDot(2.0), eps=0.04),
    "h01": bo.MaclaurinFeatures(bo.ExponentialDot(2.0), h01=True, eps=0.04),
    "sketch": bo.TensorSketch(bo.Polynomial(3, scale=0.1), eps=0.06),
    "landmarks": bo.NystroemFeatures(bo.Matern("median", nu=1.5), eps=0.03),
}


def error_on_new_rows(feature_map, seed):
    """Root mean square error between rows that a map fitted on others has not seen, over its tolerance."""
    rng = np.random.default_rng(1000 + seed)
    X, new = rng.normal(size=(2, 400, 3))
    fitted = clone(feature_map).set_params(random_state=seed).fit(X)
    Z = fitted.transform(new)
    errors = (Z @ Z.T - fitted.kernel_(new))[np.triu_indices(len(new), 1)]
    return float(np.sqrt(np.mean(np.square(errors))) / np.mean(fitted.kernel_.diagonal(new)) / fitted.eps)


def assert_met(feature_map, n_draws):
    found = np.array([error_on_new_rows(feature_map, seed) for seed in range(n_draws)])
    assert (found <= 1.0).mean() >= 0.95, found.max()
    assert found.mean() > 0.2  # and not by features many times too many


@pytest.mark.parametrize("name", MAPS)
def test_the_tolerance_is_met_between_new_rows(name):
    assert_met(MAPS[name], 20)


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_the_tolerance_is_met_between_new_rows_in_200_draws(name):
    assert_met(MAPS[name], 200)


def test_a_width_beyond_the_rows_says_so():
    with pytest.warns(UserWarning, match=r"takes \d+ components, more than the 100 rows .*ExactKernelRidge"):
        bo.FourierFeatures(bo.Laplace("median"), eps=0.05, random_state=0).fit(ROWS[:100])
    with pytest.warns(UserWarning, match="is not met between new rows: with 50 rows as landmarks"):
        fitted = bo.NystroemFeatures(bo.Laplace(0.1), eps=0.01, random_state=0).fit(ROWS[:100])
    assert fitted.n_components_ == 100
    wild = np.random.default_rng(0).standard_t(2.0, size=(300, 2))
    with pytest.warns(UserWarning, match="A few of the 300 rows decide the error"):
        bo.MaclaurinFeatures(bo.Polynomial(4, scale=0.1), eps=0.1, random_state=0).fit(wild)
    with pytest.raises(ValueError, match="too large for eps to be measured"):
        bo.MaclaurinFeatures(bo.Polynomial(6), eps=0.1, random_state=0).fit(1e20 * wild)


def test_weights_are_repetitions_of_the_rows_that_judge():
    judges = Judges.of(bo.Gaussian(1.0), ROWS[:60], np.repeat([1.0, 2.0, 0.5], 20))
    features = bo.FourierFeatures(bo.Gaussian(1.0), 16, random_state=0).fit(ROWS).features_
    Z = features(ROWS[:60])
    squares, weight = np.square(Z @ Z.T - bo.Gaussian(1.0)(ROWS[:60])), np.outer(judges.weight, judges.weight)
    np.fill_diagonal(weight, 0.0)
    assert judges.mean_square(features)[0] == pytest.approx((weight * squares).sum() / weight.sum(), rel=1e-9)


def test_half_the_tolerance_needs_four_times_the_width():
    widths = [
        np.mean([bo.FourierFeatures(bo.Cauchy(1.0), eps=eps, random_state=s).fit(ROWS).n_components_ for s in range(6)])
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
        bo.FourierFeatures(bo.Laplace(1.0), eps=1e-4).fit(ROWS)
    with pytest.raises(ValueError, match="at least two"):
        bo.FourierFeatures(bo.Laplace(1.0), eps=0.1).fit(ROWS[:1])

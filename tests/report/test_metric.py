"""Reports on features of kernels in a metric: the theory of the unit kernel at A x."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.report.predictions import NoPrediction, predict
from bochner.report.redraws import PairSample, Redraws
from tests.maps.test_metric import under
from tests.report.test_error_report import averages_of

X = np.random.default_rng(0).uniform(-0.6, 0.6, size=(300, 4))
MATRIX = np.array([[0.8, 0.3, -0.4, 1.0], [-0.2, 0.5, 0.9, 0.0], [0.3, -0.9, 0.4, 0.6]])

MAPS = [
    bo.FourierFeatures(bo.Gaussian(0.9), 64),
    bo.FourierFeatures(bo.Laplace(1.5), 64),
    bo.FourierFeatures(bo.Gaussian(0.5) + 0.5 * bo.Cauchy(0.5), 64, directions="iid"),
    bo.BinningFeatures(bo.Laplace(1.5), 64),
    bo.BinningFeatures(bo.Laplace(1.5) + 0.5 * bo.Reciprocal(1.5), 64, 64 * 8, hashing="plain", pitches="iid"),
]


def short(feature_map):
    return " ".join(repr(feature_map).split())[:70]


@pytest.mark.parametrize("feature_map", MAPS, ids=short)
def test_predictions_are_those_of_the_inner_kernel_and_agree_with_measurement(feature_map):
    averages = averages_of(under(feature_map, MATRIX), X, n_redraws=60)
    assert averages.mean_square.contains(averages.expected**2)
    assert averages.mean_square.high < 4.0 * averages.mean_square.low
    inner = bo.error_report(feature_map, X @ MATRIX.T, n_redraws=4, n_gram=20)
    outer = bo.error_report(under(feature_map, MATRIX), X, n_redraws=4, n_gram=20)
    assert outer.n_columns == 4
    for one, other in zip(outer.quantities, inner.quantities):
        assert one.name == other.name
        for name in ("predicted", "bound"):
            value, expected = getattr(one, name), getattr(other, name)
            assert (value is None) == (expected is None)
            assert expected is None or value == pytest.approx(expected, rel=1e-9)
        assert one.measured.value == pytest.approx(other.measured.value, rel=1e-6, abs=1e-9)


def test_sums_of_kernels_in_a_metric_and_plain_ones():
    kernel = bo.Gaussian(bo.Metric(MATRIX / 0.8)) + 0.5 * bo.Gaussian(1.0)
    averages = averages_of(bo.FourierFeatures(kernel, 64, directions="iid"), X, n_redraws=60)
    assert averages.mean_square.contains(averages.expected**2)


def test_maps_without_theory_say_so():
    redraws = Redraws.of(under(bo.NystroemFeatures(bo.Gaussian(1.0), 20), MATRIX), X, 0)
    sample = PairSample.of(redraws.kernel, redraws.rows, 100, 0)
    found = predict(redraws.fitted(0), redraws.rows, sample.pairs)
    assert isinstance(found, NoPrediction)
    assert "Nystroem features" in found.reason
    report = bo.error_report(under(bo.NystroemFeatures(bo.Gaussian(1.0), 20), MATRIX), X, n_redraws=4, n_gram=20)
    assert "theory has no prediction" in report.verdict


def test_widths_are_those_of_the_inner_kernel():
    arguments = {"eps": 0.1, "n_redraws": 4, "n_gram": 20}
    feature_map = bo.FourierFeatures(bo.Gaussian(0.8), 64, directions="iid")
    outer = bo.error_report(under(feature_map, MATRIX), X, diameter="data", **arguments).needed
    inner = bo.error_report(feature_map, X @ MATRIX.T, diameter="data", **arguments).needed
    assert len(outer.by_bound) == 3
    assert outer == inner


def test_a_given_diameter_is_stretched_by_the_matrix():
    """A set of diameter 2 is mapped into one of diameter 2 ||A||, in as many dimensions as A has directions."""
    feature_map = bo.FourierFeatures(bo.Gaussian(0.8), 64)
    needed = bo.error_report(under(feature_map, MATRIX), X, eps=0.1, diameter=2.0, n_redraws=4, n_gram=20).needed
    diameter = 2.0 * float(np.sqrt(np.linalg.eigvalsh(MATRIX.T @ MATRIX)[-1]))
    expected = bo.theory.components_needed(
        bo.Gaussian(0.8), eps=0.1, delta=0.05, dim=3, diameter=diameter, method="sutherland-schneider", rigorous=True
    )
    assert needed.by_bound["diameter 2 (sutherland-schneider)"] == expected


def test_sparse_rows_and_text():
    feature_map = under(MAPS[0], MATRIX)
    dense = bo.error_report(feature_map, X, n_redraws=4, n_gram=20)
    sparse = bo.error_report(feature_map, sp.csr_array(X), n_redraws=4, n_gram=20)
    assert sparse["root mean square"].predicted == pytest.approx(dense["root mean square"].predicted)
    assert "kernel Gaussian in a metric" in str(dense)


def test_recommendations_serve_kernels_in_a_metric():
    kernel = bo.Laplace(bo.Metric(MATRIX / 1.5))
    found = bo.recommend(kernel, X, eps=0.1, time_limit="1s")
    assert found.choices
    best = found.best
    Z = best.set_params(random_state=0).fit_transform(X)
    assert Z.shape[0] == len(X)
    assert all("Laplace" in reason or "no time" in reason for reason in found.skipped.values())


def test_theory_takes_a_metric():
    """The variance of independent draws is that of the unit kernel at A x; of orthogonal ones too, in its dimension."""
    for directions in ("iid", "orthogonal"):
        found = bo.theory.variance(bo.Gaussian(bo.Metric(MATRIX)), X, 100, directions=directions)
        expected = bo.theory.variance(bo.Gaussian(1.0), X @ MATRIX.T, 100, directions=directions)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_theory_says_what_to_give_it():
    with pytest.raises(ValueError, match=r"not one of changed rows: give it kernel\.kernel"):
        bo.theory.variance(bo.SoftTails(bo.Gaussian(1.0), np.zeros(4), np.ones(4)), X, 100)

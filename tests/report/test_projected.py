"""Reports on features of projected rows: the theory of the inner kernel at A x."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import bochner as bo
from bochner.report.predictions import NoPrediction, predict
from bochner.report.redraws import Redraws, Sample
from tests.report.test_error_report import averages_of

X = np.random.default_rng(0).uniform(-0.6, 0.6, size=(300, 4))
MATRIX = np.array([[0.8, 0.3, -0.4, 1.0], [-0.2, 0.5, 0.9, 0.0], [0.3, -0.9, 0.4, 0.6]])
NESTED = np.array([[1.0, 0.5, 0.0], [0.0, -1.0, 0.7]])

MAPS = [
    bo.FourierFeatures(bo.Gaussian("median"), 64),
    bo.FourierFeatures(bo.Laplace("median"), 64),
    bo.FourierFeatures(bo.Gaussian(0.5) + 0.5 * bo.Cauchy(0.5), 64, directions="iid"),
    bo.BinningFeatures(bo.Laplace("median"), 64),
    bo.BinningFeatures(bo.Laplace("median") + 0.5 * bo.Laplace(3.0), 64, 64 * 8, hashing="plain"),
    bo.MaclaurinFeatures(bo.ExponentialDot(0.9), 64),
    bo.TensorSketch(bo.Polynomial(2), 16),
]


def short(feature_map):
    return " ".join(repr(feature_map).split())[:70]


def under(feature_map, *matrices):
    kernel = feature_map.kernel
    for matrix in matrices:
        kernel = bo.Projected(kernel, matrix)
    return clone(feature_map).set_params(kernel=kernel)


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


@pytest.mark.parametrize("feature_map", [MAPS[0], MAPS[2], MAPS[4], MAPS[5]], ids=short)
def test_projections_of_projections(feature_map):
    def prediction(one):
        redraws = Redraws.of(one, X, 0)
        sample = Sample.of(redraws.kernel, redraws.rows, 500, 0)
        return predict(redraws.fitted(0), redraws.rows, sample.pairs)

    nested, once = prediction(under(feature_map, NESTED, MATRIX)), prediction(under(feature_map, NESTED @ MATRIX))
    np.testing.assert_allclose(nested.variance, once.variance, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(nested.bias, once.bias, atol=1e-9)


def test_sums_of_projected_and_plain_kernels():
    kernel = bo.Projected(bo.Gaussian(0.8), MATRIX) + 0.5 * bo.Gaussian()
    averages = averages_of(bo.FourierFeatures(kernel, 64, directions="iid"), X, n_redraws=60)
    assert averages.mean_square.contains(averages.expected**2)


def test_maps_without_theory_say_so():
    redraws = Redraws.of(under(bo.NystroemFeatures(bo.Gaussian(), 20), MATRIX), X, 0)
    sample = Sample.of(redraws.kernel, redraws.rows, 100, 0)
    found = predict(redraws.fitted(0), redraws.rows, sample.pairs)
    assert isinstance(found, NoPrediction)
    assert "NystroemFeatures" in found.reason
    report = bo.error_report(under(bo.NystroemFeatures(bo.Gaussian(), 20), MATRIX), X, n_redraws=4, n_gram=20)
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
    assert "kernel Gaussian of projected rows" in str(dense)


def test_recommendations_serve_projected_kernels():
    kernel = bo.Projected(bo.Laplace("median"), MATRIX)
    found = bo.recommend(kernel, X, eps=0.1, time_limit=1.0)
    assert found.choices
    best = found.best
    assert best.kernel is not kernel
    Z = best.set_params(random_state=0).fit_transform(X)
    assert Z.shape[0] == len(X)
    assert all("Laplace" in reason or "no time" in reason for reason in found.skipped.values())


def test_theory_says_what_to_give_it():
    with pytest.raises(ValueError, match=r"not one of changed rows: give it kernel\.kernel"):
        bo.theory.variance(bo.Projected(bo.Gaussian(), MATRIX), X, 100)

"""The intervals of a report cover at their nominal rate: the parts by themselves, and every line, for every map."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import bdtr
from sklearn.base import clone

import bochner as bo
from bochner.compute.threads import single_threaded_blas
from bochner.report.averages import mean_of_draws, mean_of_squares
from bochner.report.gram_error import GramSample
from bochner.report.intervals import Estimate, middle_of_draws
from bochner.report.predictions import NoPrediction
from bochner.report.quantities import QUANTILES, kernel_quantities
from bochner.report.redraws import PairSample

DRAWS = 20  # of a report


def assert_nominal(hits: list[bool], confidence: float, deviation: float) -> None:
    """The share of hits is the confidence up to so many standard errors of the simulation."""
    error = deviation * np.sqrt(confidence * (1.0 - confidence) / len(hits))
    assert abs(np.mean(hits) - confidence) <= error


@pytest.mark.parametrize("n", [5, 6, 20, 21])
@pytest.mark.parametrize("spread", [0.2, 1.0])
def test_interval_of_a_median_covers_whatever_the_skewness(n, spread):
    rng = np.random.default_rng(0)
    hits = [middle_of_draws(3.0 * np.exp(spread * rng.normal(size=n)), 0.95).contains(3.0) for _ in range(2500)]
    assert_nominal(hits, 0.95, 3.5)


@pytest.mark.parametrize("n", [6, 20, 21])
def test_interval_of_a_median_covers_where_the_law_has_no_moments(n):
    rng = np.random.default_rng(0)
    hits = [middle_of_draws(rng.standard_cauchy(size=n) - 2.0, 0.95).contains(-2.0) for _ in range(2500)]
    assert_nominal(hits, 0.95, 3.5)


@pytest.mark.parametrize("zeros", [0.5, 0.52, 0.8])
def test_interval_of_a_median_covers_an_atom(zeros):
    """Missed only if fewer than six of 20 draws are there; interpolation would miss it if exactly six are, too."""
    rng = np.random.default_rng(0)
    hits = []
    for _ in range(2500):
        values = np.where(rng.uniform(size=20) < zeros, 0.0, rng.gamma(2.0, size=20))
        hits.append(middle_of_draws(values, 0.95).contains(0.0))
    assert_nominal(hits, 1.0 - bdtr(5, 20, zeros), 3.5)


def test_interval_of_a_median_is_made_of_order_statistics():
    values = np.arange(1.0, 7.0)  # of 6 values the range has confidence 1 - 2/64
    found = middle_of_draws(values, 1.0 - 2.0 / 64.0)
    assert (found.value, found.low, found.high) == (3.5, pytest.approx(1.0), pytest.approx(6.0))
    inner = middle_of_draws(values, 1.0 - 14.0 / 64.0)
    assert (inner.low, inner.high) == (pytest.approx(2.0), pytest.approx(5.0))
    assert middle_of_draws(np.zeros(5), 0.95) == Estimate(0.0, 0.0, 0.0)
    assert middle_of_draws(np.full(5, 2.0), 0.95) == Estimate(2.0, 2.0, 2.0)
    assert middle_of_draws(np.array([0.0, 0.0, 1.0]), 0.95).contains(0.0)


@pytest.mark.parametrize("draws", [5, 20])
@pytest.mark.parametrize("ratio", [0.2, 0.6, 0.9])
def test_interval_of_mean_squares_covers_sums_of_few_chi_squares(draws, ratio):
    """Student's interval covers 85 to 90 % here, for a ratio of 0.2."""
    rng = np.random.default_rng(1)
    weights = ratio ** np.arange(30)
    hits = []
    for _ in range(2500):
        squares = rng.normal(size=(draws, 30)) ** 2 @ weights
        hits.append(mean_of_squares(squares, 0.95).contains(weights.sum()))
    assert abs(np.mean(hits) - 0.95) <= 0.013  # 3 standard errors


def test_averages_of_draws_that_are_equal_or_nearly_all_zero():
    assert mean_of_squares(np.zeros(20), 0.95) == Estimate(0.0, 0.0, 0.0)
    assert mean_of_draws(np.full(20, 0.5), 0.95) == Estimate(0.5, 0.5, 0.5)
    once = mean_of_squares(np.r_[np.zeros(2), 1.0], 0.999)
    assert 0.0 <= once.low < 0.01
    assert once.high > 1.0


UNIFORM = np.random.default_rng(0).uniform(-0.6, 0.6, size=(20, 3))
SHARES = np.random.default_rng(0).dirichlet(np.ones(4), size=20)
FEW_MAPS = {
    "Fourier": bo.FourierFeatures(bo.Gaussian(0.7), 16),
    "Maclaurin, gaussian": bo.MaclaurinFeatures(
        bo.ExponentialDot(0.7), 16, allocation="independent", projection="gaussian"
    ),
    "TensorSketch 3, 32": bo.TensorSketch(bo.Polynomial(3), 32),
    "TensorSketch 2, 256": bo.TensorSketch(bo.Polynomial(2), 256),
    "binning": bo.BinningFeatures(bo.Laplace(0.7), 16, 16 * 16),
    "Nystroem": bo.NystroemFeatures(bo.Gaussian(0.7), 6),
}
MAPS = FEW_MAPS | {
    "Fourier, independent": bo.FourierFeatures(bo.Gaussian(0.7), 32, directions="iid"),
    "Fourier, shifted": bo.FourierFeatures(bo.Gaussian(0.7), 32, embedding="shifted", directions="iid"),
    "Fourier, Laplace": bo.FourierFeatures(bo.Laplace(0.7), 32),
    "Maclaurin": bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 32),
    "Maclaurin, independent": bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 32, allocation="independent"),
    "Maclaurin, proportional": bo.MaclaurinFeatures(
        bo.ExponentialDot(0.7), 32, degrees="proportional", allocation="independent"
    ),
    "Maclaurin, optimal": bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 256, degrees="optimal"),
    "Maclaurin, h01": bo.MaclaurinFeatures(bo.ExponentialDot(0.7), 32, h01=True, allocation="independent"),
    "TensorSketch 2, 32": bo.TensorSketch(bo.Polynomial(2), 32),
    "TensorSketch 3, 256": bo.TensorSketch(bo.Polynomial(3), 256),
    "binning, plain": bo.BinningFeatures(bo.Laplace(0.7), 32, 32 * 16, hashing="plain"),
    "binning, independent": bo.BinningFeatures(bo.Laplace(0.7), 32, 32 * 16, pitches="iid"),
    "additive": bo.AdditiveFeatures(bo.AdditiveChi2(), 4, sampling="random"),
}


def errors_of(name: str, n_draws: int) -> np.ndarray:
    """Errors of the map at all pairs of twenty rows, shape (draws, pairs)."""
    X = SHARES if name == "additive" else UNIFORM
    above = np.triu_indices(len(X), 1)
    errors = np.empty((n_draws, len(above[0])))
    with single_threaded_blas():
        for draw in range(n_draws):
            again = clone(MAPS[name]).set_params(random_state=np.random.default_rng([7, draw]), n_jobs=1)
            Z = again.fit_sample(X).features_(X)
            product = (Z @ Z.T).toarray() if sp.issparse(Z) else Z @ Z.T
            errors[draw] = (product - again.kernel_(X))[above]
    return errors


def numbers_of(errors: np.ndarray) -> dict[str, np.ndarray]:
    """The lines of a report for each draw, from their definition."""
    size = np.abs(errors)
    found = {"bias": errors.mean(axis=1), "root mean square": np.sqrt(np.mean(errors**2, axis=1))}
    found |= {name: np.quantile(size, level, axis=1) for name, level in QUANTILES.items()}
    return found | {"maximum": size.max(axis=1)}


def cover(errors: np.ndarray, n_reports: int) -> dict[str, float]:
    """How often the interval of each line contains the median of all the draws, of which a report sees twenty."""
    rng = np.random.default_rng(4)
    truth = {name: float(np.median(numbers)) for name, numbers in numbers_of(errors).items()}
    sample = PairSample(None, np.zeros(errors.shape[1]), True)
    hits: dict[str, list[bool]] = {name: [] for name in truth}
    for _ in range(n_reports):
        seen = errors[rng.choice(len(errors), size=DRAWS, replace=False)]
        for line in kernel_quantities(seen, sample, NoPrediction("not asked"), 0.95):
            rounding = 1e-6 * abs(truth[line.name])
            low, high = line.measured.low - rounding, line.measured.high + rounding
            hits[line.name].append(low <= truth[line.name] <= high)
    return {name: float(np.mean(found)) for name, found in hits.items()}


def assert_covers(errors: np.ndarray, n_reports: int, tolerance: float) -> None:
    """At the nominal rate, or more often where the median is an atom of the law."""
    numbers = numbers_of(errors)
    for name, rate in cover(errors, n_reports).items():
        assert rate >= 0.95 - tolerance, name
        middle = np.median(numbers[name])
        equal = np.mean(np.abs(numbers[name] - middle) <= 1e-6 * np.abs(numbers[name]).max())
        assert rate <= 0.95 + tolerance or equal > 0.01, name


@pytest.mark.parametrize("name", FEW_MAPS)
def test_every_interval_of_a_report_covers(name):
    assert_covers(errors_of(name, 500), 300, 3.0 * np.sqrt(0.95 * 0.05 / 300))


@pytest.mark.slow
@pytest.mark.parametrize("name", MAPS)
def test_every_interval_of_a_report_covers_to_a_point_and_a_half(name):
    assert_covers(errors_of(name, 3000), 3000, 0.015)


@pytest.mark.parametrize("width", [8, 64])
def test_intervals_of_gram_errors_cover(width):
    """The ridge norm of few components has a heavy tail: 20 draws tell its median, not its mean."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1))
    gram = GramSample.of(bo.Gaussian(1.0), X, 20, width, None, 20)

    def features(rows: np.ndarray) -> np.ndarray:
        turns = rows @ w
        return np.hstack([np.cos(turns), np.sin(turns)]) * np.sqrt(2.0 / width)

    norms = np.empty((6_000, 2))
    for place in range(len(norms)):
        w = rng.normal(size=(1, width // 2))
        norms[place] = gram.errors(features)
    truth = np.median(norms, axis=0)
    for column in range(2):
        hits = [middle_of_draws(part, 0.95).contains(truth[column]) for part in norms[:, column].reshape(-1, 20)]
        assert_nominal(hits, 0.95, 3.5)

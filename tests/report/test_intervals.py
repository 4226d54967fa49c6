"""The intervals of a report cover at their nominal rate: the parts by themselves, and every line that is printed."""

from collections.abc import Callable

import numpy as np
import pytest

from bochner import theory
from bochner.kernels import Gaussian
from bochner.report.gram import GramSample
from bochner.report.intervals import Estimate, crossed, middle_of_draws
from bochner.report.predictions import NoPrediction
from bochner.report.quantities import QUANTILES, kernel_quantities
from bochner.report.redraws import Sample

LENGTH, DIM, WIDTH, DRAWS, PAIRS = 1.5, 2, 16, 20, 200


def assert_nominal(hits: list[bool], confidence: float, deviation: float, conservative: float = 0.0) -> None:
    """The share of hits is the confidence up to so many standard errors of the simulation."""
    error = deviation * np.sqrt(confidence * (1.0 - confidence) / len(hits))
    assert confidence - error <= np.mean(hits) <= confidence + error + conservative


@pytest.mark.parametrize("census", [False, True])
@pytest.mark.parametrize("between", [0.0, 1.0])
def test_crossed_interval_covers_a_mean(census, between):
    """Draws and pairs both vary; a census of pairs has one set of pairs for ever."""
    rng = np.random.default_rng(0)
    fixed = rng.normal(size=20)
    hits = []
    for _ in range(1500):
        columns = fixed if census else rng.normal(size=20)
        values = between * rng.normal(size=(15, 1)) + 0.5 * columns + rng.normal(size=(15, 20))
        truth = 0.5 * fixed.mean() if census else 0.0
        hits.append(crossed(values, 0.9, census=census).contains(truth))
    # The pure-interaction case may be conservative: its variance is the difference of two that are equal.
    assert_nominal(hits, 0.9, 3.5, 0.0 if between else 0.04)


@pytest.mark.parametrize("n", [5, 6, 20, 21])
@pytest.mark.parametrize("spread", [0.2, 1.0])
def test_interval_of_a_median_covers_whatever_the_skewness(n, spread):
    rng = np.random.default_rng(0)
    hits = [middle_of_draws(3.0 * np.exp(spread * rng.normal(size=n)), 0.95).contains(3.0) for _ in range(2500)]
    assert_nominal(hits, 0.95, 3.5)


def test_interval_of_a_median_is_made_of_order_statistics():
    values = np.arange(1.0, 7.0)  # of 6 values the range has confidence 1 - 2/64
    found = middle_of_draws(values, 1.0 - 2.0 / 64.0)
    assert (found.value, found.low, found.high) == (3.5, pytest.approx(1.0), pytest.approx(6.0))
    inner = middle_of_draws(values, 1.0 - 14.0 / 64.0)
    assert (inner.low, inner.high) == (pytest.approx(2.0), pytest.approx(5.0))
    assert middle_of_draws(np.zeros(5), 0.95) == Estimate(0.0, 0.0, 0.0)
    assert middle_of_draws(np.full(5, 2.0), 0.95) == Estimate(2.0, 2.0, 2.0)


@pytest.mark.parametrize("draws", [5, 20])
@pytest.mark.parametrize("ratio", [0.2, 0.6, 0.9])
def test_interval_of_mean_squares_covers_sums_of_few_chi_squares(draws, ratio):
    """Student's interval covers 85 to 90 % here, for a ratio of 0.2."""
    rng = np.random.default_rng(1)
    weights = ratio ** np.arange(30)
    hits = []
    for _ in range(2500):
        squares = rng.normal(size=(draws, 30)) ** 2 @ weights
        hits.append(crossed(squares[:, None], 0.95, census=True, law="squares").contains(weights.sum()))
    assert abs(np.mean(hits) - 0.95) <= 0.013  # 3 standard errors


def draw_errors(rng: np.random.Generator, difference: np.ndarray) -> np.ndarray:
    """Errors (draws x pairs) of Fourier features of a Gaussian kernel, from the definition."""
    w = rng.normal(size=(DRAWS * WIDTH // 2, DIM)) / LENGTH
    values = np.cos(w @ difference.T).reshape(DRAWS, WIDTH // 2, -1).mean(axis=1)
    return values - Gaussian(LENGTH).at(difference)


def differences(rng: np.random.Generator, n_pairs: int) -> np.ndarray:
    return rng.normal(size=(n_pairs, DIM)) * np.sqrt(2.0)


def cover(n_reports: int, pairs: Callable[[np.random.Generator], np.ndarray], census: bool) -> dict[str, list[bool]]:
    """How often the interval of each line contains the truth: theory's, or that of four thousand other draws."""
    rng = np.random.default_rng(4)
    sizes = [np.abs(draw_errors(rng, pairs(rng) if census else differences(rng, 1000))) for _ in range(200)]
    truth = {
        name: float(np.mean([np.quantile(size, level, axis=1) for size in sizes])) for name, level in QUANTILES.items()
    }
    truth["bias"] = 0.0
    squared = theory.l2_error(Gaussian(LENGTH), n_components=WIDTH, dim=DIM, normal=1.0)
    if census:
        squared = theory.l2_error(Gaussian(LENGTH), n_components=WIDTH, difference=pairs(rng))
        truth["maximum"] = float(np.median(np.concatenate([size.max(axis=1) for size in sizes])))
    truth["root mean square"] = float(np.sqrt(squared))
    hits: dict[str, list[bool]] = {name: [] for name in truth}
    for _ in range(n_reports):
        errors = draw_errors(rng, pairs(rng))
        sample = Sample(None, np.zeros(errors.shape[1]), census)
        for line in kernel_quantities(errors, sample, NoPrediction("not asked"), 0.95):
            if line.name in truth:
                hits[line.name].append(line.measured.contains(truth[line.name]))
    return hits


FIXED = differences(np.random.default_rng(3), 60)


@pytest.mark.parametrize("census", [False, True])
def test_every_interval_of_a_report_covers(census):
    pairs = (lambda _: FIXED) if census else (lambda rng: differences(rng, PAIRS))
    for hits in cover(200, pairs, census).values():
        assert_nominal(hits, 0.95, 3.5)


@pytest.mark.slow
@pytest.mark.parametrize("census", [False, True])
def test_every_interval_of_a_report_covers_to_a_point_and_a_half(census):
    pairs = (lambda _: FIXED) if census else (lambda rng: differences(rng, PAIRS))
    for name, hits in cover(2500, pairs, census).items():
        assert abs(np.mean(hits) - 0.95) <= 0.015, name


@pytest.mark.parametrize("width", [8, 64])
def test_intervals_of_gram_errors_cover(width):
    """The ridge norm of few components has a heavy tail: 20 draws tell its median, not its mean."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 1))
    gram = GramSample.of(Gaussian(), X, 20, width, None, 20)

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

"""The intervals of a report cover at their nominal rate."""

import numpy as np
import pytest

from bochner import theory
from bochner.kernels import Gaussian
from bochner.report.intervals import crossed, grouped, over_draws


def coverage(hits: list[bool]) -> float:
    return float(np.mean(hits))


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
    # 5 standard errors of a simulation of 1500 are 0.04; the pure-interaction case may be conservative.
    assert 0.86 <= coverage(hits) <= (0.94 if between else 0.98)


def test_interval_over_draws_covers():
    rng = np.random.default_rng(0)
    hits = [over_draws(rng.normal(3.0, 2.0, size=10), 0.9).contains(3.0) for _ in range(2000)]
    assert 0.866 <= coverage(hits) <= 0.934


@pytest.mark.parametrize("width", [16, 128])
def test_the_report_s_intervals_cover_with_a_real_map(width):
    """Fourier features of a Gaussian kernel on normal rows, simulated from the definition, 400 reports of 20 draws.

    The truth is the theory's exact variance averaged over the law of the rows.
    """
    rng = np.random.default_rng(0)
    truth = theory.l2_error(Gaussian(1.5), n_components=width, dim=2, normal=1.0)
    hits: dict[str, list[bool]] = {"bias": [], "square": []}
    for _ in range(400):
        delta = rng.normal(size=(200, 2)) * np.sqrt(2)
        w = rng.normal(size=(20, width // 2, 2)) / 1.5
        errors = np.cos(np.einsum("rfd,nd->rnf", w, delta)).mean(axis=2) - Gaussian(1.5).at(delta)
        groups = grouped(200)
        means = np.stack([errors[:, part].mean(axis=1) for part in groups], axis=1)
        squares = np.stack([(errors[:, part] ** 2).mean(axis=1) for part in groups], axis=1)
        hits["bias"].append(crossed(means, 0.95, census=False).contains(0.0))
        hits["square"].append(crossed(squares, 0.95, census=False, positive=True).contains(truth))
    for found in hits.values():  # within 2.5 standard errors of a simulation of 400, a false alarm once in 150
        assert abs(coverage(found) - 0.95) <= 2.5 * np.sqrt(0.95 * 0.05 / 400)

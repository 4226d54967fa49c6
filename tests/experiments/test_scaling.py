"""The parts of the experiment scaling: rows, peaks of memory, powers."""

import time

import numpy as np
import pytest

from bochner.experiments.papers.scaling import machines
from bochner.experiments.papers.scaling.growth import PowerLaw
from bochner.experiments.papers.scaling.machines import MACHINES, Fit, generated, measured
from bochner.experiments.stopwatch import Stopwatch


def test_few_rows_are_the_first_of_many(monkeypatch):
    """However many are made at once."""
    X, y = generated(1000)
    monkeypatch.setattr(machines, "CHUNK", 300)
    for n_rows in (200, 650, 1000):
        few = generated(n_rows)
        assert np.array_equal(few[0], X[:n_rows])
        assert np.array_equal(few[1], y[:n_rows])
    assert not np.array_equal(generated(1000, seed=1)[0], X)


def test_both_kinds_of_machines_have_the_same_kernel():
    X, y = generated(300)
    exact, ours = (MACHINES[name].make() for name in ("scikit-learn's KernelRidge", "bochner's KernelRidge"))
    exact.fit(X, y)
    assert np.allclose(exact._get_kernel(X), ours.feature_map.kernel(X), atol=1e-5)
    assert exact.alpha == ours.alpha


def test_memory_is_that_of_the_kernel_matrix():
    """n² values of single precision, of which the solution makes one copy or two; measured beside 300 rows' fit."""
    fit = measured("scikit-learn's KernelRidge", [2500])[0]
    matrix = 4 * 2500**2 / 1e6
    assert matrix < fit.megabytes < 6 * matrix
    assert fit.n_rows == 2500
    assert 0.25 < fit.error < 0.4


def test_powers_are_found_again():
    fits = [Fit(n, 2e-6 * n**1.5, 1e-5 * n**2, 0.1) for n in (100, 1000, 4000)]
    growth = PowerLaw.between(fits[1], fits[2])
    assert growth.time == pytest.approx(1.5)
    assert growth.memory == pytest.approx(2.0)
    assert growth.at(8000) == pytest.approx((2e-6 * 8000**1.5, 1e-5 * 8000**2))


def test_waiting_is_not_work():
    """A process that sleeps uses no processor; one that works is on the clock."""
    watch = Stopwatch()
    time.sleep(0.3)
    assert watch.seconds() < 0.2

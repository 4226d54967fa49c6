"""Trials are made once, whatever they are called."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.auto import attempts as attempts_module
from bochner.auto.attempts import Attempts
from bochner.auto.budget import TrialsClock
from bochner.auto.candidates import Candidate, Task
from bochner.auto.families import LAST, SECOND, Exact, Fourier
from bochner.auto.folds import make_folds
from bochner.auto.trial import Data
from bochner.auto.tuning import Tuning


@pytest.fixture
def attempts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.sin(3 * X[:, 0]) + 0.3 * rng.normal(size=300)
    data = Data(X, y, make_folds(X, y, False, rng))
    return Attempts(data, Task(False, None, 10**8, 1, 0).for_rows(300), TrialsClock(100), progress=False)


def candidate(**changes):
    return Candidate(**({"family": Fourier(), "kernel": bo.Gaussian(np.ones(2)), "scales": "plain"} | changes))


@pytest.mark.parametrize(
    "changes",
    [
        {"family": Exact()},
        {"kernel": bo.Gaussian(np.array([1.0, 1.1]))},
        {"kernel": bo.Matern(np.ones(2), nu=1.5)},
        {"kernel": bo.Gaussian(bo.Metric(np.eye(2)))},
        {"factor": 0.5},
        {"loss": "squared hinge"},
        {"alpha": 0.1},
        {"solved": True},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_differs_in_anything_but_words_is_not_the_same(changes):
    assert candidate().same_as(candidate(scales="other words"))
    assert candidate(**changes).same_as(candidate(**changes))
    assert not candidate().same_as(candidate(**changes))


def test_projected_kernels_are_compared_by_their_matrices():
    one, other, third = (
        candidate(kernel=bo.Matern(bo.Metric(np.diag([1.0, entry])), nu=0.5)) for entry in (2.0, 2.0, 3.0)
    )
    assert one.same_as(other)
    assert not one.same_as(third)


def test_roots_of_steps_come_back_to_the_same_factor():
    assert candidate(factor=0.5).same_as(candidate(factor=0.5**0.5 * 0.5**0.5))


def test_nothing_is_fitted_twice(attempts, monkeypatch):
    made = []

    def counted(*arguments):
        made.append(arguments)
        return run(*arguments)

    run = attempts_module.run_trial
    monkeypatch.setattr(attempts_module, "run_trial", counted)
    first = attempts.attempt(candidate(family=Exact(), alpha=0.1), SECOND)
    again = attempts.attempt(candidate(family=Exact(), alpha=0.1, scales="other words"), SECOND)
    assert again is first
    assert len(made) == attempts.clock.trials == 1
    last = attempts.attempt(candidate(family=Exact(), alpha=0.1), LAST)  # all rows were there before
    assert last.rung == LAST
    assert last.loss == first.loss
    assert len(made) == 1
    assert attempts.best() is last
    wide = attempts.attempt(candidate(), SECOND)
    assert attempts.attempt(candidate(), 0) is wide  # as many features as rows on both rungs


def test_exact_machines_are_tuned_in_scale_and_alpha(attempts):
    """From far off in both, noisy rows of a wave are explained as well as by the best of a grid."""
    start = candidate(family=Exact(), kernel=bo.Gaussian(np.full(2, 4.0)), alpha=30.0)
    tuned = Tuning(attempts).tune(attempts.attempt(start, SECOND))
    grid = [
        attempts.attempt(start.at_factor(factor).with_alpha(alpha), SECOND).loss
        for factor in (1.0, 0.5, 0.25, 0.125)
        for alpha in (10.0, 1.0, 0.1, 0.01)
    ]
    assert tuned.candidate.factor < 1.0
    assert tuned.alpha < 3.0
    assert tuned.loss < 1.05 * min(grid)


def test_exact_classifiers_whose_kernel_values_are_not_kept(attempts):
    """So many rows that one triangle of the kernel would not fit the memory: each trial is solved without one."""
    labels = (attempts.data.y > 0).astype(int)
    attempts.data = replace(attempts.data, y=labels, n_classes=2)
    attempts.task = Task(True, None, 10**8, 1, 0).for_rows(40_000)
    assert not attempts.task.kept
    assert attempts.attempt(candidate(family=Exact()), SECOND).score > 0.7

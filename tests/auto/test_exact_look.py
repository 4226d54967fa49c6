"""Which kernels are tried with a coefficient for each row, and when what comes of it counts."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.auto.attempts import Attempts
from bochner.auto.budget import TrialsClock
from bochner.auto.candidates import NOTHING_KEPT, Candidate, Task
from bochner.auto.exact_look import LEAD, ExactLook, as_exact, distinct, fast_values
from bochner.auto.families import SECOND, Binning, Exact, Fourier, Nystroem
from bochner.auto.folds import make_folds
from bochner.auto.trial import Data
from bochner.auto.tuning import Tuning

SCALES = np.ones(3)
METRIC = bo.Matern(bo.Metric(np.eye(3)), nu=0.5)


@pytest.fixture
def attempts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(240, 3))
    y = np.sin(2 * X[:, 0])
    data = Data(X, y, make_folds(X, y, False, rng))
    return Attempts(data, Task(False, None, 10**8, 1, 0).for_rows(240), TrialsClock(100), progress=False)


def tried(attempts, *candidates):
    return [attempts.attempt(candidate, SECOND) for candidate in candidates]


def test_smooth_kernels_the_roughest_in_its_metric_and_the_limit_of_binning_each_once(attempts):
    smooth = Candidate(Fourier(), bo.Gaussian(SCALES), "some")
    made = tried(
        attempts,
        smooth,
        replace(smooth, family=Nystroem(), scales="the same at landmarks"),
        Candidate(Nystroem(), METRIC, "metric"),
        Candidate(Binning(), bo.Laplace(SCALES), "some", 0.5, alpha=0.1),
        Candidate(Binning(), bo.StretchedExponential(SCALES), "some", alpha=0.1),
    )
    found = ExactLook(attempts).trials(made)
    assert {trial.candidate.family for trial in found} == {Exact()}
    names = sorted(trial.candidate.kernel_name for trial in found)
    assert names == ["Gaussian", "Laplace", "Matern(nu=0.5)", "Matern(nu=1.5)"]
    laplace = next(trial for trial in found if trial.candidate.kernel_name == "Laplace")
    assert laplace.candidate.factor == 0.5


def test_without_kept_values_only_a_clear_lead_counts(attempts):
    made = tried(attempts, Candidate(Fourier(), bo.Gaussian(SCALES), "some"))
    look = ExactLook(attempts)
    found = look.trials(made)
    near = [replace(made[0], loss=min(trial.loss for trial in found) / LEAD * 0.99)]
    far = [replace(made[0], loss=min(trial.loss for trial in found) / LEAD * 1.01)]
    assert look.worth(found, near) == found  # kept, and so quick that no lead is asked for
    attempts.task = replace(attempts.task, kept=False)
    assert look.worth(found, far) == found
    assert look.worth(found, near) == []
    assert all(trial.candidate.family != Exact() for trial in attempts.trials)  # forgotten


def test_metrics_come_from_models_solved_to_the_end_and_are_compared_as_the_final_one_will_be(attempts):
    attempts.task = replace(attempts.task, kept=False, passes=2)
    first = attempts.attempt(as_exact(Candidate(Nystroem(), METRIC, "metric")).with_alpha(0.01), SECOND)
    before = len(attempts.trials)
    best = Tuning(attempts).sharpen(first)
    made = attempts.trials[before:]
    assert len(made) > 3
    assert all(trial.candidate.solved for trial in made[:-1])
    assert best is made[-1]
    assert not best.candidate.solved
    assert best.loss < first.loss
    machines = [attempts.task.estimator(trial.candidate, 160, 160, 0.05) for trial in (made[0], best)]
    assert [machine.engine.memory for machine in machines] == [attempts.task.memory, NOTHING_KEPT]
    assert all(not trial.candidate.solved for trial in attempts.comparable())


def test_without_memory_for_these_rows_metrics_come_from_what_there_is(attempts):
    attempts.task = replace(attempts.task, kept=False, memory=1)
    first = attempts.attempt(as_exact(Candidate(Nystroem(), METRIC, "metric")).with_alpha(0.01), SECOND)
    Tuning(attempts).sharpen(first)
    assert len(attempts.trials) > 1
    assert not any(trial.candidate.solved for trial in attempts.trials)


def test_what_is_slow_is_not_tried():
    assert fast_values(Candidate(Binning(), bo.Laplace(np.ones(64)), "some"))
    assert not fast_values(Candidate(Binning(), bo.Laplace(np.ones(65)), "some"))
    assert not fast_values(Candidate(Binning(), bo.StretchedExponential(SCALES), "some"))
    assert not fast_values(Candidate(Fourier(), bo.RationalQuadratic(SCALES), "some"))


def test_the_same_kernel_of_two_families_is_one():
    smooth = Candidate(Fourier(), bo.Gaussian(SCALES), "some")
    assert len(distinct([as_exact(smooth), as_exact(replace(smooth, family=Nystroem()))])) == 1

import time

import numpy as np
import pytest

import bochner as bo
from bochner.auto import attempts as attempts_module
from bochner.auto.budget import SecondsClock, TrialsClock, clock_for


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 3))
    return X, np.where(X[:, 0] * X[:, 1] > 0, "yes", "no")


def test_words():
    clock = clock_for("2 min")
    assert isinstance(clock, SecondsClock)
    assert clock.seconds == 120
    assert isinstance(clock_for(7), TrialsClock)
    for wrong in ("soon", "0s", 0, -1, True, 1.5, None):
        with pytest.raises(ValueError, match="budget must be"):
            clock_for(wrong)


def test_trials_are_counted_and_the_result_depends_on_the_seed_only(problem):
    X, y = problem
    first, again = (bo.AutoKernelClassifier(budget=5, random_state=1, progress=False).fit(X, y) for _ in range(2))
    assert len(first.leaderboard_) == 5
    np.testing.assert_array_equal(first.decision_function(X), again.decision_function(X))


def test_seconds_are_kept(problem):
    X, y = problem
    bo.AutoKernelClassifier(budget=1, progress=False).fit(X, y)  # compiles
    start = time.perf_counter()
    model = bo.AutoKernelClassifier(budget="1s", progress=False, random_state=0).fit(X, y)
    assert time.perf_counter() - start < 12.0  # other processes share the machine
    assert model.score(X, y) > 0.8


def test_interruption_keeps_the_best_so_far(problem, monkeypatch):
    X, y = problem
    made = []

    def interrupted(*arguments):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(attempts_module_run(*arguments))
        return made[-1]

    attempts_module_run = attempts_module.run_trial
    monkeypatch.setattr(attempts_module, "run_trial", interrupted)
    model = bo.AutoKernelClassifier(budget=20, random_state=0, progress=False).fit(X, y)
    assert len(model.leaderboard_) == 2
    assert model.best_score_ == max(trial.score for trial in made)


def test_interruption_before_anything_is_known(problem, monkeypatch):
    def interrupted(*arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(attempts_module, "run_trial", interrupted)
    with pytest.raises(KeyboardInterrupt):
        bo.AutoKernelClassifier(budget=20, progress=False).fit(*problem)


def test_more_is_kept_for_a_long_final_fit_but_not_more_than_two_fifths(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    clock = SecondsClock(100.0)
    assert clock.allows(80.0)
    assert not clock.allows(80.1)
    clock.keep(10.0)  # less than is kept already
    assert clock.allows(80.0)
    clock.keep(25.0)
    assert clock.allows(70.0)
    assert not clock.allows(70.1)
    clock.keep(1000.0)
    assert clock.allows(60.0)
    assert not clock.allows(60.1)
    clock.keep(1.0)  # what was kept once stays
    now[0] = 10.0
    assert clock.allows(50.0)
    assert not clock.allows(50.1)
    assert clock.left() == 90.0

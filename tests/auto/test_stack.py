"""Weights of a stack are optimal, a stack is made only where it helps, and one model is one model."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.auto.folds import Fold
from bochner.auto.stack import LEAST_WEIGHT, stack_of
from bochner.auto.trial import Data, Trial, judge


class Kind:
    solved = False

    def __init__(self, name):
        self.kind = self.family = name


def trials(noises, n=4000):
    """Predictions of the same target with independent errors."""
    rng = np.random.default_rng(0)
    y = rng.normal(size=n)
    rows = np.arange(n)
    data = Data(np.zeros((n, 1)), y, [Fold(rows, rows)])
    made = []
    for place, noise in enumerate(noises):
        scores = (y + noise * rng.normal(size=n))[:, None]
        loss, score = judge(scores, data)
        made.append(Trial(Kind(str(place)), 0, n, 1, loss, score, 1.0, 1.0, scores))
    return made, data


def test_weights_go_with_the_inverse_of_the_error_and_no_others_are_better():
    made, data = trials([0.3, 0.5])
    stack = stack_of(made[0], made, data, 3)
    assert len(stack.trials) == 2
    expected = 0.3**-2 / (0.3**-2 + 0.5**-2)
    assert abs(stack.weights[0] - expected) < 5 * 0.5 / np.sqrt(len(data.y))
    best = judge(stack.scores, data)[0]
    for share in (-0.1, 0.1):
        moved = replace(stack, weights=(stack.weights[0] + share, stack.weights[1] - share))
        assert judge(moved.scores, data)[0] > best


def test_weak_models_and_too_many_are_left_out():
    made, data = trials([0.3, 0.35, 0.4, 0.45, 5.0])
    stack = stack_of(made[0], made, data, 3)
    assert [trial.candidate.family for trial in stack.trials] == ["0", "1", "2"]
    assert min(stack.weights) >= LEAST_WEIGHT
    assert stack_of(made[0], made, data, 1).trials == (made[0],)
    assert stack_of(made[0], [made[0], made[4]], data, 3).weights == (1.0,)
    assert stack_of(made[1], made, data, 1).trials == (made[1],)  # the best is given: it may be so for other reasons


def classifiers(shares, n=4000):
    """Scores of ±1 that are right for so many of the rows, those of them that come first."""
    y = np.random.default_rng(0).integers(0, 2, size=n)
    rows = np.arange(n)
    data = Data(np.zeros((n, 1)), y, [Fold(rows, rows)], 2)
    made = []
    for place, share in enumerate(shares):
        scores = np.where(rows < share * n, 1.0, -1.0) * np.where(y == 1, 1.0, -1.0)
        loss, score = judge(scores[:, None], data)
        made.append(Trial(Kind(str(place)), 0, n, 1, loss, score, 1.0, 1.0, scores[:, None]))
    return made, data


def test_classifiers_that_chance_put_behind_the_best_vote_with_it():
    error = np.sqrt(0.9 * 0.1 / 4000)
    made, data = classifiers([0.9, 0.9 - 0.9 * error, 0.9 - 1.1 * error, 0.8])
    stack = stack_of(made[0], made, data, 3)
    assert stack.trials == tuple(made[:2])
    assert stack.weights == (0.5, 0.5)
    assert not stack.better
    assert stack_of(made[0], made, data, 1).trials == (made[0],)
    made, data = classifiers([0.9, 0.9, 0.9, 0.9])
    assert stack_of(made[0], made, data, 3).weights == (1 / 3, 1 / 3, 1 / 3)


def test_classifiers_without_an_error_stand_alone():
    made, data = classifiers([1.0, 1.0])
    assert stack_of(made[0], made, data, 3).trials == (made[0],)


@pytest.fixture
def problem():
    rng = np.random.default_rng(0)
    X = rng.uniform(-1, 1, size=(900, 3))
    return X, np.sign(X[:, 0]) + np.sin(3 * X[:, 1]) + 0.1 * rng.normal(size=900)


def test_steps_and_waves_want_two_maps(problem, tmp_path):
    X, y = problem
    single = bo.AutoKernelRegressor(budget=30, ensemble=1, random_state=0, progress=False).fit(X[:600], y[:600])
    both = bo.AutoKernelRegressor(budget=30, random_state=0, progress=False).fit(X[:600], y[:600])
    assert isinstance(single.best_estimator_.estimators_[0], bo.KernelRidge)
    assert len(both.best_estimator_.estimators_) >= 2
    assert both.best_score_ > single.best_score_
    assert both.score(X[600:], y[600:]) > 0.985  # at most 1 - 0.01 / var(y), which is 0.994
    assert "Together they were better" in both.explain()
    bo.save(both.best_estimator_, tmp_path / "model")
    np.testing.assert_array_equal(bo.load(tmp_path / "model").predict(X), both.predict(X))
    with pytest.raises(ValueError, match="ensemble"):
        bo.AutoKernelRegressor(budget=2, ensemble=0, progress=False).fit(X, y)

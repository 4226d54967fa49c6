"""What is said of columns was measured, agrees with what they do, and holds for rows that nobody saw."""

import re

import numpy as np
import pandas as pd
import pytest

import bochner as bo

AMOUNT = re.compile(r"(\w+) \((-?\d+\.\d+) ± (\d+\.\d+)\)")


def searched(X, y, budget, **options):
    kind = bo.AutoKernelRegressor if np.asarray(y).dtype.kind == "f" else bo.AutoKernelClassifier
    return kind(budget, random_state=0, progress=False, **options).fit(X, y)


def named(model):
    """Columns that are said to matter: name to (cost, standard error)."""
    if "is lost with" not in model.explanation_:
        return {}
    words = model.explanation_.split("is lost with")[1].split(";")[0]
    return {name: (float(mean), float(error)) for name, mean, error in AMOUNT.findall(words)}


def hardly_count(model):
    return "hardly count" in model.explanation_


def with_noise(n, seed, n_noise=6):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 2)), columns=["wave", "slope"])
    for place in range(n_noise):
        X.insert(int(rng.integers(0, X.shape[1] + 1)), f"noise{place}", rng.standard_t(3, size=n) * 10.0**place)
    return X, np.sin(2 * X["wave"]) + X["slope"] + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize("labels", [False, True], ids=["numbers", "labels"])
@pytest.mark.parametrize("budget", [1, 12])
def test_noise_never_matters(budget, labels):
    """Also with the first candidate's length scales, which no one learned."""
    for seed in range(3):
        X, y = with_noise(300, seed)
        model = searched(X, y > 0 if labels else y, budget)
        assert set(named(model)) <= {"wave", "slope"}
        assert "slope" in named(model)
        assert "length scale" not in model.explanation_


def test_costs_are_those_of_theory():
    """For y = 2u + v + e shuffling u costs 2 var(2u) / var(y) of R²: a draw and its target differ by twice of it."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(-1, 1, size=(1200, 3)), columns=["u", "v", "nothing"])
    y = 2 * X["u"] + X["v"] + 0.1 * rng.normal(size=1200)
    model = searched(X, y, 8)
    assert list(named(model)) == ["u", "v"]
    for name, slope in (("u", 2.0), ("v", 1.0)):
        cost, error = named(model)[name]
        assert abs(cost - 2 * slope**2 * X[name].var() / y.var()) < 5 * error
        assert error < 0.05
    assert hardly_count(model)
    assert "the other 1 together lose nothing beyond noise" in model.explanation_


def twins(n, seed):
    """Two copies of what decides, one of a column that helps, and noise."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n, 4)), columns=["one", "helper", "noise0", "noise1"])
    X["other"] = X["one"] + 0.01 * rng.normal(size=n)
    return X, (X["one"] + 0.5 * X["helper"] + 0.3 * rng.normal(size=n) > 0)


def shuffled_score(model, X, y, names, seed):
    X, order = X.copy(), np.random.default_rng(seed).permutation(len(X))
    X[names] = X[names].to_numpy()[order]
    return model.score(X, y)


@pytest.mark.parametrize("problem", [with_noise, twins])
@pytest.mark.parametrize("budget", [1, 12])
def test_words_hold_for_new_rows(problem, budget):
    """Columns that are named cost something there; all others together cost little where they are said to."""
    X, y = problem(5500, 1)
    model = searched(X[:500], y[:500], budget)
    known, target = X[500:], y[500:]
    score = model.score(known, target)
    for name in named(model):
        assert shuffled_score(model, known, target, [name], 2) < score - 0.005
    others = [name for name in X.columns if name not in named(model)]
    lost = score - shuffled_score(model, known, target, others, 3)
    assert lost < 0.05 if hardly_count(model) else "hardly" not in model.explanation_


def test_columns_that_stand_in_for_each_other_are_not_said_to_hardly_count():
    """Most of thirty copies can be shuffled one by one at no cost that shows; all of them together cannot."""
    rng = np.random.default_rng(0)
    value = rng.normal(size=90)
    X = pd.DataFrame({f"copy{place}": value for place in range(30)})
    model = searched(X + 0.01 * rng.normal(size=X.shape), value > 0, 1)
    assert not hardly_count(model)
    assert len(named(model)) < 10
    together = float(re.findall(r"together lose (\d\.\d+)", model.explanation_)[0])
    assert together > 0.2


def test_a_model_that_knows_nothing_says_so():
    rng = np.random.default_rng(0)
    model = searched(rng.normal(size=(300, 3)), rng.normal(size=300), 4)
    assert "No column loses R² beyond noise by itself; all 3 together lose" in model.explanation_


def test_the_lead_over_other_maps_has_its_noise():
    X, y = with_noise(400, 0, 0)
    words = searched(X, y, 12).explanation_
    lead, error = map(float, re.findall(r"(\d\.\d+) ± (\d\.\d+) (?:behind|ahead) on the same rows", words)[0])
    assert ("which chance may explain" in words) == (lead <= 2 * error)


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
def test_the_score_has_its_name(scoring):
    X, y = with_noise(300, 0)
    words = searched(X, y > 1.0, 1, scoring=scoring).explanation_
    assert f"Most {scoring.replace('_', ' ')} is lost with" in words


def test_of_many_columns_those_that_go_with_the_target_are_measured_first():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 150))
    model = searched(X, X[:, 140] + 0.1 * rng.normal(size=900), 1)
    assert "x140" in named(model)
    shuffled = int(re.findall(r"of the (\d+) shuffled one by one", model.explanation_)[0])
    assert 50 < shuffled < 150


def test_what_was_not_measured_is_not_said(monkeypatch):
    X, y = with_noise(300, 0)
    assert "Too few rows were held out" in searched(X[:20], y[:20], 1).explanation_
    assert "No time was left to measure" in searched(X, y, "0.001s").explanation_

    def broken(*_):
        raise MemoryError("too many")

    monkeypatch.setattr("bochner.auto.shuffles.shuffled", broken)
    model = searched(X, y, 1)
    assert "could not be measured, because of MemoryError: too many" in model.explanation_
    assert np.isfinite(model.predict(X)).all()


def test_the_same_seed_says_the_same():
    X, y = with_noise(300, 0)
    first, again = (re.sub(r"[\d.]+ s\.", "", searched(X, y, 8).explanation_) for _ in range(2))
    assert first == again

"""A search ends with a model whatever becomes of single candidates, on tables of any size, or with one sentence."""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bochner as bo

KINDS = {"numbers": bo.AutoKernelRegressor, "labels": bo.AutoKernelClassifier}
MACHINES = {"numbers": bo.KernelRidge, "labels": bo.KernelRidgeClassifier}
SCORES = {"numbers": "predict", "labels": "decision_function"}


def searched(kind, X, y, budget=12, **options):
    return KINDS[kind](budget, random_state=0, progress=False, **options).fit(X, y)


def assert_sound(model, X, y):
    """Finite predictions and scores; what failed says why and stands behind what did not."""
    predicted = model.predict(X)
    assert predicted.shape == (len(y),)
    if isinstance(model, bo.AutoKernelClassifier):
        assert set(predicted) <= set(y)
        np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1.0, rtol=1e-6)
    else:
        assert np.isfinite(predicted).all()
    assert np.isfinite(model.best_score_)
    failed = [bool(record["failed"]) for record in model.leaderboard_]
    assert failed == sorted(failed)
    assert not failed[0]
    for record in model.leaderboard_:
        assert np.isfinite(record["score"]) or (record["failed"] and record["score"] == -np.inf)
    assert "nan" not in f"{model.leaderboard_} {model.explanation_}"


def problem(kind, n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    y = np.sin(2 * X[:, 0]) + X[:, 1] + 0.1 * rng.normal(size=n)
    return X, y if kind == "numbers" else np.where(y > 0, "high", "low")


def is_fourier(machine):
    return isinstance(machine.feature_map, bo.FourierFeatures)


def parts_of(estimator):
    return estimator.estimators_


# -- candidates that fail


@pytest.fixture
def raising(monkeypatch):
    """Let fits of some machines raise an error."""

    def install(kind, fails, error):
        fit = MACHINES[kind].fit

        def broken(self, X, y, sample_weight=None):
            if fails(self, X):
                raise error
            return fit(self, X, y, sample_weight)

        monkeypatch.setattr(MACHINES[kind], "fit", broken)

    return install


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("budget", [1, 16])
@pytest.mark.parametrize("error", [ValueError("no\nluck"), MemoryError("too wide"), ZeroDivisionError("by zero")])
def test_what_raises_is_recorded_with_its_reason_and_others_go_on(kind, budget, error, raising):
    X, y = problem(kind)
    raising(kind, lambda machine, _: is_fourier(machine), error)
    model = searched(kind, X, y, budget)
    assert_sound(model, X, y)
    failed = [record for record in model.leaderboard_ if record["failed"]]
    assert {record["map"] for record in failed} == {"Fourier"}
    reason = f"{type(error).__name__}: {error}".replace("\n", " ")
    assert {record["failed"] for record in failed} == {reason}
    assert model.leaderboard_.to_frame()["failed"].tolist() == [record["failed"] for record in model.leaderboard_]
    assert "more failed" in model.explanation_
    assert not any(is_fourier(machine) for machine in parts_of(model.best_estimator_))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_scores_that_are_not_finite_never_lead(kind, value, monkeypatch):
    """One such row is enough, in one of the folds."""
    X, y = problem(kind)
    honest = getattr(MACHINES[kind], SCORES[kind])

    def spoiled(self, rows):
        scores = honest(self, rows)
        if is_fourier(self) and len(rows) < 150:  # held-out rows of a fold
            scores[-1] = value
        return scores

    monkeypatch.setattr(MACHINES[kind], SCORES[kind], spoiled)
    model = searched(kind, X, y, 20)
    assert_sound(model, X, y)
    assert {bool(record["failed"]) for record in model.leaderboard_ if record["map"] == "Fourier"} == {True}
    assert not any(is_fourier(machine) for machine in parts_of(model.best_estimator_))


@pytest.mark.parametrize("kind", KINDS)
def test_where_nothing_can_be_fitted_one_sentence_says_why(kind, raising):
    X, y = problem(kind)
    raising(kind, lambda machine, _: True, ValueError("the moon is full"))
    with pytest.raises(RuntimeError, match=r"None of \d+ models could be fitted.*the moon is full"):
        searched(kind, X, y)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ensemble", [1, 4])
def test_a_last_fit_that_fails_leaves_the_next_best(kind, ensemble, raising):
    X, y = problem(kind)
    best = searched(kind, X, y, 16, ensemble=1).best_estimator_.estimators_[0].feature_map
    raising(
        kind, lambda machine, rows: type(machine.feature_map) is type(best) and len(rows) == len(X), OSError("full")
    )
    model = searched(kind, X, y, 16, ensemble=ensemble)
    assert_sound(model, X, y)
    assert all(type(machine.feature_map) is not type(best) for machine in parts_of(model.best_estimator_))
    assert any(record["failed"] == "OSError: full" and record["rows"] == len(X) for record in model.leaderboard_)


def test_lessons_that_fail_are_recorded(monkeypatch):
    def refuse(*_, **__):
        raise ValueError("nothing to learn")

    X, y = problem("numbers")
    monkeypatch.setattr("bochner.scales.maximise.minimize", refuse)
    model = searched("numbers", X, y, 30)
    assert_sound(model, X, y)
    failed = [record for record in model.leaderboard_ if record["failed"] == "ValueError: nothing to learn"]
    assert {record["map"] for record in failed} == {"Fourier", "binning"}


def test_ordinary_tables_have_no_failures(caplog):
    with caplog.at_level(logging.INFO, logger="bochner"):
        for kind in KINDS:
            model = searched(kind, *problem(kind), 40)
            assert not any(record["failed"] for record in model.leaderboard_)
            assert "failed" not in model.explanation_


# -- small tables


def columns(name, n, d, rng):
    rows = {
        "normal": lambda: rng.normal(size=(n, d)),
        "constant": lambda: np.hstack([np.full((n, 1), 3.7), rng.normal(size=(n, d - 1))]),
        "repeated": lambda: rng.normal(size=(max(1, n // 3), d))[rng.integers(max(1, n // 3), size=n)],
        "counts": lambda: rng.poisson(1.0, size=(n, d + 4)).astype(float),
        "binary": lambda: rng.integers(0, 2, size=(n, d)).astype(float),
        "missing": lambda: np.where(rng.random((n, d)) < 0.3, np.nan, rng.normal(size=(n, d))),
    }
    return rows[name]()


def numbers(name, n, rng):
    values = {
        "normal": rng.normal(size=n),
        "one value": np.full(n, 2.5),
        "skewed": np.exp(3 * rng.normal(size=n)),
        "far from zero": 1e8 + rng.normal(size=n),
        "far apart": rng.standard_cauchy(size=n),
        "sorted": np.sort(rng.normal(size=n)),
    }
    return values[name]


def labels(name, n, rng):
    values = {
        "two": np.r_[0, 1, rng.integers(0, 2, size=n - 2)],
        "one positive": np.arange(n) == n - 1,
        "three": np.r_[0, 1, 2, rng.integers(0, 3, size=n - 3)],
        "each its own": np.arange(n),
        "words": np.array(["no", "yes"])[np.sort(np.r_[0, 1, rng.integers(0, 2, size=n - 2)])],
    }
    return values[name]


COLUMNS = ("normal", "constant", "repeated", "counts", "binary", "missing")
NUMBERS = ("normal", "one value", "skewed", "far from zero", "far apart", "sorted")
LABELS = ("two", "one positive", "three", "each its own", "words")


@settings(max_examples=25, derandomize=True, deadline=None, database=None)
@given(
    n=st.integers(3, 20),
    d=st.integers(1, 5),
    rows=st.sampled_from(COLUMNS),
    target=st.sampled_from([("numbers", name) for name in NUMBERS] + [("labels", name) for name in LABELS]),
    budget=st.sampled_from([6, 20, "0.3s"]),
    seed=st.integers(0, 99),
)
def test_small_tables(n, d, rows, target, budget, seed):
    rng = np.random.default_rng(seed)
    kind, name = target
    X, y = columns(rows, n, d, rng), (numbers if kind == "numbers" else labels)(name, n, rng)
    model = searched(kind, X, y, budget)
    assert_sound(model, X, y)
    assert not any(record["failed"] for record in model.leaderboard_)


@pytest.mark.slow
@pytest.mark.parametrize("n", [*range(3, 13), 15, 20])
@pytest.mark.parametrize("rows", COLUMNS)
def test_all_small_tables(n, rows):
    rng = np.random.default_rng(n)
    for place, (kind, name) in enumerate(
        [("numbers", name) for name in NUMBERS] + [("labels", name) for name in LABELS]
    ):
        X, y = columns(rows, n, 1 + place % 5, rng), (numbers if kind == "numbers" else labels)(name, n, rng)
        model = searched(kind, X, y, [8, 25, "0.5s"][place % 3])
        assert_sound(model, X, y)
        assert not any(record["failed"] for record in model.leaderboard_)


def test_one_value_is_predicted_exactly():
    X = np.random.default_rng(0).normal(size=(8, 2))
    model = searched("numbers", X, np.full(8, -3.25))
    np.testing.assert_array_equal(model.predict(X), -3.25)
    assert model.best_score_ == 1.0


def test_what_cannot_be_searched_gets_a_sentence():
    X = np.random.default_rng(0).normal(size=(3, 2))
    with pytest.raises(ValueError, match="y has only one class"):
        searched("labels", X, ["a", "a", "a"])
    with pytest.raises(ValueError, match="give at least 3 rows"):
        searched("labels", X[:2], ["a", "b"])
    with pytest.raises(ValueError, match="give at least 2 rows"):
        searched("numbers", X[:1], [1.0])
    with pytest.raises(ValueError, match=r"The column 'x1' has a number of size 1e.300"):
        searched("numbers", X * [1.0, 0.0] + [0.0, 1e300], [1.0, 2.0, 3.0])


# -- rare labels


@pytest.mark.parametrize("scoring", ["accuracy", "balanced_accuracy"])
@pytest.mark.parametrize(
    ("n", "positives"),
    [(600, 1), (600, 2), *(pytest.param(n, few, marks=pytest.mark.slow) for n in (3000, 4500) for few in (1, 2, 3))],
)
def test_few_positives(n, positives, scoring):
    rng = np.random.default_rng(positives)
    X = rng.normal(size=(n, 2))
    y = np.zeros(n, dtype=int)
    y[-positives:] = 1
    X[-positives:] += 8.0  # they can be told
    model = searched("labels", X, y, 4, scoring=scoring)
    assert_sound(model, X, y)
    assert not any(record["failed"] for record in model.leaderboard_)
    if scoring == "balanced_accuracy":
        assert (model.predict(X)[-positives:] == 1).all()


# -- tables of all kinds


def wild(rng, n):
    """Columns as people have them."""
    makers = [
        lambda: rng.standard_cauchy(size=n),
        lambda: np.exp(5 * rng.normal(size=n)),
        lambda: rng.poisson(0.05, size=n),
        lambda: rng.integers(0, 2, size=n).astype(bool),
        lambda: rng.choice(["red", "green", "", None], size=n),
        lambda: np.array([f"id{i}" for i in rng.integers(0, n, size=n)], dtype=object),
        lambda: np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
        lambda: np.where(np.arange(n) == 0, 1.0, np.nan),
        lambda: 1e8 + rng.normal(size=n),
        lambda: np.sort(rng.normal(size=n)),
        lambda: np.where(np.arange(n) == n // 2, 1e12, 0.0),
        lambda: pd.Categorical(rng.choice(list("xyz"), size=n)),
    ]
    chosen = rng.integers(0, len(makers), size=rng.integers(1, 6))
    return pd.DataFrame({f"c{place}": makers[which]() for place, which in enumerate(chosen)})


def as_arrow(frame):
    return pa.Table.from_pandas(frame, preserve_index=False)


@settings(max_examples=20, derandomize=True, deadline=None, database=None)
@given(
    n=st.sampled_from([13, 40, 150]),
    form=st.sampled_from([lambda frame: frame, as_arrow]),
    target=st.sampled_from([("numbers", name) for name in NUMBERS] + [("labels", name) for name in LABELS[:3]]),
    budget=st.sampled_from([3, 12]),
    seed=st.integers(0, 999),
)
def test_tables_of_all_kinds(n, form, target, budget, seed):
    rng = np.random.default_rng(seed)
    kind, name = target
    X, y = form(wild(rng, n)), (numbers if kind == "numbers" else labels)(name, n, rng)
    assert_sound(searched(kind, X, y, budget), X, y)

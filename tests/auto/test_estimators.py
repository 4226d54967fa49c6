import sys

import numpy as np
import pytest

import bochner as bo


@pytest.mark.parametrize("n_classes", [2, 4])
def test_probabilities_are_calibrated_and_agree_with_labels(n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 2))
    y = np.clip(np.floor(X[:, 0] * 1.5 + rng.normal(scale=0.7, size=2000) + n_classes / 2), 0, n_classes - 1)
    model = bo.AutoKernelClassifier(budget=2, random_state=0, progress=False).fit(X[:1000], y[:1000])
    chances = model.predict_proba(X[1000:])
    np.testing.assert_allclose(chances.sum(axis=1), 1.0, rtol=1e-6)
    np.testing.assert_array_equal(model.classes_[chances.argmax(axis=1)], model.predict(X[1000:]))
    sure = chances.max(axis=1)
    right = model.predict(X[1000:]) == y[1000:]
    assert abs(sure.mean() - right.mean()) < 5 * np.sqrt(0.25 / 1000)


def test_balanced_accuracy_counts_rare_classes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1200, 2))
    y = (X[:, 0] + 0.8 * rng.normal(size=1200) > 2.0).astype(int)
    plain, balanced = (
        bo.AutoKernelClassifier(budget=2, scoring=scoring, random_state=0, progress=False).fit(X, y)
        for scoring in ("accuracy", "balanced_accuracy")
    )
    rare = y == 1
    assert (balanced.predict(X)[rare] == 1).mean() > (plain.predict(X)[rare] == 1).mean() + 0.1


def test_notebooks_show_a_leaderboard_and_a_bar(monkeypatch, capsys):
    X = np.random.default_rng(0).normal(size=(80, 2))
    monkeypatch.setitem(sys.modules, "ipykernel", sys)  # as in a notebook, which is no terminal
    model = bo.AutoKernelRegressor(budget=2, random_state=0).fit(X, X[:, 0])
    assert "searching" in capsys.readouterr().err
    text = model.leaderboard_._repr_html_()
    assert text.count("<tr>") == 1 + len(model.leaderboard_)
    assert f"<td>{model.leaderboard_[0]['map']}</td>" in text

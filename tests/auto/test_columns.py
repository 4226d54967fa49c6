"""Columns as people have them: a sensible result or one clear sentence."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import bochner as bo
from bochner.scales.random_rows import draw_samples, learned_scales
from bochner.tables import TableEncoder


def table(n=400):
    rng = np.random.default_rng(0)
    colour = rng.choice(["red", "green", "blue"], size=n)
    size = rng.normal(size=n)
    frame = pd.DataFrame(
        {
            "colour": colour,
            "size": np.where(rng.random(n) < 0.2, np.nan, size),
            "constant": 3.0,
            "twin": size,
            "again": size,
            "code": [f"id{i}" for i in range(n)],
            "empty": np.nan,
        }
    )
    y = np.where((colour == "red") & (size > 0), "in", "out")
    return frame, y


def test_mixed_columns():
    X, y = table()
    model = bo.AutoKernelClassifier(budget=4, random_state=0, progress=False).fit(X[:300], y[:300])
    assert model.score(X[300:], y[300:]) > 0.9
    np.testing.assert_array_equal(model.best_estimator_.predict(X[300:]), model.predict(X[300:]))


def test_tables_of_every_kind_are_predicted_alike():
    X, y = table(200)
    target = (y == "in") + X["twin"].to_numpy()
    classifier = bo.AutoKernelClassifier(budget=2, random_state=0, progress=False).fit(X, y)
    regressor = bo.AutoKernelRegressor(budget=2, random_state=0, progress=False).fit(pl.from_pandas(X).lazy(), target)
    assert regressor.n_features_in_ == 7
    for same in (pl.from_pandas(X), pl.from_pandas(X).lazy(), pa.Table.from_pandas(X), X.to_dict(orient="list")):
        np.testing.assert_array_equal(classifier.predict_proba(same), classifier.predict_proba(X))
        np.testing.assert_array_equal(regressor.predict(same), regressor.predict(X))


def test_regression_on_mixed_columns():
    X, y = table()
    target = 3.0 * (y == "in") + X["twin"].to_numpy()
    model = bo.AutoKernelRegressor(budget=8, random_state=0, progress=False).fit(X[:300], target[:300])
    assert model.score(X[300:], target[300:]) > 0.9


def test_infinite_values_get_a_sentence():
    X, y = table()
    X.loc[3, "twin"] = np.inf
    with pytest.raises(ValueError, match="'twin' has an infinity"):
        bo.AutoKernelClassifier(budget=1).fit(X, y)


def test_one_class_gets_a_sentence():
    X, _ = table()
    with pytest.raises(ValueError, match="only one class"):
        bo.AutoKernelClassifier(budget=1).fit(X, np.zeros(len(X), dtype=int))


def test_nothing_to_learn_from():
    model = bo.AutoKernelRegressor(budget=2, random_state=0, progress=False).fit(np.ones((50, 2)), np.full(50, 4.0))
    np.testing.assert_allclose(model.predict(np.ones((3, 2))), 4.0)


def test_saved_and_loaded(tmp_path):
    X, y = table()
    model = bo.AutoKernelClassifier(budget=2, random_state=0, progress=False).fit(X, y)
    bo.save(model.best_estimator_, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(X), model.predict(X))


def test_a_block_source():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = np.where(X[:, 0] > 0, "yes", "no")
    model, again = (
        bo.AutoKernelClassifier(budget=2, random_state=0, progress=False).fit(*rows)
        for rows in ((bo.ArrayBlocks(X, y, block_rows=64),), (X, y))
    )
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_labels_of_one_column_are_equally_far_apart_even_those_that_are_rare():
    """One length scale for them all, whatever the sample that it was learned from knew of each."""
    rng = np.random.default_rng(0)
    label = rng.choice(["a", "b", "c", "rare"], p=[0.4, 0.4, 0.199, 0.001], size=5000)
    X = pd.DataFrame({"label": label, "number": rng.normal(size=5000), "other": rng.normal(size=5000)})
    encoder = TableEncoder().fit(X)
    groups = encoder.groups
    assert groups.tolist() == [0, 0, 0, 0, 4, 5]
    y = (label == "a") * np.sin(3 * X["number"].to_numpy())
    rows = encoder.transform(X)
    samples = draw_samples(rows, y[:, None], 300, 1, np.random.default_rng(1))
    assert not samples[0].X[:, 3].any()  # the rare label is not among them
    scales = learned_scales(bo.Laplace(1.0), samples, max_iter=20, threads=1, groups=groups)
    assert len(set(scales[:4])) == 1
    assert np.isfinite(scales[0])
    assert scales[4] < 0.1 * scales[5]


def test_the_explanation_names_columns_not_labels():
    X, y = table()
    model = bo.AutoKernelClassifier(budget=16, random_state=0, progress=False).fit(X[["colour", "twin", "code"]], y)
    assert "colour_" not in model.explain()
    first = model.explain().split("is lost with ")[1].split(" ")[0]
    assert first in ("colour", "twin")

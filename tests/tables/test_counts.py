"""Counts keep their zeros: what is a count is known, encoded without moving, and refused nothing at prediction."""

import numpy as np
import pytest

import bochner as bo
from bochner.tables.column_codes import NumberCode
from bochner.tables.counts import holds_counts
from bochner.tables.table import NumberColumn

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.7, size=(300, 6)).astype(float)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (COUNTS, True),
        ({f"x{j}": COUNTS[:, j].astype(int) for j in range(6)}, True),
        (COUNTS - 0.5, False),  # negative
        (COUNTS + 1.0, False),  # never zero
        (COUNTS[:, :4], False),  # few columns
        ((COUNTS > 0).astype(float), False),  # labels 0 and 1
        (np.where(np.arange(300)[:, None] == 77, -1.0, COUNTS), False),  # one row that is not a count
        (np.where(np.arange(300)[:, None] == 77, np.nan, COUNTS), True),
    ],
)
def test_counts_are_known(table, expected):
    assert holds_counts(table) is expected


def test_the_code_of_a_count_is_the_code_of_a_number_moved_to_zero():
    values = np.array([0.0, 1.0, 2.0, 5.0, 40.0])
    code = NumberCode("x", 1.0, centre=1.5, scale=2.0, linear=1.5)
    plain, moved = np.empty((5, 1)), np.empty((5, 1))
    code.write(NumberColumn(values), plain)
    code.with_zero().write(NumberColumn(values), moved)
    assert moved[0, 0] == 0.0
    np.testing.assert_allclose(moved - plain, 0.75)
    code.with_zero().write(NumberColumn(-values), moved)
    np.testing.assert_array_equal(moved, 0.0)


@pytest.fixture(scope="module")
def fitted():
    X = RNG.poisson(RNG.gamma(0.5, 2.0, size=(1000, 30))).astype(float)
    y = np.sqrt(X) @ RNG.normal(size=30) + 0.3 * RNG.normal(size=1000)
    model = bo.AutoKernelRegressor(budget=12, ensemble=1, random_state=0, progress=False).fit(X, y)
    assert isinstance(model.best_estimator_.estimators_[0].feature_map_, bo.AdditiveFeatures)
    rows = X[:20].copy()
    rows[:, 2] = -3.0
    return model, rows


def test_rows_with_negative_counts_are_predicted_as_zeros(fitted, tmp_path):
    model, rows = fitted
    zeros = np.maximum(rows, 0.0)
    np.testing.assert_array_equal(model.predict(rows), model.predict(zeros))
    bo.save(model.best_estimator_, tmp_path / "counts.bochner")
    again = bo.load(tmp_path / "counts.bochner")
    np.testing.assert_array_equal(again.predict(rows), model.best_estimator_.predict(zeros))


def test_counts_are_exported(fitted, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model, rows = fitted
    bo.to_onnx(model.best_estimator_, tmp_path / "counts.onnx")
    session = onnxruntime.InferenceSession(str(tmp_path / "counts.onnx"))
    (found,) = session.run(None, {session.get_inputs()[0].name: rows})
    np.testing.assert_allclose(np.ravel(found), model.best_estimator_.predict(rows), atol=1e-5)

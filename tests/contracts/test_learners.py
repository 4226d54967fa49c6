"""Laws of every learner: a citizen of scikit-learn, and one solution whatever way the rows came."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier, is_regressor
from sklearn.utils.estimator_checks import check_estimator

import bochner as bo
from bochner.auto.base import AutoKernel
from bochner.engines.timed import TimedEngine
from bochner.learners.base import KernelMachine
from bochner.learners.combined import CombinedClassifier, CombinedRegressor
from bochner.learners.keeping import Keeping
from bochner.maps import FeatureMap
from tests.contracts.walk import concrete, examples, name_of
from tests.learners.test_invariances import CASES

MACHINES = examples(KernelMachine)
BY_FEATURES = [model for model in MACHINES if "feature_map" in model.get_params(deep=False)]
KEEPING = [model for model in MACHINES if isinstance(model, Keeping)]
WEIGHING = [model for model in MACHINES if "class_weight" in model.get_params(deep=False)]
RNG = np.random.default_rng(0)
X = RNG.uniform(-2, 2, size=(160, 3))
X[0], X[1] = -2.0, 2.0  # so that the range of all rows, from which grids are drawn, is that of the first piece
VALUES = np.sin(2 * X[:, 0]) + 0.5 * X[:, 1] + 0.1 * RNG.normal(size=160)
LABELS = np.digitize(VALUES, [-0.4, 0.5])


def quietly(call: Any, *arguments: Any, **settings: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return call(*arguments, **settings)


def ready(model: Any, **settings: Any) -> Any:
    """A copy with its features given, and its tolerance small, so that what it finds is one solution."""
    given: dict[str, Any] = {"random_state": 0, "tol": 1e-8, "max_iter": 3000, "alpha": 0.1}
    names = model.get_params(deep=False)
    given = {name: value for name, value in given.items() if name in names}
    if "feature_map" in names:
        given["feature_map"] = bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0)
        if isinstance(model.feature_map, bo.BinningFeatures):
            given["feature_map"] = bo.BinningFeatures(bo.Laplace(2.0), 20, 1280, random_state=0)
    if "kernel" in names:
        given["kernel"] = bo.Gaussian(1.0)
    return clone(model).set_params(**given | settings)


def targets(model: Any) -> np.ndarray:
    return LABELS if is_classifier(model) else VALUES


def said(model: Any, rows: np.ndarray = X) -> np.ndarray:
    """What a fitted machine says of rows, before it is rounded to a label."""
    if is_classifier(model) or isinstance(model, bo.OneClassSVM):
        return model.decision_function(rows)
    return model.predict(rows) if is_regressor(model) else np.abs(model.transform(rows))


def test_every_estimator_is_under_contract():
    """Also of the laws of invariance, whose cases are written by hand."""
    learners = {one for one in concrete(BaseEstimator) if "fit" in dir(one) and not issubclass(one, FeatureMap)}
    machines = set(concrete(KernelMachine, AutoKernel))
    assert learners == machines | {bo.TableEncoder, CombinedClassifier, CombinedRegressor}  # stacks of fitted machines
    assert {type(case.make(1.0)) for case in CASES.values()} == set(concrete(KernelMachine))


@pytest.mark.parametrize("learner", [*MACHINES, *examples(AutoKernel), *bo.TableEncoder.examples()], ids=name_of)
def test_scikit_learn_checks_pass_with_none_skipped(learner):
    results = quietly(check_estimator, clone(learner), on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] != "passed"] == []


@pytest.mark.parametrize("learner", MACHINES, ids=name_of)
def test_arrays_and_sources_and_engines_give_the_same(learner):
    y, weight = targets(learner), np.random.default_rng(1).uniform(0.5, 2.0, size=len(X))
    whole = said(quietly(ready(learner).fit, X, y, weight))
    source = bo.ArrayBlocks(X, y, weight, block_rows=50)
    bits = []
    for engine in (bo.SerialEngine(), bo.ThreadEngine(3), TimedEngine(bo.ThreadEngine(2))):
        bits.append(said(quietly(ready(learner, engine=engine).fit, source)))
        np.testing.assert_array_equal(bits[-1], bits[0])
    tolerance = 1e-3 if isinstance(learner, bo.OneClassSVM) else 1e-5
    np.testing.assert_allclose(bits[0], whole, atol=tolerance * np.abs(whole).max())


@pytest.mark.parametrize("learner", MACHINES, ids=name_of)
def test_new_rows_may_come_from_a_source(learner):
    model = quietly(ready(learner).fit, X, targets(learner))
    plain = said(model)
    np.testing.assert_allclose(said(model, bo.ArrayBlocks(X, block_rows=50)), plain, atol=1e-9 * np.abs(plain).max())
    with pytest.raises(ValueError, match="A block has 2 columns"):
        said(model, bo.ArrayBlocks(X[:, :2]))


def test_new_tables_are_encoded_as_those_seen_in_fit(tmp_path):
    """Also where the new ones have fewer labels and other means; columns of numbers in blocks are encoded too."""
    for name, rows in (("old", X), ("new", X[:60] + 0.1)):
        words = np.array(["low", "high"])[(rows[:, 1] > -1.5).astype(int)]
        lines = [f"{a!r},{word},{b!r}" for a, word, b in zip(rows[:, 0].tolist(), words, rows[:, 2].tolist())]
        (tmp_path / f"{name}.csv").write_text("\n".join(["a,word,y", *lines]))
    old, new = (
        bo.CsvBlocks(tmp_path / f"{name}.csv", target="y", encoder=bo.TableEncoder(), block_rows=25)
        for name in ("old", "new")
    )
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0), 0.1).fit(old)
    rows = np.array([line.split(",")[:2] for line in (tmp_path / "new.csv").read_text().splitlines()[1:]])
    table = {"a": rows[:, 0].astype(float), "word": rows[:, 1]}
    np.testing.assert_allclose(model.predict(new), model.predict(table), atol=1e-12)


@pytest.mark.parametrize("learner", MACHINES, ids=name_of)
def test_pieces_are_the_whole(learner):
    """On the features of the first call; a piece may be a source. After a failure nothing has changed."""
    y, weight = targets(learner), np.random.default_rng(1).uniform(0.5, 2.0, size=len(X))
    settings = {"class_weight": {0: 3.0, 1: 0.5}} if learner in WEIGHING else {}
    whole = quietly(ready(learner, **settings).fit, X, y, sample_weight=weight)
    pieces = ready(learner, **settings)
    quietly(pieces.partial_fit, X[:45], y[:45], sample_weight=weight[:45])
    drawn = pieces.features_ if learner in BY_FEATURES else None
    quietly(pieces.partial_fit, bo.ArrayBlocks(X[45:90], y[45:90], weight[45:90], block_rows=20))
    before = said(pieces)
    with pytest.raises(ValueError, match="NaN"):
        pieces.partial_fit(np.full_like(X[:5], np.nan), y[:5])
    np.testing.assert_array_equal(said(pieces), before)
    quietly(pieces.partial_fit, X[90:], y[90:], sample_weight=weight[90:])
    np.testing.assert_allclose(said(pieces), said(whole), atol=1e-6 * np.abs(said(whole)).max())
    assert drawn is None or pieces.features_ is drawn


@pytest.mark.parametrize("learner", KEEPING, ids=name_of)
def test_rows_are_kept_by_partial_fit_only(learner):
    y = targets(learner)
    model = quietly(ready(learner).fit, X, y)
    with pytest.raises(AttributeError) as caught:
        model.partial_fit(X, y)
    assert "begin with partial_fit" in str(caught.value.__cause__)
    small = ready(learner, engine=bo.ThreadEngine(memory="6KB"))
    with pytest.raises(ValueError, match="keeps the rows, which would take"):
        small.partial_fit(X, y)


@pytest.mark.parametrize("learner", WEIGHING, ids=name_of)
def test_labels_that_come_later_are_told_at_the_first_call(learner):
    first = LABELS < 2
    told, untold = ready(learner), ready(learner)
    quietly(told.partial_fit, X[first], LABELS[first], classes=[0, 1, 2])
    quietly(told.partial_fit, X[~first], LABELS[~first])
    whole = quietly(ready(learner).fit, np.vstack([X[first], X[~first]]), np.r_[LABELS[first], LABELS[~first]])
    np.testing.assert_allclose(said(told), said(whole), atol=1e-6 * np.abs(said(whole)).max())
    quietly(untold.partial_fit, X[first], LABELS[first])
    with pytest.raises(ValueError, match="which is not among the classes"):
        untold.partial_fit(X[~first], LABELS[~first])


@pytest.mark.parametrize("learner", WEIGHING, ids=name_of)
def test_class_weights_multiply_the_weights_of_rows(learner):
    """As in scikit-learn: a class of weight 2 is a class whose rows weigh twice as much."""
    weight, classes = np.random.default_rng(1).uniform(0.5, 2.0, size=len(X)), {0: 3.0, 2: 0.5}
    by_class = quietly(ready(learner, class_weight=classes).fit, X, LABELS, weight)
    by_row = quietly(ready(learner).fit, X, LABELS, weight * np.array([3.0, 1.0, 0.5])[LABELS])
    np.testing.assert_allclose(said(by_class), said(by_row), atol=1e-6 * np.abs(said(by_row)).max())
    counts = np.array([weight[LABELS == label].sum() for label in range(3)])
    balanced = quietly(ready(learner, class_weight="balanced").fit, X, LABELS, weight)
    by_hand = quietly(ready(learner, class_weight=dict(enumerate(counts.sum() / (3 * counts)))).fit, X, LABELS, weight)
    np.testing.assert_allclose(said(balanced), said(by_hand), atol=1e-6 * np.abs(said(by_hand)).max())


@pytest.mark.parametrize("learner", WEIGHING, ids=name_of)
def test_a_single_class_that_counts_is_refused(learner):
    with pytest.raises(ValueError, match="Only the class 2 has rows of weight > 0"):
        ready(learner, class_weight={0: 0.0, 1: 0.0}).fit(X, LABELS)


@pytest.mark.parametrize("learner", BY_FEATURES, ids=name_of)
def test_single_precision_is_kept_and_near(learner):
    loose = {"tol": 1e-4} if "tol" in learner.get_params(deep=False) else {}
    double, single = (
        quietly(ready(learner, **loose).fit, X.astype(dtype), targets(learner)) for dtype in (np.float64, np.float32)
    )
    there, here = said(double), said(single, X.astype(np.float32))
    assert here.dtype == np.float32
    assert np.corrcoef(here.ravel(), there.ravel())[0, 1] > 0.99


class WithEmptyBlocks(bo.ArrayBlocks):
    """The rows of arrays with blocks of no rows among them."""

    def parts(self):
        parts = super().parts()
        empty = type(parts[0])(self.X, self.y, self.weight, 0, 0)
        return [parts[0], empty, *parts[1:], empty]

    def rechunked(self, block_rows):
        return WithEmptyBlocks(self.X, self.y, self.weight, block_rows=min(block_rows, 50))


@pytest.mark.parametrize("learner", MACHINES, ids=name_of)
def test_empty_blocks_count_for_nothing(learner):
    y = targets(learner)
    whole = said(quietly(ready(learner).fit, X, y))
    stream = said(quietly(ready(learner).fit, WithEmptyBlocks(X, y, block_rows=50)))
    tolerance = 1e-3 if isinstance(learner, bo.OneClassSVM) else 1e-5
    np.testing.assert_allclose(stream, whole, atol=tolerance * np.abs(whole).max())

"""Where a user goes wrong, the message names the place and what the library has for it."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier
from sklearn.pipeline import make_pipeline

import bochner as bo

pytestmark = pytest.mark.filterwarnings("ignore:n_components=20 is too small")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60)
LABELS = np.where(Y > 0, "above", "below")
HOLED = np.where(np.arange(120).reshape(60, 2) == 7, np.nan, X)
FOURIER = bo.FourierFeatures(bo.Gaussian(1.0), 20, random_state=0)

LEARNERS = {
    "ridge": bo.KernelRidge(FOURIER, 1e-2),
    "ridge by default": bo.KernelRidge(random_state=0),
    "ridge of labels": bo.KernelRidgeClassifier(FOURIER, 1e-2),
    "exact": bo.ExactKernelRidge(bo.Gaussian(1.0), 1e-2),
    "exact by default": bo.ExactKernelRidge(random_state=0),
    "exact of labels": bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 1e-2),
    "exact margins": bo.ExactKernelSVC(bo.Gaussian(1.0)),
    "margins": bo.KernelSVC(FOURIER),
    "logistic": bo.KernelLogisticRegression(FOURIER),
    "tube": bo.KernelSVR(FOURIER),
    "quantile": bo.KernelQuantileRegressor(FOURIER, C=1.0),
    "process": bo.GaussianProcessRegressor(FOURIER),
    "components": bo.KernelPCA(2, FOURIER),
    "means": bo.KernelMeans(2, FOURIER),
    "one class": bo.OneClassSVM(FOURIER),
    "search": bo.AutoKernelRegressor(budget=1),
    "search of labels": bo.AutoKernelClassifier(budget=1),
}
BY_FEATURES = [name for name in LEARNERS if not name.startswith("search")]
REGRESSORS = ["ridge", "ridge by default", "exact", "exact by default", "tube", "quantile", "process", "search"]
CLASSIFIERS = [name for name, model in LEARNERS.items() if is_classifier(model)]
MAPS = [
    bo.FourierFeatures(),
    bo.NystroemFeatures(n_components=20),
    bo.BinningFeatures(),
    bo.MaclaurinFeatures(bo.Polynomial()),
    bo.TensorSketch(bo.Polynomial()),
    bo.AdditiveFeatures(bo.AdditiveChi2()),
]
FUNCTIONS = {
    "mmd_test": lambda rows: bo.mmd_test(rows, X),
    "hsic_test": lambda rows: bo.hsic_test(rows, Y),
    "error_report": lambda rows: bo.error_report(bo.FourierFeatures(), rows),
    "recommend": lambda rows: bo.recommend(bo.Gaussian(1.0), rows, eps=0.1),
    "learn_length_scales": lambda rows: bo.learn_length_scales(bo.Gaussian(1.0), rows, Y),
    "learn_metric": lambda rows: bo.learn_metric(bo.Gaussian(1.0), rows, Y),
    "learning_gap": lambda rows: bo.learning_gap(bo.Gaussian(1.0), rows, Y),
}


def targets(model):
    return LABELS if is_classifier(model) else Y


def use(model):
    """What asks for rows after fit."""
    return model.transform if isinstance(model, bo.KernelPCA) else model.predict


@pytest.mark.parametrize("name", BY_FEATURES)
def test_missing_values_lead_to_the_table_encoder(name):
    """And to nobody else's estimators."""
    model = clone(LEARNERS[name])
    first = (
        r"X has missing values \(NaN\), the first in X\[3, 1\]: bo.TableEncoder fills them in, as in .*make_pipeline"
    )
    with pytest.raises(ValueError, match=first):
        model.fit(HOLED, targets(model))
    with pytest.raises(ValueError, match=r"In a block, X has missing values .*TableEncoder"):
        model.fit(bo.ArrayBlocks(HOLED, targets(model)))
    model.fit(X, targets(model))
    with pytest.raises(ValueError, match=first):
        use(model)(HOLED)
    with pytest.raises(ValueError, match=r"an infinity \(inf\) in X\[3, 1\]"):
        use(model)(np.where(np.isnan(HOLED), np.inf, HOLED))
    with pytest.raises(ValueError, match=r"missing values \(NaN\), the first in X\[3, 1\]"):
        use(model)(sp.csr_matrix(HOLED))
    advised = make_pipeline(bo.TableEncoder(), model).fit(HOLED, targets(model))
    assert len(use(model)(advised[0].transform(HOLED))) == 60


@pytest.mark.parametrize("feature_map", MAPS, ids=lambda one: type(one).__name__)
def test_maps_lead_there_too(feature_map):
    with pytest.raises(ValueError, match=r"first in X\[3, 1\]: bo.TableEncoder"):
        clone(feature_map).fit(np.abs(HOLED))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_lead_there_too(name):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match=r"missing values \(NaN\), the first in X\[3, 1\]: bo.TableEncoder"):
        FUNCTIONS[name](HOLED)
    with pytest.raises(ValueError, match=r"not numbers \(b\): bo.TableEncoder makes numbers of them"):
        FUNCTIONS[name](pandas.DataFrame({"a": X[:, 0], "b": LABELS}))


def test_text_and_dates_name_their_columns():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2020-01-01", periods=60)
    table = pandas.DataFrame({"a": X[:, 0], "b": LABELS, "c": days, "d": Y})
    named = r"X has columns that are not numbers \(b, c\): bo.TableEncoder makes numbers of them"
    for model in (LEARNERS["ridge"], LEARNERS["process"], LEARNERS["components"], FOURIER, LEARNERS["exact margins"]):
        with pytest.raises(ValueError, match=named):
            clone(model).fit(table, targets(model))
    holed = pandas.DataFrame({"a": HOLED[:, 0], "b": HOLED[:, 1]})
    with pytest.raises(ValueError, match="the first in row 3 of the column 'b'"):
        bo.KernelRidge(FOURIER).fit(holed, Y)
    with pytest.raises(ValueError, match=r"Y has columns that are not numbers .*TableEncoder"):
        bo.hsic_test(X, LABELS)
    assert bo.hsic_test(X, bo.TableEncoder().fit_transform(LABELS[:, None]), random_state=0).p_value < 0.05


@pytest.mark.parametrize("name", REGRESSORS)
def test_a_target_that_is_none_is_refused_not_learned(name):
    """scikit-learn makes None a NaN after it has looked for NaN: predictions were NaN, or an IndexError."""
    model = clone(LEARNERS[name])
    holed = Y.astype(object)
    for missing in (None, np.nan, float("nan")):
        holed[5] = missing
        with pytest.raises(ValueError, match=r"y has a missing value \((None|nan)\) at y\[5\]: leave out"):
            model.fit(X, holed)
        if name != "search":
            with pytest.raises(ValueError, match=r"y has a missing value .* at y\[5\]"):
                model.fit(bo.ArrayBlocks(X, holed))
    holed[5] = "much"
    with pytest.raises(ValueError, match="y holds 'much', which is not a number: regression needs numbers"):
        model.fit(X, holed)


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_a_label_that_is_none_is_refused(name):
    model = clone(LEARNERS[name])
    holed = LABELS.astype(object)
    for missing in (None, float("nan")):
        holed[5] = missing
        with pytest.raises(ValueError, match=r"y has a missing value \((None|nan)\) at y\[5\]: leave out"):
            model.fit(X, holed)


def test_none_is_refused_in_every_other_place_of_y():
    pandas = pytest.importorskip("pandas")
    holed = Y.astype(object)
    holed[5] = None
    for partial in (bo.KernelRidge(FOURIER, 1e-2), bo.GaussianProcessRegressor(FOURIER)):
        with pytest.raises(ValueError, match=r"missing value \(None\) at y\[5\]"):
            partial.partial_fit(X, holed)
    with pytest.raises(ValueError, match=r"missing value \(None\) at y\[5, 1\]"):
        bo.KernelRidge(FOURIER, 1e-2).fit(X, np.column_stack([Y, holed]))
    with pytest.raises(ValueError, match=r"missing value|contains NaN"):
        bo.KernelRidge(FOURIER, 1e-2).fit(X, pandas.Series(np.arange(60), dtype="Int64").where(np.arange(60) != 5))
    with pytest.raises(ValueError, match=r"missing value \(None\) at y\[5\]"):
        bo.learning_gap(bo.Gaussian(1.0), X, holed)
    with pytest.raises(ValueError, match=r"missing value \(None\) at y\[5\]"):
        bo.learn_length_scales(bo.Gaussian(1.0), X, holed)


def test_numbers_as_objects_are_numbers():
    expected = bo.KernelRidge(FOURIER, 1e-2).fit(X, Y).predict(X)
    np.testing.assert_array_equal(bo.KernelRidge(FOURIER, 1e-2).fit(X, Y.astype(object)).predict(X), expected)


def test_parameters_of_a_part_that_is_none():
    for model, name in (
        (bo.KernelRidge(), "feature_map__n_components"),
        (bo.KernelPCA(), "feature_map__kernel"),
        (bo.ExactKernelRidge(), "kernel__length_scale"),
        (bo.FourierFeatures(), "kernel__length_scale"),
    ):
        part = name.split("__")[0]
        with pytest.raises(ValueError, match=f"{name} cannot be set, since {part} is None .*: give a {part} first"):
            model.set_params(**{name: 2})
    together = bo.KernelRidge().set_params(feature_map=bo.FourierFeatures(), feature_map__n_components=7)
    assert together.feature_map.n_components == 7
    with pytest.raises(ValueError, match="Invalid parameter 'kernels'"):
        bo.KernelRidge().set_params(kernels__length_scale=2.0)


@pytest.mark.parametrize("name", BY_FEATURES)
def test_sources_bring_their_own_targets(name):
    model, y = clone(LEARNERS[name]), targets(LEARNERS[name])
    with pytest.raises(ValueError, match="ArrayBlocks brings its own targets and weights: give them to the source"):
        model.fit(bo.ArrayBlocks(X, y), y)


@pytest.mark.parametrize("name", BY_FEATURES)
def test_what_an_engine_carries_is_asked_of_it(name):
    for old in ("n_jobs", "memory", "progress"):
        with pytest.raises(
            TypeError, match=rf"has no parameter {old}: an engine carries it, as in .*engine=bo.ThreadE"
        ):
            type(LEARNERS[name])(**{old: 2})


def test_rows_on_dask_stay_there():
    """Reading them as an array would bring all of them into memory, and ignore the names of their columns."""
    frames, arrays = pytest.importorskip("dask.dataframe"), pytest.importorskip("dask.array")
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame({"a": X[:, 0], "b": LABELS, "y": Y})
    frame = frames.from_pandas(table, npartitions=2)
    model = bo.KernelRidge(random_state=0).fit(bo.DaskBlocks(frame, target="y", encoder=bo.TableEncoder()))
    for asked in (model.predict, bo.KernelRidge().fit, bo.FourierFeatures().fit, bo.TableEncoder().fit):
        with pytest.raises(TypeError, match=r"X is a Dask DataFrame: .*X.map_partitions\(model.predict\) predicts"):
            asked(frame)
    predicted = frame[["b", "a"]].map_partitions(model.predict).compute()
    np.testing.assert_allclose(np.asarray(predicted), model.predict(table), rtol=0, atol=1e-9)
    plain, rows = bo.KernelRidge(FOURIER, 1e-2).fit(X, Y), arrays.from_array(X, chunks=(30, 2))
    with pytest.raises(TypeError, match=r"X is a Dask Array: .*X.map_blocks"):
        plain.predict(rows)
    predicted = rows.map_blocks(plain.predict, drop_axis=1, dtype=float).compute()
    np.testing.assert_allclose(predicted, plain.predict(X), rtol=0, atol=1e-9)

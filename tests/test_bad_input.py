"""What cannot be used is refused in one sentence, which names it, and leaves every estimator as it was."""

from __future__ import annotations

import datetime
import inspect
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor

import bochner as bo

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
Y = np.sin(X[:, 0]) + 0.1 * RNG.normal(size=60)
LABELS = np.where(Y > 0, "above", "below")
FOURIER = bo.FourierFeatures(bo.Gaussian(1.0), 20, random_state=0)
GIVEN = bo.KernelRidge(FOURIER, 0.1).fit(X, Y)

LEARNERS = {
    "KernelRidge": bo.KernelRidge(FOURIER, 1e-2),
    "KernelRidge()": bo.KernelRidge(random_state=0),
    "KernelRidgeClassifier": bo.KernelRidgeClassifier(FOURIER, 1e-2),
    "ExactKernelRidge": bo.ExactKernelRidge(bo.Gaussian(1.0), 1e-2),
    "ExactKernelRidge()": bo.ExactKernelRidge(random_state=0),
    "ExactKernelRidgeClassifier": bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 1e-2),
    "ExactKernelSVC": bo.ExactKernelSVC(bo.Gaussian(1.0)),
    "KernelSVC": bo.KernelSVC(FOURIER),
    "KernelSVR": bo.KernelSVR(FOURIER),
    "KernelQuantileRegressor": bo.KernelQuantileRegressor(FOURIER, C=1.0),
    "KernelLogisticRegression": bo.KernelLogisticRegression(FOURIER),
    "GaussianProcessRegressor": bo.GaussianProcessRegressor(FOURIER),
    "KernelPCA": bo.KernelPCA(2, FOURIER),
    "KernelMeans": bo.KernelMeans(2, FOURIER),
    "OneClassSVM": bo.OneClassSVM(FOURIER),
}
SEARCHES = {
    "AutoKernelRegressor": bo.AutoKernelRegressor(1, progress=False),
    "AutoKernelClassifier": bo.AutoKernelClassifier(1, progress=False),
}
MAPS = {
    "FourierFeatures": FOURIER,
    "NystroemFeatures": bo.NystroemFeatures(bo.Gaussian(1.0), 20),
    "BinningFeatures": bo.BinningFeatures(bo.Laplace(1.0), 8),
    "MaclaurinFeatures": bo.MaclaurinFeatures(bo.Polynomial(), 20),
    "TensorSketch": bo.TensorSketch(bo.Polynomial(), 20),
    "AdditiveFeatures": bo.AdditiveFeatures(bo.AdditiveChi2()),
}
ENCODER = {"TableEncoder": bo.TableEncoder()}
FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "mmd_test": lambda rows: bo.mmd_test(rows, X),
    "hsic_test": lambda rows: bo.hsic_test(rows, Y),
    "error_report": lambda rows: bo.error_report(FOURIER, rows),
    "max_error": lambda rows: bo.max_error(GIVEN.feature_map_, rows),
    "recommend": lambda rows: bo.recommend(bo.Gaussian(1.0), rows, eps=0.1),
    "learn_length_scales": lambda rows: bo.learn_length_scales(bo.Gaussian(1.0), rows, Y),
    "learn_metric": lambda rows: bo.learn_metric(bo.Gaussian(1.0), rows, Y),
    "learning_gap": lambda rows: bo.learning_gap(bo.Gaussian(1.0), rows, Y),
}
KERNELS: dict[str, Callable[[Any], Any]] = {
    "Gaussian": bo.Gaussian(1.0),
    "Laplace": bo.Laplace(1.0),
    "Polynomial": bo.Polynomial(),
    "ExponentialDot": bo.ExponentialDot(),
}


def with_cell(value: Any, kind: Any = float, table: np.ndarray = X) -> np.ndarray:
    spoiled = table.astype(kind)
    spoiled[(3, 1) if table.ndim == 2 else 5] = value
    return spoiled


DAYS = np.full((60, 2), "2020-01-01", dtype="datetime64[D]")
RAGGED = [[1.0, 2.0], [3.0]] * 30
ROWS = {
    "nan": (with_cell(np.nan), r"X has missing values \(NaN\), the first in X\[3, 1\]: bo\.TableEncoder"),
    "None in a cell": (with_cell(None, object), r"X has missing values \(NaN\), the first in X\[3, 1\]"),
    "inf": (with_cell(np.inf), r"X has an infinity \(inf\) in X\[3, 1\]: replace it"),
    "text": (with_cell("many", object), r"X has columns that are not numbers \(x1\): bo\.TableEncoder"),
    "complex": (X + 1j, "Complex data not supported: X has complex numbers; give real and imaginary parts"),
    "days": (DAYS, "X is an array of dates or times, not of numbers: give numbers such as days"),
    "seconds": (DAYS - DAYS[0, 0], "X is an array of dates or times"),
    "dates": (np.full((60, 2), datetime.date(2020, 1, 1)), "X is an array of dates or times"),
    "no rows": (X[:0], r"Found array with 0 sample\(s\)"),
    "no columns": (X[:, :0], r"Found array with 0 feature\(s\)"),
    "three dimensions": (X[:, :, None], "X has 3 dimensions, not rows and columns: Reshape your data to two"),
    "one number": (3.0, "X is a float, not rows and columns: give an array, a sparse matrix or a DataFrame"),
    "None": (None, "X is a NoneType, not rows and columns"),
    "a word": ("table", "X is a str, not rows and columns"),
    "lengths": (RAGGED, "X has rows of different lengths: give every row an entry for every column"),
    "records": (np.zeros(60, dtype=[("a", float)]), "X is an array of records: give a DataFrame"),
    "nan, sparse": (sp.csr_matrix(with_cell(np.nan)), r"X has missing values \(NaN\), the first in X\[3, 1\]"),
}
ONE_DIMENSION = X[:, 0], r"X has one dimension, not rows and columns: Reshape your data with X\.reshape\(-1, 1\)"
VECTORS_ARE_COLUMNS = ("mmd_test", "hsic_test")
DENSE_ONLY = ("learn_metric", "learning_gap")

TARGETS = {
    "nan": (with_cell(np.nan, float, Y), r"y has a missing value \(nan\) at y\[5\]: leave out rows without a target"),
    "inf": (with_cell(-np.inf, float, Y), r"y has an infinity \(-inf\) at y\[5\]: replace it by a number"),
    "None in a cell": (with_cell(None, object, Y), r"y has a missing value \(None\) at y\[5\]"),
    "None": (None, "requires y to be passed, but the target y is None"),
    "complex": (Y + 1j, "Complex data not supported: y has complex numbers, where real ones are needed"),
    "short": (Y[:59], r"inconsistent numbers of samples: \[60, 59\]"),
    "three dimensions": (np.zeros((60, 1, 2)), "Found array with dim 3, while dim <= 2 is required"),
    "one number": (3.0, "y is a float: y should be a 1d array, with one target to each row"),
    "a word": ("price", "y is a str: y should be a 1d array"),
    "no columns": (np.zeros((60, 0)), r"Found array with 0 feature\(s\)"),
    "sparse": (sp.eye(60, format="csr"), "Sparse data was passed for y, but dense data is required: give y.toarray"),
    "lengths": ([[1.0], [2.0, 3.0]] * 30, "y has entries of different lengths: give one target to each row"),
}
NUMBERS = {
    "text": (LABELS, "y holds '(above|below)', which is not a number: regression needs numbers, classifiers take"),
    "days": (DAYS[:, 0], "y is an array of dates or times, not of numbers"),
    "too large": (1e200 * Y, r"The targets y are of size .*: divide y by"),
    "too small": (1e-200 * Y, r"The targets y are of size .*: divide y by"),
}
CLASSES = {
    "one class": (np.full(60, "a"), r"y has only one class \(a\): a classifier needs at least two classes"),
    "one value": (np.ones(60), r"y has only one class \(1.0\): a classifier needs at least two classes"),
    "fractions": (Y, "Unknown label type: y holds numbers with fractions, or lists, .* or use a regressor"),
}
WEIGHTS = {
    "negative": (with_cell(-1.0, float, np.ones(60)), "Negative values in data passed to `sample_weight`"),
    "nan": (with_cell(np.nan, float, np.ones(60)), r"sample_weight has a missing value \(nan\) at sample_weight\[5\]"),
    "inf": (with_cell(np.inf, float, np.ones(60)), r"sample_weight has an infinity \(inf\) at sample_weight\[5\]"),
    "None": (with_cell(None, object, np.ones(60)), r"sample_weight has a missing value \(None\) at sample_weight\[5\]"),
    "all zero": (np.zeros(60), "[Ww]eight.*(zero|0)"),
    "short": (np.ones(59), r"sample_weight.shape == \(59,\), expected \(60,\)"),
    "two dimensions": (np.ones((60, 2)), "Sample weights must be 1D array or scalar"),
    "text": (np.full(60, "much"), "sample_weight holds 'much', which is not a number: give each row a number"),
    "days": (DAYS[:, 0], "sample_weight is an array of dates or times"),
    "complex": (np.full(60, 1j), "Complex data not supported: sample_weight has complex numbers"),
    "too large": (np.full(60, 1e200), "sample_weight is of size 1e[+]200, .*: divide them by"),
}
WRONG = {"word": "nonsense", "list": [1, 2], "array": np.array([1.0, 2.0]), "object": object(), "nan": np.nan}
NOT_CHECKED_IN_FIT = {"class_weight": ("list", "array")}  # lists there are refused by their type, as other words are


def targets(model: Any) -> Any:
    return LABELS if is_classifier(model) else Y


def refused(action: Callable[[], Any], message: str = "") -> str:
    """The sentence with which an action ends: one of them, not a table of numbers."""
    with pytest.raises((ValueError, TypeError, OSError), match=message) as told:
        action()
    sentence = str(told.value)
    assert sentence.strip()
    assert sentence.count("\n") <= 1
    assert len(sentence) < 400
    return sentence


def left_as_it_was(model: Any, action: Callable[[Any], Any], message: str) -> None:
    """An estimator that is not fitted is not fitted after the failure; one that was predicts the same bits."""
    fresh = clone(model)
    before = dict(vars(fresh))
    refused(lambda: action(fresh), message)
    assert vars(fresh) == before
    fitted = FITTED(model)
    state = pickle.dumps(fitted)
    refused(lambda: action(fitted), message)
    assert vars(fitted).keys() == vars(pickle.loads(state)).keys()
    np.testing.assert_array_equal(said(fitted), said(pickle.loads(state)))


def said(model: Any) -> np.ndarray:
    says = model.predict if is_classifier(model) or is_regressor(model) else getattr(model, "transform", None)
    found = (says or model.predict)(np.abs(X))
    return found.toarray() if sp.issparse(found) else found


def FITTED(model: Any) -> Any:
    return clone(model).fit(np.abs(X), targets(model))


ESTIMATORS = LEARNERS | MAPS


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("name", ESTIMATORS)
def test_rows(name, what):
    rows, message = ROWS[what]
    left_as_it_was(ESTIMATORS[name], lambda model: model.fit(rows, targets(model)), message)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_one_dimension(name):
    left_as_it_was(ESTIMATORS[name], lambda m: m.fit(ONE_DIMENSION[0], targets(m)), ONE_DIMENSION[1])


@pytest.mark.parametrize("what", ROWS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_rows_of_functions(name, what):
    rows, message = ROWS[what]
    if name in DENSE_ONLY and sp.issparse(rows):
        message = "[Ss]parse data was passed|missing values"
    refused(lambda: FUNCTIONS[name](rows), message)
    if name not in VECTORS_ARE_COLUMNS:
        refused(lambda: FUNCTIONS[name](ONE_DIMENSION[0]), ONE_DIMENSION[1])


@pytest.mark.parametrize("what", ["complex", "days", "seconds", "text", "one number", "None", "three dimensions"])
@pytest.mark.parametrize("name", KERNELS)
def test_rows_of_kernels(name, what):
    rows = ROWS[what][0] if what != "text" else np.full((60, 2), "many")
    refused(lambda: KERNELS[name](rows), "A kernel needs (rows of real numbers|a table of rows and columns)")


SEARCHED = ("inf", "complex", "no rows", "no columns", "three dimensions", "one number", "None")


@pytest.mark.parametrize("what", SEARCHED)
@pytest.mark.parametrize("name", SEARCHES | ENCODER)
def test_rows_of_searches_and_encoders(name, what):
    """Text, dates and missing values are what these are for."""
    model = clone((SEARCHES | ENCODER)[name])
    before = dict(vars(model))
    refused(lambda: model.fit(ROWS[what][0], targets(model)))
    assert vars(model) == before


@pytest.mark.parametrize("what", TARGETS | NUMBERS | CLASSES)
@pytest.mark.parametrize("name", LEARNERS)
def test_targets(name, what):
    model = LEARNERS[name]
    own = TARGETS | NUMBERS if is_regressor(model) else TARGETS | CLASSES if is_classifier(model) else {}
    if what not in own:  # machines without targets ignore y, and others take what these refuse
        return
    left_as_it_was(model, lambda m: m.fit(np.abs(X), own[what][0]), own[what][1])


@pytest.mark.parametrize("what", TARGETS | CLASSES)
@pytest.mark.parametrize("name", SEARCHES)
def test_targets_of_searches(name, what):
    model = clone(SEARCHES[name])
    own = TARGETS | CLASSES if is_classifier(model) else TARGETS
    if what in own:
        before = dict(vars(model))
        refused(lambda: model.fit(X, own[what][0]), own[what][1])
        assert vars(model) == before


@pytest.mark.parametrize("what", WEIGHTS)
@pytest.mark.parametrize("name", LEARNERS)
def test_weights(name, what):
    weight, message = WEIGHTS[what]
    left_as_it_was(LEARNERS[name], lambda m: m.fit(np.abs(X), targets(m), sample_weight=weight), message)


PARAMETERS = [
    (name, parameter)
    for name, model in (ESTIMATORS | ENCODER).items()
    for parameter in inspect.signature(type(model)).parameters
]


@pytest.mark.parametrize(("name", "parameter"), PARAMETERS)
def test_parameters_of_wrong_kinds(name, parameter):
    """All of them name the parameter, or the part that it is of."""
    model = (ESTIMATORS | ENCODER)[name]
    for kind, value in WRONG.items():
        if parameter == "eps":
            model = clone(model).set_params(n_components=None)
        spoiled = clone(model).set_params(**{parameter: value})
        if kind == "list" and parameter == "categories":
            value = 3
            spoiled.set_params(categories=value)
        before = dict(vars(spoiled))
        sentence = refused(lambda one=spoiled: one.fit(np.abs(X), targets(one)))
        assert re.search(rf"\b{parameter}\b", sentence), (value, sentence)
        assert vars(spoiled) == before


@pytest.mark.parametrize("kernel", [bo.Gaussian, bo.Laplace, bo.Cauchy, bo.Matern, bo.RationalQuadratic, bo.Reciprocal])
@pytest.mark.parametrize("scale", [0.0, -1.0, np.nan, "long", None, True, 1j, [1.0, -1.0], np.ones((2, 2)), []])
def test_length_scales(kernel, scale):
    refused(lambda: kernel(scale)(X), "length_scale")


OTHERS = {
    "nu": lambda value: bo.Matern(1.0, value),
    "alpha": lambda value: bo.RationalQuadratic(1.0, value),
    "exponent": lambda value: bo.StretchedExponential(1.0, value),
    "exponent ": lambda value: bo.PoweredExponential(1.0, value),
    "degree": lambda value: bo.Polynomial(value),
    "offset": lambda value: bo.Polynomial(2, value),
    "scale": lambda value: bo.Polynomial(2, 1.0, value),
    "sigma": lambda value: bo.ExponentialDot(value),
    "degree ": lambda value: bo.Vovk(value),
    "order": lambda value: bo.ArcCosine(value),
    "function": lambda value: bo.DotProduct(value),
    "outer": lambda value: bo.Composed(value, bo.Gaussian(1.0)),
    "matrix": lambda value: bo.Gaussian(bo.Metric(value)),
    "profile": lambda value: bo.ProductProfile(value, 1.0),
    "sampler": lambda value: bo.Spectral(value),
}


@pytest.mark.parametrize("value", [-1.0, np.nan, "many", 1j, [1.0, 2.0, 3.0]])
@pytest.mark.parametrize("name", OTHERS)
def test_parameters_of_kernels(name, value):
    refused(lambda: OTHERS[name](value)(X), name.strip())


CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "plan, rows": (lambda: bo.plan(-1, 3, 256), "n_rows"),
    "plan, words": (lambda: bo.plan("many", 3, 256), "n_rows"),
    "plan, half a row": (lambda: bo.plan(10.5, 3, 256), "n_rows"),
    "plan, columns": (lambda: bo.plan(10, 0, 256), "dim"),
    "plan, no width": (lambda: bo.plan(10, 3), "Give n_components, the width of the feature map"),
    "plan, width": (lambda: bo.plan(10, 3, -2), "n_components"),
    "plan, learner": (lambda: bo.plan(10, 3, learner="ridge"), "learner"),
    "save, word": (lambda: bo.save("model", "file"), "str"),
    "save, no path": (lambda: bo.save(GIVEN, None), "path"),
    "load, no path": (lambda: bo.load(None), "path|NoneType"),
    "load, nothing": (lambda: bo.load("there is no such file"), "no such file"),
    "onnx, word": (lambda: bo.to_onnx("model", "file"), "str"),
    "network, word": (lambda: bo.fourier_network("model"), "str"),
    "network, not fitted": (lambda: bo.fourier_network(bo.KernelRidge()), "fit"),
    "mmd, permutations": (lambda: bo.mmd_test(X, X, n_permutations=-1), "n_permutations"),
    "mmd, map": (lambda: bo.mmd_test(X, X, "map"), "map"),
    "mmd, columns": (lambda: bo.mmd_test(X, X[:, :1]), "2 and 1 columns"),
    "mmd, engine": (lambda: bo.mmd_test(X, X, engine="fast"), "engine must be None, a number of threads, or an engine"),
    "mmd, memory": (lambda: bo.mmd_test(X, X, engine=bo.ThreadEngine(memory="much")), "memory must be an amount"),
    "mmd, seed": (lambda: bo.mmd_test(X, X, random_state="x"), "random_state"),
    "mmd, threads": (lambda: bo.mmd_test(X, X, engine=bo.ThreadEngine(0.5)), "n_jobs must be a number of threads"),
    "mmd, one row": (lambda: bo.mmd_test(X[:1], X), "at least 2 of each"),
    "hsic, rows": (lambda: bo.hsic_test(X, Y[:5]), "X has 60 rows and Y has 5"),
    "hsic, permutations": (lambda: bo.hsic_test(X, Y, n_permutations="x"), "n_permutations"),
    "hsic, engine": (lambda: bo.hsic_test(X, Y, engine=True), "engine must be None"),
    "report, map": (lambda: bo.error_report("map", X), "map"),
    "report, eps": (lambda: bo.error_report(FOURIER, X, eps=-1.0), "eps"),
    "report, delta": (lambda: bo.error_report(FOURIER, X, delta=2.0), "delta must be between 0 and 1"),
    "report, alpha": (lambda: bo.error_report(FOURIER, X, alpha=-1.0), "alpha must be a number greater than 0"),
    "report, diameter": (lambda: bo.error_report(FOURIER, X, diameter="big"), "diameter must be a number"),
    "report, pairs": (lambda: bo.error_report(FOURIER, X, n_pairs=0), "n_pairs"),
    "report, confidence": (lambda: bo.error_report(FOURIER, X, confidence=1.5), "confidence"),
    "recommend, nothing asked": (lambda: bo.recommend(bo.Gaussian(1.0), X), "eps"),
    "recommend, kernel": (lambda: bo.recommend("gaussian", X, eps=0.1), "kernel"),
    "recommend, purpose": (lambda: bo.recommend(bo.Gaussian(1.0), X, eps=0.1, purpose="fun"), "purpose"),
    "recommend, budget": (lambda: bo.recommend(bo.Gaussian(1.0), X, budget="lots"), "budget"),
    "recommend, time": (lambda: bo.recommend(bo.Gaussian(1.0), X, eps=0.1, time_limit=-1), "time|-1"),
    "gap, kernel": (lambda: bo.learning_gap("gaussian", X, Y), "kernel"),
    "gap, alpha": (lambda: bo.learning_gap(bo.Gaussian(1.0), X, Y, alpha="x"), "alpha"),
    "gap, targets": (lambda: bo.learning_gap(bo.Gaussian(1.0), X, Y[:3]), "inconsistent numbers of samples"),
    "gap, huge": (lambda: bo.learning_gap(bo.Gaussian(1.0), 1e200 * X, Y), "The kernel is not finite at some rows"),
    "largest error, not fitted": (lambda: bo.max_error(FOURIER, X), "fit"),
    "largest error, redraws": (lambda: bo.max_error(GIVEN.feature_map_, X, n_redraws=-1), "n_redraws"),
    "length scales, kernel": (lambda: bo.learn_length_scales("gaussian", X, Y), "kernel"),
    "length scales, targets": (lambda: bo.learn_length_scales(bo.Gaussian(1.0), X, Y[:4]), "samples|rows|y"),
    "length scales, rows": (lambda: bo.learn_length_scales(bo.Gaussian(1.0), X, Y, n_rows=0), "n_rows"),
    "metric, kernel": (lambda: bo.learn_metric("gaussian", X, Y), "kernel"),
    "metric, rows": (lambda: bo.learn_metric(bo.Gaussian(1.0), X, Y, n_rows=-1), "n_rows"),
    "ArrayBlocks, None": (lambda: bo.ArrayBlocks(None, Y), "ArrayBlocks takes an array or a matrix"),
    "ArrayBlocks, list": (lambda: bo.ArrayBlocks(RAGGED, Y), "ArrayBlocks takes an array or a matrix"),
    "ArrayBlocks, targets": (lambda: bo.ArrayBlocks(X, Y[:5]), "y has 5 entries but X has 60 rows"),
    "ArrayBlocks, complex": (lambda: clone(GIVEN).fit(bo.ArrayBlocks(X + 1j, Y)), "In a block, X holds dates"),
    "ArrayBlocks, days": (lambda: clone(GIVEN).fit(bo.ArrayBlocks(DAYS, Y)), "In a block, X holds dates"),
    "ArrayBlocks, no columns": (lambda: clone(GIVEN).fit(bo.ArrayBlocks(X[:, :0], Y)), "column"),
    "ArrayBlocks, weights": (lambda: clone(GIVEN).fit(bo.ArrayBlocks(X, Y, -np.ones(60))), "at least 0"),
    "ParquetBlocks": (lambda: bo.ParquetBlocks(None), "A source of files needs a path, a folder, a glob or a list"),
    "CsvBlocks": (lambda: bo.CsvBlocks(3), "A source of files needs a path"),
    "SvmlightBlocks": (lambda: bo.SvmlightBlocks(object()), "A source of files needs a path"),
    "BatchBlocks": (lambda: bo.BatchBlocks(3), "BatchBlocks takes an iterable of batches"),
    "DaskBlocks": (lambda: bo.DaskBlocks(X), "DaskBlocks takes a Dask array or a Dask DataFrame, not ndarray"),
    "DaskEngine": (
        lambda: clone(GIVEN).set_params(engine=bo.DaskEngine("here")).fit(X, Y),
        "DaskEngine takes a distributed.Client, not str",
    ),
    "ThreadEngine": (lambda: clone(GIVEN).set_params(engine=bo.ThreadEngine("all")).fit(X, Y), "n_jobs"),
    "predict, columns": (lambda: GIVEN.predict(X[:, :1]), "X has 1 features, but KernelRidge is expecting 2"),
    "predict, days": (lambda: GIVEN.predict(DAYS), "X is an array of dates"),
    "predict, complex": (lambda: GIVEN.predict(X + 1j), "Complex data not supported: X has complex numbers"),
    "predict, None": (lambda: GIVEN.predict(None), "X is a NoneType"),
    "predict, not fitted": (lambda: bo.KernelRidge().predict(X), "not fitted"),
}


@pytest.mark.parametrize("name", CALLS)
def test_other_calls(name, tmp_path, monkeypatch):
    pytest.importorskip("dask.array")
    monkeypatch.chdir(tmp_path)
    action, message = CALLS[name]
    refused(action, message)


@pytest.mark.parametrize("size", [1e155, 1e200, 1e306])
@pytest.mark.parametrize(
    "kernel",
    [bo.Gaussian(1.0), bo.Matern(1.0), bo.Cauchy(1.0), bo.Polynomial(3), bo.ArcCosine()],
    ids=lambda k: type(k).__name__,
)
def test_rows_too_large_for_a_kernel_are_refused_or_learned_but_give_no_nan(kernel, size):
    radial = isinstance(kernel, bo.Gaussian | bo.Matern | bo.Cauchy)
    features = bo.FourierFeatures(kernel, 20) if radial else bo.MaclaurinFeatures(kernel, 20)
    for model in (
        bo.KernelRidge(features, 1e-2),
        bo.KernelRidge(bo.NystroemFeatures(kernel, 20), 1e-2),
        bo.ExactKernelRidge(kernel, 1e-2),
        bo.ExactKernelRidge(kernel),
        bo.ExactKernelSVC(kernel),
        bo.KernelSVC(features),
        bo.GaussianProcessRegressor(features, optimize=False),
        bo.KernelPCA(2, features),
        bo.OneClassSVM(features),
    ):
        if "feature_map" in model.get_params():
            model.set_params(feature_map__random_state=0)
        reason = why_not(lambda one=model: one.fit(size * X, targets(one)))
        if reason is None:
            assert np.isfinite(said_of(model, size * X)).all()
        else:
            assert re.search("(not finite|overflows) at .*: scale the data or the kernel down", reason)


def why_not(action: Callable[[], Any]) -> str | None:
    try:
        action()
    except ValueError as error:
        return str(error)
    return None


def said_of(model: Any, rows: np.ndarray) -> np.ndarray:
    if isinstance(model, bo.KernelPCA):
        return model.transform(rows)
    return model.predict(rows) if is_regressor(model) else model.decision_function(rows)


def test_no_features_at_all_are_no_reason_for_nan():
    model = bo.GaussianProcessRegressor(bo.MaclaurinFeatures(bo.ArcCosine(), 20, random_state=0))
    for rows in (np.zeros((60, 2)), 1e-160 * X, 1e-300 * X):
        mean, deviation = model.fit(rows, Y).predict(rows, return_std=True)
        np.testing.assert_allclose(mean, Y.mean(), rtol=1e-9)
        assert np.isfinite(deviation).all()


def test_dates_in_a_table_are_columns():
    pandas = pytest.importorskip("pandas")
    days = pandas.date_range("2020-01-01", periods=60)
    for column in (days, [day.date() for day in days], days.to_numpy()):
        table = pandas.DataFrame({"day": column, "size": X[:, 0]})
        Z = bo.TableEncoder(standardise=False).fit_transform(table)
        np.testing.assert_allclose(np.diff(Z[:, 0]), 86400.0)


def test_a_piece_that_is_refused_leaves_the_pieces_before_it():
    for model in (bo.KernelRidge(FOURIER, 1e-2), bo.GaussianProcessRegressor(FOURIER), bo.KernelPCA(2, FOURIER)):
        refused(lambda one=model: one.partial_fit(with_cell(np.nan), Y))
        assert "features_" not in vars(model)
        model.partial_fit(X[:40], Y[:40])
        before = pickle.loads(pickle.dumps(model))
        refused(lambda one=model: one.partial_fit(with_cell(np.nan), Y))
        refused(lambda one=model: one.partial_fit(X, Y, np.zeros(60)))
        np.testing.assert_array_equal(said(model.partial_fit(X[40:], Y[40:])), said(before.partial_fit(X[40:], Y[40:])))


def test_interrupted_fits_are_undone_too(monkeypatch):
    model = bo.KernelRidge(FOURIER, 1e-2).fit(X, Y)
    before = model.predict(X)

    def interrupted(*args):
        raise KeyboardInterrupt

    monkeypatch.setattr(bo.KernelRidge, "_learn_coded", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(2.0 * X, -Y)
    np.testing.assert_array_equal(model.predict(X), before)


def test_sparse_rows_that_would_fill_memory_are_refused_by_machines_of_dense_rows():
    rows = sp.random(200, 100_000, density=1e-4, format="csr", random_state=0)
    model = bo.ExactKernelRidge(bo.Gaussian(1.0), 1e-2, engine=bo.ThreadEngine(memory="100MB"))
    refused(lambda: model.fit(rows, np.arange(200.0)), "these sparse ones would take .* bytes, more than memory")

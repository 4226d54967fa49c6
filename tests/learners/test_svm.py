"""Support vector classification: optimal, as LinearSVC on the same features, the same bits from any engine."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_approximation import Nystroem
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import OneHotEncoder
from sklearn.svm import LinearSVC

import bochner as bo


def problem(n=500, classes=2, noise=0.3, seed=0, dtype=np.float64):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3)).astype(dtype)
    value = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + noise * rng.normal(size=n)
    edges = np.quantile(value, np.arange(1, classes) / classes)
    return X, np.digitize(value, edges), rng.uniform(0.0, 2.0, size=n)


def fourier(n_components=60):
    return bo.FourierFeatures(bo.Gaussian(1.5), n_components, random_state=0)


def signs_of(y):
    classes = np.unique(y)
    columns = classes[1:] if len(classes) == 2 else classes
    return np.where(y[:, None] == columns, 1.0, -1.0)


def objective(Z, y, weight, coef, intercept, C, power):
    """||W||²/2 + C sum v max(0, 1 - y s)^power, summed over classes, and its gradient."""
    signs = signs_of(y)
    slack = np.maximum(0, 1 - signs * (Z @ coef.T + intercept))
    value = 0.5 * np.sum(coef**2) + C * (weight[:, None] * slack**power).sum()
    residual = -C * weight[:, None] * signs * power * slack ** (power - 1)
    return value, residual.T @ Z + coef, residual.sum(axis=0)


def features_of(model, X):
    return np.asarray(model.feature_map_.transform(X), dtype=np.float64)


@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("C", [0.01, 1.0, 300.0])
def test_squared_hinge_is_stationary(solver, classes, C):
    """The gradient vanishes, in the intercepts too; it is measured against the gradient at the zero function."""
    X, y, weight = problem(classes=classes)
    model = bo.KernelSVC(fourier(), C=C, solver=solver, tol=1e-12).fit(X, y, sample_weight=weight)
    Z = features_of(model, X)
    value, slope, slope_at_0 = objective(Z, y, weight, model.coef_, model.intercept_, C, 2)
    zero = objective(Z, y, weight, np.zeros_like(model.coef_), np.zeros_like(model.intercept_), C, 2)
    assert np.linalg.norm(slope) < 1e-5 * np.linalg.norm(zero[1])
    assert np.abs(slope_at_0).max() < 1e-5 * C * weight.sum()
    assert model.objective_ == pytest.approx(value, rel=1e-9)


@pytest.mark.parametrize("solver", ["newton", "newton-cg"])
@pytest.mark.parametrize("classes", [2, 4])
def test_squared_hinge_reaches_the_objective_of_linear_svc(solver, classes):
    X, y, weight = problem(classes=classes)
    for C in (0.1, 10.0):
        model = bo.KernelSVC(fourier(), C=C, solver=solver, fit_intercept=False, tol=1e-8)
        model.fit(X, y, sample_weight=weight)
        Z = features_of(model, X)
        theirs = LinearSVC(loss="squared_hinge", dual=False, C=C, fit_intercept=False, tol=1e-8, max_iter=5000)
        theirs.fit(Z, y, sample_weight=weight)
        ours = objective(Z, y, weight, model.coef_, 0.0, C, 2)[0]
        assert ours == pytest.approx(objective(Z, y, weight, theirs.coef_, 0.0, C, 2)[0], rel=1e-6)
        np.testing.assert_array_equal(model.intercept_, 0.0)


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "dual"])
@pytest.mark.parametrize("classes", [2, 3])
def test_hinge_reaches_the_objective_of_linear_svc(classes, solver):
    X, y, weight = problem(n=300, classes=classes)
    for C in (0.1, 3.0):
        model = bo.KernelSVC(fourier(), C=C, loss="hinge", solver=solver, fit_intercept=False, tol=5e-5, max_iter=500)
        model.fit(X, y, sample_weight=weight)
        Z = features_of(model, X)
        theirs = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-6, max_iter=100_000, random_state=0)
        theirs.fit(Z, y, sample_weight=weight)
        ours = objective(Z, y, weight, model.coef_, 0.0, C, 1)[0]
        assert ours == pytest.approx(objective(Z, y, weight, theirs.coef_, 0.0, C, 1)[0], rel=1e-4)


@pytest.mark.parametrize("solver", ["newton", "newton-cg", "dual"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_hinge_with_intercept_beats_every_perturbation(C, solver):
    """A convex function is at its minimum where no step in any direction lowers it by more than the tolerance."""
    X, y, weight = problem(n=300)
    model = bo.KernelSVC(fourier(40), C=C, loss="hinge", solver=solver, tol=1e-6, max_iter=2000)
    model.fit(X, y, sample_weight=weight)
    Z = features_of(model, X)
    best = objective(Z, y, weight, model.coef_, model.intercept_, C, 1)[0]
    rng = np.random.default_rng(1)
    for size in (1e-3, 1e-2, 1e-1):
        for sign in (-1, 1):
            shifted = objective(Z, y, weight, model.coef_, model.intercept_ + sign * size, C, 1)[0]
            assert shifted >= best * (1 - 2e-6)
        for _ in range(20):
            step = size * rng.normal(size=model.coef_.shape)
            assert objective(Z, y, weight, model.coef_ + step, model.intercept_, C, 1)[0] >= best * (1 - 2e-6)


@pytest.mark.parametrize(("loss", "power", "tol"), [("squared_hinge", 2, 1e-10), ("hinge", 1, 1e-4)])
def test_sparse_and_coded_features_give_the_solution_of_dense_ones(loss, power, tol):
    X, y, weight = problem(n=300, classes=3)
    bins = np.digitize(X, [-1, 0, 1]).astype(float)
    for encoder in (OneHotEncoder(), OneHotEncoder(sparse_output=False)):
        model = bo.KernelSVC(encoder, loss=loss, tol=tol).fit(bins, y, sample_weight=weight)
        Z = OneHotEncoder(sparse_output=False).fit_transform(bins)
        value = objective(Z, y, weight, model.coef_, model.intercept_, 1.0, power)[0]
        assert value == pytest.approx(model.objective_, rel=1e-9)
        dense = bo.KernelSVC(OneHotEncoder(sparse_output=False), loss=loss, tol=tol).fit(bins, y, sample_weight=weight)
        assert model.objective_ == pytest.approx(dense.objective_, rel=3 * tol)
    coded = bo.BinningFeatures(bo.Laplace(2.0), n_grids=8, n_components=256, random_state=0)
    model = bo.KernelSVC(coded, loss=loss, tol=tol).fit(X, y, sample_weight=weight)
    Z = model.feature_map_.transform(X).toarray()
    value = objective(Z, y, weight, model.coef_, model.intercept_, 1.0, power)[0]
    assert value == pytest.approx(model.objective_, rel=1e-9)
    theirs = bo.KernelSVC(Held(Z), loss=loss, tol=tol).fit(X, y, sample_weight=weight)
    assert theirs.objective_ == pytest.approx(model.objective_, rel=3 * tol)


class Held(TransformerMixin, BaseEstimator):
    """A transformer that knows the dense features of the training rows."""

    def __init__(self, Z):
        self.Z = Z

    def fit(self, X, y=None):
        self.rows_ = {row.tobytes(): i for i, row in enumerate(X)}
        return self

    def transform(self, X):
        return self.Z[[self.rows_[row.tobytes()] for row in X]]


@pytest.mark.parametrize(
    ("loss", "solver"),
    [("squared_hinge", "newton"), ("squared_hinge", "newton-cg"), ("hinge", "newton-cg"), ("hinge", "dual")],
)
def test_same_bits_for_any_number_of_threads(loss, solver):
    X, y, weight = problem(n=1500, classes=3, dtype=np.float32)
    models = [
        bo.KernelSVC(fourier(), loss=loss, solver=solver, engine=engine).fit(X, y, sample_weight=weight)
        for engine in (bo.SerialEngine(), 1, 2, 3)
    ]
    for model in models[1:]:
        np.testing.assert_array_equal(model.coef_, models[0].coef_)
        np.testing.assert_array_equal(model.intercept_, models[0].intercept_)
    assert models[0].coef_.dtype == np.float32


def test_blocks_and_budget_do_not_change_the_solution():
    X, y, weight = problem(n=2000)
    whole = bo.KernelSVC(fourier(), tol=1e-10).fit(X, y, sample_weight=weight)
    for block_rows, memory in ((100, "2GB"), (333, "2GB"), (100, "1MB")):
        source = bo.ArrayBlocks(X, y, weight, block_rows=block_rows)
        model = bo.KernelSVC(fourier(), tol=1e-10, engine=bo.ThreadEngine(memory=memory)).fit(source)
        np.testing.assert_allclose(model.coef_, whole.coef_, atol=1e-6)


def test_weights_are_repetitions():
    X, y, _ = problem(n=300)
    counts = np.random.default_rng(0).integers(0, 4, size=len(y))
    for loss, tol, close in (("squared_hinge", 1e-12, 1e-6), ("hinge", 1e-7, 1e-2)):
        model = bo.KernelSVC(fourier(30), loss=loss, tol=tol, max_iter=3000)
        weighted = clone(model).fit(X, y, sample_weight=counts)
        repeated = clone(model).fit(np.repeat(X, counts, axis=0), np.repeat(y, counts))
        assert weighted.objective_ == pytest.approx(repeated.objective_, rel=1e-6)
        np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=close)


def test_class_weights_multiply_C_as_in_linear_svc():
    X, y, _ = problem(classes=3)
    for class_weight in ({0: 3.0, 2: 0.5}, "balanced"):
        model = bo.KernelSVC(fourier(), fit_intercept=False, class_weight=class_weight, tol=1e-10).fit(X, y)
        Z = features_of(model, X)
        theirs = LinearSVC(dual=False, fit_intercept=False, tol=1e-10, max_iter=5000, class_weight=class_weight)
        # LinearSVC weighs the positive class only; the rest weighs 1 there, so the classes are compared one by one.
        weight = np.ones(len(y))
        if isinstance(class_weight, dict):
            weight = np.array([class_weight.get(label, 1.0) for label in y])
        else:
            weight = len(y) / (3 * np.bincount(y))[y]
        theirs = LinearSVC(dual=False, fit_intercept=False, tol=1e-10, max_iter=5000).fit(Z, y, sample_weight=weight)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-4)


def test_automatic_C_takes_the_least_held_out_error_and_keeps_the_path():
    X, y, _ = problem(n=400, noise=0.5)
    model = bo.KernelSVC(fourier(30), C="auto").fit(X, y)
    values, errors = model.C_path_
    assert model.C_ == values[np.argmin(errors)]
    assert (np.diff(values) > 0).all()
    assert len(values) == len(errors)
    fixed = bo.KernelSVC(fourier(30), C=model.C_).fit(X, y)
    np.testing.assert_allclose(model.coef_, fixed.coef_, atol=1e-6)
    grid = GridSearchCV(bo.KernelSVC(fourier(30)), {"C": values[::2]}, cv=3).fit(X, y)
    assert abs((1 - errors.min()) - grid.best_score_) < 0.04
    hinge = bo.KernelSVC(fourier(20), C="auto", loss="hinge", tol=1e-2).fit(X[:200], y[:200])
    assert hinge.C_ in hinge.C_path_[0]


@pytest.mark.parametrize("classes", [2, 4])
def test_probabilities_are_calibrated_on_rows_not_seen(classes):
    X, y, _ = problem(n=3000, classes=classes, noise=0.6)
    model = bo.KernelSVC(fourier(), probability=True).fit(X[:1500], y[:1500])
    P = model.predict_proba(X[1500:])
    np.testing.assert_allclose(P.sum(axis=1), 1.0, rtol=1e-6)
    reference = bo.KernelLogisticRegression(fourier()).fit(X[:1500], y[:1500]).predict_proba(X[1500:])
    assert log_loss(y[1500:], P) < 1.1 * log_loss(y[1500:], reference)
    confident = P.max(axis=1)
    right = model.classes_[P.argmax(axis=1)] == y[1500:]
    assert abs(confident.mean() - right.mean()) < 5 * np.sqrt(0.25 / 1500) + 0.02
    with pytest.raises(AttributeError, match="predict_proba") as refusal:
        bo.KernelSVC().predict_proba(X)
    assert "probability=True" in str(refusal.value.__cause__)


def test_takes_frames_sparse_rows_transformers_and_grid_search():
    X, y, _ = problem(n=400)
    labels = np.array(["no", "yes"])[y]
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert bo.KernelSVC(fourier()).fit(frame, labels).predict(frame).dtype == labels.dtype
    dense = bo.KernelSVC(fourier()).fit(X, y).decision_function(X)
    rows = sp.csr_matrix(X)
    np.testing.assert_allclose(bo.KernelSVC(fourier()).fit(rows, y).decision_function(rows), dense, atol=1e-6)
    assert bo.KernelSVC(Nystroem(n_components=50, random_state=0)).fit(X, y).score(X, y) > 0.8
    grid = GridSearchCV(bo.KernelSVC(fourier()), {"feature_map__kernel__length_scale": [0.5, 1.5, 50.0]}, cv=3)
    assert grid.fit(X, y).best_params_["feature_map__kernel__length_scale"] < 50


def test_stopping_early_warns_with_what_to_do():
    X, y, _ = problem()
    with pytest.warns(ConvergenceWarning, match=r"KernelSVC stopped after max_iter=1 .* increase max_iter"):
        bo.KernelSVC(fourier(), C=1e4, max_iter=1, tol=1e-12).fit(X, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert 1 <= bo.KernelSVC(fourier()).fit(X, y).n_iter_ <= 100


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0.0}, "C must be a number > 0"),
        ({"C": -1}, "C must be a number > 0"),
        ({"C": "best"}, "C must be a number > 0 or 'auto'"),
        ({"loss": "log"}, "loss must be one of"),
        ({"solver": "sgd"}, "solver must be one of"),
        ({"loss": "squared_hinge", "solver": "dual"}, "solver='dual' solves losses of straight pieces only"),
        ({"tol": 0}, "tol must be a number > 0"),
        ({"max_iter": 0}, "max_iter must be a whole number"),
        ({"class_weight": {0: 0.0}}, "Only the class 1 has rows of weight > 0"),
    ],
)
def test_bad_parameters_get_one_sentence(options, message):
    X, y, _ = problem(n=50)
    with pytest.raises(ValueError, match=message):
        bo.KernelSVC(fourier(), **options).fit(X, y)


def test_bad_rows_get_one_sentence():
    X, y, _ = problem(n=60)
    with pytest.raises(ValueError, match="only one class"):
        bo.KernelSVC().fit(X, np.zeros(60))
    with pytest.raises(ValueError, match="at least one"):
        bo.KernelSVC().fit(X, y, sample_weight=np.zeros(60))
    with pytest.raises(ValueError, match="Only the class 1 has rows of weight > 0"):
        bo.KernelSVC().fit(X, y, sample_weight=(y == 1).astype(float))
    source = bo.ArrayBlocks(X, y, np.zeros(60), block_rows=20)
    with pytest.raises(ValueError, match="weights of all rows are zero"):
        bo.KernelSVC().fit(source)
    with pytest.raises(ValueError, match="no targets"):
        bo.KernelSVC().fit(bo.ArrayBlocks(X))


def test_the_choice_of_c_does_not_see_the_order_of_rows_nor_rows_that_weigh_nothing():
    """Folds go by the content of rows, so that a row twice is a row of weight two."""
    X, y, _ = problem(n=120)
    counts = np.random.default_rng(3).integers(0, 3, size=len(X))
    machine = bo.KernelSVC(fourier(), "auto", tol=1e-6)
    weighted = machine.fit(X, y, sample_weight=counts.astype(float))
    order = np.random.default_rng(4).permutation(counts.sum())
    repeated = clone(machine).fit(np.repeat(X, counts, axis=0)[order], np.repeat(y, counts)[order])
    np.testing.assert_allclose(repeated.C_path_[1], weighted.C_path_[1], atol=1e-12)
    assert repeated.C_ == weighted.C_

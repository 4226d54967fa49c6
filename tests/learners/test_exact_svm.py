"""ExactKernelSVC: the dual's own conditions, equal to LIBSVM on the same kernel, any labels, weights and classes."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC

import bochner as bo


def data(n=200, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2, 2, size=(n, 3))
    score = np.sin(2 * X[:, 0]) * X[:, 1] + 0.4 * rng.normal(size=n)
    return X, np.digitize(score, np.quantile(score, np.linspace(0, 1, n_classes + 1)[1:-1]))


def test_four_points_by_hand():
    X, y = np.array([[0.0], [1.0], [2.0], [3.5]]), np.array([-1, 1, 1, -1])
    model = bo.ExactKernelSVC(bo.Gaussian(1.0), C=2.0, tol=1e-12).fit(X, y)
    signed = np.zeros(4)
    signed[model.support_] = model.dual_coef_[0]
    np.testing.assert_allclose(signed, [-1.87603432, 2.0, 0.77062726, -0.89459294], atol=2e-8)
    assert model.intercept_[0] == pytest.approx(-0.43936316, abs=1e-8)
    assert model.decision_function([[0.7]])[0] == pytest.approx(0.31753014, abs=1e-8)
    np.testing.assert_array_equal(model.n_support_, [2, 2])


@pytest.mark.parametrize("C", [0.1, 3.0])
def test_conditions_of_the_dual(C):
    """0 <= a <= C v, y'a = 0; a < C v only on or outside the margin, a > 0 only on or inside."""
    X, y = data()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=len(X))
    model = bo.ExactKernelSVC(bo.Matern(1.0), C).fit(X, y, weight)
    sign = 2.0 * y - 1.0
    dual = np.zeros(len(X))
    dual[model.support_] = sign[model.support_] * model.dual_coef_[0]
    assert dual.min() >= 0.0
    assert (dual <= C * weight * (1 + 1e-12)).all()
    assert abs(sign @ dual) < 1e-10
    margin = sign * model.decision_function(X)
    assert margin[dual < C * weight * (1 - 1e-9)].min() > 1 - 1e-6
    assert margin[dual > 0].max() < 1 + 1e-6
    assert 0 < (dual == 0).sum() < len(X)


@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_equal_to_scikit_learn(n_classes, shape):
    X, y = data(300, n_classes)
    new = data(200, seed=2)[0]
    settings = {"C": 2.0, "tol": 1e-8, "class_weight": "balanced", "decision_function_shape": shape}
    exact = SVC(kernel="rbf", gamma=0.5 / 0.8**2, break_ties=n_classes > 2 and shape == "ovr", **settings).fit(X, y)
    model = bo.ExactKernelSVC(bo.Gaussian(0.8), **settings).fit(X, y)
    np.testing.assert_array_equal(model.support_, exact.support_)
    np.testing.assert_array_equal(model.n_support_, exact.n_support_)
    np.testing.assert_allclose(model.dual_coef_, exact.dual_coef_, atol=1e-6)
    np.testing.assert_allclose(model.intercept_, exact.intercept_, atol=1e-6)
    np.testing.assert_allclose(model.decision_function(new), exact.decision_function(new), atol=1e-6)
    if shape == "ovr":  # where scikit-learn breaks ties too
        np.testing.assert_array_equal(model.predict(new), exact.predict(new))


def test_labels_of_any_kind_and_a_class_without_weight():
    X, y = data(150, 3)
    names = np.array(["high", "low", "middle"])
    model = bo.ExactKernelSVC(bo.Gaussian(1.0)).fit(X, names[y])
    plain = bo.ExactKernelSVC(bo.Gaussian(1.0)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), names[plain.predict(X)])
    assert plain.score(X, y) > 0.6
    without = bo.ExactKernelSVC(bo.Gaussian(1.0), class_weight={2: 0.0}).fit(X, y)
    fewer = bo.ExactKernelSVC(bo.Gaussian(1.0)).fit(X[y < 2], y[y < 2])
    np.testing.assert_array_equal(without.classes_, [0, 1])
    np.testing.assert_array_equal(np.flatnonzero(y < 2)[fewer.support_], without.support_)
    np.testing.assert_allclose(without.decision_function(X), fewer.decision_function(X), atol=1e-12)


def test_rows_may_come_as_blocks_sparse_in_a_metric_or_in_single_precision():
    X, y = data()
    kernel = bo.Matern(bo.Metric([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2]]))
    model = bo.ExactKernelSVC(kernel).fit(X, y)
    expected = model.decision_function(X)
    assert model.kernel_.length_scale == kernel.length_scale
    blocks = bo.ExactKernelSVC(kernel).fit(bo.ArrayBlocks(X, y, block_rows=64))
    np.testing.assert_allclose(blocks.decision_function(X), expected, atol=1e-7)
    sparse = bo.ExactKernelSVC(kernel).fit(sp.csr_matrix(X), y)
    np.testing.assert_allclose(sparse.decision_function(sp.csr_matrix(X)), expected, atol=1e-7)
    single = bo.ExactKernelSVC(kernel).fit(X.astype(np.float32), y)
    assert single.decision_function(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.decision_function(X.astype(np.float32)), expected, atol=1e-3)


def test_the_same_machine_as_features_of_all_rows():
    """With every row a landmark Nystroem features have the kernel itself, so KernelSVC solves the same problem."""
    X, y = data(120)
    exact = bo.ExactKernelSVC(bo.Gaussian(1.0), 2.0).fit(X, y)
    features = bo.KernelSVC(bo.NystroemFeatures(bo.Gaussian(1.0), len(X)), 2.0, loss="hinge", tol=1e-6).fit(X, y)
    np.testing.assert_allclose(features.decision_function(X), exact.decision_function(X), atol=1e-3)


def test_a_grid_search_reaches_the_kernel():
    X, y = data()
    search = GridSearchCV(bo.ExactKernelSVC(bo.Gaussian(1.0)), {"kernel__length_scale": [1e-3, 1.0]}, cv=3).fit(X, y)
    assert search.best_params_ == {"kernel__length_scale": 1.0}


def test_errors_say_what_to_do():
    X, y = data(60)
    for settings, message in (
        ({"C": 0.0}, "C must be a number > 0"),
        ({"tol": -1.0}, "tol must be a number > 0"),
        ({"decision_function_shape": "all"}, "decision_function_shape must be 'ovr' or 'ovo'"),
        (
            {"engine": bo.ThreadEngine(memory="10KB")},
            "takes 0.0 GB, more than the memory of the engine: allow more, or take KernelSVC",
        ),
        ({"class_weight": {1: 0.0}}, "Only the class 0 has rows of weight > 0"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.ExactKernelSVC(**settings).fit(X, y)
    with pytest.raises(TypeError, match="kernel must be a bochner kernel"):
        bo.ExactKernelSVC("rbf").fit(X, y)


@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_exported_scores_are_those_of_the_model(tmp_path, shape):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = data(150, 4)
    model = bo.ExactKernelSVC(bo.Gaussian(1.0), decision_function_shape=shape).fit(X, y)
    bo.to_onnx(model, tmp_path / "model.onnx")
    label, scores = onnxruntime.InferenceSession(tmp_path / "model.onnx").run(None, {"X": X})
    np.testing.assert_array_equal(label, model.predict(X))
    np.testing.assert_allclose(scores, model.decision_function(X), atol=1e-9)


class Counted(bo.kernels.Kernel):
    """A Gaussian that counts the values asked of it."""

    asked = 0

    def __call__(self, X, Y=None):
        values = bo.Gaussian(1.0)(X, Y)
        Counted.asked += values.size
        return values

    def rowwise(self, X, Y):
        return bo.Gaussian(1.0).rowwise(X, Y)

    def diagonal(self, X):
        return np.ones(len(X))


def test_a_prediction_asks_for_as_many_kernel_values_as_there_are_support_vectors():
    """The support vector effect: more rows, more support vectors, more work for a prediction; features do as ever."""
    rng = np.random.default_rng(0)
    new, seen = rng.normal(size=(50, 2)), []
    for n in (100, 800):
        X = rng.normal(size=(n, 2))
        y = np.sign(X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=n))
        model = bo.ExactKernelSVC(Counted()).fit(X, y)
        Counted.asked = 0
        model.decision_function(new)
        assert Counted.asked == 50 * len(model.support_)
        seen.append(len(model.support_))
        features = bo.KernelSVC(bo.FourierFeatures(bo.Gaussian(1.0), 60, random_state=0), C=1.0).fit(X, y)
        assert features.coef_.size == 60
    assert seen[1] > 3 * seen[0]

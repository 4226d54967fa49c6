"""ExactKernelRidge and its classifier: equal to the closed form, whatever the way the rows come in."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge

import bochner as bo


def data(n=600, noise=0.1, d=3):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + noise * rng.normal(size=n)


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_equal_to_scikit_learn_on_centred_targets(alpha):
    X, y = data()
    model = bo.ExactKernelRidge(bo.Gaussian(0.8), alpha).fit(X, y)
    exact = KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / (2 * 0.8**2)).fit(X, y - y.mean())
    new = data(200)[0] + 0.01
    np.testing.assert_allclose(model.predict(new), exact.predict(new) + y.mean(), atol=1e-8)
    np.testing.assert_allclose(model.dual_coef_[:, 0], exact.dual_coef_, atol=1e-6)
    assert model.intercept_ == pytest.approx(y.mean())


THREE = np.array([[0.0], [1.0], [2.5]]), np.array([1.0, -1.0, 2.0])


@pytest.mark.parametrize(
    ("intercept", "value", "b"),
    [("none", -0.1637833683, 0.0), ("mean", -0.0545453590, 2 / 3), ("free", -0.0098483465, 0.9394472534)],
)
def test_three_intercepts_are_three_machines(intercept, value, b):
    model = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.5, intercept=intercept).fit(*THREE)
    assert model.predict([[0.7]])[0] == pytest.approx(value, abs=1e-9)
    assert model.intercept_[0] == pytest.approx(b, abs=1e-9)
    if intercept == "none":
        np.testing.assert_allclose(model.dual_coef_[:, 0], [1.23237834, -1.51680392, 1.62552481], atol=1e-8)
    if intercept == "free":
        assert model.dual_coef_.sum() == pytest.approx(0.0, abs=1e-12)
        flat = bo.ExactKernelRidge(bo.Gaussian(1.0), 1e12, intercept=intercept).fit(*THREE)
        np.testing.assert_allclose(flat.predict([[0.7], [9.0]]), 2 / 3, atol=1e-9)


@pytest.mark.parametrize("memory", ["2GB", "1MB"])
@pytest.mark.parametrize(("intercept", "fit_intercept"), [("free", True), ("none", False)])
def test_intercepts_are_those_of_ridge_in_features(monkeypatch, intercept, fit_intercept, memory):
    """All rows as landmarks: KernelRidge solves the same problem in the primal, weights and all."""
    X, y = data(300)
    y = np.column_stack([y + 3.0, X[:, 0]])
    weight = np.random.default_rng(1).uniform(0.2, 3.0, size=len(X))
    monkeypatch.setattr("bochner.solvers.dual.DIRECT", 2000 if memory == "2GB" else 100)
    settings = {"intercept": intercept, "tol": 1e-9, "max_iter": 400, "random_state": 0}
    model = bo.ExactKernelRidge(bo.Matern(1.0), 0.3, **settings).fit(X, y, weight)
    features = bo.NystroemFeatures(bo.Matern(1.0), 300, random_state=0)
    primal = bo.KernelRidge(features, alpha=0.3, fit_intercept=fit_intercept, solver="cholesky").fit(X, y, weight)
    new = data(50)[0] + 0.1
    np.testing.assert_allclose(model.predict(new), primal.predict(new), atol=1e-5)
    np.testing.assert_allclose(model.intercept_, primal.intercept_, atol=1e-4)
    np.testing.assert_allclose(model.norm_, np.linalg.norm(primal.coef_, axis=1), rtol=1e-4)


def test_norm_of_interpolation():
    for intercept, norm in (("none", 3.697089042), ("mean", 3.358371405)):
        model = bo.ExactKernelRidge(bo.Gaussian(1.0), 1e-12, intercept=intercept).fit(*THREE)
        assert model.norm_[0] == pytest.approx(norm, abs=1e-8)
    narrow = bo.ExactKernelRidge(bo.Gaussian(bo.Metric([[2.0]])), 0.5).fit(*THREE)
    assert narrow.norm_ == pytest.approx(bo.ExactKernelRidge(bo.Gaussian(0.5), 0.5).fit(*THREE).norm_)


@pytest.mark.parametrize("intercept", ["none", "free"])
def test_classes_and_the_choice_of_alpha_know_the_intercept(intercept):
    X, y = data(400)
    model = bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 0.1, intercept=intercept).fit(X, y > 0.3)
    other = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.1, intercept=intercept).fit(X, np.where(y > 0.3, 1.0, -1.0))
    np.testing.assert_allclose(model.decision_function(X), other.predict(X), atol=1e-9)
    chosen = bo.ExactKernelRidge(bo.Gaussian(1.0), intercept=intercept).fit(X, y)
    assert 1e-4 <= chosen.alpha_ <= 0.1
    assert chosen.score(X, y) > 0.9


@pytest.mark.parametrize("memory", ["2GB", "1MB"])
def test_many_rows_come_to_the_same_as_few_by_cholesky(monkeypatch, memory):
    X, y = data(3000)
    many = bo.ExactKernelRidge(
        bo.Matern(1.0), 0.1, tol=1e-5, max_iter=200, engine=bo.ThreadEngine(memory=memory), random_state=0
    ).fit(X, y)
    assert many.n_iter_ > 1
    monkeypatch.setattr("bochner.solvers.dual.DIRECT", 10_000)
    direct = bo.ExactKernelRidge(bo.Matern(1.0), 0.1).fit(X, y)
    assert direct.n_iter_ == 1
    np.testing.assert_allclose(many.predict(X), direct.predict(X), atol=2e-3 * y.std())


def test_a_weight_of_two_is_a_row_twice_and_of_zero_is_none():
    X, y = data(200)
    weight = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    weighted = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.1).fit(X, y, weight)
    places = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.1).fit(X[places], y[places])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)
    source = bo.ArrayBlocks(X, y, np.zeros(len(X)))
    with pytest.raises(ValueError, match="weights of all rows are 0"):
        bo.ExactKernelRidge(bo.Gaussian(1.0)).fit(source)


def test_alpha_is_chosen_by_the_noise():
    chosen = []
    for noise in (0.0, 1.0):
        X, y = data(1500, noise=noise)
        chosen.append(bo.ExactKernelRidge(bo.Matern(1.0), random_state=0).fit(X, y).alpha_)
    assert chosen[0] <= 0.01 < 0.1 <= chosen[1]


def test_rows_may_come_as_blocks_sparse_in_a_metric_or_in_single_precision():
    X, y = data(500)
    kernel = bo.Matern(bo.Metric([[1.0, 0.5, 0.0], [0.0, 1.0, 0.2]]))
    model = bo.ExactKernelRidge(kernel, 0.1).fit(X, y)
    expected = model.predict(X)
    blocks = bo.ExactKernelRidge(kernel, 0.1).fit(bo.ArrayBlocks(X, y, block_rows=64))
    np.testing.assert_allclose(blocks.predict(X), expected, atol=1e-9)
    np.testing.assert_allclose(
        bo.ExactKernelRidge(kernel, 0.1).fit(sp.csr_matrix(X), y).predict(sp.csr_matrix(X)), expected, atol=1e-9
    )
    single = bo.ExactKernelRidge(kernel, 0.1).fit(X.astype(np.float32), y)
    assert single.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), expected, atol=1e-3)
    assert model.kernel_.length_scale == kernel.length_scale


def test_several_targets_and_classes():
    X, y = data(400)
    both = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.1).fit(X, np.column_stack([y, X[:, 2]]))
    assert both.predict(X).shape == (400, 2)
    np.testing.assert_allclose(both.predict(X)[:, 0], bo.ExactKernelRidge(bo.Gaussian(1.0), 0.1).fit(X, y).predict(X))
    names = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    model = bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 0.1, class_weight="balanced").fit(X, names)
    assert model.decision_function(X).shape == (400, 3)
    assert model.score(X, names) > 0.85
    two = bo.ExactKernelRidgeClassifier(bo.Gaussian(1.0), 0.1).fit(X, y > 0)
    np.testing.assert_array_equal(two.predict(X), two.decision_function(X) > 0)


def test_errors_and_warnings_say_what_to_do():
    X, y = data(2500)
    with pytest.warns(ConvergenceWarning, match="stopped after max_iter=1 passes .* raise max_iter, tol or alpha"):
        bo.ExactKernelRidge(bo.Gaussian(0.1), 1e-6, tol=1e-9, max_iter=1, random_state=0).fit(X, y)
    for settings, message in (
        ({"alpha": -1.0}, "alpha must be a number >= 0 or 'auto', not -1.0"),
        ({"alpha": "gcv"}, "alpha must be a number >= 0 or 'auto', not 'gcv'"),
        ({"tol": 0.0}, "tol must be a number greater than 0"),
        ({"max_iter": 0}, "max_iter"),
        ({"intercept": "median"}, "intercept must be 'mean', 'none' or 'free', not 'median'"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.ExactKernelRidge(**settings).fit(X[:50], y[:50])
    with pytest.raises(TypeError, match="kernel must be a bochner kernel"):
        bo.ExactKernelRidge("rbf").fit(X[:50], y[:50])

"""ExactKernelRidge and its classifier: equal to the closed form, whatever the way the rows come in."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.utils.estimator_checks import check_estimator

import bochner as bo


def data(n=600, noise=0.1, d=3):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, d))
    return X, np.sin(2 * X[:, 0]) * X[:, 1] + noise * rng.normal(size=n)


@pytest.mark.parametrize("learner", [bo.ExactKernelRidge(), bo.ExactKernelRidgeClassifier()])
def test_scikit_learn_checks_pass_with_none_skipped(learner):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        results = check_estimator(clone(learner), on_skip=None, on_fail=None)
    assert [(r["check_name"], r["exception"]) for r in results if r["status"] != "passed"] == []


@pytest.mark.parametrize("alpha", [1e-3, 1.0])
def test_equal_to_scikit_learn_on_centred_targets(alpha):
    X, y = data()
    model = bo.ExactKernelRidge(bo.Gaussian(0.8), alpha).fit(X, y)
    exact = KernelRidge(alpha=alpha, kernel="rbf", gamma=1 / (2 * 0.8**2)).fit(X, y - y.mean())
    new = data(200)[0] + 0.01
    np.testing.assert_allclose(model.predict(new), exact.predict(new) + y.mean(), atol=1e-8)
    np.testing.assert_allclose(model.dual_coef_[:, 0], exact.dual_coef_, atol=1e-6)
    assert model.intercept_ == pytest.approx(y.mean())


@pytest.mark.parametrize("memory", ["2GB", "1MB"])
def test_many_rows_come_to_the_same_as_few_by_cholesky(monkeypatch, memory):
    X, y = data(3000)
    many = bo.ExactKernelRidge(bo.Matern(1.0), 0.1, tol=1e-5, max_iter=200, memory=memory, random_state=0).fit(X, y)
    assert many.n_iter_ > 1
    monkeypatch.setattr("bochner.solvers.dual.DIRECT", 10_000)
    direct = bo.ExactKernelRidge(bo.Matern(1.0), 0.1).fit(X, y)
    assert direct.n_iter_ == 1
    np.testing.assert_allclose(many.predict(X), direct.predict(X), atol=2e-3 * y.std())


def test_a_weight_of_two_is_a_row_twice_and_of_zero_is_none():
    X, y = data(200)
    weight = np.random.default_rng(1).integers(0, 3, size=len(X)).astype(float)
    weighted = bo.ExactKernelRidge(bo.Gaussian(), 0.1).fit(X, y, weight)
    places = np.repeat(np.arange(len(X)), weight.astype(int))
    repeated = bo.ExactKernelRidge(bo.Gaussian(), 0.1).fit(X[places], y[places])
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)
    source = bo.ArrayBlocks(X, y, np.zeros(len(X)))
    with pytest.raises(ValueError, match="weights of all rows are 0"):
        bo.ExactKernelRidge(bo.Gaussian()).fit_blocks(source)


def test_alpha_is_chosen_by_the_noise():
    chosen = []
    for noise in (0.0, 1.0):
        X, y = data(1500, noise=noise)
        chosen.append(bo.ExactKernelRidge(bo.Matern(1.0), random_state=0).fit(X, y).alpha_)
    assert chosen[0] <= 0.01 < 0.1 <= chosen[1]


def test_rows_may_come_as_blocks_sparse_projected_or_in_single_precision():
    X, y = data(500)
    kernel = bo.Projected(bo.Matern(1.0), [[1.0, 0.5, 0.0], [0.0, 1.0, 0.2]])
    model = bo.ExactKernelRidge(kernel, 0.1).fit(X, y)
    expected = model.predict(X)
    blocks = bo.ExactKernelRidge(kernel, 0.1).fit_blocks(bo.ArrayBlocks(X, y, block_rows=64))
    np.testing.assert_allclose(blocks.predict(X), expected, atol=1e-9)
    np.testing.assert_allclose(
        bo.ExactKernelRidge(kernel, 0.1).fit(sp.csr_matrix(X), y).predict(sp.csr_matrix(X)), expected, atol=1e-9
    )
    single = bo.ExactKernelRidge(kernel, 0.1).fit(X.astype(np.float32), y)
    assert single.predict(X.astype(np.float32)).dtype == np.float32
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), expected, atol=1e-3)
    assert model.kernel_.matrix == kernel.matrix


def test_several_targets_and_classes():
    X, y = data(400)
    both = bo.ExactKernelRidge(bo.Gaussian(), 0.1).fit(X, np.column_stack([y, X[:, 2]]))
    assert both.predict(X).shape == (400, 2)
    np.testing.assert_allclose(both.predict(X)[:, 0], bo.ExactKernelRidge(bo.Gaussian(), 0.1).fit(X, y).predict(X))
    names = np.array(["low", "middle", "high"])[np.digitize(y, [-0.5, 0.5])]
    model = bo.ExactKernelRidgeClassifier(bo.Gaussian(), 0.1, class_weight="balanced").fit(X, names)
    assert model.decision_function(X).shape == (400, 3)
    assert model.score(X, names) > 0.85
    two = bo.ExactKernelRidgeClassifier(bo.Gaussian(), 0.1).fit(X, y > 0)
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
    ):
        with pytest.raises(ValueError, match=message):
            bo.ExactKernelRidge(**settings).fit(X[:50], y[:50])
    with pytest.raises(TypeError, match="kernel must be a bochner kernel"):
        bo.ExactKernelRidge("rbf").fit(X[:50], y[:50])

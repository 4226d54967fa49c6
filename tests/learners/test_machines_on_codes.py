"""Every loss on the codes of random binning: the minimum is that of the same features written out, solved exactly."""

import numpy as np
import pytest
from sklearn.preprocessing import FunctionTransformer

import bochner as bo
from bochner.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Multinomial,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from bochner.maps.design import Design

CLASSIFIERS = {
    "squared hinge": (bo.KernelSVC, {"loss": "squared_hinge"}, SquaredHinge(), 2),
    "squared hinge, 4 classes": (bo.KernelSVC, {"loss": "squared_hinge"}, SquaredHinge(), 4),
    "hinge": (bo.KernelSVC, {"loss": "hinge"}, Hinge(), 2),
    "logistic": (bo.KernelLogisticRegression, {}, Logistic(), 2),
    "multinomial": (bo.KernelLogisticRegression, {}, Multinomial(), 4),
}
REGRESSORS = {
    "squared epsilon": ({"loss": "squared_epsilon_insensitive"}, SquaredEpsilonInsensitive(0.1)),
    "epsilon": ({"loss": "epsilon_insensitive"}, EpsilonInsensitive(0.1)),
    "huber": ({"loss": "huber"}, Huber(0.1)),
}


def rows(dtype, n=400):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    value = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=n)
    return X.astype(dtype), value, rng.uniform(0.5, 2.0, size=n)


def binning(hashing):
    width = None if hashing == "exact" else 20 * 64
    return bo.BinningFeatures(bo.Laplace(1.5), 20, width, hashing=hashing, random_state=0)


def objective(model, loss, Z, y, weight, C):
    """F from the fitted coefficients, in float64."""
    coefficients = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64))
    scores = Z @ coefficients.T + np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    return 0.5 * np.sum(coefficients**2) + C * np.sum(weight[:, None] * loss.value(y, scores))


def check(machine, loss, dtype, hashing, y, targets, C):
    """Fit on codes and on the same features as dense rows; the objectives agree with each other and with themselves."""
    X, _, weight = rows(dtype)
    tol = 1e-4 if loss.smooth else 2e-5  # with a kink the gap of the smoothed loss is an estimate
    model = machine(feature_map=binning(hashing), C=C, tol=tol).fit(X, y, sample_weight=weight)
    Z = model.feature_map_.transform(X).toarray().astype(np.float64)
    dense = machine(feature_map=FunctionTransformer(), C=C).set_params(tol=1e-6 if loss.smooth else tol)
    dense.fit(Z, y, sample_weight=weight)
    assert objective(model, loss, Z, targets, weight, C) == pytest.approx(model.objective_, rel=1e-5)
    assert objective(dense, loss, Z, targets, weight, C) == pytest.approx(dense.objective_, rel=1e-9)
    assert dense.objective_ * (1 - dense.tol) <= model.objective_ <= dense.objective_ * (1 + 1e-4)


@pytest.mark.parametrize("C", [0.1, 3.0])
@pytest.mark.parametrize(("dtype", "hashing"), [(np.float32, "plain"), (np.float64, "signed"), (np.float32, "exact")])
@pytest.mark.parametrize("name", CLASSIFIERS)
def test_classifiers_reach_the_minimum(name, dtype, hashing, C):
    kind, options, loss, classes = CLASSIFIERS[name]
    if not loss.smooth:
        C = min(C, 0.3)  # with a kink large C takes seconds
    _, value, _ = rows(dtype)
    y = np.digitize(value, np.quantile(value, np.arange(1, classes) / classes))
    targets = (y[:, None] == np.arange(classes)).astype(float)
    if not isinstance(loss, Multinomial):
        targets = 2.0 * (targets[:, 1:] if classes == 2 else targets) - 1.0
    check(lambda **given: kind(**options, **given), loss, dtype, hashing, y, targets, C)


@pytest.mark.parametrize("C", [0.1, 3.0])
@pytest.mark.parametrize("name", REGRESSORS)
def test_regressors_reach_the_minimum(name, C):
    options, loss = REGRESSORS[name]
    C = C if loss.smooth else min(C, 0.3)
    _, value, _ = rows(np.float32)
    check(
        lambda **given: bo.KernelSVR(epsilon=0.1, **options, **given),
        loss,
        np.float32,
        "plain",
        value,
        value[:, None],
        C,
    )


@pytest.mark.parametrize("hashing", ["plain", "signed", "exact"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [300, 20_000])
def test_products_that_read_only_rows_of_weight_have_the_same_bits(n, dtype, hashing):
    X, _, _ = rows(dtype, n)
    design = binning(hashing).fit(X[: n // 2]).features_.design(X)
    rng = np.random.default_rng(1)
    direction = rng.normal(size=(design.shape[1], 1)).astype(dtype)
    weight = rng.uniform(size=(n, 1)) * (rng.uniform(size=(n, 1)) < 0.3)
    some, everything = (np.zeros((design.shape[1] + 1, 1), dtype=dtype) for _ in range(2))
    design.add_weighted_gram(weight, direction, np.array([0.3]), some)
    Design.add_weighted_gram(design, weight, direction, np.array([0.3]), everything)
    np.testing.assert_array_equal(some[:-1], everything[:-1])
    np.testing.assert_allclose(some[-1], everything[-1], rtol=1e-6)
    exact = weight * (design.dense().astype(np.float64) @ direction + 0.3)
    np.testing.assert_allclose(some[:-1], design.dense().T @ exact, atol=3e-6 * np.abs(some).max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_that_all_share_their_bins_are_given_the_mean(dtype):
    """A length scale far beyond the rows leaves no feature that varies, and rounding is not what alpha is chosen by."""
    X = np.random.default_rng(0).normal(size=(300, 3)).astype(dtype)
    y = X[:, 0].astype(np.float64)
    model = bo.KernelRidge(bo.BinningFeatures(bo.Laplace(1e6), 5, random_state=0)).fit(X, y)
    assert np.abs(model.predict(X) - y.mean()).max() < 1e-3 * y.std()

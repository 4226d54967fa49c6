"""The learners without a margin are citizens of scikit-learn: its own checks, grid searches, tables, other maps."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.model_selection import GridSearchCV

import bochner as bo

LEARNERS = [
    bo.GaussianProcessRegressor(),
    bo.KernelPCA(),
    bo.KernelPCA(fit_inverse_transform=True),
    bo.KernelMeans(),
    bo.OneClassSVM(),
]


def quietly(call, *arguments, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(*arguments, **settings)


def name(learner):
    return type(learner).__name__ + ("(inverse)" if "fit_inverse_transform=True" in str(learner) else "")


def values(model, X):
    return model.transform(X) if isinstance(model, bo.KernelPCA) else model.predict(X)


def data(n=120):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, 3))
    return X, np.sin(2 * X[:, 0]) + 0.1 * rng.normal(size=n)


@pytest.mark.parametrize("learner", LEARNERS, ids=name)
def test_tables_pickles_and_other_maps(learner):
    X, y = data()
    table = pd.DataFrame(X, columns=["a", "b", "c"])
    model = quietly(clone(learner).set_params(random_state=0).fit, table, y)
    assert list(model.feature_names_in_) == ["a", "b", "c"]
    with pytest.raises(ValueError, match="feature names"):
        values(model, table[["b", "a", "c"]])
    np.testing.assert_array_equal(values(pickle.loads(pickle.dumps(model)), table), values(model, table))
    other = clone(learner).set_params(feature_map=Nystroem(n_components=30, random_state=0))
    quietly(other.fit, X, y)
    assert other.features_.n_components == 30


def test_grid_search_over_the_length_scale():
    X, y = data(200)
    grid = {"feature_map__kernel__length_scale": [0.01, 1.0, 100.0]}
    model = bo.GaussianProcessRegressor(bo.FourierFeatures(bo.Gaussian(1.0), 100, random_state=0))
    search = quietly(GridSearchCV(model, grid, cv=3).fit, X, y)
    assert search.best_params_ == {"feature_map__kernel__length_scale": 1.0}
    outliers = np.concatenate([X, X + 8.0]), np.repeat([1, -1], len(X))  # a scorer that sees what fit does not
    searches = (
        (bo.KernelMeans(3, random_state=0), None, X, None),
        (bo.KernelPCA(4, fit_inverse_transform=True), rebuilt, X, None),
        (bo.OneClassSVM(nu=0.2), novelty, *outliers),
    )
    for learner, scoring, rows, labels in searches:
        learner.set_params(feature_map=bo.FourierFeatures(bo.Gaussian(1.0), 50, random_state=0))
        search = quietly(GridSearchCV(learner, grid, cv=3, scoring=scoring, error_score="raise").fit, rows, labels)
        found = search.best_params_["feature_map__kernel__length_scale"]
        assert search.best_estimator_.feature_map_.kernel_.length_scale == found
        assert len(set(search.cv_results_["mean_test_score"])) == 3  # the parameter reaches the kernel in every fit


def rebuilt(model, X, _=None):
    return -np.square(model.inverse_transform(model.transform(X)) - X).mean()


def novelty(model, X, y):
    return np.mean(y * model.decision_function(X))


@pytest.mark.parametrize("trained", [np.float32, np.float64])
def test_rows_of_the_other_precision_are_cast_and_checked(trained):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3)).astype(trained)
    model = bo.KernelRidge(random_state=0).fit(X, X[:, 0])
    other = {np.float32: np.float64, np.float64: np.float32}[trained]
    rows = X[:5].astype(other)
    assert model.predict(rows).dtype == trained
    np.testing.assert_array_equal(model.predict(rows), model.predict(rows.astype(trained)))
    with pytest.raises(ValueError, match="NaN"):
        model.predict(np.full((1, 3), np.nan, dtype=other))
    if trained == np.float32:  # finite, but not as float32
        with pytest.raises(ValueError, match="infinity"), np.errstate(over="ignore"):
            model.predict(np.full((1, 3), 1e300))

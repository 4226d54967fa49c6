"""Small fitted models of every class in the library, found by walking, and of the variants that files must keep."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np

import bochner as bo
from bochner.learners.base import KernelMachine
from bochner.learners.exact_machine import ExactMachine
from bochner.maps import FeatureMap
from tests.contracts.walk import concrete

DIRECTIONS = ("iid", "orthogonal", "hadamard", "fastfood", "sobol", "halton")
DTYPES = (np.float32, np.float64)


def rows(dtype: Any = np.float64, n: int = 120) -> np.ndarray:
    """Positive rows inside the unit ball: in the domain of every kernel."""
    return np.random.default_rng(0).uniform(0.05, 0.55, size=(n, 3)).astype(dtype)


def regression_target(X: np.ndarray) -> np.ndarray:
    return np.sin(6 * X[:, 0]) + X[:, 1] * X[:, 2]


def labels(X: np.ndarray, n_classes: int, kind: str = "word") -> np.ndarray:
    codes = np.digitize(regression_target(X), np.quantile(regression_target(X), np.linspace(0, 1, n_classes + 1)[1:-1]))
    names = {"word": np.array(["ant", "béé", "cat 🐈"]), "int": np.array([-3, 5, 70]), "bool": np.array([False, True])}
    return names[kind][codes]


def fourier(dtype: Any, **options: Any) -> bo.FourierFeatures:
    """Hadamard directions are for many columns: the kernel is given the same rows with zeros in others."""
    wide = options.get("directions") == "hadamard"
    kernel = bo.Gaussian(bo.Metric(np.eye(40, 3) / 0.5)) if wide else bo.Gaussian(0.5)
    return bo.FourierFeatures(**({"kernel": kernel, "n_components": 33, "random_state": 0} | options))


SMALL: dict[str, dict[str, Any]] = {
    "BinningFeatures": {"n_grids": 6, "n_components": 50},
    "NystroemFeatures": {"n_components": 20},
}

MAPS: dict[str, Any] = {
    "default": bo.FourierFeatures(n_components=20, random_state=0),
    "sum": fourier(None, kernel=bo.Gaussian(0.5) + 2.0 * bo.Laplace([1.0, 2.0, 3.0])),
    "fitted weights": fourier(None, weights="fitted"),
    "composition": fourier(None, kernel=bo.Composed(bo.ExponentialDot(), bo.Gaussian(0.5))),
    "exponential": fourier(None, kernel=bo.ExponentialDot(0.5) + bo.Composed(bo.Polynomial(2), bo.Laplace(1.0))),
    "powers": bo.AdditiveFeatures(bo.AdditiveChi2(exponent=0.8) + bo.Intersection(exponent=1.2), random_state=0),
    "composed of powers": bo.MaclaurinFeatures(
        bo.Composed(bo.Polynomial(2), bo.AdditiveChi2(exponent=0.8)), 20, random_state=0
    ),
    "composed of changed rows": bo.MaclaurinFeatures(
        bo.Composed(
            bo.Polynomial(2),
            bo.Gaussian(bo.Metric([[0.8, 0.3, 0.0], [-0.2, 0.5, 0.4]])) * bo.Polynomial(2)
            + bo.SoftTails(bo.AdditiveChi2() + bo.Gaussian(1.0), [-2.0, -3.0, -2.0], [0.5, 1.0, 2.0]),
        ),
        20,
        random_state=0,
    ),
    "inner map": bo.MaclaurinFeatures(
        bo.Composed(bo.ExponentialDot(), bo.Gaussian(0.5)),
        40,
        inner_map=bo.NystroemFeatures(n_components=15),
        random_state=0,
    ),
    "product": fourier(None, kernel=bo.Gaussian("median") * bo.Cauchy("std")),
    "composed of scalars": bo.MaclaurinFeatures(
        bo.Composed(bo.ExponentialDot(), bo.Intersection() * bo.Gaussian(1.0) + 0.5 * bo.AdditiveChi2()),
        40,
        random_state=0,
    ),
    "composed of series": bo.MaclaurinFeatures(
        bo.Composed(
            bo.Polynomial(2),
            bo.Gaussian(1.0) * bo.Polynomial(2)
            + bo.ArcCosine(0)
            + bo.Composed(bo.Polynomial(2), bo.Intersection() + bo.ArcCosine(1)),
        ),
        40,
        random_state=0,
    ),
    "composed of a bounded series": bo.MaclaurinFeatures(
        bo.Composed(bo.Polynomial(2), bo.Gaussian(1.0) + bo.Vovk()), 40, random_state=0
    ),
    **{
        f"{directions} {embedding}": fourier(None, directions=directions, embedding=embedding)
        for directions in DIRECTIONS
        for embedding in ("paired", "shifted")
    },
    **{cls.__name__: cls(random_state=0, **SMALL.get(cls.__name__, {})) for cls in concrete(FeatureMap)},
}

LEARNERS = {cls.__name__: cls for cls in concrete(KernelMachine)}


def fitted_map(name: str, dtype: Any) -> Any:
    from sklearn.base import clone

    return clone(MAPS[name]).fit(rows(dtype))


@cache
def fitted_learner(name: str, dtype: Any = np.float64, n_classes: int = 3, kind: str = "word") -> Any:
    """A learner with its defaults but for a small map."""
    from sklearn.base import clone, is_classifier

    cls, X = LEARNERS[name], rows(dtype)
    exact = issubclass(cls, ExactMachine)
    model = cls(bo.Matern(0.5)) if exact else cls(feature_map=clone(fourier(dtype)))
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    y = labels(X, n_classes, kind) if is_classifier(model) else regression_target(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X, y)


def has_method(model: Any, name: str) -> bool:
    """Whether the class has the method, and the parameters allow it."""
    return name in dir(type(model)) and getattr(model, name, None) is not None


def outputs(model: Any, X: np.ndarray) -> dict[str, np.ndarray]:
    """Everything that a model says of rows."""
    methods = ("transform", "predict", "decision_function", "predict_proba", "score_samples")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {name: getattr(model, name)(X) for name in methods if has_method(model, name)}
    return {name: value.toarray() if not isinstance(value, np.ndarray) else value for name, value in found.items()}


def assert_same_bits(model: Any, other: Any, X: np.ndarray) -> None:
    before, after = outputs(model, X), outputs(other, X)
    assert before.keys() == after.keys() != set()
    for name, value in before.items():
        assert value.dtype == after[name].dtype
        np.testing.assert_array_equal(value, after[name], err_msg=name)

"""Consistency of statistics, solutions and learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...learners import GaussianProcessRegressor, KernelRidge, KernelRidgeClassifier
from ...learners.ridge import RidgeMachine, n_columns
from ...maps import Features
from ...solvers import RidgeSolution
from ...solvers.evidence import EvidenceSpectrum, Posterior
from ...statistics import Moments
from ..not_stored import NotStored
from ..format import ModelFileError
from .base import array, check, count, number, part, require

DOUBLE = (np.dtype(np.float64),)


@check.register
def _(moments: Moments) -> None:
    n_features, n_targets = count(moments, "n_features"), count(moments, "n_targets", least=0)
    count(moments, "n_rows", least=0)
    for name in ("total_weight", "precision"):
        number(moments, name, least=0.0)
    array(moments, "feature_mean", (n_features,), DOUBLE)
    array(moments, "target_mean", (n_targets,), DOUBLE)
    array(moments, "feature_moment", (n_features, n_features), DOUBLE)
    array(moments, "cross_moment", (n_features, n_targets), DOUBLE)
    array(moments, "target_moment", (n_targets,), DOUBLE)


@check.register
def _(solution: RidgeSolution) -> None:
    coefficients = array(solution, "coefficients", (None, None))
    array(solution, "intercept", (coefficients.shape[1],))
    number(solution, "alpha", least=0.0)


@check.register
def _(spectrum: EvidenceSpectrum) -> None:
    size = len(array(spectrum, "values", (None,), DOUBLE))
    array(spectrum, "vectors", (size, size), DOUBLE)
    for name in ("rotated_cross", "reached"):
        array(spectrum, name, (size,), DOUBLE)
    for name in ("unreached", "n_rows", "precision"):
        number(spectrum, name, least=0.0)


@check.register
def _(posterior: Posterior) -> None:
    size = len(array(posterior, "coefficients", (None,), DOUBLE))
    array(posterior, "root", (size, size), DOUBLE)
    for name in ("noise", "amplitude"):
        number(posterior, name, least=0.0)


def fitted_features(model: Any) -> Features | None:
    """The features of a fitted learner, whose columns are those that the learner expects; None if it is not fitted."""
    if "features_" not in vars(model):
        return None
    features = part(model, "features_", Features)
    require(count(model, "n_features_in_") == features.n_features_in, model, "n_features_in_")
    names = vars(model).get("feature_names_in_")
    if names is not None:
        require(isinstance(names, np.ndarray) and names.shape == (features.n_features_in,), model, "feature_names_in_")
    return features


def classes_of(model: Any) -> np.ndarray:
    """Sorted, different labels, at least two."""
    classes = part(model, "classes_", np.ndarray)
    require(classes.ndim == 1 and len(classes) >= 2, model, "classes_")
    require(bool((classes[1:] > classes[:-1]).all()), model, "classes_")
    return classes


@check.register
def _(model: KernelRidge) -> None:
    if (features := fitted_features(model)) is not None:
        part(model, "_flat_targets", bool)
        outputs = _check_ridge(model, features)
        require(outputs == 1 or not model._flat_targets, model, "_flat_targets")


@check.register
def _(model: KernelRidgeClassifier) -> None:
    if (features := fitted_features(model)) is not None:
        require(_check_ridge(model, features) == n_columns(classes_of(model)), model, "classes_")


def _check_ridge(model: RidgeMachine, features: Features) -> int:
    """The number of outputs, on which statistic and solution agree."""
    statistic, solution = vars(model).get("statistic_"), vars(model).get("_solution")
    if isinstance(statistic, NotStored):
        require(solution is not None, model, "solution")
    else:
        moments = part(model, "statistic_", Moments)
        require(moments.n_features == features.n_components, model, "statistic_")
        if solution is None:
            return moments.n_targets
    shape = part(model, "_solution", RidgeSolution).coefficients.shape
    require(shape[0] == features.n_components, model, "coefficients")
    require(isinstance(statistic, NotStored) or shape[1] == statistic.n_targets, model, "coefficients")
    return shape[1]


@check.register
def _(model: GaussianProcessRegressor) -> None:
    if (features := fitted_features(model)) is None:
        return
    if isinstance(vars(model).get("statistic_"), NotStored):
        raise ModelFileError("GaussianProcessRegressor predicts with its statistics, so they must be stored")
    moments = part(model, "statistic_", Moments)
    require((moments.n_features, moments.n_targets) == (features.n_components, 1), model, "statistic_")
    if vars(model).get("_solution") is not None:
        require(len(part(model, "_solution", Posterior).coefficients) == features.n_components, model, "_solution")
        require(len(part(model, "_spectrum", EvidenceSpectrum).values) == features.n_components, model, "_spectrum")

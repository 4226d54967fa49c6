"""Consistency of learners: coefficients, labels and columns that fit the features."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...auto.base import AutoKernel
from ...auto.leaderboard import COLUMNS, Leaderboard
from ...learners import (
    ExactKernelRidge,
    ExactKernelRidgeClassifier,
    ExactKernelSVC,
    GaussianProcessRegressor,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
)
from ...learners.base import KernelMachine
from ...learners.combined import CombinedClassifier, CombinedMachine
from ...learners.exact_machine import ExactMachine
from ...learners.log_tail import LogTail
from ...learners.pca import Components
from ...learners.ridge_machine import RidgeMachine
from ...learners.targets import n_scores
from ...maps import FeatureMap, Features
from ...maps.changed_rows import ChangedFeatures, behind_changes
from ...maps.nystroem import KernelValues
from ...solvers import AveragedSgd, RidgeSolution
from ...solvers.evidence import EvidenceSpectrum, Posterior
from ...statistics import Moments, SampledMoments
from ...tables import TableEncoder
from ..format import ModelFileError
from ..not_stored import NotStored
from .base import FLOATS, array, check, count, number, part, require

MOST_JOBS = 4096
PLAIN_VALUES = (bool, int, float, str, np.generic, type(None))


def fitted_features(model: Any) -> Features | None:
    """The features of a fitted learner, whose columns are those that the learner expects; None if it is not fitted."""
    if "features_" not in vars(model):
        return None
    features = part(model, "features_", Features)
    require(count(model, "n_features_in_") == features.n_features_in, model, "n_features_in_")
    check_threads(model)
    check_threads(vars(model).get("engine"))
    names = vars(model).get("feature_names_in_")
    if names is not None:
        require(isinstance(names, np.ndarray) and names.shape == (features.n_features_in,), model, "feature_names_in_")
    encoder = vars(model).get("encoder_")
    if encoder is not None:
        require(isinstance(encoder, TableEncoder) and encoder.width == features.n_features_in, model, "encoder_")
    return features


def check_threads(item: Any) -> None:
    """Refuse so many threads that starting them would fail; an engine may be a number of threads."""
    jobs = item if isinstance(item, int) else getattr(item, "n_jobs", None)
    whole = isinstance(jobs, int) and not isinstance(jobs, bool) and 0 < abs(jobs) <= MOST_JOBS
    require(jobs is None or whole, item, "n_jobs")


@check.register
def _(feature_map: FeatureMap) -> None:
    fitted_features(feature_map)


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
        require(_check_ridge(model, features) == n_scores(classes_of(model)), model, "classes_")


@check.register
def _(model: ExactKernelRidge) -> None:
    if (features := fitted_features(model)) is not None:
        outputs = _check_exact(model, features)
        require(outputs == 1 or not part(model, "_flat_targets", bool), model, "_flat_targets")


@check.register
def _(model: ExactKernelRidgeClassifier) -> None:
    if (features := fitted_features(model)) is not None:
        require(_check_exact(model, features) == n_scores(classes_of(model)), model, "classes_")


@check.register
def _(model: ExactKernelSVC) -> None:
    if (features := fitted_features(model)) is not None:
        n_classes = len(classes_of(model))
        require(_check_exact(model, features) == n_classes * (n_classes - 1) // 2, model, "classes_")
        for name, size in (("n_support_", n_classes), ("support_", features.n_components)):
            counts = part(model, name, np.ndarray)
            require(counts.shape == (size,) and counts.dtype.kind == "i" and bool((counts >= 0).all()), model, name)
        require(int(model.n_support_.sum()) == features.n_components, model, "n_support_")


def _check_exact(model: ExactMachine, features: Features) -> int:
    """The number of scores; coefficients belong to kernel values at rows."""
    require(isinstance(features, KernelValues | ChangedFeatures), model, "features_")
    require(isinstance(behind_changes(features), KernelValues), model, "features_")
    coefficients = array(model, "_coefficients", (features.n_components, None), FLOATS)
    array(model, "_intercept", (coefficients.shape[1],), FLOATS)
    ends = vars(model).get("_range")
    if ends is not None:
        require(isinstance(ends, tuple) and len(ends) == 2, model, "_range")
        for end in ends:
            require(isinstance(end, np.ndarray) and end.shape == (coefficients.shape[1],), model, "_range")
            require(end.dtype == np.float64 and bool(np.isfinite(end).all()), model, "_range")
    if vars(model).get("_held_out_error") is not None:
        number(model, "_held_out_error", least=0.0)
    return coefficients.shape[1]


def _check_ridge(model: RidgeMachine, features: Features) -> int:
    """The number of outputs, on which solution and statistic agree; a model is stored with its solution."""
    require(vars(model).get("solver_") in ("cholesky", "cg", "sgd"), model, "solver_")
    shape = part(model, "_solution", RidgeSolution).coefficients.shape
    require(shape[0] == features.n_components and shape[1] == count(model, "_n_targets"), model, "_solution")
    for name, kind in (("statistic_", Moments | SampledMoments), ("_sgd", AveragedSgd), ("_kept", NotStored)):
        if name in vars(model) and not isinstance(vars(model)[name], NotStored):
            seen: Any = part(model, name, kind)
            seen = seen.moments if isinstance(seen, SampledMoments) else seen
            sgd = isinstance(seen, AveragedSgd)  # with a row more, for the intercept
            size = (len(seen.iterate) - 1, seen.iterate.shape[1]) if sgd else (seen.n_features, seen.n_targets)
            require(size == shape, model, name)
    return shape[1]


@check.register
def _(model: GaussianProcessRegressor) -> None:
    if (features := fitted_features(model)) is None:
        return
    if isinstance(vars(model).get("statistic_"), NotStored):
        raise ModelFileError("GaussianProcessRegressor predicts with its statistics, so they must be stored")
    moments = part(model, "statistic_", Moments)
    require((moments.n_features, moments.n_targets) == (features.n_components, 1), model, "statistic_")
    require(len(part(model, "_solution", Posterior).coefficients) == features.n_components, model, "_solution")
    require(len(part(model, "_spectrum", EvidenceSpectrum).values) == features.n_components, model, "_spectrum")


@check.register
def _(model: KernelPCA) -> None:
    if (features := fitted_features(model)) is None:
        return
    width = count(model, "n_components")
    if not isinstance(vars(model).get("statistic_"), NotStored):
        moments = part(model, "statistic_", Moments)
        require(moments.n_features == features.n_components >= width, model, "statistic_")
        require(moments.n_targets in (0, features.n_features_in), model, "statistic_")
    found = part(model, "_solution", Components)
    require(found.vectors.shape == (features.n_components, width), model, "_solution")
    require(found.decoder is None or found.decoder.shape[1] == features.n_features_in, model, "_solution")


@check.register
def _(model: CombinedMachine) -> None:
    machines = vars(model).get("estimators_")
    if machines is None:
        return
    machines = part(model, "estimators_", list)
    require(bool(machines) and all(isinstance(machine, KernelMachine) for machine in machines), model, "estimators_")
    columns = [count(machine, "n_features_in_") for machine in machines]
    require(set(columns) == {count(model, "n_features_in_")}, model, "n_features_in_")
    weights = part(model, "weights", list)
    require(len(weights) == len(machines), model, "weights")
    require(all(isinstance(weight, float) and np.isfinite(weight) for weight in weights), model, "weights")
    encoder = vars(model).get("encoder_")
    require(encoder is None or (isinstance(encoder, TableEncoder) and encoder.width == columns[0]), model, "encoder_")
    if isinstance(model, CombinedClassifier):
        labels = classes_of(model)
        require(all(np.array_equal(classes_of(machine), labels) for machine in machines), model, "classes_")
        if vars(model).get("temperature_") is not None:
            number(model, "temperature_", least=0.0)
    else:
        ends = vars(model).get("range_")
        if ends is not None:
            low, high = _ends(model, ends)
            require(low <= high, model, "range_")
        require(isinstance(vars(model).get("target_"), LogTail | None), model, "target_")


def _ends(model: Any, ends: Any) -> tuple[float, float]:
    real = isinstance(ends, tuple) and len(ends) == 2 and all(isinstance(end, float) for end in ends)
    require(real and bool(np.isfinite(ends).all()), model, "range_")
    return ends


@check.register
def _(tail: LogTail) -> None:
    for name in ("origin", "unit", "sign", "largest"):
        number(tail, name)
    require(tail.unit > 0.0, tail, "unit")
    require(abs(tail.sign) == 1.0, tail, "sign")


@check.register
def _(model: AutoKernel) -> None:
    if "best_estimator_" not in vars(model):
        return
    found = part(model, "best_estimator_", CombinedMachine)
    require("estimators_" in vars(found), model, "best_estimator_")
    encoder = part(found, "encoder_", TableEncoder)
    require(count(model, "n_features_in_") == count(encoder, "n_features_in_"), model, "n_features_in_")
    if isinstance(found, CombinedClassifier):
        require(np.array_equal(classes_of(model), classes_of(found)), model, "classes_")
        number(found, "temperature_", least=0.0)
    names = vars(model).get("feature_names_in_")
    if names is not None:
        require(isinstance(names, np.ndarray) and names.shape == (model.n_features_in_,), model, "feature_names_in_")
    part(model, "leaderboard_", Leaderboard)
    part(model, "explanation_", str)


@check.register
def _(board: Leaderboard) -> None:
    records = part(board, "records", tuple)
    require(all(isinstance(one, dict) and tuple(one) == COLUMNS for one in records), board, "records")
    require(all(isinstance(value, PLAIN_VALUES) for one in records for value in one.values()), board, "records")

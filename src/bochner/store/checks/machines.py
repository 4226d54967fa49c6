"""Consistency of the margin and likelihood machines, and of clusters."""

from __future__ import annotations

from ...learners import KernelLogisticRegression, KernelMeans, KernelSVC, OneClassSVM
from ...learners.calibration import Sigmoids
from ...learners.penalised import PenalisedMachine
from ...learners.penalised_regression import PenalisedRegression
from ...learners.targets import n_scores
from ...maps import Features
from .base import array, check, number, part, require
from .learners import classes_of, fitted_features


def _n_outputs(model: PenalisedMachine, features: Features) -> int:
    coefficients = array(model, "_coefficients", (features.n_components, None), (features.dtype,))
    array(model, "_intercept", (coefficients.shape[1],), (features.dtype,))
    return coefficients.shape[1]


@check.register
def _(model: PenalisedRegression) -> None:
    if (features := fitted_features(model)) is not None:
        require(_n_outputs(model, features) == 1 or not part(model, "_flat_targets", bool), model, "_flat_targets")


@check.register
def _(model: KernelLogisticRegression) -> None:
    if (features := fitted_features(model)) is not None:
        require(_n_outputs(model, features) == n_scores(classes_of(model)), model, "classes_")


@check.register
def _(model: KernelSVC) -> None:
    if (features := fitted_features(model)) is not None:
        outputs = _n_outputs(model, features)
        require(outputs == n_scores(classes_of(model)), model, "classes_")
        if "_sigmoids" in vars(model):
            require(len(part(model, "_sigmoids", Sigmoids).slopes) == outputs, model, "_sigmoids")


@check.register
def _(model: KernelMeans) -> None:
    if (features := fitted_features(model)) is not None:
        centres = array(model, "cluster_centers_", (None, features.n_components))
        require(len(centres) >= 1, model, "cluster_centers_")


@check.register
def _(model: OneClassSVM) -> None:
    if (features := fitted_features(model)) is not None:
        array(model, "coef_", (features.n_components,))
        number(model, "offset_")

"""The check of a whole model: every object by its own rules, then one row through the model."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable
from typing import Any

import numpy as np

from ...auto.base import AutoKernel
from ...learners.base import KernelMachine
from ...learners.combined import CombinedMachine
from ...maps.features import DenseFeatures
from ..allowance import Budget
from ..format import ModelFileError
from . import binning, encoders, features, learners, machines, products, scalars, sketches, solutions  # noqa: F401  each defines its checks
from .base import check
from .explicit import has_sparse_landmarks
from .learners import fitted_features

ROW_COPIES = 2  # of a row and of its features while they are made
METHODS = ("transform", "predict", "decision_function", "predict_proba", "score_samples")


def check_model(model: Any, objects: Iterable[Any], budget: Budget) -> None:
    """Refuse a model that could not predict.

    Objects come parts first, so that the check of a whole may rely on its parts. What their own rules let pass, such as
    a kernel with impossible parameters, is met by one row of zeros.
    """
    try:
        parts = list(objects)
        for item in parts:
            check(item)
            if isinstance(item, DenseFeatures):
                budget.lend(ROW_COPIES * (item.n_features_in + item.n_components) * item.dtype.itemsize)
        if not any(has_sparse_landmarks(item) for item in parts):
            settled(model)
    except ModelFileError:
        raise
    except Exception as error:
        raise ModelFileError(f"it is not consistent ({type(error).__name__}: {str(error)[:200]})") from error


def settled(model: Any) -> Any:
    """A shallow copy of a model that has seen one row of zeros, and so has solved what it solves on demand."""
    if isinstance(model, AutoKernel) and "best_estimator_" in vars(model):
        search = copy.copy(model)
        search.best_estimator_ = settled(model.best_estimator_)
        return search
    if isinstance(model, CombinedMachine) and "estimators_" in vars(model):
        stack = copy.copy(model)
        different = {id(machine): machine for machine in model.estimators_}
        made = {key: settled(machine) for key, machine in different.items()}
        stack.estimators_ = [made[id(machine)] for machine in model.estimators_]
        return stack
    drawn = fitted_features(model)
    if drawn is None:
        return model
    trial = copy.copy(model)
    names = trial.__dict__.pop("feature_names_in_", None)  # an array has no names, and would be warned about
    if isinstance(trial, KernelMachine):
        trial.encoder_ = None  # the row is one that an encoder has made
    row = np.zeros((1, drawn.n_features_in), dtype=drawn.dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in METHODS:
            method = getattr(trial, name, None)  # some exist only for some parameters
            if method is not None:
                method(row)
    if names is not None:
        trial.feature_names_in_ = names
    if isinstance(trial, KernelMachine):
        trial.encoder_ = model.encoder_
    return trial

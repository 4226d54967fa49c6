"""What classes that are gone have become: files of format 1 name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import singledispatch
from typing import Any

import numpy as np

from ..kernels import Metric, Product, Scaled, ScaledKernel, ShiftInvariantProduct, Sum
from ..kernels.scaling import column_scales
from ..kernels.soft_tails import SoftColumns
from ..maps.changed_rows import ChangedCodes, ChangedFeatures
from .format import ModelFileError
from .not_stored import NotStored

State = Mapping[str, Any]
KEPT = ("inner", "n_features_in", "n_components", "dtype")


def _made(cls: type, state: State) -> Any:
    item: Any = object.__new__(cls)
    vars(item).update(state)
    return item


def _changed(cls: type, change: Any, state: State) -> Any:
    return _made(cls, {"change": change, **{name: state[name] for name in KEPT}})


def _projected_features(cls: type) -> Callable[[State], Any]:
    def make(state: State) -> Any:
        matrix = np.asarray(state["matrix"], dtype=np.float64)
        return _changed(cls, _made(Metric, {"matrix": matrix, "origin": None}), state)

    return make


def _tailed_features(cls: type) -> Callable[[State], Any]:
    def make(state: State) -> Any:
        change = _made(SoftColumns, {"centre": state["centre"], "spread": state["spread"]})
        return _changed(cls, change, state)

    return make


def _projected_kernel(state: State) -> Any:
    """Projected(kernel, A) is the kernel with A for its length scale, divided by what it was, row by row."""
    try:
        return in_metric(state["kernel"], np.array(state["matrix"], dtype=np.float64))
    except (ValueError, TypeError, AttributeError):
        return NotStored("A kernel of projected rows", "what has no length scale has no bo.Metric either")


@singledispatch
def in_metric(kernel: Any, matrix: np.ndarray) -> Any:  # noqa: ARG001
    """The kernel of rows A x."""
    raise TypeError


@in_metric.register
def _(kernel: ScaledKernel, matrix: np.ndarray) -> Any:
    scale = kernel.length_scale
    if isinstance(scale, Metric):
        return kernel.with_length_scale(Metric(scale.matrix @ matrix))
    return kernel.with_length_scale(Metric(matrix / column_scales(scale, len(matrix))[:, None]))


@in_metric.register(Sum)
@in_metric.register(Product)
@in_metric.register(ShiftInvariantProduct)
def _(kernel: Any, matrix: np.ndarray) -> Any:
    return type(kernel)(in_metric(kernel.left, matrix), in_metric(kernel.right, matrix))


@in_metric.register
def _(kernel: Scaled, matrix: np.ndarray) -> Any:
    return Scaled(in_metric(kernel.kernel, matrix), kernel.weight)


RENAMED = {"StackedRegressor": "CombinedRegressor", "StackedClassifier": "CombinedClassifier"}
OLD: dict[str, tuple[frozenset[str], Callable[[State], Any]]] = {
    "Projected": (frozenset({"kernel", "matrix"}), _projected_kernel),
    "ProjectedFeatures": (frozenset({"matrix", *KEPT}), _projected_features(ChangedFeatures)),
    "ProjectedCodes": (frozenset({"matrix", *KEPT}), _projected_features(ChangedCodes)),
    "TailedFeatures": (frozenset({"centre", "spread", *KEPT}), _tailed_features(ChangedFeatures)),
    "TailedCodes": (frozenset({"centre", "spread", *KEPT}), _tailed_features(ChangedCodes)),
}


def renewed(name: str, state: State) -> Any:
    """The object of today for the attributes of a class that is gone."""
    names, make = OLD[name]
    if state.keys() != names:
        raise ModelFileError(f"{name} in it does not have the attributes that it had")
    try:
        return make(state)
    except (ValueError, TypeError) as error:
        raise ModelFileError(f"{name} in it cannot be read") from error

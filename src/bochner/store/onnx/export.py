"""Writing a model as an ONNX file."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from ...auto.base import AutoKernel
from ...files import AnyPath, written_whole
from ...learners.base import KernelMachine
from ...learners.combined import CombinedMachine
from ...maps import FeatureMap
from . import column_kernels, dot_kernels, products, scalars, sketches  # noqa: F401  each defines how its own is exported
from .encoders import encoded
from .graph import Graph
from .learners import add_outputs


def to_onnx(model: Any, path: AnyPath) -> None:
    """Write a fitted learner or feature map as an ONNX graph, for runtimes that have no Python.

    The graph takes ``X`` of shape (rows, n_features_in_) in the precision of the data seen in fit. It gives
    ``predictions`` for regression; ``label`` and ``scores`` (or ``probabilities``) for classification; ``scores`` for
    KernelPCA, ``distances`` for KernelMeans; ``features`` for a feature map. A model fitted on tables of numbers takes
    their columns in the order of ``model.encoder_.columns``. Predictions agree with those of the model to rounding.
    Structured directions are exported as the dense matrix that they stand for. A weighted sum of machines, as searches
    find it, is exported in the precision of the most precise of them.

    Parameters
    ----------
    model : fitted learner or feature map
    path : str, bytes or path
        Replaced in a single step, and not where it is a folder, a pipe or a device.

    Raises
    ------
    ValueError
        If the model needs operations that ONNX does not have, with the reason.
    """
    if isinstance(model, AutoKernel):
        check_is_fitted(model, "best_estimator_")
        model = model.best_estimator_
    if not isinstance(model, KernelMachine | CombinedMachine | FeatureMap):
        raise ValueError(f"bo.to_onnx exports learners and feature maps of bochner, not {type(model).__name__}.")
    stacked = isinstance(model, CombinedMachine)
    check_is_fitted(model, "estimators_" if stacked else "features_")
    parts = [machine.features_ for machine in (model.estimators_ if stacked else [model])]
    encoder = None if isinstance(model, FeatureMap) else model.encoder_
    columns = parts[0].n_features_in if encoder is None else len(encoder.columns)
    graph = Graph(columns, np.result_type(*(features.dtype for features in parts)))
    add_outputs(model, graph, graph.rows if encoder is None else encoded(encoder, graph, graph.rows))
    exported = graph.model(f"{type(model).__name__} of bochner")
    with written_whole(path) as temporary:
        graph.onnx.save(exported, temporary)

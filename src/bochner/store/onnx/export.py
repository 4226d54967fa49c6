"""Writing a model as an ONNX file."""

from __future__ import annotations

import os
from typing import Any

from sklearn.utils.validation import check_is_fitted

from ...learners.base import KernelMachine
from ...maps import FeatureMap
from ..atomic import written_atomically
from . import column_kernels, dot_kernels, products, sketches  # noqa: F401  each defines how its own is exported
from .graph import Graph
from .learners import add_outputs


def to_onnx(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted learner or feature map as an ONNX graph, for runtimes that have no Python.

    The graph takes ``X`` of shape (rows, n_features_in_) in the precision of the data seen in fit. It gives
    ``predictions`` for regression; ``label`` and ``scores`` (or ``probabilities``) for classification; ``scores`` for
    KernelPCA; ``features`` for a feature map. Predictions agree with those of the model to rounding. Structured
    directions are exported as the dense matrix that they stand for.

    Parameters
    ----------
    model : fitted learner or feature map
    path : str or path
        Replaced in a single step.

    Raises
    ------
    ValueError
        If the model needs operations that ONNX does not have, with the reason.
    """
    if not isinstance(model, KernelMachine | FeatureMap):
        raise ValueError(f"bo.to_onnx exports learners and feature maps of bochner, not {type(model).__name__}.")
    check_is_fitted(model, "features_")
    if isinstance(model, KernelMachine) and model.encoder_ is not None:
        raise ValueError(
            "A model fitted on tables cannot be exported with its encodings: fit on model.encoder_.transform(table), "
            "and encode before the graph."
        )
    features = model.features_
    graph = Graph(features.n_features_in, features.dtype)
    add_outputs(model, graph, graph.rows)
    exported = graph.model(f"{type(model).__name__} of bochner")
    with written_atomically(os.path.realpath(path)) as temporary:
        graph.onnx.save(exported, temporary)

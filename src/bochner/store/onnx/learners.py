"""Learners as operations of ONNX: scores, labels, probabilities."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ...learners import GaussianProcessRegressor, KernelPCA, KernelRidge, KernelRidgeClassifier
from ...maps import FeatureMap
from .graph import Array, Graph
from .maps import features_of


@singledispatch
def add_outputs(model: Any, graph: Graph, rows: str) -> None:
    """Add what the model says of rows to the graph."""
    raise ValueError(f"{type(model).__name__} cannot be exported: its predictions are not operations of ONNX.")


def linear(model: Any, graph: Graph, rows: str, coefficients: Array, intercept: Array) -> str:
    """Z c + b for coefficients of shape (features, outputs)."""
    return graph.affine(features_of(model.features_, graph, rows), coefficients, intercept)


@add_outputs.register
def _(model: FeatureMap, graph: Graph, rows: str) -> None:
    features = features_of(model.features_, graph, rows)
    graph.output("features", features, graph.dtype, model.features_.n_components)


@add_outputs.register
def _(model: KernelRidge, graph: Graph, rows: str) -> None:
    solution = model._solved()
    values = linear(model, graph, rows, solution.coefficients, solution.intercept)
    if model._flat():
        graph.output("predictions", graph.vector(values), graph.dtype, None)
    else:
        graph.output("predictions", values, graph.dtype, len(solution.intercept))


@add_outputs.register
def _(model: GaussianProcessRegressor, graph: Graph, rows: str) -> None:
    mean = linear(model, graph, rows, model.coef_[:, None], np.array([model.intercept_]))
    graph.output("predictions", graph.vector(mean), graph.dtype, None)


@add_outputs.register
def _(model: KernelPCA, graph: Graph, rows: str) -> None:
    found = model._solved()
    graph.output("scores", linear(model, graph, rows, found.vectors, -found.offset), graph.dtype, len(found.offset))


@add_outputs.register
def _(model: KernelRidgeClassifier, graph: Graph, rows: str) -> None:
    solution = model._solved()
    scores = linear(model, graph, rows, solution.coefficients, solution.intercept)
    add_labels(graph, model.classes_, scores)
    add_scores(graph, model.classes_, scores)


def add_labels(graph: Graph, classes: Array, scores: str) -> None:
    """The label of the highest score, or of a positive one where two classes share one column."""
    if len(classes) == 2:
        positive = graph.apply("Greater", graph.vector(scores), graph.constant(0.0))
        places = graph.cast(positive, np.int64)
    else:
        places = graph.apply("ArgMax", scores, axis=1, keepdims=0)
    known = classes.astype(object) if classes.dtype.kind == "U" else classes
    graph.output("label", graph.apply("Gather", graph.constant(known, known.dtype), places, axis=0), classes.dtype, None)


def add_scores(graph: Graph, classes: Array, scores: str) -> None:
    """What decision_function returns."""
    if len(classes) == 2:
        graph.output("scores", graph.vector(scores), graph.dtype, None)
    else:
        graph.output("scores", scores, graph.dtype, len(classes))

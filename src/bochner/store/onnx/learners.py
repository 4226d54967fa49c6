"""Learners as operations of ONNX: scores, labels, probabilities."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ...learners import (
    ExactKernelRidge,
    ExactKernelRidgeClassifier,
    ExactKernelSVC,
    GaussianProcessRegressor,
    KernelLogisticRegression,
    KernelMeans,
    KernelPCA,
    KernelRidge,
    KernelRidgeClassifier,
    KernelSVC,
    OneClassSVM,
)
from ...learners.calibration import Sigmoids
from ...learners.combined import CombinedClassifier, CombinedMachine, CombinedRegressor
from ...learners.exact_svm import class_pairs
from ...learners.log_tail import LogTail
from ...learners.penalised_regression import PenalisedRegression
from ...maps import FeatureMap
from .graph import Array, Graph
from .maps import features_of, squared_norms


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


def within(graph: Graph, values: str, ends: tuple[Array, Array] | None) -> str:
    """Values kept between two ends, one pair for each column, where there are such."""
    if ends is None:
        return values
    low, high = ends
    return graph.apply("Min", graph.apply("Max", values, graph.constant(low)), graph.constant(high))


@singledispatch
def scores_of(model: Any, graph: Graph, rows: str) -> str:
    """Predictions or scores, one column for each output."""
    raise ValueError(f"A sum of machines that has {type(model).__name__} in it cannot be exported.")


@scores_of.register(KernelRidge)
@scores_of.register(KernelRidgeClassifier)
def _(model: Any, graph: Graph, rows: str) -> str:
    solution = model._solved()
    scores = linear(model, graph, rows, solution.coefficients, solution.intercept)
    return within(graph, scores, model.range_) if isinstance(model, KernelRidge) else scores


@scores_of.register(ExactKernelRidge)
@scores_of.register(ExactKernelRidgeClassifier)
@scores_of.register(ExactKernelSVC)
def _(model: Any, graph: Graph, rows: str) -> str:
    """In double precision, as sums over so many rows need."""
    dtype = graph.dtype
    with graph.in_double():
        values = features_of(model.features_, graph, graph.cast(rows, np.float64))
        total = graph.affine(values, model._coefficients.astype(np.float64), model._intercept.astype(np.float64))
        if isinstance(model, ExactKernelRidge):
            total = within(graph, total, model.range_)
    return graph.cast(total, dtype)


@scores_of.register(KernelSVC)
@scores_of.register(PenalisedRegression)
@scores_of.register(KernelLogisticRegression)
def _(model: Any, graph: Graph, rows: str) -> str:
    return linear(model, graph, rows, model._coefficients, model._intercept)


def weighted_scores(model: CombinedMachine, graph: Graph, rows: str) -> str:
    """The weighted sum of the scores of machines."""
    parts = [scores_of(machine, graph, rows) for machine in model.estimators_]
    total, *others = (graph.times(part, float(weight)) for weight, part in zip(model.weights, parts))
    for part in others:
        total = graph.apply("Add", total, part)
    return total


@add_outputs.register
def _(model: CombinedRegressor, graph: Graph, rows: str) -> None:
    total = weighted_scores(model, graph, rows)
    if model.range_ is not None:
        total = within(graph, total, (np.array([model.range_[0]]), np.array([model.range_[1]])))
    if model.target_ is not None:
        total = undone(graph, total, model.target_)
    add_predictions(graph, total, None)


def undone(graph: Graph, values: str, tail: LogTail) -> str:
    """Targets from their logarithms, in double precision: an exponential makes rounding large."""
    dtype, (low, high) = graph.dtype, tail.ends
    with graph.in_double():
        kept = within(graph, graph.cast(values, np.float64), (np.array([low]), np.array([high])))
        grown = graph.apply("Sub", graph.apply("Exp", kept), graph.constant(1.0))
        found = graph.apply("Add", graph.times(grown, tail.sign * tail.unit), graph.constant(tail.origin))
    return graph.cast(found, dtype)


@add_outputs.register
def _(model: CombinedClassifier, graph: Graph, rows: str) -> None:
    scores = weighted_scores(model, graph, rows)
    add_labels(graph, model.classes_, scores)
    if model.temperature_ is None:
        add_scores(graph, model.classes_, scores)
    elif len(model.classes_) == 2:
        both = two_sided(graph, graph.times(scores, 2.0 * model.temperature_))
        graph.output("probabilities", both, graph.dtype, 2)
    else:
        shares = graph.apply("Softmax", graph.times(scores, model.temperature_), axis=1)
        graph.output("probabilities", shares, graph.dtype, len(model.classes_))


@add_outputs.register
def _(model: KernelRidge, graph: Graph, rows: str) -> None:
    add_predictions(graph, scores_of(model, graph, rows), None if model._flat_targets else model._n_targets)


@add_outputs.register(ExactKernelRidge)
@add_outputs.register(PenalisedRegression)
def _(model: Any, graph: Graph, rows: str) -> None:
    add_predictions(graph, scores_of(model, graph, rows), None if model._flat_targets else len(model._intercept))


def add_predictions(graph: Graph, values: str, width: int | None) -> None:
    """A table of targets, or a vector where width is None."""
    graph.output("predictions", graph.vector(values) if width is None else values, graph.dtype, width)


@add_outputs.register
def _(model: GaussianProcessRegressor, graph: Graph, rows: str) -> None:
    mean = linear(model, graph, rows, model.coef_[:, None], np.array([model.intercept_]))
    ends = None if model.range_ is None else (np.array([model.range_[0]]), np.array([model.range_[1]]))
    add_predictions(graph, within(graph, mean, ends), None)


@add_outputs.register
def _(model: KernelPCA, graph: Graph, rows: str) -> None:
    found = model._solved()
    graph.output("scores", linear(model, graph, rows, found.vectors, -found.offset), graph.dtype, len(found.offset))


@add_outputs.register
def _(model: KernelMeans, graph: Graph, rows: str) -> None:
    """Squared distances are differences of larger numbers, so they are made in double precision."""
    dtype, centres = graph.dtype, np.asarray(model.cluster_centers_, dtype=np.float64)
    features = graph.cast(features_of(model.features_, graph, rows), np.float64)
    with graph.in_double():
        cross = graph.affine(features, -2.0 * centres.T, np.square(centres).sum(axis=1))
        squares = graph.apply("Add", cross, squared_norms(graph, features))
        distances = graph.apply("Sqrt", graph.apply("Max", squares, graph.constant(0.0)))
    label = graph.cast(graph.apply("ArgMin", distances, axis=1, keepdims=0), np.int32)
    graph.output("label", label, np.dtype(np.int32), None)
    graph.output("distances", graph.cast(distances, dtype), dtype, len(centres))


@add_outputs.register
def _(model: OneClassSVM, graph: Graph, rows: str) -> None:
    scores = graph.vector(linear(model, graph, rows, model.coef_[:, None], np.array([-model.offset_])))
    inside = graph.apply("GreaterOrEqual", scores, graph.constant(0.0))
    label = graph.apply("Where", inside, graph.constant(1, np.int64), graph.constant(-1, np.int64))
    graph.output("label", label, np.dtype(np.int64), None)
    graph.output("scores", scores, graph.dtype, None)


@add_outputs.register(ExactKernelRidgeClassifier)
@add_outputs.register(KernelRidgeClassifier)
def _(model: Any, graph: Graph, rows: str) -> None:
    scores = scores_of(model, graph, rows)
    add_labels(graph, model.classes_, scores)
    add_scores(graph, model.classes_, scores)


@add_outputs.register
def _(model: ExactKernelSVC, graph: Graph, rows: str) -> None:
    scores, n_classes = scores_of(model, graph, rows), len(model.classes_)
    if n_classes == 2:
        add_labels(graph, model.classes_, scores)
        graph.output("scores", graph.vector(scores), graph.dtype, None)
        return
    counted = voted(graph, scores, n_classes)
    add_labels(graph, model.classes_, counted)
    given = scores if model.decision_function_shape == "ovo" else counted
    graph.output("scores", given, graph.dtype, len(model._intercept) if given == scores else n_classes)


def voted(graph: Graph, scores: str, n_classes: int) -> str:
    """Votes of the machines of two classes each, and less than half a vote for how sure they are."""
    first, second = np.eye(n_classes)[np.stack(class_pairs(n_classes))]
    sure = graph.affine(scores, first - second)
    size = graph.apply("Add", graph.times(graph.apply("Abs", sure), 3.0), graph.constant(3.0))
    won = graph.cast(graph.apply("GreaterOrEqual", scores, graph.constant(0.0)), graph.dtype)
    votes = graph.affine(won, first - second, second.sum(axis=0))
    return graph.apply("Add", votes, graph.apply("Div", sure, size))


@add_outputs.register
def _(model: KernelSVC, graph: Graph, rows: str) -> None:
    scores = scores_of(model, graph, rows)
    add_labels(graph, model.classes_, scores)
    if model.probability:
        graph.output("probabilities", calibrated(graph, model._sigmoids, scores), graph.dtype, len(model.classes_))
    else:
        add_scores(graph, model.classes_, scores)


def calibrated(graph: Graph, sigmoids: Sigmoids, scores: str) -> str:
    """Platt's sigmoids of the scores, scaled to sum to 1 over classes."""
    moved = graph.apply("Add", graph.times(scores, sigmoids.slopes), graph.constant(sigmoids.offsets))
    if len(sigmoids.slopes) == 1:
        return two_sided(graph, moved)
    positive = graph.apply("Sigmoid", moved)
    total = graph.apply("ReduceSum", positive, graph.constant([1], np.int64), keepdims=1)
    known = graph.apply("Greater", total, graph.constant(0.0))
    scaled = graph.apply("Div", positive, graph.apply("Where", known, total, graph.constant(1.0)))
    return graph.apply("Where", known, scaled, graph.constant(1.0 / len(sigmoids.slopes)))


@add_outputs.register
def _(model: KernelLogisticRegression, graph: Graph, rows: str) -> None:
    scores = scores_of(model, graph, rows)
    add_labels(graph, model.classes_, scores)
    two = len(model.classes_) == 2
    probabilities = two_sided(graph, scores) if two else graph.apply("Softmax", scores, axis=1)
    graph.output("probabilities", probabilities, graph.dtype, len(model.classes_))


def two_sided(graph: Graph, logits: str) -> str:
    """P(first) and P(second) from the logit of the second."""
    return graph.beside([graph.apply("Sigmoid", graph.apply("Neg", logits)), graph.apply("Sigmoid", logits)])


def add_labels(graph: Graph, classes: Array, scores: str) -> None:
    """The label of the highest score, or of a positive one where two classes share one column."""
    if len(classes) == 2:
        positive = graph.apply("Greater", graph.vector(scores), graph.constant(0.0))
        places = graph.cast(positive, np.int64)
    else:
        places = graph.apply("ArgMax", scores, axis=1, keepdims=0)
    known = classes.astype(object) if classes.dtype.kind == "U" else classes
    graph.output(
        "label", graph.apply("Gather", graph.constant(known, known.dtype), places, axis=0), classes.dtype, None
    )


def add_scores(graph: Graph, classes: Array, scores: str) -> None:
    """What decision_function returns."""
    if len(classes) == 2:
        graph.output("scores", graph.vector(scores), graph.dtype, None)
    else:
        graph.output("scores", scores, graph.dtype, len(classes))

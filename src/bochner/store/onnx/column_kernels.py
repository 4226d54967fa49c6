"""Kernels that are made column by column, as operations of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels import Cauchy, HomogeneousKernel, Laplace
from ...kernels.additive import AdditiveChi2, Hellinger, Intersection, JensenShannon
from ...kernels.convex import Reciprocal, StretchedExponential
from .graph import Array, Graph
from .kernels import kernel_values
from .maps import changed


def summed(graph: Graph, entries: str) -> str:
    """Entries (rows, landmarks, columns) summed over columns."""
    return graph.apply("ReduceSum", entries, graph.constant([2], np.int64), keepdims=0)


def cubes(graph: Graph, rows: str) -> str:
    """Rows with an axis for landmarks: (rows, 1, columns)."""
    return graph.apply("Unsqueeze", rows, graph.constant([1], np.int64))


def exponential_of_sum(graph: Graph, entries: str) -> str:
    """exp(-sum over columns): a product over columns."""
    return graph.apply("Exp", graph.apply("Neg", summed(graph, entries)))


def distances(kernel: Any, graph: Graph, rows: str, landmarks: Array) -> str:
    """|s(x)_j - s(y)_j| for every row, landmark and column."""
    scaling = kernel.split(landmarks.shape[1])[0].around(landmarks)
    scaled = cubes(graph, changed(scaling, graph, rows))
    return graph.apply("Abs", graph.apply("Sub", scaled, graph.constant(scaling(landmarks))))


def logarithm_of_one_plus(graph: Graph, entries: str) -> str:
    """log(1 + entry)."""
    return graph.apply("Log", graph.apply("Add", entries, graph.constant(1.0)))


@kernel_values.register
def _(kernel: Laplace, graph: Graph, rows: str, landmarks: Array) -> str:
    return exponential_of_sum(graph, distances(kernel, graph, rows, landmarks))


@kernel_values.register
def _(kernel: StretchedExponential, graph: Graph, rows: str, landmarks: Array) -> str:
    apart = distances(kernel, graph, rows, landmarks)
    return exponential_of_sum(graph, graph.apply("Pow", apart, graph.constant(float(kernel.exponent))))


@kernel_values.register
def _(kernel: Reciprocal, graph: Graph, rows: str, landmarks: Array) -> str:
    return exponential_of_sum(graph, logarithm_of_one_plus(graph, distances(kernel, graph, rows, landmarks)))


@kernel_values.register
def _(kernel: Cauchy, graph: Graph, rows: str, landmarks: Array) -> str:
    apart = distances(kernel, graph, rows, landmarks)
    return exponential_of_sum(graph, logarithm_of_one_plus(graph, graph.apply("Mul", apart, apart)))


def refuse_powers(kernel: HomogeneousKernel) -> None:
    """Graphs have additive kernels of degree one only."""
    if kernel.checked_exponent() != 0.5:
        raise ValueError(f"Nystroem features of {type(kernel).__name__} with exponent != 0.5 cannot be exported.")


@kernel_values.register
def _(kernel: Intersection, graph: Graph, rows: str, landmarks: Array) -> str:
    refuse_powers(kernel)
    return summed(graph, graph.apply("Min", cubes(graph, rows), graph.constant(landmarks)))


@kernel_values.register
def _(kernel: Hellinger, graph: Graph, rows: str, landmarks: Array) -> str:
    refuse_powers(kernel)
    return graph.affine(graph.apply("Sqrt", rows), np.sqrt(landmarks).T)


@kernel_values.register
def _(kernel: AdditiveChi2, graph: Graph, rows: str, landmarks: Array) -> str:
    refuse_powers(kernel)
    x, y = cubes(graph, rows), graph.constant(landmarks)
    total, product = graph.apply("Add", x, y), graph.times(graph.apply("Mul", x, y), 2.0)
    some = graph.apply("Greater", total, graph.constant(0.0))
    return summed(graph, graph.apply("Div", product, graph.apply("Where", some, total, graph.constant(1.0))))


@kernel_values.register
def _(kernel: JensenShannon, graph: Graph, rows: str, landmarks: Array) -> str:
    refuse_powers(kernel)
    x, y = cubes(graph, rows), graph.constant(landmarks)
    one, total = graph.constant(1.0), graph.apply("Add", x, y)
    both = graph.apply("Greater", graph.apply("Mul", x, y), graph.constant(0.0))

    def half(part: str) -> str:
        ratio = graph.apply("Div", graph.apply("Where", both, total, one), graph.apply("Where", both, part, one))
        return graph.apply("Mul", part, graph.apply("Log", ratio))

    return graph.times(summed(graph, graph.apply("Add", half(x), half(y))), 0.5 / np.log(2.0))

"""Kernels of inner products, as operations of ONNX."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ...kernels.composed import Composed
from ...kernels.dot_product import DotProductKernel, DotProductProduct
from ...kernels.exponential_dot import ExponentialDot
from ...kernels.inner_product import InnerProduct
from ...kernels.polynomial import Polynomial
from ...kernels.vovk import Vovk
from .graph import Array, Graph
from .kernels import kernel_values, polynomial
from .reasons import not_offered

MOST_TERMS = 64


@kernel_values.register
def _(kernel: InnerProduct, graph: Graph, rows: str, landmarks: Array) -> str:
    return graph.affine(rows, landmarks.T)


@kernel_values.register
def _(kernel: DotProductKernel, graph: Graph, rows: str, landmarks: Array) -> str:
    return series_of(kernel, graph, graph.affine(rows, landmarks.T))


@kernel_values.register
def _(kernel: Composed, graph: Graph, rows: str, landmarks: Array) -> str:
    return series_of(kernel.outer, graph, kernel_values(kernel.inner, graph, rows, landmarks))


@singledispatch
def series_of(kernel: Any, graph: Graph, values: str) -> str:
    """The power series f of a dot-product kernel, of every entry."""
    raise not_offered(kernel)


@series_of.register
def _(kernel: DotProductProduct, graph: Graph, values: str) -> str:
    return graph.apply("Mul", *(series_of(part, graph, values) for part in (kernel.left, kernel.right)))


@series_of.register
def _(kernel: Polynomial, graph: Graph, values: str) -> str:
    degree, offset, scale = kernel.checked()
    base = graph.apply("Add", graph.times(values, scale), graph.constant(offset))
    return graph.apply("Pow", base, graph.constant(float(degree)))


@series_of.register
def _(kernel: ExponentialDot, graph: Graph, values: str) -> str:
    return graph.apply("Exp", graph.times(values, float(kernel.sigma) ** -2.0))


@series_of.register
def _(kernel: Vovk, graph: Graph, values: str) -> str:
    """The infinite series is not a number where it does not converge: a graph cannot raise an error."""
    if kernel.degree is None:
        inside = graph.apply("Less", graph.apply("Abs", values), graph.constant(1.0))
        remainder = graph.apply("Sub", graph.constant(1.0), values)
        reciprocal = graph.apply("Reciprocal", graph.apply("Where", inside, remainder, graph.constant(1.0)))
        return graph.apply("Where", inside, reciprocal, graph.constant(np.nan))
    if kernel.degree > MOST_TERMS:
        raise ValueError(f"Vovk(degree={kernel.degree}) cannot be exported: graphs take up to {MOST_TERMS} terms.")
    return polynomial(graph, values, (1.0,) * kernel.degree)

"""Features as operations of ONNX."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ...kernels import Columns, Metric, Scaling
from ...kernels.arc_cosine import ArcCosine
from ...kernels.inner_product import InnerProduct
from ...kernels.soft_tails import SoftColumns
from ...maps.additive import AdditiveFunction
from ...maps.amplified import ExponentialFeatures
from ...maps.changed_rows import ChangedCodes, ChangedFeatures
from ...maps.features import ConcatenatedFeatures
from ...maps.fourier import FourierFunction
from ...maps.frequency_weights import WeightedFeatures
from ...maps.inner_map import NestedFeatures
from ...maps.products import DirectionFeatures, GuardedFeatures, LinearFunction
from .graph import Graph
from .reasons import not_offered


@singledispatch
def features_of(features: Any, graph: Graph, rows: str) -> str:
    """Add the features of rows to the graph; refuse those that ONNX has no operations for."""
    raise not_offered(features)


@features_of.register
def _(features: FourierFunction, graph: Graph, rows: str) -> str:
    n_pairs, n_frequencies = features.n_pairs, features.projection.n_frequencies
    turns = graph.affine(rows, features.projection.weights())
    reduced = graph.apply("Sub", turns, graph.apply("Round", turns))  # small angles keep their digits in float32
    parts = []
    if n_pairs:
        angles = graph.times(graph.columns(reduced, 0, n_pairs), 2.0 * np.pi)
        parts += [graph.apply("Cos", angles), graph.apply("Sin", angles)]
    if n_pairs < n_frequencies:
        shifted = graph.columns(reduced, n_pairs, n_frequencies)
        moved = graph.apply("Add", shifted, graph.constant(features.phases - np.rint(features.phases)))
        parts.append(graph.apply("Cos", graph.times(moved, 2.0 * np.pi)))
    return graph.times(graph.beside(parts), np.sqrt(2.0 / features.n_components))


@features_of.register
def _(features: AdditiveFunction, graph: Graph, rows: str) -> str:
    logarithms = positive_logarithms(graph, rows)
    roots = powers(graph, rows, features.exponent)  # NaN where an entry is refused: a graph cannot raise an error
    parts = [graph.times(roots, np.sqrt(features.constant))] if features.constant > 0 else []
    for weight, turns in zip(features.weights, features.turns):
        turned = graph.times(logarithms, turns)
        angles = graph.times(graph.apply("Sub", turned, graph.apply("Round", turned)), 2.0 * np.pi)
        scaled = graph.times(roots, np.sqrt(2.0 * weight))
        parts += [graph.apply("Mul", graph.apply(wave, angles), scaled) for wave in ("Cos", "Sin")]
    return graph.beside(parts)


def positive_logarithms(graph: Graph, rows: str) -> str:
    """Log x where x > 0, 0 elsewhere."""
    positive = graph.apply("Greater", rows, graph.constant(0.0))
    return graph.apply("Log", graph.apply("Where", positive, rows, graph.constant(1.0)))


def powers(graph: Graph, rows: str, exponent: float) -> str:
    """x^a, not a number where x < 0, or where x is 0 and a too."""
    if exponent == 0.5:
        return graph.apply("Sqrt", rows)
    compare = "Greater" if exponent == 0.0 else "GreaterOrEqual"
    allowed = graph.apply(compare, rows, graph.constant(0.0))
    return graph.apply("Where", allowed, graph.apply("Pow", rows, graph.constant(exponent)), graph.constant(np.nan))


@features_of.register
def _(features: ConcatenatedFeatures, graph: Graph, rows: str) -> str:
    parts = [features_of(part, graph, rows) for part in features.parts]
    scaled = [graph.times(part, np.sqrt(weight)) for weight, part in zip(features.weights, parts)]
    return graph.beside(scaled)


@features_of.register(ChangedFeatures)
@features_of.register(ChangedCodes)
def _(features: ChangedFeatures | ChangedCodes, graph: Graph, rows: str) -> str:
    """Made in double precision for features that want it."""
    dtype, inner = graph.dtype, features.inner
    if inner.row_dtype == dtype:
        return features_of(inner, graph, changed(features.change, graph, rows))
    with graph.in_double():
        made = features_of(inner, graph, changed(features.change, graph, graph.cast(rows, np.float64)))
    return graph.cast(made, dtype)


@singledispatch
def changed(change: Any, graph: Graph, rows: str) -> str:
    """Add a function of rows to the graph."""
    raise not_offered(change)


@changed.register
def _(change: Columns, graph: Graph, rows: str) -> str:
    return graph.times(from_origin(change, graph, rows), change.steepness())


@changed.register
def _(change: Metric, graph: Graph, rows: str) -> str:
    return graph.affine(from_origin(change, graph, rows), change.matrix.T)


def from_origin(change: Scaling, graph: Graph, rows: str) -> str:
    """Rows less the origin of a scaling."""
    return rows if change.origin is None else graph.apply("Sub", rows, graph.constant(change.origin))


@changed.register
def _(change: SoftColumns, graph: Graph, rows: str) -> str:
    return soft_tails(graph, rows, change.centre, change.spread)


def soft_tails(graph: Graph, rows: str, centre: Any, spread: Any) -> str:
    """Add c(x) = 2 asinh(u), u = (x - centre) / (2 spread), to the graph: 2 sign(u) log(|u| + sqrt(u² + 1))."""
    u = graph.apply("Div", graph.apply("Sub", rows, graph.constant(centre)), graph.constant(2.0 * np.asarray(spread)))
    size = graph.apply("Min", graph.apply("Abs", u), graph.constant(1e18))  # whose square is finite in float32
    root = graph.apply("Sqrt", graph.apply("Add", graph.apply("Mul", size, size), graph.constant(1.0)))
    bent = graph.apply("Mul", graph.apply("Sign", u), graph.apply("Log", graph.apply("Add", size, root)))
    return graph.times(bent, 2.0)


@features_of.register
def _(features: WeightedFeatures, graph: Graph, rows: str) -> str:
    return graph.times(features_of(features.inner, graph, rows), features.scales)


@features_of.register
def _(features: ExponentialFeatures, graph: Graph, rows: str) -> str:
    lengths = graph.apply("Exp", graph.times(squared_norms(graph, rows), features.rate))
    return graph.apply("Mul", features_of(features.inner, graph, rows), lengths)


@features_of.register
def _(features: LinearFunction, graph: Graph, rows: str) -> str:
    parts = []
    if features.constant > 0:
        parts.append(graph.constant_columns(np.array([features.constant])))
    if features.slope > 0:
        parts.append(graph.times(rows, features.slope))
    return graph.beside(parts)


@features_of.register
def _(features: NestedFeatures, graph: Graph, rows: str) -> str:
    return features_of(features.outer, graph, features_of(features.inner, graph, rows))


def squared_norms(graph: Graph, rows: str) -> str:
    """||x||² as a column."""
    return graph.apply("ReduceSumSquare", rows, axes=[1], keepdims=1)


@features_of.register
def _(features: DirectionFeatures, graph: Graph, rows: str) -> str:
    kernel = features.kernel
    if not isinstance(kernel, ArcCosine):
        raise ValueError(f"Features of the kernel {type(kernel).__name__} on directions cannot be exported.")
    norms = graph.apply("Sqrt", squared_norms(graph, rows))
    is_zero = graph.apply("Equal", norms, graph.constant(0.0))
    directions = graph.apply("Div", rows, graph.apply("Where", is_zero, graph.constant(1.0), norms))
    inner = features_of(features.inner, graph, directions)
    return graph.apply("Mul", inner, norms) if kernel.checked_order() == 1 else inner


@features_of.register
def _(features: GuardedFeatures, graph: Graph, rows: str) -> str:
    """Rows outside the ball of convergence give NaN: a graph cannot raise an error."""
    kernel = features.kernel
    if not isinstance(kernel.base, InnerProduct):
        raise ValueError(f"Features of the kernel {type(kernel).__name__} cannot be exported.")
    with np.errstate(all="ignore"):
        finite_at_edge = bool(np.isfinite(kernel.profile(np.array([kernel.radius]))[0]))
    compare = "LessOrEqual" if finite_at_edge else "Less"
    inside = graph.apply(compare, squared_norms(graph, rows), graph.constant(kernel.radius))
    return graph.apply("Where", inside, features_of(features.inner, graph, rows), graph.constant(np.nan))

"""Features as operations of ONNX."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np

from ...kernels.arc_cosine import ArcCosine
from ...kernels.inner_product import InnerProduct
from ...maps.additive import AdditiveFunction
from ...maps.binned import BinningFunction
from ...maps.changed_rows import Change, ProjectedCodes, ProjectedFeatures, TailedCodes, TailedFeatures
from ...maps.features import ConcatenatedFeatures, TransformerFeatures
from ...maps.fourier import ComplexFourierFunction, FourierFunction
from ...maps.products import DirectionFeatures, GuardedFeatures, LinearFunction
from .graph import Graph


@singledispatch
def features_of(features: Any, graph: Graph, rows: str) -> str:
    """Add the features of rows to the graph; refuse those that ONNX has no operations for."""
    raise ValueError(f"{type(features).__name__} cannot be exported: its operations are not among those of ONNX.")


@features_of.register
def _(features: BinningFunction, graph: Graph, rows: str) -> str:
    raise ValueError(
        "Binning features cannot be exported: they hash bins in arithmetic modulo 2^32, which ONNX does not have; "
        "use bo.save, or a Fourier map."
    )


@features_of.register
def _(features: TransformerFeatures, graph: Graph, rows: str) -> str:
    name = type(features.transformer).__name__
    raise ValueError(f"The transformer {name} cannot be exported: only the feature maps of bochner can.")


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
def _(features: ComplexFourierFunction, graph: Graph, rows: str) -> str:
    raise ValueError("Complex features cannot be exported, since ONNX has no complex numbers: use embedding='paired'.")


@features_of.register
def _(features: AdditiveFunction, graph: Graph, rows: str) -> str:
    logarithms = positive_logarithms(graph, rows)
    roots = graph.apply("Sqrt", rows)  # not a number where an entry is negative: a graph cannot raise an error
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


@features_of.register
def _(features: ConcatenatedFeatures, graph: Graph, rows: str) -> str:
    parts = [features_of(part, graph, rows) for part in features.parts]
    scaled = [graph.times(part, np.sqrt(weight)) for weight, part in zip(features.weights, parts)]
    return graph.beside(scaled)


@features_of.register(ProjectedFeatures)
@features_of.register(ProjectedCodes)
def _(features: ProjectedFeatures | ProjectedCodes, graph: Graph, rows: str) -> str:
    return behind_change(features, graph, rows, lambda seen: graph.affine(seen, features.matrix.T))


@features_of.register(TailedFeatures)
@features_of.register(TailedCodes)
def _(features: TailedFeatures | TailedCodes, graph: Graph, rows: str) -> str:
    return behind_change(features, graph, rows, lambda seen: soft_tails(graph, seen, features.centre, features.spread))


def behind_change(features: Change, graph: Graph, rows: str, change: Callable[[str], str]) -> str:
    """Features of changed rows, which are made in double precision for those that want it."""
    dtype, inner = graph.dtype, features.inner
    if inner.row_dtype == dtype:
        return features_of(inner, graph, change(rows))
    with graph.in_double():
        made = features_of(inner, graph, change(graph.cast(rows, np.float64)))
    return graph.cast(made, dtype)


def soft_tails(graph: Graph, rows: str, centre: Any, spread: Any) -> str:
    """Add c(x) = 2 asinh(u), u = (x - centre) / (2 spread), to the graph: 2 sign(u) log(|u| + sqrt(u² + 1))."""
    u = graph.apply("Div", graph.apply("Sub", rows, graph.constant(centre)), graph.constant(2.0 * np.asarray(spread)))
    size = graph.apply("Min", graph.apply("Abs", u), graph.constant(1e18))  # whose square is finite in float32
    root = graph.apply("Sqrt", graph.apply("Add", graph.apply("Mul", size, size), graph.constant(1.0)))
    bent = graph.apply("Mul", graph.apply("Sign", u), graph.apply("Log", graph.apply("Add", size, root)))
    return graph.times(bent, 2.0)


@features_of.register
def _(features: LinearFunction, graph: Graph, rows: str) -> str:
    parts = []
    if features.constant > 0:
        parts.append(graph.constant_columns(np.array([features.constant])))
    if features.slope > 0:
        parts.append(graph.times(rows, features.slope))
    return graph.beside(parts)


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

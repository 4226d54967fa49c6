"""Products of scalar features as operations of ONNX."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np

from ...maps.factor_laws import ShiftedCosines
from ...maps.scalars import (
    BinColumns,
    ChangedColumns,
    CosineColumns,
    LogarithmColumns,
    MixtureColumns,
    ProductColumns,
    ProjectionColumns,
    ScalarProducts,
    SeriesColumns,
)
from .graph import Array, Graph
from .maps import features_of, positive_logarithms, powers
from .products import activated, joined


@features_of.register
def _(features: ScalarProducts, graph: Graph, rows: str) -> str:
    """Scales first and then factor by factor, as the features themselves: what overflows is the same."""
    total = graph.constant_columns(features.scales)
    for factor in features.factors:
        width = factor.n_columns
        head = graph.apply("Mul", graph.columns(total, 0, width), scalars_of(factor, graph, rows))
        total = joined(graph, head, total, width, features.n_components)
    return total


@singledispatch
def scalars_of(scalars: Any, graph: Graph, rows: str) -> str:
    """Scalar features of rows, one for each column."""
    raise ValueError(f"Scalars of the kind {type(scalars).__name__} cannot be exported.")


@scalars_of.register
def _(scalars: BinColumns, graph: Graph, rows: str) -> str:
    raise ValueError(
        "Compositions of binning kernels cannot be exported: they hash bins in arithmetic modulo 2^32, which ONNX does "
        "not have; use bo.save, or a shift-invariant inner kernel."
    )


@scalars_of.register
def _(scalars: ChangedColumns, graph: Graph, rows: str) -> str:
    return scalars_of(scalars.inner, graph, features_of(scalars.change, graph, rows))


@scalars_of.register
def _(scalars: CosineColumns, graph: Graph, rows: str) -> str:
    waves = ShiftedCosines(scalars.phases, np.full_like(scalars.phases, np.sqrt(2.0)))
    return activated(waves, graph, graph.affine(rows, scalars.matrix))


@scalars_of.register
def _(scalars: LogarithmColumns, graph: Graph, rows: str) -> str:
    """Tables (rows, columns of the data, scalars), summed over the columns of the data."""
    last = graph.constant([2], np.int64)
    logarithms = graph.apply("Unsqueeze", positive_logarithms(graph, rows), last)
    roots = graph.apply("Unsqueeze", graph.times(powers(graph, rows, scalars.exponent), np.sqrt(2.0)), last)
    waves = ShiftedCosines(scalars.phases, np.ones_like(scalars.phases))
    entries = graph.apply("Mul", activated(waves, graph, graph.times(logarithms, scalars.turns)), roots)
    return graph.apply("ReduceSum", entries, graph.constant([1], np.int64), keepdims=0)


@scalars_of.register
def _(scalars: ProjectionColumns, graph: Graph, rows: str) -> str:
    return activated(scalars.factor.activation, graph, graph.affine(rows, scalars.factor.matrix))


@scalars_of.register
def _(scalars: SeriesColumns, graph: Graph, rows: str) -> str:
    return placed(graph, features_of(scalars.features, graph, rows), scalars.places)


@scalars_of.register
def _(scalars: ProductColumns, graph: Graph, rows: str) -> str:
    first, *others = (scalars_of(part, graph, rows) for part in scalars.parts)
    for other in others:
        first = graph.apply("Mul", first, other)
    return first


@scalars_of.register
def _(scalars: MixtureColumns, graph: Graph, rows: str) -> str:
    table = graph.beside([scalars_of(part, graph, rows) for part in scalars.parts])
    return graph.times(placed(graph, table, np.concatenate(scalars.places)), scalars.factor)


def placed(graph: Graph, table: str, places: Array) -> str:
    """The table with its column i at places[i]."""
    return graph.apply("Gather", table, graph.constant(np.argsort(places), np.int64), axis=1)

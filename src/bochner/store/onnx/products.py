"""Products of random factors as operations of ONNX."""
# ruff: noqa: ARG001  (some cases of a dispatched function need less than others)

from __future__ import annotations

from functools import singledispatch
from itertools import pairwise
from typing import Any

import numpy as np

from ...maps.factor_laws import Factor, Identity, Rectifiers, ShiftedCosines
from ...maps.products import ProductFunction
from .graph import Graph
from .maps import features_of


@features_of.register
def _(features: ProductFunction, graph: Graph, rows: str) -> str:
    """Factors from the last, which the fewest features have, to the first.

    The features that have factor j are the leading ones of each group, so that each step multiplies a leading part of
    factor j by the product of the later ones, and leaves its other columns as they are.
    """
    factors = [factor for _, batch in features.batches for factor in batch]
    later: tuple[list[str], tuple[int, int]] = ([], (0, 0))
    for factor in reversed(factors):
        later = (_times_later(graph, _groups(graph, rows, factor), factor, *later), (factor.n_pairs, factor.n_singles))
    tables, (n_pairs, n_singles) = later
    real, imaginary, single = tables or ["", "", ""]
    constants = features.pair_constants[n_pairs:], features.single_constants[n_singles:]
    parts = [real, *_constants(graph, constants[0]), imaginary, *_constants(graph, np.zeros_like(constants[0]))]
    return graph.beside([part for part in (*parts, single, *_constants(graph, constants[1])) if part])


def _constants(graph: Graph, values: np.ndarray) -> list[str]:
    return [graph.constant_columns(values)] if len(values) else []


def _groups(graph: Graph, rows: str, factor: Factor) -> list[str]:
    """Real parts, imaginary parts and real features of one factor; "" for a group without columns."""
    values = activated(factor.activation, graph, graph.affine(rows, factor.matrix))
    pairs = factor.n_pairs
    edges = (0, pairs, 2 * pairs, factor.width)
    return [graph.columns(values, start, stop) if stop > start else "" for start, stop in pairwise(edges)]


def _times_later(
    graph: Graph, groups: list[str], factor: Factor, later: list[str], widths: tuple[int, int]
) -> list[str]:
    if not later:
        return groups
    real, imaginary, single = groups
    n_pairs, n_singles = widths
    if n_pairs:
        heads = [graph.columns(part, 0, n_pairs) for part in (real, imaginary)]
        product = complex_product(graph, (heads[0], heads[1]), (later[0], later[1]))
        real, imaginary = (
            joined(graph, head, part, n_pairs, factor.n_pairs) for head, part in zip(product, (real, imaginary))
        )
    if n_singles:
        head = graph.apply("Mul", graph.columns(single, 0, n_singles), later[2])
        single = joined(graph, head, single, n_singles, factor.n_singles)
    return [real, imaginary, single]


def joined(graph: Graph, head: str, table: str, start: int, stop: int) -> str:
    """The head, then the columns of the table behind it."""
    return graph.beside([head, graph.columns(table, start, stop)]) if stop > start else head


def complex_product(graph: Graph, left: tuple[str, str], right: tuple[str, str]) -> tuple[str, str]:
    """Real and imaginary parts of a product of tables."""

    def times(i: int, j: int) -> str:
        return graph.apply("Mul", left[i], right[j])

    return graph.apply("Sub", times(0, 0), times(1, 1)), graph.apply("Add", times(0, 1), times(1, 0))


@singledispatch
def activated(activation: Any, graph: Graph, values: str) -> str:
    """What happens to projections before they are multiplied."""
    raise ValueError(f"Factors with {type(activation).__name__} cannot be exported.")


@activated.register
def _(activation: Identity, graph: Graph, values: str) -> str:
    return values


@activated.register
def _(activation: ShiftedCosines, graph: Graph, values: str) -> str:
    reduced = graph.apply("Sub", values, graph.apply("Round", values))
    moved = graph.apply("Add", reduced, graph.constant(activation.phases - np.rint(activation.phases)))
    return graph.times(graph.apply("Cos", graph.times(moved, 2.0 * np.pi)), activation.scales)


@activated.register
def _(activation: Rectifiers, graph: Graph, values: str) -> str:
    if activation.order == 1:
        return graph.times(graph.apply("Max", values, graph.constant(0.0)), activation.scales)
    positive = graph.apply("Greater", values, graph.constant(0.0))
    return graph.times(graph.cast(positive, graph.dtype), activation.scales)

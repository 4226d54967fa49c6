"""The encodings of tables of numbers as operations of ONNX."""

from __future__ import annotations

import numpy as np

from ...tables import TableEncoder
from ...tables.column_codes import NumberCode
from .graph import Graph
from .maps import soft_tails


def encoded(encoder: TableEncoder, graph: Graph, rows: str) -> str:
    """Numbers filled where missing, centred and scaled, and the columns that say where they were missing.

    Missing numbers that the encoder refuses give predictions that are not numbers: a graph cannot raise an error.
    """
    codes = [code for code in encoder.codes_ if isinstance(code, NumberCode)]
    if len(codes) < len(encoder.codes_):
        text = next(code.name for code in encoder.codes_ if not isinstance(code, NumberCode))
        raise ValueError(
            f"A model with the column {text!r} of labels cannot be exported, because its graph takes one table of "
            "numbers: fit on what model.encoder_.transform gives, and encode before the graph."
        )
    missing = graph.apply("IsNaN", rows)
    fill = graph.constant([np.nan if code.fill is None else code.fill for code in codes])
    centred = graph.apply("Sub", graph.apply("Where", missing, fill, rows), graph.constant([c.centre for c in codes]))
    scaled = with_tails(codes, graph, graph.apply("Div", centred, graph.constant([code.scale for code in codes])))
    if any(code.counts for code in codes):
        lowest = float(np.finfo(np.float32).min)
        scaled = graph.apply("Max", scaled, graph.constant([0.0 if code.counts else lowest for code in codes]))
    order = [place for j, code in enumerate(codes) for place in ([j, len(codes) + j] if code.indicator else [j])]
    both = graph.beside([scaled, graph.cast(missing, graph.dtype)])
    return graph.apply("Gather", both, graph.constant(order, np.int64), axis=1)


def with_tails(codes: list[NumberCode], graph: Graph, scaled: str) -> str:
    """Return 2 asinh(u / 2) in the columns whose tails are soft.

    For older files also u + sign(u) (log(1 + e) - e) with e = max(|u| - c, 0).
    """
    if any(code.soft for code in codes):
        width = len(codes)
        bent = soft_tails(graph, scaled, np.zeros(width), np.ones(width))
        moved = graph.apply("Sub", bent, graph.constant([code.zero for code in codes]))
        scaled = graph.apply("Where", graph.constant([code.soft for code in codes], bool), moved, scaled)
    if all(code.linear is None for code in codes):
        return scaled
    furthest = float(np.finfo(np.float32).max)
    limits = graph.constant([furthest if code.linear is None else code.linear for code in codes])
    beyond = graph.apply("Relu", graph.apply("Sub", graph.apply("Abs", scaled), limits))
    logarithm = graph.apply("Log", graph.apply("Add", beyond, graph.constant(1.0)))
    bent = graph.apply("Mul", graph.apply("Sign", scaled), graph.apply("Sub", logarithm, beyond))
    return graph.apply("Add", scaled, bent)

"""TensorSketch as operations of ONNX."""

from __future__ import annotations

import numpy as np

from ...maps.tensor_sketch import SketchFunction
from .graph import Graph
from .maps import features_of
from .products import complex_product


@features_of.register
def _(features: SketchFunction, graph: Graph, rows: str) -> str:
    """Matrix products with F C_j, the Fourier transform of each count sketch, in place of fast transforms."""
    width, dim = features.n_components, features.n_features_in
    frequency = np.arange(width // 2 + 1)
    product: tuple[str, str] | None = None
    for buckets, weights in zip(features.buckets, features.weights):
        turns = np.outer(buckets, frequency) % width / width
        transform = weights[:, None] * np.exp(-2j * np.pi * turns)
        offset = transform[dim:].sum(axis=0)
        parts = [graph.affine(rows, part[:dim], shift) for part, shift in _real_parts(transform, offset)]
        factor = (parts[0], parts[1])
        product = factor if product is None else complex_product(graph, product, factor)
    assert product is not None
    imaginary = len(frequency) + frequency[1:]
    order = np.column_stack([frequency[1:], imaginary]).ravel()[: width - 1]
    places = graph.constant(np.concatenate([[0], order]), np.int64)
    coordinates = graph.apply("Gather", graph.beside(product), places, axis=1)
    return graph.times(coordinates, np.concatenate([[1.0], features.coordinate_scales]))


def _real_parts(transform: np.ndarray, offset: np.ndarray) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(transform.real, offset.real), (transform.imag, offset.imag)]

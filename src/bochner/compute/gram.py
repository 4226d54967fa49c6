"""Gram matrices: half the work of a product, added up in float64."""

from __future__ import annotations

import numpy as np

from .compiled import compiled

Array = np.ndarray


def gram(values: Array) -> Array:
    """Z'Z in the precision of Z. numpy recognises a matrix times itself and calls syrk, half the work of gemm."""
    return values.T @ values


@compiled()
def add_centred_gram(total: Array, part: Array, shift: Array, factor: float) -> None:
    """Lower triangle of total += part + factor * shift shift', in one sweep; an empty part counts as zero."""
    n = total.shape[0]
    if part.shape[0] == 0:
        for i in range(n):
            scaled = factor * shift[i]
            for j in range(i + 1):
                total[i, j] += scaled * shift[j]
        return
    for i in range(n):
        scaled = factor * shift[i]
        for j in range(i + 1):
            total[i, j] += part[i, j] + scaled * shift[j]


@compiled()
def _centre(values: Array, mean: Array, root: Array, out: Array) -> None:
    weighted = root.shape[0] > 0
    for i in range(values.shape[0]):
        factor = root[i] if weighted else values.dtype.type(1.0)
        for j in range(values.shape[1]):
            out[i, j] = (values[i, j] - mean[j]) * factor


def centre_and_weight(values: Array, mean: Array, root: Array | None) -> Array:
    """(Z - mean) * root, row by row, as a new array; root None means 1."""
    out = np.empty_like(values, order="C")
    factors = np.empty(0, values.dtype) if root is None else root.astype(values.dtype)
    _centre(values, mean, factors, out)
    return out

"""Rows chosen and scaled on the way into a Gram matrix."""

from __future__ import annotations

import numpy as np

from .compiled import compiled

Array = np.ndarray


@compiled()
def _scaled_rows(values: Array, chosen: Array, factors: Array, out: Array) -> None:
    for i in range(chosen.shape[0]):
        row = chosen[i]
        for j in range(values.shape[1]):
            out[i, j] = values[row, j] * factors[i]


def scaled_rows(values: Array, chosen: Array, factors: Array) -> Array:
    """factors[i] * values[chosen[i]], as a new array in the precision of the values."""
    out = np.empty((len(chosen), values.shape[1]), dtype=values.dtype)
    _scaled_rows(values, chosen, factors.astype(values.dtype), out)
    return out


@compiled()
def add_lower(total: Array, part: Array, sign: float) -> None:
    """Lower triangle of total += sign * part."""
    for i in range(total.shape[0]):
        for j in range(i + 1):
            total[i, j] += sign * part[i, j]


@compiled(fastmath=True)
def _add_weighted_products(
    values: Array, chosen: Array, weight: Array, direction: Array, offset: float, out: Array
) -> float:
    n_columns = values.shape[1]
    zero = values.dtype.type(0.0)
    total = 0.0
    whole = chosen.shape[0] - chosen.shape[0] % 4
    for k in range(0, whole, 4):
        a, b, c, d = values[chosen[k]], values[chosen[k + 1]], values[chosen[k + 2]], values[chosen[k + 3]]
        sa, sb, sc, sd = zero, zero, zero, zero
        for j in range(n_columns):
            sa += a[j] * direction[j]
            sb += b[j] * direction[j]
            sc += c[j] * direction[j]
            sd += d[j] * direction[j]
        ra = values.dtype.type(weight[k] * (sa + offset))
        rb = values.dtype.type(weight[k + 1] * (sb + offset))
        rc = values.dtype.type(weight[k + 2] * (sc + offset))
        rd = values.dtype.type(weight[k + 3] * (sd + offset))
        total += float(ra) + float(rb) + float(rc) + float(rd)
        for j in range(n_columns):
            out[j] += ra * a[j] + rb * b[j] + rc * c[j] + rd * d[j]
    for k in range(whole, chosen.shape[0]):
        a = values[chosen[k]]
        sa = zero
        for j in range(n_columns):
            sa += a[j] * direction[j]
        ra = values.dtype.type(weight[k] * (sa + offset))
        total += float(ra)
        for j in range(n_columns):
            out[j] += ra * a[j]
    return total


def weighted_products(values: Array, weight: Array, direction: Array, offset: float) -> tuple[Array, float]:
    """Z'r and 1'r for r = weight * (Z direction + offset), reading each row of weight > 0 once and no other."""
    chosen = np.flatnonzero(weight)
    out = np.zeros(values.shape[1], dtype=values.dtype)
    column = np.ascontiguousarray(direction, dtype=values.dtype)
    total = _add_weighted_products(values, chosen, weight[chosen], column, float(offset), out)
    return out, total

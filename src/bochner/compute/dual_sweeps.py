"""Dual coordinate descent over the rows of a block: the hot loops of the hinge and the epsilon-insensitive loss."""

from __future__ import annotations

import numpy as np

from .compiled import compiled

Array = np.ndarray


@compiled()
def _moved(dual: float, slope: float, bend: float, lower: float, upper: float, epsilon: float) -> float:
    """Minimiser over [lower, upper] of slope (b - dual) + bend (b - dual)²/2 + epsilon |b|."""
    free = dual - slope / bend
    shrink = epsilon / bend
    if free > shrink:
        free -= shrink
    elif free < -shrink:
        free += shrink
    else:
        free = 0.0
    return min(max(free, lower), upper)


@compiled(fastmath=True)
def sweep_dense(
    values: Array,
    targets: Array,
    lower: Array,
    upper: Array,
    epsilon: float,
    pull: float,
    order: Array,
    squares: Array,
    dual: Array,
    coefficients: Array,
    intercept: float,
) -> float:
    """One visit of each row in ``order``: exact minimisation over its dual variable. Returns the new intercept.

    ``coefficients`` = sum dual_i z_i and the intercept moves by ``pull`` times every change of a dual variable.
    """
    n_features = values.shape[1]
    for k in range(order.shape[0]):
        i = order[k]
        score = 0.0
        for j in range(n_features):
            score += values[i, j] * coefficients[j]
        new = _moved(dual[i], score + intercept - targets[i], squares[i] + pull, lower[i], upper[i], epsilon)
        change = new - dual[i]
        if change != 0.0:
            dual[i] = new
            intercept += pull * change
            for j in range(n_features):
                coefficients[j] += change * values[i, j]
    return intercept


@compiled()
def sweep_sparse(
    data: Array,
    indices: Array,
    indptr: Array,
    targets: Array,
    lower: Array,
    upper: Array,
    epsilon: float,
    pull: float,
    order: Array,
    squares: Array,
    dual: Array,
    coefficients: Array,
    intercept: float,
) -> float:
    """The same for rows in compressed form."""
    for k in range(order.shape[0]):
        i = order[k]
        score = 0.0
        for p in range(indptr[i], indptr[i + 1]):
            score += data[p] * coefficients[indices[p]]
        new = _moved(dual[i], score + intercept - targets[i], squares[i] + pull, lower[i], upper[i], epsilon)
        change = new - dual[i]
        if change != 0.0:
            dual[i] = new
            intercept += pull * change
            for p in range(indptr[i], indptr[i + 1]):
                coefficients[indices[p]] += change * data[p]
    return intercept

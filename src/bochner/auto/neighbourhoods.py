"""Groups of neighbouring rows: small samples in which fine structure shows as it does among all rows."""

from __future__ import annotations

import numpy as np

Array = np.ndarray

PROBE = 400  # rows from which the spread of a group is seen


def neighbourhoods(X: Array, scales: Array, size: int, count: int, rng: np.random.Generator) -> list[Array]:
    """Positions of rows in ``count`` random leaves of at least ``size`` rows, all of them as many, under twice as many.

    A random tree: a group is halved at the median of a column, drawn with probability proportional to its variance in
    the group in units of the column's length scale, so that leaves are small in the kernel's own distance.
    """
    leaves: list[Array] = []
    # Only branches that lead to leaves that are kept are grown: of the groups on a level, at most ``count``.
    level = [np.arange(len(X))]
    while level:
        below: list[Array] = []
        for group in level:
            if len(group) < 2 * size:
                leaves.append(group)
                continue
            column = _column(X, scales, group, rng)
            half = len(group) // 2
            order = np.argpartition(X[group, column], half)
            below += [group[order[:half]], group[order[half:]]]
        if len(below) > count:
            below = [below[i] for i in np.sort(rng.permutation(len(below))[:count])]
        level = below
    even = min(map(len, leaves[:count]))
    return [leaf[:even] for leaf in leaves[:count]]


def _column(X: Array, scales: Array, group: Array, rng: np.random.Generator) -> int:
    some = group if len(group) <= PROBE else group[rng.integers(0, len(group), PROBE)]
    variance = X[some].var(axis=0, dtype=np.float64) / np.square(scales)
    total = variance.sum()
    return int(rng.choice(len(variance), p=variance / total)) if total > 0 else 0

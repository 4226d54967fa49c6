"""Length scales by maximum evidence of groups of neighbouring rows, in which fine structure shows as among all rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..kernels import ScaledKernel
from .evidence import Sample, maximised
from .maximise import never

Array = np.ndarray

LEAF_ROWS = 64
N_LEAVES = {True: 400, False: 150}  # of kernels with a kink at 0, and of others, which take longer
LOCAL_STEPS = 15  # stopping early keeps scales that few leaves speak about near the start
FURTHEST = 100.0  # a column counts as ignored when its scale is so many times the smallest
NEAREST = 0.3  # of a column's standard deviation: a smaller scale says no more
FINE = {True: 0.15, False: 0.5}  # first guess of local over global scales, for kernels with a kink at 0 and without
PROBE = 400  # rows from which the spread of a group is seen


def local_scales(
    kernel: ScaledKernel,
    X: Array,
    targets: Array,
    scales: Array,
    groups: Array,
    rng: np.random.Generator,
    *,
    threads: int,
    stop: Callable[[], bool] = never,
) -> Array:
    """Maximum evidence of neighbourhoods, from the global scales on: what matters at the density of all rows.

    The geometric mean over two draws of them where rows are many: each leaves chance in it, also with more leaves.
    """
    start = within_reach(scales, X.std(axis=0, dtype=np.float64))
    kept = np.flatnonzero(np.isfinite(start))
    _, firsts, groups = np.unique(groups[kept], return_index=True, return_inverse=True)
    targets = targets - targets.mean(axis=0)
    targets = targets / max(float(targets.std()), np.finfo(float).tiny)
    kink = bool(np.isinf(kernel.unit_second_moment(1)))
    first = np.log(start[kept][firsts] * FINE[kink])
    steps: dict[str, Any] = {"max_iter": LOCAL_STEPS, "threads": threads, "groups": groups, "stop": stop}
    found = []
    for _ in range(2 if len(X) > 2 * N_LEAVES[kink] * LEAF_ROWS else 1):
        leaves = neighbourhoods(X, start, LEAF_ROWS, N_LEAVES[kink], rng)
        samples = [Sample(np.asarray(X[leaf][:, kept], np.float64), targets[leaf]) for leaf in leaves]
        found.append(maximised(kernel, samples, first, **steps).log_scales)
    local = start.copy()
    local[kept] = np.exp(np.mean(found, axis=0))[groups]
    return local


def within_reach(scales: Array, spread: Array) -> Array:
    """Global scales, none further than a column that is ignored has to be; infinite for constant columns only.

    Columns of two values have scales of any size below their distance, which must not say how far that is; those that
    were constant in the sample count as ignored so far.
    """
    nearest = float(np.maximum(scales, NEAREST * spread).min())
    return np.where(spread > 0, np.minimum(scales, FURTHEST * nearest), np.inf)


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

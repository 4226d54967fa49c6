"""One length scale per column by maximum evidence of random rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..kernels import ScaledKernel
from ..kernels.length_words import column_spread, median_distance
from .evidence import Sample, maximised
from .maximise import never

Array = np.ndarray

STARTS = (1.0, 0.2)  # first guesses over the median distance: from afar, fine structure looks like noise
FIRST_STEPS = 6


def draw_samples(X: Any, targets: Array, n_rows: int, n_samples: int, rng: np.random.Generator) -> list[Sample]:
    """Disjoint random samples, as far as the rows go; rows as they are, targets centred and scaled."""
    total = X.shape[0]
    n_rows = min(n_rows, total)
    order = rng.permutation(total)
    spread = targets.std()
    targets = (targets - targets.mean(axis=0)) / (spread if spread > 0 else 1.0)
    samples = []
    for i in range(max(1, min(n_samples, total // n_rows))):
        chosen = np.sort(order[i * n_rows : (i + 1) * n_rows])
        rows = X[chosen]
        samples.append(Sample(np.asarray(rows.toarray() if sp.issparse(rows) else rows, np.float64), targets[chosen]))
    return samples


def learned_scales(
    kernel: ScaledKernel,
    samples: list[Sample],
    *,
    max_iter: int,
    threads: int,
    groups: Array | None = None,
    stop: Callable[[], bool] = never,
) -> Array:
    """Length scales of the columns, infinite where these rows are constant.

    Columns of one group (``groups`` has a number for each column) have the same length scale.
    """
    rows = np.concatenate([sample.X for sample in samples])
    weight = np.ones(len(rows))
    groups = np.arange(rows.shape[1]) if groups is None else groups
    spread = shared_spread(column_spread(rows, weight), groups)
    scales = np.where(spread > 0, spread, np.inf)
    kept = np.flatnonzero(spread > 0)
    if not kept.size or not any(sample.Y.any() for sample in samples):
        return scales
    # In units of the spread, relative to the mean: what is rounded to float32 later has no offset.
    mean = rows.mean(axis=0)
    units = [Sample((sample.X[:, kept] - mean[kept]) / spread[kept], sample.Y) for sample in samples]
    first = median_distance(np.concatenate([unit.X for unit in units]), weight, kernel.distance)
    known, groups = np.unique(groups[kept], return_inverse=True)
    common: dict[str, Any] = {"threads": threads, "groups": groups, "stop": stop}
    starts = [np.full(known.size, np.log(first * share)) for share in STARTS]
    begun = [maximised(kernel, units, start, max_iter=FIRST_STEPS, **common) for start in starts]
    best = max(begun, key=lambda maximum: maximum.value)
    begin: dict[str, Any] = {"noise": best.noise, "amplitude": best.amplitude, "max_iter": max_iter}
    found = maximised(kernel, units, best.log_scales, **begin, **common)
    scales[kept] = np.exp(found.log_scales)[groups] * spread[kept]
    return scales


def shared_spread(spread: Array, groups: Array) -> Array:
    """The root mean square of each group's spreads, for each of its columns."""
    _, places, counts = np.unique(groups, return_inverse=True, return_counts=True)
    return np.sqrt(np.bincount(places, np.square(spread)) / counts)[places]

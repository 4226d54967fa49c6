"""Length scales for the search: from the spread of the columns, learned on all rows, learned on neighbourhoods."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import RadialKernel, ScaledKernel
from ..kernels.length_words import median_distance, robust_scales
from .evidence import Sample, maximise
from .length_scales import draw_samples, learned_scales
from .metric import between, learned_metric
from .neighbourhoods import neighbourhoods

Array = np.ndarray

EVIDENCE_ROWS = 600
METRIC_ROWS = 3000
METRIC_STEPS = 3
MANY_SAMPLES = 8  # in all rows: then there is time for a second one, and the mean of both leaves less to chance
LEAF_ROWS = 64
N_LEAVES = {True: 400, False: 150}  # of kernels with a kink at 0, and of others, which take longer
LOCAL_STEPS = 15  # stopping early keeps scales that few leaves speak about near the start
FURTHEST = 100.0  # a column counts as ignored when its scale is so many times the smallest
NEAREST = 0.3  # of a column's standard deviation: a smaller scale says no more
FINE = {True: 0.15, False: 0.5}  # first guess of local over global scales, for kernels with a kink at 0 and without


@dataclass(frozen=True)
class Learner:
    """Learns length scales of standardised rows for one kernel after the other, from the same samples."""

    X: Array
    targets: Array
    seed: int
    threads: int
    stop: Callable[[], bool]
    groups: Array  # a number for each column: those of one label column have the same, and the same length scale
    max_iter: int = 40

    def _rng(self) -> np.random.Generator:
        """The same for every kernel: what is learned in other threads must not depend on who comes first."""
        return np.random.default_rng(self.seed)

    def spread(self, kernel: ScaledKernel) -> Array:
        """The rule without learning."""
        rows = self.X[:: max(1, len(self.X) // 2000)]
        return robust_scales(rows, None, kernel.distance)

    def common(self, kernel: ScaledKernel, units: Array) -> Array:
        """One length scale for all columns in their own units: columns come divided by these."""
        rows = self.X[:: max(1, len(self.X) // 2000)] * units
        return median_distance(rows, np.ones(len(rows)), kernel.distance) / units

    def learned(self, kernel: ScaledKernel, samples: list[Sample]) -> Array:
        """Maximum evidence of random rows."""
        return learned_scales(
            kernel, samples, max_iter=self.max_iter, threads=self.threads, groups=self.groups, stop=self.stop
        )[0]

    def samples(self) -> list[Sample]:
        """Two samples of random rows."""
        return draw_samples(self.X, self.targets, EVIDENCE_ROWS, 2, self._rng())

    def metric(self, kernel: RadialKernel) -> Array:
        """A matrix that turns and stretches, from the gradients of kernel regression; where rows are many, of two."""
        order = self._rng().permutation(len(self.X))
        metric, rows = self._metric(kernel, order[:METRIC_ROWS])
        if len(order) <= MANY_SAMPLES * METRIC_ROWS:
            return metric
        return between(metric, self._metric(kernel, order[METRIC_ROWS : 2 * METRIC_ROWS])[0], rows)

    def _metric(self, kernel: RadialKernel, chosen: Array) -> tuple[Array, Array]:
        """The metric of some rows, and these."""
        rows = np.asarray(self.X[chosen], dtype=np.float64)
        found = learned_metric(kernel, rows, self.targets[chosen], max_iter=METRIC_STEPS, stop=self.stop)
        return found.matrix, rows

    def local(self, kernel: ScaledKernel, scales: Array) -> Array:
        """Maximum evidence of neighbourhoods, from the global scales on: what matters at the density of all rows.

        The geometric mean over two draws of them where rows are many: each leaves chance in it, also with more leaves.
        """
        start = within_reach(scales, self.X.std(axis=0, dtype=np.float64))
        kept = np.flatnonzero(np.isfinite(start))
        _, firsts, groups = np.unique(self.groups[kept], return_index=True, return_inverse=True)
        targets = self.targets - self.targets.mean(axis=0)
        targets = targets / max(float(targets.std()), np.finfo(float).tiny)
        kink, rng = bool(np.isinf(kernel.unit_second_moment(1))), self._rng()
        first = np.log(start[kept][firsts] * FINE[kink])
        found = []
        for _ in range(2 if len(self.X) > 2 * N_LEAVES[kink] * LEAF_ROWS else 1):
            leaves = neighbourhoods(self.X, start, LEAF_ROWS, N_LEAVES[kink], rng)
            samples = [Sample(np.asarray(self.X[leaf][:, kept], np.float64), targets[leaf]) for leaf in leaves]
            steps: dict[str, Any] = {"max_iter": LOCAL_STEPS, "threads": self.threads, "stop": self.stop}
            found.append(maximise(kernel, samples, first, groups=groups, **steps).log_scales)
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

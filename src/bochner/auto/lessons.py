"""What the search learns of length scales: from which rows, how many of them, and until when."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..kernels import RadialKernel, ScaledKernel
from ..scales.metric import between, learned_metric
from ..scales.neighbourhoods import local_scales
from ..scales.random_rows import draw_samples, learned_scales

Array = np.ndarray

EVIDENCE_ROWS = 600
EVIDENCE_STEPS = 40
METRIC_ROWS = 3000
METRIC_STEPS = 3
MANY_SAMPLES = 8  # in all rows: then there is time for a second one, and the mean of both leaves less to chance


@dataclass(frozen=True)
class Lessons:
    """Length scales of standardised rows for one kernel after the other, from the same samples."""

    X: Array
    targets: Array
    seed: int
    threads: int
    stop: Callable[[], bool]
    groups: Array  # a number for each column: those of one label column have the same, and the same length scale

    def _rng(self) -> np.random.Generator:
        """The same for every kernel: what is learned in other threads must not depend on who comes first."""
        return np.random.default_rng(self.seed)

    def learned(self, kernel: ScaledKernel) -> Array:
        """Maximum evidence of two samples of random rows."""
        samples = draw_samples(self.X, self.targets, EVIDENCE_ROWS, 2, self._rng())
        return learned_scales(
            kernel, samples, max_iter=EVIDENCE_STEPS, threads=self.threads, groups=self.groups, stop=self.stop
        )

    def local(self, kernel: ScaledKernel, scales: Array) -> Array:
        """Maximum evidence of neighbourhoods, from these scales on."""
        return local_scales(
            kernel, self.X, self.targets, scales, self.groups, self._rng(), threads=self.threads, stop=self.stop
        )

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

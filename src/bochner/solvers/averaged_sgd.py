"""One pass of averaged stochastic gradient descent: ridge regression on streams without end."""

from __future__ import annotations

import numpy as np

from ..blocks import Block
from .ridge import RidgeSolution

Array = np.ndarray

BATCH = 64  # rows per step
DIRECTIONS = 128  # that are rescaled
SAMPLE = 2048  # rows that they are found from
RECENT = 3.0  # averages weigh step t like t^3: the first steps are soon forgotten


class AveragedSgd:
    """W <- W - γ P [ sum_i v_i z_i (W'z_i + b - y_i)' / sum_i v_i + (alpha / n) W ] over batches of rows, averaged.

    n is the weight of the rows seen so far, so that the penalty on the sum of squares is alpha whatever their number,
    and z has the intercept as a column of ones. P shrinks the q leading directions of the first rows to the size of
    the next, P = I - sum_i (1 - λ_q / λ_i) e_i e_i' (Ma and Belkin 2017): without it a kernel's small eigenvalues are
    learned a hundred times slower than its large ones. The step γ is constant, so the average of the iterates
    converges at the optimal rate for squared errors (Bach and Moulines 2013), weighted towards the last ones (Shamir
    and Zhang 2013). Memory is that of q + 2 vectors.
    """

    def __init__(self, n_features: int, n_targets: int, fit_intercept: bool, dtype: np.dtype) -> None:
        self.fit_intercept = fit_intercept
        self.iterate = np.zeros((n_features + 1, n_targets), dtype=dtype)
        self.average = np.zeros((n_features + 1, n_targets), dtype=dtype)
        self.directions = np.zeros((n_features + 1, 0), dtype=dtype)
        self.shrinkage = np.zeros(0, dtype=dtype)  # 1 - λ_q / λ_i
        self.rate = 0.0
        self.n_steps = 0
        self.total_weight = 0.0

    def update(self, block: Block, alpha: float) -> None:
        """Take steps over the rows of a block of dense features, in order."""
        values = block.X.dense()
        ones = np.full((len(values), 1), float(self.fit_intercept), dtype=values.dtype)
        values = np.hstack([values, ones])
        y = np.asarray(block.y, dtype=np.float64)
        weight = np.ones(len(values)) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        if self.rate == 0.0 and weight.any():
            self._prepare(values[np.flatnonzero(weight)[:SAMPLE]])
        for start in range(0, len(values), BATCH):
            batch = slice(start, start + BATCH)
            if weight[batch].any():
                self._step(values[batch], y[batch], weight[batch], alpha)

    def _prepare(self, sample: Array) -> None:
        """Find the leading directions of a sample, and the largest step that is stable.

        Of the rescaled rows let R² be the largest square and λ the largest eigenvalue: the largest eigenvalue of a
        batch of b rows is about λ + R²/b, and γ is half its inverse.
        """
        singular, vectors = np.linalg.svd(sample.astype(np.float64) / np.sqrt(len(sample)), full_matrices=False)[1:]
        values = singular**2
        count = min(DIRECTIONS, len(values) // 2)
        level = values[count]
        if level > 1e-12 * values[0]:
            self.directions = vectors[:count].T.astype(sample.dtype)
            self.shrinkage = (1.0 - level / values[:count]).astype(sample.dtype)
        else:
            level = values[0]
        inside = np.square(sample @ self.directions) @ self.shrinkage
        largest = float((np.square(sample).sum(axis=1) - inside).max())
        self.rate = 0.5 / (float(level) + largest / BATCH)

    def _step(self, values: Array, y: Array, weight: Array, alpha: float) -> None:
        total = float(weight.sum())
        self.total_weight += total
        error = (values @ self.iterate - y) * (weight / total)[:, None]
        gradient = values.T @ error.astype(values.dtype)
        gradient[:-1] += values.dtype.type(alpha / self.total_weight) * self.iterate[:-1]
        gradient -= self.directions @ (self.shrinkage[:, None] * (self.directions.T @ gradient))
        rate = min(self.rate, self.total_weight / alpha) if alpha > 0.0 else self.rate
        self.iterate -= values.dtype.type(rate) * gradient
        self.n_steps += 1
        share = (RECENT + 1.0) / (self.n_steps + RECENT)
        self.average += values.dtype.type(share) * (self.iterate - self.average)

    def solution(self, alpha: float) -> RidgeSolution:
        """The average so far."""
        intercept = self.average[-1].astype(np.float64)
        return RidgeSolution(self.average[:-1].copy(), intercept, alpha, n_iter=self.n_steps)

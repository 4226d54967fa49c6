"""One pass of averaged stochastic gradient descent: ridge regression on streams without end."""

from __future__ import annotations

import numpy as np

from ..blocks import Block
from .ridge import RidgeSolution

Array = np.ndarray

BATCH = 16  # rows per step
RECENT = 3.0  # averages weigh step t like t^3: the first steps are soon forgotten


class AveragedSgd:
    """W <- W - γ [ sum_i v_i z_i (W'z_i + b - y_i)' / sum_i v_i + (alpha / n) W ] over batches of rows, averaged.

    n is the number of rows seen so far, so that the penalty on the sum of squares is alpha whatever their number. The
    step γ = 1 / (2 R²), with R² the mean of ||z||² + 1, is constant: the average of the iterates converges at the
    optimal rate for squared errors (Bach and Moulines 2013), weighted towards the last ones (Shamir and Zhang 2013).
    """

    def __init__(self, n_features: int, n_targets: int, fit_intercept: bool, dtype: np.dtype) -> None:
        self.fit_intercept = fit_intercept
        self.iterate = np.zeros((n_features, n_targets), dtype=dtype)
        self.average = np.zeros((n_features, n_targets), dtype=dtype)
        self.intercept = np.zeros(n_targets)
        self.average_intercept = np.zeros(n_targets)
        self.n_steps = 0
        self.total_weight = 0.0
        self.square_sum = 0.0  # of ||z||² + 1

    def update(self, block: Block, alpha: float) -> None:
        """Take steps over the rows of a block of dense features, in order."""
        values = block.X.dense()
        y = np.asarray(block.y, dtype=np.float64)
        weight = np.ones(len(values)) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        for start in range(0, len(values), BATCH):
            batch = slice(start, start + BATCH)
            if weight[batch].any():
                self._step(values[batch], y[batch], weight[batch], alpha)

    def _step(self, values: Array, y: Array, weight: Array, alpha: float) -> None:
        total = float(weight.sum())
        self.total_weight += total
        self.square_sum += float(weight @ (np.einsum("ij,ij->i", values, values, dtype=np.float64) + 1.0))
        rate = 0.5 * self.total_weight / self.square_sum
        error = values @ self.iterate + self.intercept - y
        error *= (weight / total)[:, None]
        self.iterate *= 1.0 - rate * min(1.0, alpha / self.total_weight)
        self.iterate -= (rate * (values.T @ error.astype(values.dtype))).astype(values.dtype)
        if self.fit_intercept:
            self.intercept = self.intercept - rate * error.sum(axis=0)
        self.n_steps += 1
        share = (RECENT + 1.0) / (self.n_steps + RECENT)
        self.average += (share * (self.iterate - self.average)).astype(values.dtype)
        self.average_intercept = self.average_intercept + share * (self.intercept - self.average_intercept)

    def solution(self, alpha: float) -> RidgeSolution:
        """The average so far."""
        return RidgeSolution(self.average.copy(), self.average_intercept.copy(), alpha, n_iter=self.n_steps)

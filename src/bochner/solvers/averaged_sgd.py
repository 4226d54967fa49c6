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
    """W <- W - γ P [ sum_i v_i z_i (W'z_i + b - y_i)' / sum_i v_i + μ W ] over batches of rows, averaged.

    μ = alpha / n makes the penalty on the sum of squares alpha: n is the weight of all rows where their number is
    known, else of those seen so far. z has the intercept as a column of ones, which is not penalised. P shrinks the q
    leading directions of the first rows to the size of the next, with the penalty's curvature in mind:

        P = I - sum_i (1 - (λ_q + μ) / (λ_i + μ)) e_i e_i'    (Ma and Belkin 2017).

    Without it a kernel's small eigenvalues are learned a hundred times slower than its large ones. The step γ is
    constant, so the average of the iterates converges at the optimal rate for squared errors (Bach and Moulines 2013),
    weighted towards the last ones (Shamir and Zhang 2013). Memory is that of q + 2 vectors and of q numbers for each
    of the first rows. Vectors are float64 whatever the features: steps are as long as λ_q is small, and would make the
    rounding of gradients grow without end.
    """

    def __init__(self, n_features: int, n_targets: int, fit_intercept: bool) -> None:
        self.fit_intercept = fit_intercept
        self.iterate = np.zeros((n_features + 1, n_targets))
        self.average = np.zeros((n_features + 1, n_targets))
        self.shift = np.zeros(n_targets)  # mean of the first targets, where there is an intercept to take it back
        self.directions = np.zeros((n_features + 1, 0))
        self.leading = np.zeros(0)  # λ_i
        self.level = 0.0  # λ_q
        self.squares = np.zeros((1, 0))  # of the sample's rows along the directions
        self.outside = np.zeros(1)  # what is left of their squared norms
        self.n_steps = 0
        self.n_rows = 0
        self.total_weight = 0.0

    def update(self, block: Block, alpha: float, n_rows: int | None = None) -> None:
        """Take steps over the rows of a block of dense features, in order; n_rows is how many there will be in all."""
        values = block.X.dense()
        ones = np.full((len(values), 1), float(self.fit_intercept), dtype=values.dtype)
        values = np.hstack([values, ones])
        y = np.asarray(block.y, dtype=np.float64)
        weight = np.ones(len(values)) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        rate = 0.0
        for start in range(0, len(values), BATCH):
            batch = slice(start, start + BATCH)
            self.n_rows += len(y[batch])
            self.total_weight += float(weight[batch].sum())
            if not weight[batch].any():
                continue
            penalty = alpha / (max(n_rows or SAMPLE, self.n_rows) * (self.total_weight / self.n_rows))
            if self.n_steps == 0:
                some = np.flatnonzero(weight)[:SAMPLE]
                self._prepare(values[some].astype(np.float64), penalty)
                if self.fit_intercept:
                    self.shift = np.average(y[some], axis=0, weights=weight[some])
            rate = rate or self._rate(penalty)
            self._step(values[batch].astype(np.float64), y[batch] - self.shift, weight[batch], penalty, rate)

    def _prepare(self, sample: Array, penalty: float) -> None:
        """Find the leading directions of a sample, and its rows along them."""
        singular, vectors = np.linalg.svd(sample / np.sqrt(len(sample)), full_matrices=False)[1:]
        values = singular**2
        count = min(DIRECTIONS, len(values) // 2)
        self.level = float(values[count])
        if self.level + penalty > 1e-12 * values[0]:
            self.directions, self.leading = np.ascontiguousarray(vectors[:count].T), values[:count]
        else:
            self.level = float(values[0])
        self.squares = np.square(sample @ self.directions)
        self.outside = np.square(sample).sum(axis=1) - self.squares.sum(axis=1)

    def _rate(self, penalty: float) -> float:
        """The step γ.

        Of the rescaled rows of the sample let R² be the largest square: the largest eigenvalue of a batch of b rows
        with the penalty is about λ_q + μ + R²/b, and γ is half its inverse.
        """
        largest = float((self.outside + self.squares @ (1.0 - self._shrinkage(penalty))).max())
        return 0.5 / (self.level + penalty + largest / BATCH)

    def _shrinkage(self, penalty: float) -> Array:
        return (self.leading - self.level) / (self.leading + penalty)

    def _step(self, values: Array, y: Array, weight: Array, penalty: float, rate: float) -> None:
        error = (values @ self.iterate - y) * (weight / weight.sum())[:, None]
        gradient = values.T @ error
        gradient[:-1] += penalty * self.iterate[:-1]
        gradient -= self.directions @ (self._shrinkage(penalty)[:, None] * (self.directions.T @ gradient))
        self.iterate -= rate * gradient
        self.n_steps += 1
        share = (RECENT + 1.0) / (self.n_steps + RECENT)
        self.average += share * (self.iterate - self.average)

    def solution(self, alpha: float) -> RidgeSolution:
        """The average so far."""
        return RidgeSolution(self.average[:-1].copy(), self.average[-1] + self.shift, alpha, n_iter=self.n_steps)

"""First and second moments of features and targets: all that ridge, Gaussian processes and PCA need of the rows."""

from __future__ import annotations

from typing import Self

import numpy as np

from ..blocks import Block
from ..compute.gram import add_centred_gram, centre_and_weight, gram
from .base import Array, Statistic

TINY = float(np.finfo(np.float64).tiny)


class Moments(Statistic):
    """Count, means and centred second moments, merged by Chan's rule.

    With row weights v, N = sum v, z̄ = sum v z / N:  S = sum v (z - z̄)(z - z̄)',  C = sum v (z - z̄)(y - ȳ)',
    Q = diag sum v (y - ȳ)². Merging a and b adds (N_a N_b / N) d d' with d the difference of the means, which loses
    no digits where sum zz' - N z̄z̄' would. The product is made in the features' precision, block by block, and added
    up in float64. Only the lower triangle of S is kept up to date.
    """

    def __init__(self, n_features: int, n_targets: int) -> None:
        self.n_features = n_features
        self.n_targets = n_targets
        self.n_rows = 0  # of weight > 0
        self.total_weight = 0.0
        self.precision = float(np.finfo(np.float64).eps)  # of the coarsest features seen
        self.feature_mean = np.zeros(n_features)
        self.target_mean = np.zeros(n_targets)
        self.feature_moment = np.zeros((n_features, n_features))
        self.cross_moment = np.zeros((n_features, n_targets))
        self.target_moment = np.zeros(n_targets)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, n_outputs)]

    def zero(self) -> Self:
        return type(self)(self.n_features, self.n_targets)

    @property
    def nbytes(self) -> int:
        return 12 * self.n_features**2

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        values = block.X.dense()
        targets = np.zeros((block.n_rows, 0)) if block.y is None else np.asarray(block.y, dtype=np.float64)
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        total = float(weight.sum())
        if total == 0.0:
            return
        mean = (weight.astype(values.dtype, copy=False) @ values).astype(np.float64) / total
        target_mean = weight @ targets / total
        residual = targets - target_mean
        root = None if block.weight is None else np.sqrt(weight)
        centred = centre_and_weight(values, mean.astype(values.dtype), root)
        weighted_residual = residual if root is None else residual * root[:, None]
        cross = (centred.T @ weighted_residual.astype(values.dtype)).astype(np.float64)
        self.precision = max(self.precision, float(np.finfo(values.dtype).eps))
        self._combine(
            int(np.count_nonzero(weight)),
            total,
            mean,
            target_mean,
            gram(centred),
            cross,
            (weighted_residual**2).sum(axis=0),
        )

    def merge(self, other: Self) -> None:
        self.precision = max(self.precision, other.precision)
        self._combine(
            other.n_rows,
            other.total_weight,
            other.feature_mean,
            other.target_mean,
            other.feature_moment,
            other.cross_moment,
            other.target_moment,
        )

    def _combine(
        self,
        n_rows: int,
        weight: float,
        feature_mean: Array,
        target_mean: Array,
        feature_moment: Array,
        cross_moment: Array,
        target_moment: Array,
    ) -> None:
        self.n_rows += n_rows
        total = self.total_weight + weight
        if weight == 0.0:
            return
        shift, target_shift = feature_mean - self.feature_mean, target_mean - self.target_mean
        factor = self.total_weight * weight / total
        add_centred_gram(self.feature_moment, feature_moment, shift, factor)
        self.cross_moment += cross_moment + factor * np.outer(shift, target_shift)
        self.target_moment += target_moment + factor * target_shift**2
        self.feature_mean += shift * (weight / total)
        self.target_mean += target_shift * (weight / total)
        self.total_weight = total

    def through(self, matrix: Array) -> Moments:
        """The moments of W'z for a matrix W of shape (n_features, new features).

        Independent errors of u |S| in the entries of S become errors of about u |S| ||W||²_F / n in those of W'SW:
        that is how many digits are left of the precision u.
        """
        made = Moments(matrix.shape[1], self.n_targets)
        made.n_rows, made.total_weight = self.n_rows, self.total_weight
        second = np.tril(self.feature_moment) + np.tril(self.feature_moment, -1).T
        made.feature_mean, made.target_mean = self.feature_mean @ matrix, self.target_mean.copy()
        made.feature_moment = matrix.T @ (second @ matrix)
        grown = float(np.abs(second).max() * np.square(matrix).sum() / matrix.shape[1])  # entries of W'EW for |E| = |S|
        made.precision = self.precision * max(1.0, grown / max(float(np.abs(made.feature_moment).max()), TINY))
        made.cross_moment, made.target_moment = matrix.T @ self.cross_moment, self.target_moment.copy()
        return made

    def uncentred(self) -> Moments:
        """The same moments about 0: what a model without an intercept uses."""
        raw = self.zero()
        raw.precision = self.precision
        raw._combine(
            self.n_rows,
            self.total_weight,
            raw.feature_mean,
            raw.target_mean,
            self.feature_moment,
            self.cross_moment,
            self.target_moment,
        )
        add_centred_gram(raw.feature_moment, np.zeros((0, 0)), self.feature_mean, self.total_weight)
        raw.cross_moment += self.total_weight * np.outer(self.feature_mean, self.target_mean)
        raw.target_moment += self.total_weight * self.target_mean**2
        return raw

"""Smoothed hinge of a one-class machine: value, gradient and curvature of all rows at one point."""

from __future__ import annotations

from typing import Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic


class BandSums(Statistic):
    """Sums over the rows at (w, ρ) with u = ρ - w'z and the hinge rounded over the band 0 < u < h.

    The rounded hinge is φ(u) = max over 0 <= a <= 1 of (a u - h a²/2), with derivative a(u) = clip(u/h, 0, 1) and
    second derivative 1/h inside the band: kept are sum v, sum v max(u, 0), sum v φ, sum v a, sum v a z, and of the rows
    in the band sum v, sum v z and sum v z z'.
    """

    def __init__(self, coefficients: Array, offset: float, width: float, dtype: np.dtype) -> None:
        self.coefficients, self.offset, self.width, self.dtype = coefficients, offset, width, dtype
        size = len(coefficients)
        self.weight = self.hinge = self.rounded = self.mass = self.band_weight = 0.0
        self.pull, self.total = np.zeros(size), np.zeros(size)
        self.band_total, self.band_moment = np.zeros(size), np.zeros((size, size))

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(np.linspace(-1.0, 1.0, n_features), 0.1, 0.5, np.dtype(np.float64))]

    def zero(self) -> Self:
        return type(self)(self.coefficients, self.offset, self.width, self.dtype)

    @property
    def nbytes(self) -> int:
        return 2 * self.band_moment.nbytes

    def update(self, block: Block) -> None:
        if block.n_rows == 0:
            return
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        short = self.offset - block.X.scores(self.coefficients[:, None].astype(self.dtype))[:, 0].astype(np.float64)
        share = np.clip(short / self.width, 0.0, 1.0)
        self.weight += float(weight.sum())
        self.hinge += float(weight @ np.maximum(short, 0.0))
        self.rounded += float(weight @ (share * short - 0.5 * self.width * share**2))
        self.mass += float(weight @ share)
        sums = block.X.adjoint(np.column_stack([weight * share, weight]).astype(self.dtype))
        self.pull += sums[:, 0]
        self.total += sums[:, 1]
        inside = np.flatnonzero((short > 0) & (short < self.width) & (weight > 0))
        if inside.size:
            # In double precision: 1/h of a narrow band multiplies what rounding does to the curvature.
            rows = block.X.dense()[inside].astype(np.float64, copy=False)
            self.band_weight += float(weight[inside].sum())
            self.band_total += weight[inside] @ rows
            rows = rows * np.sqrt(weight[inside])[:, None]
            self.band_moment += rows.T @ rows

    def merge(self, other: Self) -> None:
        self.weight += other.weight
        self.hinge += other.hinge
        self.rounded += other.rounded
        self.mass += other.mass
        self.band_weight += other.band_weight
        self.pull += other.pull
        self.total += other.total
        self.band_total += other.band_total
        self.band_moment += other.band_moment

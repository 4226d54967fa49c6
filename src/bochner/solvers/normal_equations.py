"""The normal equations of ridge regression as a product made by passes over the rows, and what to divide by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from ..blocks import Block
from ..compute.cholesky import lower_factor
from ..compute.gram import gram
from ..compute.krylov import Vectors
from ..statistics import GramProduct, LinearMoments
from .conjugate_gradients import Array, GeneralSystem, LinearSystem

STRETCH = 1 << 15
LEAST_JITTER = 1e-10  # of the mean of the diagonal
Run = Callable[[Any], Any]  # one pass: the statistic of all rows


class NormalEquations:
    """(S + alpha I) W = C with S = sum v (z - z̄)(z - z̄)' and C = sum v (z - z̄)(y - ȳ)', S known by its products only.

    Without an intercept z̄ and ȳ are 0. With N = sum v, the intercept is ȳ - W'z̄ and
    S P = sum v z (z'P) - N z̄ z̄'P, where z̄'P is the mean of the scores that the pass makes anyway.
    """

    def __init__(self, run: Run, moments: LinearMoments, fit_intercept: bool, dtype: np.dtype, threads: int) -> None:
        self.run = run
        self.moments = moments
        self.dtype = np.dtype(dtype)
        self.threads = threads
        self.centred = float(fit_intercept)
        total = moments.total_weight
        mean = moments.target_sum / total  # less the shift
        self.target_mean = (moments.shift + mean) * fit_intercept
        n_features, n_targets = moments.n_features, moments.n_targets
        self.feature_sum = np.zeros(n_features, dtype)
        self.cross = np.empty((n_features, n_targets), dtype)
        self.diagonal = np.empty(n_features, moments.squares.dtype)
        for some in stretches(n_features):
            sums = np.asarray(moments.sums[some], dtype=np.float64)
            off = mean if fit_intercept else -moments.shift
            self.cross[some] = sums[:, :-1] - np.outer(sums[:, -1], off)
            self.diagonal[some] = moments.squares[some]
            if fit_intercept:
                self.feature_sum[some] = sums[:, -1]
                self.diagonal[some] = np.maximum(moments.squares[some] - sums[:, -1] ** 2 / total, 0.0)

    def times(self, directions: Array, alpha: float) -> Array:
        """(S + alpha I) P, in one pass."""
        seen = self.run(GramProduct(directions))
        vectors = Vectors(directions.shape[0], directions.shape[1], self.threads)
        vectors.add_shifted(seen.product, directions, alpha, self.feature_sum, self.mean_scores(seen))
        return seen.product

    def mean_scores(self, seen: GramProduct) -> Array:
        """z̄'P."""
        return seen.score_sum / self.moments.total_weight * self.centred

    def intercept(self, coefficients: Array) -> Array:
        """ȳ - W'z̄."""
        mean = self.feature_sum / self.moments.total_weight
        return self.target_mean - np.asarray(mean @ coefficients, dtype=np.float64)

    @property
    def mean_square(self) -> float:
        """Mean of ||z - z̄||²: the scale against which alpha / N is measured.

        Where less than half the digits of ||z||² are left of it, the mean of that: else rounding would be the scale.
        """
        spread = float(self.diagonal.sum()) / self.moments.total_weight
        mean = np.asarray(self.feature_sum, dtype=np.float64) / self.moments.total_weight
        size = float(mean @ mean)
        return spread if spread > float(np.finfo(self.dtype).eps) ** 0.5 * size else size or 1.0


class RidgePreconditioner(ABC):
    """What the systems of all alphas have in common."""

    @abstractmethod
    def system(self, alpha: float) -> LinearSystem:
        """(S + alpha I) W = C with an approximation of S + alpha I to divide by."""


class Diagonal(RidgePreconditioner):
    """The diagonal of S: right for coded and sparse features, whose columns hardly overlap."""

    def __init__(self, equations: NormalEquations) -> None:
        self.equations = equations
        self.diagonal = equations.diagonal

    def system(self, alpha: float) -> DiagonalSystem:
        floor = 1e-10 * max(float(self.diagonal.max(initial=0.0)), float(np.finfo(np.float64).tiny))
        inverse = np.empty(len(self.diagonal), self.equations.dtype)
        for some in stretches(len(inverse)):
            inverse[some] = 1.0 / np.maximum(self.diagonal[some].astype(np.float64) + alpha, floor)
        return DiagonalSystem(self.equations, alpha, inverse)


class DiagonalSystem(LinearSystem):
    """Fused steps: two sweeps over the vectors for each product, which millions of features make worth the lines.

    The bend P'(S + alpha I)P is sum v (z'P)² - N (z̄'P)² + alpha P'P, of which the pass over the rows gives all but
    P'P, and that is known from the sweep that made P.
    """

    def __init__(self, equations: NormalEquations, alpha: float, inverse: Array) -> None:
        self.equations = equations
        self.alpha = alpha
        self.inverse = inverse
        self.right_side = equations.cross
        self.vectors = Vectors(self.right_side.shape[0], self.right_side.shape[1], equations.threads)

    def residual(self, solution: Array) -> Array:
        return self.right_side - self.equations.times(solution, self.alpha)

    def begin(self, residual: Array) -> tuple[Array, Array]:
        direction = residual * self.inverse[:, None]
        self.squares = self.vectors.dots(direction, direction)
        return direction, self.vectors.dots(residual, direction)

    def image(self, direction: Array) -> tuple[Array, Array]:
        seen = self.equations.run(GramProduct(direction))
        self.share = self.equations.mean_scores(seen)
        bend = seen.score_squares - self.share * seen.score_sum + self.alpha * self.squares
        return seen.product, bend

    def advance(self, solution: Array, residual: Array, direction: Array, image: Array, length: Array) -> Array:
        vectors = (solution, residual, direction, image)
        mean = self.equations.feature_sum
        return self.vectors.shifted_step(vectors, length, self.alpha, mean, self.share, self.inverse)

    def turn(self, direction: Array, residual: Array, share: Array) -> None:
        self.squares = self.vectors.divided_turn(direction, residual, self.inverse, share)


class SampledGram(RidgePreconditioner):
    """S estimated from m sampled rows, as Falkon does for Nystroem (Rudi, Carratino and Rosasco 2017).

    With T the centred, weighted sample scaled to N: for m >= D the Cholesky factor of T'T + alpha I; for fewer rows
    (T'T + alpha I)^{-1} = (I - T'(TT' + alpha I)^{-1}T) / alpha, which needs a factor of m x m only.
    """

    def __init__(self, sample: Block, equations: NormalEquations) -> None:
        self.equations = equations
        values = sample.X.dense()
        weight = np.ones(len(values)) if sample.weight is None else np.asarray(sample.weight, dtype=np.float64)
        if equations.centred:
            values = values - (weight @ values / weight.sum()).astype(values.dtype)
        scale = np.sqrt(weight * equations.moments.total_weight / weight.sum())
        self.rows = np.ascontiguousarray(values * scale.astype(values.dtype)[:, None])
        self.wide = self.rows.shape[0] < self.rows.shape[1]
        self.gram = (self.rows @ self.rows.T if self.wide else gram(self.rows)).astype(np.float64)
        if not self.wide:
            self.rows = np.empty((0, 0))

    def system(self, alpha: float) -> GeneralSystem:
        equations = self.equations
        return GeneralSystem(
            lambda directions: equations.times(directions, alpha), self.at(alpha), equations.cross, equations.threads
        )

    def at(self, alpha: float) -> Callable[[Array], Array]:
        """Division by the approximation of S + alpha I."""
        matrix = self.gram.copy()
        size = float(np.trace(matrix)) / len(matrix)
        alpha = max(alpha, 1e-7 * size)
        matrix.flat[:: len(matrix) + 1] += alpha
        factor = lower_factor(matrix, LEAST_JITTER * float(np.trace(matrix)) / len(matrix))
        if not self.wide:
            return lambda residual: cho_solve((factor, True), residual, check_finite=False).astype(residual.dtype)

        def divide(residual: Array) -> Array:
            inner = cho_solve((factor, True), self.rows @ residual, check_finite=False)
            return ((residual - self.rows.T @ inner) / alpha).astype(residual.dtype)

        return divide


def stretches(length: int) -> Iterator[slice]:
    """Slices that cover a vector of millions, so that what is made of it along the way stays in cache."""
    return (slice(start, min(start + STRETCH, length)) for start in range(0, length, STRETCH))

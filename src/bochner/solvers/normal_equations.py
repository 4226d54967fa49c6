"""The normal equations of ridge regression as a product made by passes over the rows, and what to divide by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from ..blocks import Block
from ..compute.gram import gram
from ..compute.krylov import Vectors
from ..statistics import GramProduct, LinearMoments
from .conjugate_gradients import Array
from .preconditioner import stable_cholesky

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
        total = moments.total_weight
        self.target_mean = moments.target_sum / total * fit_intercept
        self.feature_sum = (moments.sums[:, -1] * fit_intercept).astype(dtype)
        cross = moments.sums[:, :-1]
        if fit_intercept:
            cross = cross - np.outer(moments.sums[:, -1], self.target_mean)
        self.cross = cross.astype(dtype)
        self.diagonal = moments.squares - fit_intercept * moments.sums[:, -1] ** 2 / total

    def times(self, directions: Array, alpha: float) -> Array:
        """(S + alpha I) P, in one pass."""
        seen = self.run(GramProduct(directions))
        vectors = Vectors(directions.shape[0], directions.shape[1], self.threads)
        share = seen.score_sum / self.moments.total_weight
        vectors.regularise(seen.product, directions, alpha, self.feature_sum, share)
        return seen.product

    def intercept(self, coefficients: Array) -> Array:
        """ȳ - W'z̄."""
        mean = self.feature_sum / self.moments.total_weight
        return self.target_mean - np.asarray(mean @ coefficients, dtype=np.float64)

    @property
    def mean_square(self) -> float:
        """Mean of ||z - z̄||²: the scale against which alpha / N is measured."""
        return float(self.diagonal.sum()) / self.moments.total_weight


class RidgePreconditioner(ABC):
    """Law: ``divide`` is linear, symmetric and positive definite."""

    @abstractmethod
    def at(self, alpha: float) -> Callable[[Array], Array]:
        """An approximation of (S + alpha I)^{-1}, as a function of vectors (features, outputs)."""


class Diagonal(RidgePreconditioner):
    """The diagonal of S: right for coded and sparse features, whose columns hardly overlap."""

    def __init__(self, equations: NormalEquations) -> None:
        self.diagonal = np.maximum(equations.diagonal, 0.0)
        self.dtype = equations.dtype

    def at(self, alpha: float) -> Callable[[Array], Array]:
        floor = 1e-10 * max(float(self.diagonal.max(initial=0.0)), np.finfo(np.float64).tiny)
        inverse = (1.0 / np.maximum(self.diagonal + alpha, floor)).astype(self.dtype)[:, None]
        return lambda residual: residual * inverse


class SampledGram(RidgePreconditioner):
    """S estimated from m sampled rows, as Falkon does for Nystroem (Rudi, Carratino and Rosasco 2017).

    With T the centred, weighted sample scaled to N: for m >= D the Cholesky factor of T'T + alpha I; for fewer rows
    (T'T + alpha I)^{-1} = (I - T'(TT' + alpha I)^{-1}T) / alpha, which needs a factor of m x m only.
    """

    def __init__(self, sample: Block, equations: NormalEquations, fit_intercept: bool) -> None:
        values = sample.X.dense()
        weight = np.ones(len(values)) if sample.weight is None else np.asarray(sample.weight, dtype=np.float64)
        if fit_intercept:
            values = values - (weight @ values / weight.sum()).astype(values.dtype)
        scale = np.sqrt(weight * equations.moments.total_weight / weight.sum())
        self.rows = np.ascontiguousarray(values * scale.astype(values.dtype)[:, None])
        self.wide = self.rows.shape[0] < self.rows.shape[1]
        self.gram = (self.rows @ self.rows.T if self.wide else gram(self.rows)).astype(np.float64)
        if not self.wide:
            self.rows = np.empty((0, 0))

    def at(self, alpha: float) -> Callable[[Array], Array]:
        matrix = self.gram.copy()
        size = float(np.trace(matrix)) / len(matrix)
        alpha = max(alpha, 1e-7 * size)
        matrix.flat[:: len(matrix) + 1] += alpha
        factor = stable_cholesky(matrix)
        if not self.wide:
            return lambda residual: cho_solve((factor, True), residual, check_finite=False).astype(residual.dtype)

        def divide(residual: Array) -> Array:
            inner = cho_solve((factor, True), self.rows @ residual, check_finite=False)
            return ((residual - self.rows.T @ inner) / alpha).astype(residual.dtype)

        return divide

"""Cheap approximations of the second derivative that conjugate gradients divide by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..blocks import Block
from ..compute.gram import gram
from ..compute.threads import single_threaded_blas
from ..compute.weighted import scaled_rows
from ..statistics.curvature import ColumnCurvature
from ..statistics.gradient import targets_and_weights
from .objective import Array, Objective

WIDE = 2048
JITTERS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-2)


class Preconditioner(ABC):
    """Law: ``divide`` is linear, symmetric and positive definite in each output."""

    @abstractmethod
    def rebuild(self, objective: Objective, parameters: Array) -> None:
        """Approximate the second derivative at these parameters."""

    @abstractmethod
    def divide(self, residual: Array) -> Array:
        """The inverse of the approximation times a residual of shape (features + 1, outputs)."""


class Jacobi(Preconditioner):
    """The diagonal, in one pass: right for coded and sparse features, whose columns hardly overlap."""

    def rebuild(self, objective: Objective, parameters: Array) -> None:
        seen = objective.run(ColumnCurvature(objective.loss, objective.point(parameters)))
        assert isinstance(seen, ColumnCurvature)
        self.diagonal = objective.penalty * seen.diagonal
        self.diagonal[:-1] += 1.0
        self.diagonal[-1] = np.maximum(self.diagonal[-1], 1e-10)

    def divide(self, residual: Array) -> Array:
        return residual / self.diagonal


class SampledCholesky(Preconditioner):
    """Cholesky factors of P + C (n/m) sum over m sampled rows of v l'' [z 1][z 1]', one for each output.

    Where one factor for each output would take too much memory, one of the mean curvature serves all. The sample
    stands for the rows as in Falkon (Rudi, Carratino and Rosasco 2017): with m a few times D the condition number
    that is left is a small constant.
    """

    def __init__(self, sample: Block, n_rows: int, memory: int) -> None:
        self.values = sample.X.dense()
        self.sample = sample
        self.scale = n_rows / sample.n_rows
        size = self.values.shape[1] + 1
        self.most_factors = max(1, memory // (8 * size**2 * self.values.itemsize))

    def rebuild(self, objective: Objective, parameters: Array) -> None:
        y, weight = targets_and_weights(self.sample)
        scores = objective.point(parameters).scores(self.sample)
        curvature = (objective.penalty * self.scale) * weight * objective.loss.curvature(y, scores)
        if curvature.shape[1] > self.most_factors:
            curvature = curvature.mean(axis=1, keepdims=True)
        wide = self.values.shape[1] > WIDE
        with nullcontext() if wide else single_threaded_blas():  # BLAS's own threads pay for wide matrices only
            self.factors = [self._factor(column, objective.fit_intercept) for column in curvature.T]

    def _factor(self, curvature: Array, fit_intercept: bool) -> Array:
        """Lower Cholesky factor of P + [Z 1]'diag(curvature)[Z 1], in the precision of the features."""
        values = self.values
        chosen = np.flatnonzero(curvature > 0.0)
        root = np.sqrt(curvature[chosen])
        size = values.shape[1] + 1
        matrix = np.zeros((size, size), dtype=values.dtype)
        rows = max(1024, (64 << 20) // (size * values.itemsize))
        for start in range(0, len(chosen), rows):
            some = slice(start, start + rows)
            scaled = scaled_rows(values, chosen[some], root[some])
            matrix[:-1, :-1] += gram(scaled)
            if fit_intercept:
                matrix[-1, :-1] += root[some].astype(values.dtype) @ scaled
        matrix.flat[: -1 : size + 1] += 1.0
        matrix[-1, -1] = curvature.sum() if fit_intercept else 1.0
        return stable_cholesky(matrix)

    def divide(self, residual: Array) -> Array:
        out = np.empty_like(residual)
        for output in range(residual.shape[1]):
            factor = self.factors[output if len(self.factors) > 1 else 0]
            column = residual[:, output].astype(factor.dtype)
            out[:, output] = cho_solve((factor, True), column, check_finite=False)
        return out


def stable_cholesky(matrix: Array) -> Array:
    """Lower factor with as much jitter, relative to the mean of the diagonal, as it takes."""
    size = len(matrix)
    mean = float(np.trace(matrix)) / size
    added = 0.0
    for jitter in JITTERS:
        matrix.flat[:: size + 1] += (jitter - added) * mean
        added = jitter
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)[0]
        except LinAlgError:
            continue
        if np.isfinite(factor[-1, -1]):
            return factor
    return np.diag(np.sqrt(np.diag(matrix)))

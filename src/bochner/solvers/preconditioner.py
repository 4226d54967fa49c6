"""Cheap approximations of the second derivative that conjugate gradients divide by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from contextlib import nullcontext

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..compute.gram import gram
from ..compute.threads import single_threaded_blas
from ..statistics.curvature import ActiveRows, ColumnCurvature
from .objective import Array, Evaluation, Objective

WIDE = 2048
ROWS_AT_ONCE = 2048  # rows of one product: small ones are slow
JITTERS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-2)


class Preconditioner(ABC):
    """Law: ``divide`` is linear, symmetric and positive definite in each output."""

    @abstractmethod
    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        """Approximate the second derivative at this point."""

    @abstractmethod
    def divide(self, residual: Array) -> Array:
        """The inverse of the approximation times a residual of shape (features + 1, outputs)."""


class Jacobi(Preconditioner):
    """The diagonal, in one pass: right for coded and sparse features, whose columns hardly overlap."""

    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        seen = objective.run(ColumnCurvature(objective.loss, here.point))
        assert isinstance(seen, ColumnCurvature)
        self.diagonal = objective.penalty * seen.diagonal
        self.diagonal[:-1] += 1.0
        self.diagonal[-1] = np.maximum(self.diagonal[-1], 1e-10)

    def divide(self, residual: Array) -> Array:
        return residual / self.diagonal


class SampledCholesky(Preconditioner):
    """Cholesky factors of P + C times the curvature of a sample of the rows that have any, one for each output.

    Where one factor for each output would take too much memory, one of the mean curvature serves all. The sample
    stands for the rows as in Falkon (Rudi, Carratino and Rosasco 2017): with m a few times D the condition number
    that is left is a small constant. Where no more than m rows have curvature the factor is exact.
    """

    def __init__(self, n_rows: int, n_factors: int) -> None:
        self.n_rows = n_rows  # of the sample, at most about
        self.n_factors = n_factors  # that memory allows

    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        outputs: list[int | None] = list(range(objective.n_outputs))
        if objective.n_outputs > self.n_factors:
            outputs = [None]
        wide = objective.n_features > WIDE
        self.factors = []
        for output in outputs:
            active = here.active.max() if output is None else here.active[output]
            stride = max(1, int(active) // self.n_rows)
            pieces = objective.gather(ActiveRows(objective.loss, here.point, output, stride))
            with nullcontext() if wide else single_threaded_blas():  # BLAS's own threads pay for wide matrices only
                self.factors.append(_factor(pieces, objective))

    def divide(self, residual: Array) -> Array:
        out = np.empty_like(residual)
        for output in range(residual.shape[1]):
            factor = self.factors[output if len(self.factors) > 1 else 0]
            column = residual[:, output].astype(factor.dtype)
            out[:, output] = cho_solve((factor, True), column, check_finite=False)
        return out


def _factor(pieces: list[Array], objective: Objective) -> Array:
    """Lower Cholesky factor of P + C times the Gram matrix of the pieces, in their precision; empties the list."""
    size = objective.n_features + 1
    matrix = np.zeros((size, size), dtype=objective.dtype)
    pieces.reverse()
    while pieces:
        some = [pieces.pop()]
        while pieces and sum(map(len, some)) < ROWS_AT_ONCE:
            some.append(pieces.pop())
        matrix += gram(np.concatenate(some))
    matrix *= objective.penalty
    matrix.flat[:: size + 1] += 1.0
    if not objective.fit_intercept:
        matrix[-1] = matrix[:, -1] = 0.0
        matrix[-1, -1] = 1.0
    elif matrix[-1, -1] > 2.0:  # the intercept is not penalised, but a row without curvature must not divide by 0
        matrix[-1, -1] -= 1.0
    return stable_cholesky(matrix)


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

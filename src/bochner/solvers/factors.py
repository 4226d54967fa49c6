"""Inverses of I + A'A for a tall or a wide A, by Cholesky on its smaller side."""

from __future__ import annotations

from abc import ABC, abstractmethod
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..compute.gram import gram
from ..compute.threads import single_threaded_blas

Array = np.ndarray

ROWS_AT_ONCE = 2048  # rows of one product: small ones are slow, and threads share them out
JITTERS = (1e-7, 1e-6, 1e-5, 1e-4, 1e-2)


class Factor(ABC):
    """A symmetric positive definite matrix that can be divided by."""

    @abstractmethod
    def divide(self, column: Array) -> Array:
        """(I + A'A)⁻¹ column."""


class PrimalFactor(Factor):
    """Cholesky of I + A'A: for more rows than columns."""

    def __init__(self, pieces: list[Array], threads: int) -> None:
        matrix = np.zeros((pieces[0].shape[1],) * 2, dtype=pieces[0].dtype)
        with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
            for part in pool.map(gram, pieces):  # in order, so that the sum does not depend on the threads
                matrix += part
            self.factor = stable_cholesky(plus_identity(matrix))

    def divide(self, column: Array) -> Array:
        return cho_solve((self.factor, True), column.astype(self.factor.dtype), check_finite=False)


class DualFactor(Factor):
    """(I + A'A)⁻¹ = I - A'(I + AA')⁻¹A, by Cholesky of I + AA': for fewer rows than columns."""

    def __init__(self, rows: Array) -> None:
        self.rows = rows
        with single_threaded_blas():
            self.factor = stable_cholesky(plus_identity(rows @ rows.T))

    def divide(self, column: Array) -> Array:
        column = column.astype(self.rows.dtype)
        return column - cho_solve((self.factor, True), self.rows @ column, check_finite=False) @ self.rows


def factor_of(pieces: list[Array], threads: int) -> Factor:
    """The inverse of I + A'A for the rows A in these pieces; empties the list."""
    n_rows = sum(map(len, pieces))
    if 2 * n_rows <= pieces[0].shape[1]:
        rows = np.concatenate(pieces)
        pieces.clear()
        return DualFactor(rows)
    groups = []
    pieces.reverse()
    while pieces:
        some = [pieces.pop()]
        while pieces and sum(map(len, some)) < ROWS_AT_ONCE:
            some.append(pieces.pop())
        groups.append(np.concatenate(some))
    return PrimalFactor(groups, threads)


def plus_identity(matrix: Array) -> Array:
    """I + matrix, in place."""
    matrix.flat[:: len(matrix) + 1] += 1.0
    return matrix


def stable_cholesky(matrix: Array) -> Array:
    """Lower factor with as much jitter, relative to the mean of the diagonal, as it takes; changes the matrix."""
    size = len(matrix)
    mean = float(np.trace(matrix)) / max(1, size)
    added = 0.0
    for jitter in JITTERS:
        matrix.flat[:: size + 1] += (jitter - added) * mean
        added = jitter
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)[0]
        except LinAlgError:
            continue
        if np.isfinite(factor).all():
            return factor
    return np.diag(np.sqrt(np.diag(matrix)))

"""Inverses of μI + A'A for a tall or a wide A, by Cholesky on its smaller side; μ is 1 or more, as the rows weigh."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from scipy.linalg import cho_solve

from ..compute.cholesky import jittered_cholesky
from ..compute.gram import gram
from ..compute.threads import single_threaded_blas

Array = np.ndarray

ROWS_AT_ONCE = 2048  # rows of one product: small ones are slow, and threads share them out
LEAST_JITTER = 1e-7  # of the mean of the diagonal: what single precision can add to it


class Factor(ABC):
    """A symmetric positive definite matrix that can be divided by."""

    @abstractmethod
    def divide(self, column: Array) -> Array:
        """(μI + A'A)⁻¹ column."""


class PrimalFactor(Factor):
    """Cholesky of μI + A'A: for more rows than columns."""

    def __init__(self, gathers: Iterable[list[Array]], noise: float, threads: int) -> None:
        matrix: Array | float = 0.0
        n_rows = 0
        with single_threaded_blas(), ThreadPoolExecutor(threads) as pool:
            for pieces in gathers:
                n_rows += sum(map(len, pieces))
                for part in pool.map(gram, grouped(pieces)):  # in order: the sum does not depend on the threads
                    part += matrix
                    matrix = part
            assert isinstance(matrix, np.ndarray)
            shift = 1.0 + noise * float(np.trace(matrix)) / max(1, n_rows)
            self.factor = stable_cholesky(plus_identity(matrix, shift))

    def divide(self, column: Array) -> Array:
        return cho_solve((self.factor, True), column.astype(self.factor.dtype), check_finite=False)


class DualFactor(Factor):
    """(μI + A'A)⁻¹ = (I - A'(μI + AA')⁻¹A) / μ, by Cholesky of μI + AA': for fewer rows than columns."""

    def __init__(self, rows: Array, noise: float) -> None:
        self.rows = rows
        with single_threaded_blas():
            matrix = rows @ rows.T
            self.shift = rows.dtype.type(1.0 + noise * float(np.trace(matrix)) / max(1, len(rows)))
            self.factor = stable_cholesky(plus_identity(matrix, self.shift))

    def divide(self, column: Array) -> Array:
        column = column.astype(self.rows.dtype)
        inside = cho_solve((self.factor, True), self.rows @ column, check_finite=False) @ self.rows
        return (column - inside) / self.shift


def factor_of(gathers: Iterator[list[Array]], rounds: int, noise: float, threads: int) -> Factor:
    """The inverse of μI + A'A for rows A that come in so many rounds, each a list of pieces, which is emptied.

    μ = 1 + noise * mean ||a||².
    """
    if rounds > 1:
        return PrimalFactor(gathers, noise, threads)
    pieces = next(gathers)
    if 2 * sum(map(len, pieces)) <= pieces[0].shape[1]:
        return DualFactor(np.concatenate(pieces), noise)
    return PrimalFactor([pieces], noise, threads)


def grouped(pieces: list[Array]) -> list[Array]:
    """The same rows in larger pieces; empties the list."""
    groups = []
    pieces.reverse()
    while pieces:
        some = [pieces.pop()]
        while pieces and sum(map(len, some)) < ROWS_AT_ONCE:
            some.append(pieces.pop())
        groups.append(np.concatenate(some))
    return groups


def plus_identity(matrix: Array, shift: float) -> Array:
    """Shift * I + matrix, in place."""
    matrix.flat[:: len(matrix) + 1] += shift
    return matrix


def stable_cholesky(matrix: Array) -> Array:
    """Lower factor with as much jitter, relative to the mean of the diagonal, as it takes; changes the matrix."""
    factor = jittered_cholesky(matrix, LEAST_JITTER * float(np.trace(matrix)) / max(1, len(matrix)))
    return np.diag(np.sqrt(np.diag(matrix))) if factor is None else factor

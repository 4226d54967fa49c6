"""Kernel ridge regression by conjugate gradients on kernel values that are kept in memory."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve, solve_triangular

from ..compute.threads import side_by_side, single_threaded_blas
from ..compute.triangle import Triangle
from .conjugate_gradients import GeneralSystem, LittleMoved, conjugate_gradients
from .dual_problem import Array, DualProblem, DualSolution
from .factors import plus_identity, stable_cholesky

PER_LANDMARK, FEWEST, MOST = 16, 256, 2048  # rows for each landmark of the preconditioner, and how many of them
BLOCK, SUMS = 1024, 4  # columns of F at a time, and partial sums over them, whatever the number of threads
ROUNDING = {np.dtype(np.float32): 3e-6, np.dtype(np.float64): 1e-11}  # of kernel values, relative to k(x, x)
CHEAPER = 16  # products with values that are kept, for one pass that makes them


def kept_bytes(n_rows: int, dtype: np.dtype) -> int:
    """Memory that this takes: a triangle of kernel values, and the preconditioner twice while it is made."""
    return Triangle.bytes(n_rows, dtype) + 2 * n_landmarks(n_rows) * n_rows * dtype.itemsize


def n_landmarks(n_rows: int) -> int:
    """Landmarks of the preconditioner."""
    return min(n_rows, int(np.clip(n_rows // PER_LANDMARK, FEWEST, MOST)))


def landmark_work(n_rows: int) -> float:
    """Multiplications q² n by which q landmarks make the preconditioner, up to a factor."""
    return float(n_landmarks(n_rows)) ** 2 * n_rows


def kept_kernel(
    problem: DualProblem, *, tol: float, max_iter: int, threads: int, rng: np.random.Generator
) -> DualSolution:
    """Solve (S + alpha I) b = V^{1/2} y for S = V^{1/2} K V^{1/2}; then a = V^{1/2} b.

    One triangle of S is made once and kept. A product with it costs little beside making it, so max_iter passes are
    worth sixteen times as many products. The preconditioner is that of Nystroem: see ``Landmarks``.
    """
    order = rng.permutation(len(problem.rows))
    mixed = problem.reordered(order)  # landmarks come first
    dtype = mixed.targets.dtype
    roots = np.sqrt(mixed.weight / mixed.weight.mean()).astype(dtype)

    def make(here: slice, there: slice) -> Array:
        values = mixed.values(mixed.rows[here], mixed.rows[there])
        return np.ascontiguousarray(values * np.outer(roots[here], roots[there]), dtype=dtype)

    kernel = Triangle(make, len(order), threads)
    targets = np.ascontiguousarray(roots[:, None] * mixed.targets)
    least = ROUNDING[dtype] * kernel.trace() / len(order) ** 0.5  # the size of a matrix of such errors
    while True:
        alphas = np.maximum(mixed.alphas / mixed.weight.mean(), least).astype(dtype)
        with single_threaded_blas():  # between products, BLAS's own threads would spin on the cores
            system = penalised(kernel, alphas, targets)
            found = conjugate_gradients(system, stop=LittleMoved(tol), max_iter=CHEAPER * max_iter)
            if (np.linalg.norm(system.residual(found.solution), axis=0) <= np.linalg.norm(targets, axis=0)).all():
                break
        least *= 10.0  # rounding won
    coefficients = np.empty_like(found.solution)
    coefficients[order] = roots[:, None] * found.solution
    return DualSolution(coefficients, found.n_iter, found.gap, found.converged)


def penalised(kernel: Triangle, alphas: Array, targets: Array) -> GeneralSystem:
    """(S + alpha_t I) b_t = t, to be divided by its approximation from landmarks."""
    landmarks = Landmarks(kernel, n_landmarks(kernel.n_rows), alphas)
    return GeneralSystem(
        lambda vectors: kernel.product(vectors) + alphas * vectors, landmarks.divide, targets, kernel.threads
    )


class Landmarks:
    """The Nystroem approximation of S from some of its columns, with what it leaves of the trace spread evenly.

    With S ≈ F'F, F = L^{-1} S_q for the first q rows S_q of S and the Cholesky factor L of their q columns, S + alpha I
    is divided by as by μI + F'F, whose inverse is (I - F'(μI + FF')^{-1}F) / μ. Here μ is alpha and the mean of
    what is left of the diagonal: with alpha alone conjugate gradients would have to find all that F leaves out.
    """

    def __init__(self, kernel: Triangle, count: int, alphas: Array) -> None:
        self.threads = kernel.threads
        columns = kernel.columns(count)
        factor = stable_cholesky(columns[:, :count].copy())
        self.places = [slice(start, start + BLOCK) for start in range(0, kernel.n_rows, BLOCK)]
        self.blocks = [np.empty((0, 0))] * len(self.places)
        parts = [np.zeros((count, count), dtype=columns.dtype) for _ in range(SUMS)]

        def fill(first: int) -> None:
            for place in range(first, len(self.places), SUMS):
                some = columns[:, self.places[place]]
                self.blocks[place] = solve_triangular(factor, some, lower=True, check_finite=False)
                parts[first] += self.blocks[place] @ self.blocks[place].T

        side_by_side(fill, range(SUMS), self.threads)
        outer = np.sum(parts, axis=0)
        left = max(kernel.trace() - float(np.trace(outer)), 0.0) / kernel.n_rows
        precision = float(np.finfo(columns.dtype).eps) * float(np.trace(outer))
        self.shifts = np.maximum(alphas + left, precision).astype(columns.dtype)
        with single_threaded_blas():
            self.factors = {shift: stable_cholesky(plus_identity(outer.copy(), shift)) for shift in set(self.shifts)}

    def divide(self, residual: Array) -> Array:
        """The inverse times vectors of shape (n_rows, targets)."""
        parts = [np.zeros((self.blocks[0].shape[0], residual.shape[1]), dtype=residual.dtype) for _ in range(SUMS)]

        def gather(first: int) -> None:
            for place in range(first, len(self.places), SUMS):
                parts[first] += self.blocks[place] @ residual[self.places[place]]

        side_by_side(gather, range(SUMS), self.threads)
        along = np.sum(parts, axis=0)
        for shift, factor in self.factors.items():
            those = self.shifts == shift
            along[:, those] = cho_solve((factor, True), along[:, those], check_finite=False)
        out = np.empty_like(residual)

        def spread(place: int) -> None:
            here = self.places[place]
            out[here] = (residual[here] - self.blocks[place].T @ along) / self.shifts

        side_by_side(spread, range(len(self.places)), self.threads)
        return out

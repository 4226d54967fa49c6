"""Kernel ridge regression with the kernel itself, by the way that suits the number of rows."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve

from ..compute.cholesky import jittered_cholesky
from .dual_problem import Array, DualProblem, DualSolution
from .eigenpro import eigenpro, eigenpro_bytes
from .kept_kernel import kept_bytes, kept_kernel

LEAST_JITTER = 1e-12  # of the trace, where rounding made a matrix indefinite
DIRECT = 2000  # rows up to which a Cholesky factor is the simplest way
MATRICES = 4  # n x n doubles that it and the choice of alpha hold: 3.2 to 4.1 measured at 1,500 and 2,000 rows


def solve_dual(
    problem: DualProblem, *, tol: float, max_iter: int, threads: int, memory: int, rng: np.random.Generator
) -> DualSolution:
    """Few rows by Cholesky; as many as memory keeps kernel values of by conjugate gradients; the others by EigenPro."""
    n_rows = len(problem.rows)
    if n_rows <= DIRECT:
        return _direct(problem)
    solver = kept_kernel if keeps_kernel(n_rows, problem.targets.dtype, memory) else eigenpro
    return solver(problem, tol=tol, max_iter=max_iter, threads=threads, rng=rng)


def keeps_kernel(n_rows: int, dtype: np.dtype, memory: int) -> bool:
    """Whether memory keeps the kernel values of so many rows."""
    return kept_bytes(n_rows, dtype) <= memory


def dual_bytes(n_rows: int, dtype: np.dtype, memory: int, threads: int) -> int:
    """Memory that ``solve_dual`` takes beside the rows."""
    if n_rows <= DIRECT:
        return MATRICES * 8 * n_rows**2
    return kept_bytes(n_rows, dtype) if keeps_kernel(n_rows, dtype, memory) else eigenpro_bytes(n_rows, dtype, threads)


def _direct(problem: DualProblem) -> DualSolution:
    """By Cholesky, a factor for each distinct alpha."""
    gram = problem.values(problem.rows, problem.rows).astype(np.float64)
    coefficients = np.empty(problem.targets.shape)
    for alpha in set(problem.alphas):
        those = problem.alphas == alpha
        factor = _factor(gram, alpha / problem.weight)
        coefficients[:, those] = cho_solve(factor, problem.targets[:, those].astype(np.float64), check_finite=False)
    return DualSolution(coefficients.astype(problem.targets.dtype), 1, 0.0, True)


def _factor(gram: Array, penalty: Array) -> tuple[Array, bool]:
    raised = gram.copy()
    raised.flat[:: len(gram) + 1] += penalty
    try:
        return cho_factor(raised, lower=True, check_finite=False)
    except LinAlgError:
        factor = jittered_cholesky(raised, LEAST_JITTER * float(np.trace(gram)))
    if factor is None:
        raise ValueError(
            "The kernel matrix of the rows is not positive definite: raise alpha, or check the kernel and the scale of "
            "columns and weights."
        )
    return factor, True

"""Conjugate gradients for symmetric positive definite systems with several right-hand sides."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compute.krylov import Vectors

Array = np.ndarray
Product = Callable[[Array], Array]


@dataclass(frozen=True)
class KrylovSolution:
    """The solution, the products it took, and the error that was left as the last two steps show it."""

    solution: Array
    n_iter: int
    gap: float
    converged: bool


def conjugate_gradients(
    product: Product,
    divide: Product,
    right_side: Array,
    *,
    start: Array | None = None,
    tol: float,
    max_iter: int,
    threads: int = 1,
) -> KrylovSolution:
    """Solve A X = B for X of shape (length, outputs), every output in the same products.

    ``product`` is X -> AX and ``divide`` an approximation of X -> A^{-1}X, both symmetric and positive definite.

    A step of length a along p lowers the energy error ||x - x*||_A² = (x - x*)'A(x - x*) by exactly a r'M^{-1}r, which
    is what is known of the error that is left (Hestenes and Stiefel; Strakos and Tichy). An output is solved when both
    of its last two steps lowered it by at most tol² ||x*||_A². For ridge regression this is the norm of fitted values
    and penalty together: tol is the relative error of the predictions. Below the rounding of the vectors it has no
    meaning, so there it is raised to ten times their precision.
    """
    vectors = Vectors(right_side.shape[0], right_side.shape[1], threads)
    tol = max(tol, 10.0 * float(np.finfo(right_side.dtype).eps))
    if start is None:
        solution, residual = np.zeros_like(right_side), right_side.copy()
        energy = np.zeros(right_side.shape[1])
    else:
        solution, residual = start.copy(), right_side - product(start)
        energy = np.maximum(vectors.dots(right_side, start) + vectors.dots(residual, start), 0.0)
    divided = divide(residual)
    size = vectors.dots(residual, divided)
    direction = divided.copy()
    before = np.full(right_side.shape[1], np.inf)
    gap = np.where(size > 0.0, np.inf, 0.0)
    n_iter = 0
    while (gap > tol).any() and n_iter < max_iter:
        image = product(direction)
        bend = vectors.dots(direction, image)
        going = (gap > tol) & (bend > 0.0)  # a solved output stands still, and so does one that rounding stopped
        if not going.any():
            break
        length = np.where(going, size / np.where(going, bend, 1.0), 0.0)
        vectors.step(solution, residual, direction, image, length)
        divided = divide(residual)
        new_size = vectors.dots(residual, divided)
        vectors.turn(direction, divided, np.where(going, new_size / np.where(going, size, 1.0), 0.0))
        lowered = length * size
        energy += lowered
        step_gap = np.sqrt(lowered / np.where(energy > 0.0, energy, 1.0))
        gap = np.where(going, np.where(new_size > 0.0, np.maximum(step_gap, before), 0.0), gap)
        before, size = np.where(going, step_gap, before), np.where(going, new_size, size)
        n_iter += 1
    return KrylovSolution(solution, n_iter, float(gap.max(initial=0.0)), bool((gap <= tol).all()))

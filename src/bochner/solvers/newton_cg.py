"""Newton's method with conjugate gradients: passes over the rows and never a matrix D x D of all of them."""

from __future__ import annotations

import numpy as np

from ..compute.krylov import Vectors
from .newton import magnitude, relative
from .objective import Array, Evaluation, Objective, Solution
from .preconditioner import Preconditioner

MOST_PRODUCTS = 50  # of conjugate gradients for one step of Newton
FORCING = 0.1  # how far one step of Newton reduces the residual of its equations
NEGLIGIBLE = 0.1  # part of the tolerance that may be left on the table


def newton_cg(
    objective: Objective, start: Array, *, tol: float, max_iter: int, preconditioner: Preconditioner
) -> Solution:
    """Minimise by inexact Newton steps with a line search, all outputs in the same passes.

    Solved when half of -g'd, the decrease that the quadratic model promises for the step d, is at most tol times the F
    of each output, or the mean F where that is more. That step is the last: d solves Newton's equations roughly, so
    that a little more than it promises may be left before it, and well under tol after it.
    """
    here = objective.evaluate(start)
    if not preconditioner.serves(objective, here):
        preconditioner.rebuild(objective, here)
    n_iter = 0
    hidden = 1.0
    while True:
        direction, products, seen = conjugate_gradients(objective, here, preconditioner, NEGLIGIBLE * tol / hidden)
        hidden = max(hidden, seen)
        promised = -0.5 * objective.inner(here.gradient, direction)
        gap = float(relative(promised, here).max())
        if gap > tol and n_iter == max_iter:
            return Solution(here.parameters, here.value, n_iter, gap, False)
        if products > 0:
            here = objective.stepped(here, direction)
        n_iter += 1
        if gap <= tol:
            return Solution(here.parameters, here.value, n_iter, gap, True)
        if preconditioner.judge(products) or not preconditioner.serves(objective, here):
            preconditioner.rebuild(objective, here)


def conjugate_gradients(
    objective: Objective, here: Evaluation, preconditioner: Preconditioner, negligible: float
) -> tuple[Array, int, float]:
    """H d = -g, roughly, for each problem: until the residual r is a tenth of what it was in the preconditioner's norm.

    Or until r'P⁻¹r, about twice what solving for the rest would still gain, is a ``negligible`` part of F. Vectors have
    the features' precision, which is finer than that by far; their inner products are float64.

    Returns d, the number of products, and how many times g'P⁻¹g the gain g'H⁻¹g was: what P hides of it.
    """
    residual = np.negative(here.gradient, dtype=objective.dtype)
    direction = np.zeros_like(residual)
    vectors = Vectors(*residual.shape)
    divided = preconditioner.divide(residual)
    search = divided.copy()
    size = objective.inner(residual, divided)
    target = np.maximum(FORCING**2 * size, negligible * magnitude(here))
    going = size > target
    at_first, gain = np.where(size > 0.0, size, 1.0), np.zeros_like(size)
    products = 0
    while going.any() and products < MOST_PRODUCTS:
        product = objective.curvature_times(here, search)
        products += 1
        bend = objective.inner(search, product)
        going &= bend > 0.0
        step = np.where(going, size / np.where(going, bend, 1.0), 0.0)
        gain += step * size
        vectors.step(direction, residual, search, product, spread(step, residual))
        divided = preconditioner.divide(residual)
        new_size = objective.inner(residual, divided)
        share = np.where(going, new_size / np.where(going, size, 1.0), 0.0)
        vectors.turn(search, divided, spread(share, residual))
        size = np.where(going, new_size, size)
        going &= size > target
    return direction, products, float((gain / at_first).max())


def spread(values: Array, vectors: Array) -> Array:
    """One value for each output of the vectors, from one for each problem."""
    return np.broadcast_to(values, (vectors.shape[1],))

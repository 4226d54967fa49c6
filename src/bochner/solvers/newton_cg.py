"""Newton's method with conjugate gradients: passes over the rows and never a matrix D x D of all of them."""

from __future__ import annotations

import numpy as np

from .conjugate_gradients import GeneralSystem, SmallResidual, conjugate_gradients
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
        direction, products, seen = newton_direction(objective, here, preconditioner, NEGLIGIBLE * tol / hidden)
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


def newton_direction(
    objective: Objective, here: Evaluation, preconditioner: Preconditioner, negligible: float
) -> tuple[Array, int, float]:
    """H d = -g, roughly, for each problem: until the residual r is a tenth of what it was in the preconditioner's norm.

    Or until r'P⁻¹r, about twice what solving for the rest would still gain, is a ``negligible`` part of F. Vectors have
    the features' precision, which is finer than that by far; their inner products are float64.

    Returns d, the number of products, and how many times g'P⁻¹g the gain g'H⁻¹g was: what P hides of it.
    """
    system, shift = newton_equations(objective, here, preconditioner)
    stop = SmallResidual(FORCING, negligible * magnitude(here))
    found = conjugate_gradients(system, stop=stop, max_iter=MOST_PRODUCTS)
    direction = found.solution
    direction[-1] += shift
    hidden = float((found.energy / np.where(found.promised > 0.0, found.promised, 1.0)).max())
    return direction, found.n_iter, hidden


def newton_equations(
    objective: Objective, here: Evaluation, preconditioner: Preconditioner
) -> tuple[GeneralSystem, Array]:
    """Newton's equations, and the part of the step of the intercepts that does not wait for their solution.

    Where outputs are separate and the preconditioner knows nothing of the intercept b, it is eliminated exactly: with
    h = C v l'', m = Z'h and M = sum h, the last equation m'd + M d_b = -g_b gives d_b = -(g_b + m'd) / M, and what is
    left is (I + Z'HZ - m m'/M) d = -g + m g_b / M. Every direction has its own d_b, so that a product is one pass as
    before; as a coordinate of its own b would couple all features, which a diagonal cannot see.
    """
    residual = np.negative(here.gradient, dtype=objective.dtype)

    def product(direction: Array) -> Array:
        return objective.curvature_times(here, direction)

    nothing = np.zeros(residual.shape[1])
    if preconditioner.knows_intercept or not (objective.fit_intercept and objective.loss.separable):
        coupled = not objective.loss.separable
        return GeneralSystem(product, preconditioner.divide, residual, coupled=coupled), nothing
    only = np.zeros_like(residual)
    only[-1] = 1.0
    column = product(only)
    total = column[-1].astype(np.float64)
    inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0.0)
    column[-1] = 0.0
    shift = -here.gradient[-1] * inverse
    residual -= column * shift.astype(residual.dtype)
    residual[-1] = 0.0

    def held(direction: Array) -> Array:
        direction[-1] = -np.einsum("ij,ij->j", column, direction, dtype=np.float64) * inverse
        return direction

    def left(direction: Array) -> Array:
        image = product(direction)
        image[-1] = 0.0
        return image

    return GeneralSystem(left, lambda some: held(preconditioner.divide(some)), residual), shift

"""Newton's method with conjugate gradients: passes over the rows and never a matrix D x D of all of them."""

from __future__ import annotations

import numpy as np

from .newton import relative
from .objective import Array, Evaluation, Objective, Solution
from .preconditioner import Preconditioner

MOST_PRODUCTS = 50  # of conjugate gradients for one step of Newton
STALE_AFTER = 12  # products for one step after which the preconditioner is made anew


def newton_cg(
    objective: Objective, start: Array, *, tol: float, max_iter: int, preconditioner: Preconditioner
) -> Solution:
    """Minimise by inexact Newton steps with a line search, all outputs in the same passes.

    Solved when half of -g'd, the decrease that the quadratic model promises for the step d, is at most tol times F.
    """
    here = objective.evaluate(start)
    preconditioner.rebuild(objective, start)
    forcing, products = 0.1, 0
    n_iter = 0
    while True:
        direction, products = conjugate_gradients(objective, here, preconditioner, forcing)
        promised = -0.5 * objective.inner(here.gradient, direction)
        gap = float(relative(promised, here).max())
        if gap <= tol or n_iter == max_iter:
            return Solution(here.parameters, here.value, n_iter, gap, gap <= tol)
        here = objective.stepped(here, direction)
        n_iter += 1
        if products > STALE_AFTER:
            preconditioner.rebuild(objective, here.parameters)


def conjugate_gradients(
    objective: Objective, here: Evaluation, preconditioner: Preconditioner, forcing: float
) -> tuple[Array, int]:
    """H d = -g until the residual, in the preconditioner's norm, is ``forcing`` of what it was, for each problem."""
    direction = np.zeros_like(here.parameters)
    residual = -here.gradient
    divided = preconditioner.divide(residual)
    search = divided
    size = objective.inner(residual, divided)
    target = forcing**2 * size
    going = size > target
    products = 0
    while going.any() and products < MOST_PRODUCTS:
        product = objective.curvature_times(here.parameters, search)
        products += 1
        bend = objective.inner(search, product)
        going &= bend > 0.0
        step = np.where(going, size / np.where(going, bend, 1.0), 0.0)
        direction += step * search
        residual = residual - step * product
        divided = preconditioner.divide(residual)
        new_size = objective.inner(residual, divided)
        search = divided + np.where(going, new_size / np.where(going, size, 1.0), 0.0) * search
        size = np.where(going, new_size, size)
        going &= size > target
    return direction, products

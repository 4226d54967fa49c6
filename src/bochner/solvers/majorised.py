"""Newton's method with one curvature for all points and outputs: the largest there is, factored once."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve
from scipy.linalg.blas import dtrmm

from ..statistics.curvature import Curvature
from .factors import stable_cholesky
from .newton import relative
from .objective import Array, Evaluation, Objective, Solution

ROUNDING = 64  # units in the last place by which a sum over the rows may be wrong


class CurvatureBound:
    """H(0) = sum_i v_i l''(0) z̃_i z̃_i' with z̃ = (z, 1): for margin losses no point has more curvature than zero.

    It does not depend on C and, at zero, is the same for all outputs, so that one pass serves a whole path.
    """

    def __init__(self, objective: Objective) -> None:
        point = objective.point(objective.start())
        seen = objective.run(Curvature(objective.loss, point, [0], None))
        assert isinstance(seen, Curvature)
        self.matrix = seen.matrices[0]

    def factor(self, objective: Objective, margin: float = 0.0) -> Array:
        """Cholesky of P = I + C (H(0) + margin diag H(0)), the intercept not penalised."""
        bound = objective.penalty * self.matrix
        bound.flat[:: len(bound) + 1] *= 1.0 + margin
        bound.flat[:: len(bound) + 1] += 1.0
        if objective.fit_intercept:
            bound[-1, -1] -= 1.0
        else:
            bound[-1, :-1] = bound[:-1, -1] = 0.0
        return stable_cholesky(bound)


def majorised(objective: Objective, start: Array, bound: CurvatureBound, *, tol: float, max_iter: int) -> Solution:
    """Minimise F by steps to the minimum of the quadratic with curvature P that touches F from above, accelerated.

        w_{k+1} = v_k - P⁻¹ ∇F(v_k),    v_{k+1} = w_{k+1} + (t_k - 1)/t_{k+1} (w_{k+1} - w_k)

    (Nesterov 1983 in the metric of P; t starts anew where the momentum points uphill, O'Donoghue and Candès 2015.) A
    step is one pass and a division for all outputs together, so that many classes cost hardly more than one. The first
    step from zero is ridge regression. Stops when half of ∇F'P⁻¹∇F, less than what is left to gain, is at most tol
    times F: for the last digits use Newton's method.

    H(0) is made in the features' precision, so that features that nearly depend on each other may have less curvature
    in it than they have, and steps along them would grow without end. Two points show it for nothing: where F rises
    above the quadratic, the diagonal gets a margin and the step is made again (Beck and Teboulle 2009).
    """
    factor, margin = bound.factor(objective), 0.0
    before, momentum = start, 1.0
    here = objective.evaluate(start)
    n_iter = 0
    while True:
        move = -cho_solve((factor, True), here.gradient, check_finite=False)
        if not objective.fit_intercept:
            move[-1] = 0.0
        gap = float(relative(-0.5 * objective.inner(here.gradient, move), here).max())
        reached = here.parameters + move
        last = gap <= tol or n_iter == max_iter
        if float(np.vdot(here.gradient, reached - before)) > 0.0:
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        there = objective.evaluate(reached if last else reached + (momentum - 1.0) / following * (reached - before))
        if rises_above(there, here, factor, objective):
            if n_iter == max_iter:
                return Solution(here.parameters, here.value, n_iter, gap, False)
            margin = max(10.0 * margin, len(factor) * float(np.finfo(objective.dtype).eps))
            factor = bound.factor(objective, margin)
            before, momentum = here.parameters, 1.0
        elif last:
            return Solution(reached, there.value, n_iter + 1, gap, gap <= tol)
        else:
            here, before, momentum = there, reached, following
        n_iter += 1


def rises_above(there: Evaluation, here: Evaluation, factor: Array, objective: Objective) -> bool:
    """Whether F there is more than F + ∇F'd + d'Pd/2 here, d the way between them and P = factor factor'."""
    way = there.parameters - here.parameters
    root = dtrmm(1.0, factor, way, lower=1, trans_a=1)
    most = here.value + objective.inner(here.gradient, way) + 0.5 * objective.inner(root, root)
    rounding = ROUNDING * float(np.finfo(objective.dtype).eps) * (np.abs(here.value) + np.abs(there.value))
    return not bool((there.value <= most + rounding).all())

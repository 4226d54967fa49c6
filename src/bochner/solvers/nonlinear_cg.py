"""Nonlinear conjugate gradients: for millions of coded or sparse features, whose diagonal is all one can divide by."""

from __future__ import annotations

import numpy as np

from ..compute.krylov import Vectors
from .newton import magnitude
from .objective import Array, Evaluation, Objective, Solution
from .preconditioner import Jacobi

REBUILT_AT = (4, 16, 64, 256)  # steps after which the diagonal is made anew: it changes less and less
FEWEST = 3  # steps from which a rate is told


def nonlinear_cg(objective: Objective, start: Array, *, tol: float, max_iter: int, threads: int = 1) -> Solution:
    """Minimise F by conjugate gradients with a diagonal M to divide by, all outputs in the same passes.

        p_k = -M⁻¹g_k + β_k p_{k-1},    β_k = max(0, (g_k - g_{k-1})'M⁻¹g_k / g_{k-1}'M⁻¹g_{k-1})
        w_{k+1} = w_k + a_k p_k,        a_k = -g_k'p_k / p_k'H(w_k)p_k

    (Polak and Ribière, with the restart of Powell 1977; a_k is one step of Newton along the line, halved where F does
    not fall.) On a quadratic these are linear conjugate gradients, so it takes about as many steps as one accurate
    step of Newton, where Newton's method takes several. A step reads the rows three times: scores of p and of w, and
    the gradient. All vectors have the features' precision; their products are float64.

    Solved when the gap of each problem is at most tol times its F, or the mean F where that is more. F is strongly
    convex in W, so the gap is at most ||g||²/2 up to the intercept; where that is too coarse it is told from the
    decreases that the steps promised (``gap_left``).
    """
    tol = max(tol, 10.0 * float(np.finfo(objective.dtype).eps))
    n_outputs = objective.n_outputs
    vectors = Vectors(objective.n_features + 1, n_outputs, threads)
    here = objective.evaluate(start.astype(objective.dtype))
    inverse = inverse_diagonal(objective, here)
    direction, before, size = np.zeros_like(here.gradient), here.gradient, None
    decreases: list[Array] = []
    while True:
        new_size, cross, squares = (
            objective.by_problem(v) for v in vectors.divided_dots(here.gradient, before, inverse)
        )
        bound = 0.5 * squares
        gap = np.minimum(bound, gap_left(np.array(decreases))) / magnitude(here)
        n_iter = len(decreases)
        if (gap <= tol).all() or n_iter == max_iter:
            return Solution(here.parameters, here.value, n_iter, float(gap.max()), bool((gap <= tol).all()))
        share = np.zeros_like(new_size) if size is None else np.maximum(0.0, new_size - cross) / positive(size)
        slope, bend = turned(vectors, objective, direction, here.gradient, inverse, share)
        if (slope > 0.0).any():
            slope, bend = turned(vectors, objective, direction, here.gradient, inverse, np.zeros_like(share))
        bend += objective.curvature_along(here, direction)
        length = np.where(gap > tol, -slope / positive(bend), 0.0)  # a solved problem stands still
        before, size = here.gradient, new_size
        decreases.append(-0.5 * length * slope)
        here = objective.stepped(here, spread(length, n_outputs).astype(objective.dtype) * direction)
        if n_iter + 1 in REBUILT_AT:
            inverse = inverse_diagonal(objective, here)
            size = None  # what was conjugate no longer is


def turned(
    vectors: Vectors, objective: Objective, direction: Array, gradient: Array, inverse: Array, share: Array
) -> tuple[Array, Array]:
    """Turn the direction in place; its slope g'p and the part of p'Hp that comes from the penalty."""
    n_outputs = objective.n_outputs
    slope, square = vectors.downhill_turn(direction, gradient, inverse, spread(share, n_outputs))
    square = square - np.square(direction[-1], dtype=np.float64)  # the intercept is not penalised
    return objective.by_problem(slope), objective.by_problem(square)


def gap_left(decreases: Array) -> Array | float:
    """What is left to gain, for decreases of shape (steps, problems), if they go on to fall as they did.

    With S the sum over the last third of the steps and q its ratio to that of the third before: S q / (1 - q), the sum
    of all thirds to come; at least S. Shorter windows take a plateau of conjugate gradients for the end.
    """
    window = max(FEWEST, len(decreases) // 3)
    if len(decreases) < 2 * window:
        return np.inf
    last, former = decreases[-window:].sum(axis=0), decreases[-2 * window : -window].sum(axis=0)
    ratio = np.clip(last / positive(former), 0.5, 1.0)
    with np.errstate(divide="ignore"):
        return np.where(last > 0.0, last * ratio / (1.0 - ratio), 0.0)


def inverse_diagonal(objective: Objective, here: Evaluation) -> Array:
    """One over the diagonal of the second derivative here, for each output."""
    jacobi = Jacobi()
    jacobi.rebuild(objective, here)
    return np.divide(1.0, jacobi.diagonal, out=jacobi.diagonal).astype(objective.dtype)


def spread(values: Array, n_outputs: int) -> Array:
    """One value for each output, from one for each problem."""
    return np.broadcast_to(values, (n_outputs,))


def positive(values: Array) -> Array:
    """Values that one can divide by: zeros replaced by the smallest number."""
    return np.maximum(values, np.finfo(np.float64).tiny)

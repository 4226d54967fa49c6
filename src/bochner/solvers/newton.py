"""Newton's method on the curvature statistic: few passes, each one product Z'diag(h)Z at most."""

from __future__ import annotations

import numpy as np
from scipy.linalg import cho_solve

from ..compute.cholesky import lower_factor
from ..compute.threads import single_threaded_blas
from ..statistics.curvature import Curvature
from .objective import Array, Evaluation, Objective, Solution, damping

LEAST_JITTER = 1e-12  # of the mean of the diagonal


class CurvatureKeeper:
    """Second derivatives of the loss, one for each output, kept up to date as the parameters move.

    For losses whose curvature takes few values only rows that change theirs are touched, also between two values of C.
    """

    def __init__(self, objective: Objective, memory: int) -> None:
        size = objective.n_features + 1
        self.matrices = np.zeros((objective.n_outputs, size, size))
        self.loss = objective.loss
        self.reference: Array | None = None
        self.at_once = max(1, memory // (16 * 12 * size**2))  # outputs per pass, so that eight lanes fit in half

    def update(self, objective: Objective, here: Evaluation, outputs: list[int]) -> None:
        """Bring the matrices of these outputs to the point."""
        parameters = here.parameters
        before = None
        if objective.loss != self.loss:
            self.loss, self.reference = objective.loss, None
        if self.reference is not None and objective.loss.flat_curvature:
            before = objective.point(self.reference.copy())
        for start in range(0, len(outputs), self.at_once):
            some = outputs[start : start + self.at_once]
            seen = objective.run(Curvature(objective.loss, here.point, some, before))
            assert isinstance(seen, Curvature)
            for output, matrix in zip(some, seen.matrices):
                if before is None:
                    self.matrices[output] = matrix
                else:
                    self.matrices[output] += matrix
        if self.reference is None:
            self.reference = parameters.copy()
        self.reference[:, outputs] = parameters[:, outputs]


def newton(objective: Objective, start: Array, *, tol: float, max_iter: int, keeper: CurvatureKeeper) -> Solution:
    """Minimise by Newton steps with a line search, every output a problem of its own, all in the same passes.

    An output is solved when half its Newton decrement g'H⁻¹g, the decrease that the quadratic model promises, is at
    most tol times its F or the mean of all, whichever is more.
    """
    here = objective.evaluate(start)
    open_outputs = list(range(objective.n_outputs))
    gaps = np.full(objective.n_outputs, np.inf)
    n_iter = 0
    while True:
        keeper.update(objective, here, open_outputs)
        direction = np.zeros_like(here.parameters)
        with single_threaded_blas():  # its own threads wait on each other for matrices this small
            for output in open_outputs:
                direction[:, output] = newton_direction(keeper.matrices[output], here.gradient[:, output], objective)
        promised = -0.5 * np.einsum("ij,ij->j", here.gradient, direction)
        gaps[open_outputs] = relative(promised, here)[open_outputs]
        open_outputs = [output for output in open_outputs if gaps[output] > tol]
        solved = np.setdiff1d(np.arange(objective.n_outputs), open_outputs)
        direction[:, solved] = 0.0
        if not open_outputs or n_iter == max_iter:
            return Solution(here.parameters, here.value, n_iter, float(gaps.max()), not open_outputs)
        here = objective.stepped(here, direction)
        n_iter += 1


def newton_direction(curvature: Array, gradient: Array, objective: Objective) -> Array:
    """-(P + C M)⁻¹ g with P the identity but for the intercept; the lower triangle of M is read."""
    size = len(gradient) - (0 if objective.fit_intercept else 1)
    matrix = objective.penalty * curvature[:size, :size]
    matrix.flat[:: size + 1] += 1.0
    if objective.fit_intercept:
        matrix[-1, -1] += float(damping(gradient)) + 1e-12 * max(matrix[-1, -1], 1.0) - 1.0
    factor = lower_factor(matrix, LEAST_JITTER * float(np.trace(matrix)) / size)
    direction = np.zeros_like(gradient)
    direction[:size] = -cho_solve((factor, True), gradient[:size], check_finite=False)
    return direction


def relative(promised: Array, here: Evaluation) -> Array:
    """Promised decrease as a part of F."""
    return promised / np.maximum(magnitude(here), np.finfo(np.float64).tiny)


def magnitude(here: Evaluation) -> Array:
    """F of each output, at least their mean: a rare class whose F is almost nothing is not worth passes of its own."""
    values = np.abs(here.value)
    return np.maximum(values, values.mean())

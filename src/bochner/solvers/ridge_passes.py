"""Ridge regression by conjugate gradients: passes over the rows, vectors as long as the features, no matrix."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ..blocks import Block
from ..statistics import LinearMoments, SquaredError
from ..statistics.gradient import LinearPoint
from ..statistics.held_out import Error, HeldOutError, squared_error
from .conjugate_gradients import Array, LittleMoved, conjugate_gradients
from .least_norm import RowProducts, least_norm_by_passes
from .normal_equations import Diagonal, NormalEquations, RidgePreconditioner, Run, SampledGram
from .path import Fold, PenaltySearch
from .ridge import RidgeSolution

EQUAL = 5e-3  # errors that differ by less are equal: solutions are compared that are not exact
SEARCH_TOL = 5e-2  # of the solutions that are compared to choose alpha
LOWEST, HIGHEST = -6, 3  # decades of alpha, relative to the mean of ||z - z̄||²


@dataclass(frozen=True)
class RidgePasses:
    """Passes over all rows; for each fold, over the rows outside and inside it, to choose alpha; and a sample.

    ``sample`` is what a preconditioner is made from, or None for features whose Gram matrix is nearly diagonal.
    ``rows`` gives products with the features themselves, for alphas that the rounding of their Gram matrix would hide.
    ``shift`` is somewhere near the mean of the targets.
    """

    everything: Run
    folds: Sequence[tuple[Run, Run]]
    sample: Callable[[], Block] | None
    n_features: int
    n_targets: int
    dtype: np.dtype
    threads: int = 1
    rows: Callable[[], RowProducts] | None = None
    shift: Array | None = None

    def equations(self, run: Run, fit_intercept: bool) -> NormalEquations:
        """The normal equations of the rows that ``run`` passes over."""
        long = self.sample is None  # features by the million, of which a row has few
        moments = run(LinearMoments(self.n_features, self.n_targets, self.dtype if long else np.float64, self.shift))
        return NormalEquations(run, moments, fit_intercept, self.dtype, self.threads)

    def preconditioner(self, equations: NormalEquations) -> RidgePreconditioner:
        """What conjugate gradients divide by."""
        return Diagonal(equations) if self.sample is None else SampledGram(self.sample(), equations)


def solve_ridge_by_passes(
    passes: RidgePasses,
    alpha: float | str,
    fit_intercept: bool,
    *,
    tol: float,
    max_iter: int,
    start: Array | None = None,
    reported: Error = squared_error,
) -> RidgeSolution:
    """Minimise sum_i v_i ||y_i - W'z_i - b||² + alpha ||W||² by preconditioned conjugate gradients.

    A word for alpha ("auto" or "gcv") chooses among powers of ten, and then of sqrt(10) beside the best, by the squared
    error on held-out tenths of the rows: the degrees of freedom that generalised cross-validation divides by are not
    known without the matrix. Each candidate starts from the solution of the one before, and the final solution from the
    best candidate. ``start``: coefficients from which a number alpha sets out, such as the solution for another one.
    ``reported``: the error whose mean over the held-out rows is told.
    An alpha that is lost in the rounding of the Gram matrix asks for the solution of least norm, which is found without
    that matrix.
    """
    alphas, scores = None, None
    held_out = None
    if isinstance(alpha, str):
        folds = [RidgeFold(passes, *fold, fit_intercept, max_iter) for fold in passes.folds]
        search = PenaltySearch(folds, folds[0].equations.mean_square, LOWEST, HIGHEST, EQUAL)
        alpha = search.best()
        start = folds[0].solutions[alpha]
        alphas, scores = search.path()
        held_out = reported_error(folds, alpha, reported)
    alpha = float(alpha)
    equations = passes.equations(passes.everything, fit_intercept)
    if passes.rows is not None and alpha <= float(np.finfo(passes.dtype).eps) * float(equations.diagonal.sum()):
        return least_norm_by_passes(
            passes.rows(), passes.n_features, alpha, fit_intercept, dtype=passes.dtype, tol=tol, max_iter=max_iter
        )
    system = passes.preconditioner(equations).system(alpha)
    found = conjugate_gradients(system, start=start, stop=LittleMoved(tol), max_iter=max_iter)
    intercept = equations.intercept(found.solution)
    return RidgeSolution(
        found.solution,
        intercept,
        alpha,
        alphas,
        scores,
        found.n_iter,
        found.gap,
        found.converged,
        held_out_error=held_out,
    )


class RidgeFold(Fold):
    """Ridge solutions outside a fold, and their squared errors inside it."""

    def __init__(self, passes: RidgePasses, training: Run, held_out: Run, fit_intercept: bool, max_iter: int) -> None:
        super().__init__()
        self.inside = held_out
        self.max_iter = max_iter
        self.equations = passes.equations(training, fit_intercept)
        self.preconditioner = passes.preconditioner(self.equations)

    def solve(self, penalty: float, start: Array | None) -> Array:
        system = self.preconditioner.system(penalty)
        return conjugate_gradients(system, start=start, stop=LittleMoved(SEARCH_TOL), max_iter=self.max_iter).solution

    def held_out(self, solution: Array) -> tuple[float, float]:
        seen = self.inside(SquaredError(solution, self.equations.intercept(solution)))
        return seen.squares, seen.total_weight

    def reported(self, alpha: float, error: Error) -> HeldOutError:
        """Another error of the held-out rows at an alpha whose solution is at hand."""
        found = self.solutions[alpha]
        parameters = np.vstack([found, self.equations.intercept(found)]).astype(np.float64)
        return self.inside(HeldOutError(error, LinearPoint(parameters, found.dtype)))


def reported_error(folds: Sequence[RidgeFold], alpha: float, error: Error) -> float:
    """Mean error of the held-out rows at an alpha whose solutions are at hand."""
    seen = [fold.reported(alpha, error) for fold in folds]
    weight = sum(one.weight for one in seen)
    return sum(one.total for one in seen) / weight if weight > 0.0 else 0.0

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
from .ridge import RidgeSolution

SEARCH_TOL = 5e-2  # of the solutions that are compared to choose alpha
EQUAL = 5e-3  # errors that differ by less are equal: solutions are compared that are not exact
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
        search = AlphaSearch(passes, fit_intercept, max_iter)
        alpha, start = search.best()
        alphas, scores = search.path()
        held_out = search.reported(alpha, reported)
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


class AlphaSearch:
    """Held-out error along a path of alphas, from large to small, each solution starting from the last."""

    def __init__(self, passes: RidgePasses, fit_intercept: bool, max_iter: int) -> None:
        self.folds = [FoldPath(passes, *fold, fit_intercept, max_iter) for fold in passes.folds]
        self.errors: dict[float, float] = {}

    def best(self) -> tuple[float, Array]:
        """The alpha of least held-out error and the solution of the first fold for it."""
        scale = self.folds[0].scale
        for decade in range(0, LOWEST - 1, -1):
            self._try(scale * 10.0**decade, None)
            if self._best() != scale * 10.0**decade:
                break
        for decade in range(1, HIGHEST + 1):
            if self._best() != scale * 10.0 ** (decade - 1):
                break
            self._try(scale * 10.0**decade, scale * 10.0 ** (decade - 1))
        coarse = self._best()
        for factor in (10.0**0.5, 10.0**-0.5):
            self._try(coarse * factor, coarse)
        alpha = self._best()
        return alpha, self.folds[0].solutions[alpha]

    def reported(self, alpha: float, error: Error) -> float:
        """Mean error of the held-out rows at an alpha whose solutions are at hand."""
        seen = [fold.reported(alpha, error) for fold in self.folds]
        weight = sum(one.weight for one in seen)
        return sum(one.total for one in seen) / weight if weight > 0.0 else 0.0

    def path(self) -> tuple[Array, Array]:
        """The alphas tried, in order of size, and the mean squared error of each on the held-out rows."""
        alphas = np.array(sorted(self.errors))
        return alphas, np.array([self.errors[alpha] for alpha in alphas])

    def _best(self) -> float:
        """The largest alpha whose error is as good as the least."""
        least = min(self.errors.values())
        return max(alpha for alpha, error in self.errors.items() if error <= (1.0 + EQUAL) * least)

    def _try(self, alpha: float, beside: float | None) -> None:
        tried = [fold.error(alpha, beside) for fold in self.folds]
        squares, weights = (sum(part) for part in zip(*tried))
        self.errors[alpha] = squares / weights if weights > 0.0 else 0.0
        kept = {alpha, beside, self._best()}
        for fold in self.folds:
            fold.solutions = {known: found for known, found in fold.solutions.items() if known in kept}


class FoldPath:
    """Solutions on the rows outside a fold, and their errors inside it."""

    def __init__(self, passes: RidgePasses, training: Run, held_out: Run, fit_intercept: bool, max_iter: int) -> None:
        self.held_out = held_out
        self.max_iter = max_iter
        self.equations = passes.equations(training, fit_intercept)
        self.preconditioner = passes.preconditioner(self.equations)
        self.scale = self.equations.mean_square
        self.solutions: dict[float, Array] = {}

    def error(self, alpha: float, beside: float | None) -> tuple[float, float]:
        """Squared error and weight of the held-out rows; starts from the solution of another alpha (None: the last)."""
        nearest = next(reversed(self.solutions), None) if beside is None else beside
        found = conjugate_gradients(
            self.preconditioner.system(alpha),
            start=None if nearest is None else self.solutions[nearest],
            stop=LittleMoved(SEARCH_TOL),
            max_iter=self.max_iter,
        ).solution
        self.solutions[alpha] = found
        seen = self.held_out(SquaredError(found, self.equations.intercept(found)))
        return seen.squares, seen.total_weight

    def reported(self, alpha: float, error: Error) -> HeldOutError:
        """Another error of the held-out rows at an alpha whose solution is at hand."""
        found = self.solutions[alpha]
        parameters = np.vstack([found, self.equations.intercept(found)]).astype(np.float64)
        return self.held_out(HeldOutError(error, LinearPoint(parameters, found.dtype)))

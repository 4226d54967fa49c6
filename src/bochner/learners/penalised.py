"""What the margin and likelihood machines share: the parameter C, its path, and the way to the solver."""

from __future__ import annotations

import warnings
from functools import partial

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..blocks import BlockSource
from ..compute.numbers import is_number
from ..losses import Loss
from ..maps import DenseDesign, Features
from ..maps.base import checked_count
from ..maps.numbering import Numbering
from ..solvers.objective import Objective, Solution
from ..statistics.held_out import Error
from .base import Array, ToDesign, ToHashedDesign
from .keeping import Keeping
from .linear import LinearMachine
from .minimisers import Minimiser, minimiser_for
from .passes import Passes, objective_for
from .path import choose_penalty
from .units import Units

FEWEST = 500  # rows of a sample that is worth solving
FIRST_SAMPLE = 4  # one row in so many gives the solution from which all rows start
PASS_BYTES = 4 << 20  # features of one block: two products with them find them in the cache
ROUGH = 1e-3  # tolerance where only the order of two values of C is wanted
FIRST_TOL = 1e-2  # and where only a start is: some of the rows know no more than that of all of them


class PenalisedMachine(Keeping, LinearMachine):
    """Minimises ||W||²/2 + C sum_i v_i l(y_i, W'z(x_i) + b)."""

    C: float | str
    fit_intercept: bool
    solver: str
    tol: float
    max_iter: int

    def _check_parameters(self) -> None:
        if isinstance(self.C, str):
            if self.C != "auto":
                raise ValueError(f"C must be a number > 0 or 'auto', not {self.C!r}.")
        elif not (is_number(self.C) and self.C > 0):
            raise ValueError(f"C must be a number > 0 or 'auto', but it is {self.C!r}.")
        if not (is_number(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be a number > 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _step(self, features: Features) -> ToHashedDesign:
        return ToHashedDesign(features, with_targets=False)  # folds go by rows: their order, or one twice, is nothing

    def _passes(self, coded: BlockSource) -> Passes:
        """Draw the features; passes over their designs."""
        features = self._draw_features(coded)
        self.features_ = features
        dense = isinstance(ToDesign(features)(coded.sample(1)).X, DenseDesign)
        designs = self._through(coded, features, PASS_BYTES if dense else self._engine().memory_bytes)
        return Passes.cached(self._engine(), designs, features).without_gaps()

    def _minimise(
        self, passes: Passes, loss: Loss, error: Error, n_outputs: int, units: Units | None = None
    ) -> Solution:
        """Choose C where asked to, minimise, and keep the solution.

        For targets y = shift + u y' and a loss that grows like u^p with its unit, ||w||²/2 + C sum l is u² times
        ||w'||²/2 + C u^{p-2} sum l': C is taken for y, and what is kept is the solution for y.
        """
        per_unit = 1.0 if units is None else units.unit ** (2 - loss.degree)
        solver = partial(minimiser_for, self.solver, loss=loss, n_outputs=n_outputs)
        rough = partial(solver, tol=max(ROUGH, self.tol), max_iter=self.max_iter)
        if isinstance(self.C, str):
            penalty, path = choose_penalty(passes, loss, error, n_outputs, self.fit_intercept, rough)
            self.C_path_ = (path[0] * per_unit, path[1] * (1.0 if units is None else units.unit**2))
        else:
            penalty = float(self.C) / per_unit
        objective = objective_for(passes, loss, penalty, n_outputs, self.fit_intercept)
        minimiser = solver(passes, tol=float(self.tol), max_iter=int(self.max_iter))
        start = objective.start()
        if self.solver != "majorised":
            start = first_parameters(passes, objective, minimiser, max(FIRST_TOL, float(self.tol)))
        solution = minimiser.solve(objective, start)
        if units is not None:
            solution = units.restored(solution)
        self._keep(solution, penalty * per_unit, passes.numbering)
        return solution

    def _keep(self, solution: Solution, penalty: float, numbering: Numbering | None) -> None:
        """Set the fitted attributes, and warn where the solver stopped early."""
        self.C_ = penalty
        self.n_iter_ = solution.n_iter
        self.objective_ = float(solution.value.sum())
        coefficients = solution.coefficients if numbering is None else numbering.spread(solution.coefficients)
        self._coefficients = np.ascontiguousarray(coefficients, dtype=self.features_.dtype)
        self._intercept = solution.intercept.astype(self.features_.dtype)
        if not solution.converged:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} steps with an estimated relative "
                f"gap of {solution.gap:.1e} above tol={self.tol:.1e}: increase max_iter or tol, or lower C.",
                ConvergenceWarning,
                stacklevel=6,
            )

    def _linear(self) -> tuple[Array, Array]:
        self._check_fitted()
        return self._coefficients, self._intercept


def first_parameters(passes: Passes, objective: Objective, minimiser: Minimiser, tol: float) -> Array:
    """The solution for one row in four where that is enough to tell something: most steps are made there.

    Where features are coded or sparse they may outnumber the rows, and some of the rows cost as much as all of them.
    """
    n_rows = passes.n_rows()
    rows = n_rows // FIRST_SAMPLE
    if not (objective.loss.smooth and rows >= FEWEST and passes.dense):
        return objective.start()
    some = passes.sampled(rows)
    share = n_rows / some.n_rows()
    problem = objective_for(
        some, objective.loss, objective.penalty * share, objective.n_outputs, objective.fit_intercept
    )
    return minimiser.for_sample(some, tol).solve(problem, problem.start()).parameters

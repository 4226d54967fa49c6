"""Solvers with what they keep between problems that differ in C only, and the choice among them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial

from ..losses import Loss
from ..solvers.dual_coordinate import dual_coordinate_descent
from ..solvers.majorised import CurvatureBound, majorised
from ..solvers.newton import CurvatureKeeper, newton
from ..solvers.newton_cg import newton_cg
from ..solvers.objective import Objective, Solution
from ..solvers.preconditioner import Jacobi, Preconditioner, SampledCholesky
from ..solvers.smoothing import Smoothed, newton_by_smoothing
from .base import Array
from .passes import Passes

SOLVERS = ("auto", "newton", "newton-cg", "majorised", "dual")
WIDEST_NEWTON = 512  # features up to which products Z'diag(h)Z cost less than conjugate gradients
SWEEPS_PER_STEP = 10  # sweeps of dual coordinate descent that count as one step of max_iter
SAMPLE_PER_FEATURE = 4  # rows of the preconditioner's sample for each feature


class Minimiser(ABC):
    """Solves one problem after another from a start."""

    @abstractmethod
    def solve(self, objective: Objective, start: Array) -> Solution:
        """Minimise from here."""

    @abstractmethod
    def for_sample(self, some: Passes, tol: float) -> Minimiser:
        """The same method for some of the rows, to another tolerance, with what serves the whole problem too."""


class NewtonMinimiser(Minimiser):
    """Newton; the curvature is carried over from one problem to the next."""

    def __init__(self, memory: int, tol: float, max_iter: int) -> None:
        self.memory, self.tol, self.max_iter = memory, tol, max_iter
        self.keeper: CurvatureKeeper | None = None

    def solve(self, objective: Objective, start: Array) -> Solution:
        if self.keeper is None:
            self.keeper = CurvatureKeeper(objective, self.memory)
        return newton(objective, start, tol=self.tol, max_iter=self.max_iter, keeper=self.keeper)

    def for_sample(self, some: Passes, tol: float) -> NewtonMinimiser:
        return NewtonMinimiser(self.memory, tol, self.max_iter)


class ConjugateMinimiser(Minimiser):
    """Newton with conjugate gradients; the preconditioner is kept, and one made of some of the rows serves all."""

    def __init__(self, preconditioner: Preconditioner, tol: float, max_iter: int) -> None:
        self.preconditioner, self.tol, self.max_iter = preconditioner, tol, max_iter

    def solve(self, objective: Objective, start: Array) -> Solution:
        return newton_cg(objective, start, tol=self.tol, max_iter=self.max_iter, preconditioner=self.preconditioner)

    def for_sample(self, some: Passes, tol: float) -> ConjugateMinimiser:
        return ConjugateMinimiser(self.preconditioner, tol, self.max_iter)


class MajorisedMinimiser(Minimiser):
    """Steps with the largest curvature, which is kept."""

    def __init__(self, tol: float, max_iter: int) -> None:
        self.tol, self.max_iter = tol, max_iter
        self.bound: CurvatureBound | None = None

    def solve(self, objective: Objective, start: Array) -> Solution:
        if self.bound is None:
            self.bound = CurvatureBound(objective)
        return majorised(objective, start, self.bound, tol=self.tol, max_iter=self.max_iter)

    def for_sample(self, some: Passes, tol: float) -> MajorisedMinimiser:
        return MajorisedMinimiser(tol, self.max_iter)


class DualMinimiser(Minimiser):
    """Dual coordinate descent; the dual variables of one C, scaled, are the start for the next."""

    def __init__(self, passes: Passes, tol: float, max_iter: int) -> None:
        self.passes, self.tol, self.max_iter = passes, tol, max_iter
        self.duals: list[Array] | None = None
        self.penalty = 1.0

    def solve(self, objective: Objective, start: Array) -> Solution:
        duals = self.duals
        if duals is not None:
            duals = [dual * (objective.penalty / self.penalty) for dual in duals]
        solution, self.duals = dual_coordinate_descent(
            objective,
            partial(iter, self.passes.source),
            tol=self.tol,
            max_iter=SWEEPS_PER_STEP * self.max_iter,
            threads=self.passes.engine.threads,
            start=duals,
        )
        self.penalty = objective.penalty
        return solution

    def for_sample(self, some: Passes, tol: float) -> DualMinimiser:
        return DualMinimiser(some, tol, self.max_iter)


class SmoothingMinimiser(Minimiser):
    """Newton on smoothed losses, by the minimiser that suits smooth ones."""

    def __init__(self, smooth: Minimiser, tol: float) -> None:
        self.smooth, self.tol = smooth, tol

    def solve(self, objective: Objective, start: Array) -> Solution:
        return newton_by_smoothing(objective, start, self.smooth.solve, tol=self.tol)

    def for_sample(self, some: Passes, tol: float) -> SmoothingMinimiser:
        return SmoothingMinimiser(self.smooth.for_sample(some, tol / 2), tol)


def minimiser_for(solver: str, passes: Passes, *, loss: Loss, n_outputs: int, tol: float, max_iter: int) -> Minimiser:
    """The solver asked for, or the one that suits the loss and the features."""
    if solver not in SOLVERS:
        raise ValueError(f"solver must be one of {SOLVERS}, not {solver!r}.")
    kinked = loss.straight()
    if kinked is not None:
        if solver == "dual":
            return DualMinimiser(passes, tol, max_iter)
        smooth = minimiser_for(
            solver,
            passes,
            loss=Smoothed(kinked, 1.0),
            n_outputs=n_outputs,
            tol=tol / 2,
            max_iter=max_iter,
        )
        return SmoothingMinimiser(smooth, tol)
    if solver == "dual":
        raise ValueError("solver='dual' solves losses of straight pieces only, such as the hinge: use solver='auto'.")
    if solver == "newton" and not loss.separable:
        raise ValueError("solver='newton' solves outputs one by one, but these are coupled: use 'newton-cg'.")
    if solver == "majorised":
        if not (loss.most_curved_at_zero and passes.dense):
            raise ValueError(
                "solver='majorised' needs dense features and the squared hinge or the binary logistic loss: "
                "use solver='auto'."
            )
        return MajorisedMinimiser(tol, max_iter)
    memory = passes.engine.memory_bytes
    if solver == "newton" or (solver == "auto" and suits_newton(passes, loss, n_outputs, memory)):
        return NewtonMinimiser(memory, tol, max_iter)
    return ConjugateMinimiser(preconditioner_for(passes, memory), tol, max_iter)


def suits_newton(passes: Passes, loss: Loss, n_outputs: int, memory: int) -> bool:
    """Whether one matrix D x D for each output is the cheaper way."""
    width = passes.features.n_components
    fits = 8 * n_outputs * (width + 1) ** 2 <= memory // 8
    return passes.dense and loss.separable and fits and width <= WIDEST_NEWTON


def preconditioner_for(passes: Passes, memory: int) -> Preconditioner:
    """Cholesky of a sample for dense features, the diagonal for others."""
    if not passes.dense:
        return Jacobi()
    width, row_bytes = passes.features.n_components, passes.features.row_bytes
    at_once = max(256, memory // (4 * row_bytes))
    most_factors = max(1, memory // (8 * width * row_bytes))
    return SampledCholesky(
        width,
        max(256, SAMPLE_PER_FEATURE * width),
        most_factors,
        passes.engine.threads,
        n_rows=passes.source.n_rows or 0,
        at_once=at_once,
    )

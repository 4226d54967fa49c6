"""What ridge regression and classification share: rows in, coefficients out, by one of three solvers."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..blocks import BlockSource, CachedBlocks
from ..compute.threads import over_row_chunks
from ..engines import Engine
from ..maps.base import checked_count
from ..solvers import AveragedSgd, Leverages, RidgeSolution, side_by_side, solve_ridge, solve_ridge_by_passes
from ..statistics import Moments
from .base import Array, KernelMachine, ToDesign
from .gaps import without_gaps
from .ridge_rows import KeptBlocks, as_is, chosen_solver, dense_rows, ridge_passes, target_groups


class RidgeMachine(KernelMachine):
    """Ridge regression on coded targets.

    What is kept for ``partial_fit``: by "cholesky" moments, by "sgd" the iterate, by "cg" the designs of the rows
    (after ``fit`` only where they take no more than an eighth of memory).
    """

    alpha: float | str
    solver: str
    tol: float
    max_iter: int
    fit_intercept: bool

    def _check_alpha(self) -> None:
        if isinstance(self.alpha, str):
            if self.alpha != "gcv":
                raise ValueError(f"alpha must be a number >= 0 or 'gcv', not {self.alpha!r}.")
        elif not (isinstance(self.alpha, Real) and np.isfinite(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be a number >= 0 or 'gcv', but it is {self.alpha!r}.")
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _begin(self, coded: BlockSource, n_targets: int) -> None:
        """Draw the features and start from nothing."""
        features = self._draw_features(coded)
        solver = chosen_solver(self.solver, ToDesign(features)(coded.sample(1)).X, coded.memory)
        for name in ("statistic_", "_sgd", "_kept"):
            self.__dict__.pop(name, None)
        self.features_, self.solver_, self._n_targets = features, solver, n_targets
        self._solution: RidgeSolution | None = None
        if solver == "cholesky":
            self.statistic_ = Moments(features.n_components, n_targets)
        elif solver == "sgd":
            self._sgd = AveragedSgd(features.n_components, n_targets, self.fit_intercept, features.dtype)

    def _fit_whole(self, coded: BlockSource) -> None:
        """Learn from all rows there will be."""
        if self.solver_ == "cg":
            cached = CachedBlocks(self._through(coded, self.features_, coded.memory), coded.memory // 2)
            self._solution = self._by_passes(self._engine(), cached)
            kept = KeptBlocks.of_cache(cached)
            if kept is not None:
                self._kept = kept
        else:
            self._absorb(coded)
            self._solved()

    def _absorb(self, coded: BlockSource) -> None:
        """Take in the rows of a source of coded targets; more may follow."""
        if self.solver_ == "cholesky":
            features, engine = self.features_, self._engine()
            seen = engine.fold(self.statistic_, dense_rows(coded, features).mapped(ToDesign(features)))
            seen.merge(self.statistic_)
            self.statistic_ = seen
        elif self.solver_ == "sgd":
            for block in self._through(coded, self.features_):
                self._sgd.update(block, self._sgd_alpha())
        else:
            self._keep(coded)
        self._solution = None

    def _keep(self, coded: BlockSource) -> None:
        if "_kept" not in vars(self):
            if self._solution is not None:
                raise ValueError(
                    "partial_fit cannot go on from this fit with solver='cg', whose rows took too much memory to keep: "
                    "begin with partial_fit, raise memory, or use solver='cholesky'."
                )
            self._kept = KeptBlocks(coded.memory)
        self._kept.add(self._engine().map(as_is, self._through(coded, self.features_, coded.memory)))

    def _sgd_alpha(self) -> float:
        return 0.0 if isinstance(self.alpha, str) else float(self.alpha)

    def _solved(self) -> RidgeSolution:
        """Solve on demand: a stream of partial_fit calls pays for one solution, not for one each."""
        self._check_fitted()
        if self._solution is None:
            if self.solver_ == "cholesky":
                self._solution = solve_ridge(self.statistic_, self.alpha, self.fit_intercept)
            elif self.solver_ == "sgd":
                self._solution = self._sgd.solution(self._sgd_alpha())
            else:
                self._solution = self._by_passes(self._engine(), self._kept)
        return self._solution

    def solve_again(self, alpha: float) -> None:
        """Move to another alpha without the rows: from their moments, or from the designs that were kept.

        Conjugate gradients set out from the solution at hand.

        Parameters
        ----------
        alpha : float >= 0
        """
        before = self._solved()
        if self.solver_ == "sgd" or (self.solver_ == "cg" and "_kept" not in vars(self)):
            raise ValueError(f"solve_again needs what this fit with solver={self.solver_!r} did not keep: fit again.")
        former, self.alpha = self.alpha, alpha
        try:
            self._check_alpha()
        except ValueError:
            self.alpha = former
            raise
        self._solution = None
        if self.solver_ == "cg":
            self._solution = self._by_passes(self._engine(), self._kept, before.coefficients)

    def _by_passes(self, engine: Engine, designs: BlockSource, start: Array | None = None) -> RidgeSolution:
        """Solve for as many targets at once as the vectors of conjugate gradients leave room for."""
        features, alpha, groups, known = self.features_, self.alpha, [], 0
        designs, numbering = without_gaps(engine, designs, features)
        width = features.n_components if numbering is None else len(numbering.used)
        if start is not None and numbering is not None:
            start = start[numbering.used]
        for source, n_targets in target_groups(designs, width * features.dtype.itemsize, self._n_targets):
            passes = ridge_passes(engine, source, width, n_targets, features.dtype)
            some = None if start is None else np.ascontiguousarray(start[:, known : known + n_targets])
            groups.append(
                solve_ridge_by_passes(
                    passes, alpha, self.fit_intercept, tol=self.tol, max_iter=self.max_iter, start=some
                )
            )
            alpha, known = groups[0].alpha, known + n_targets
        found = side_by_side(groups)
        if numbering is not None:
            found = replace(found, coefficients=numbering.spread(found.coefficients))
        if not found.converged:
            warnings.warn(
                f"Conjugate gradients stopped after {found.n_iter} iterations with a relative error of about "
                f"{found.gap:.1e}, above tol={self.tol}: raise max_iter, tol or alpha.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return found

    def _leverages(self) -> Leverages:
        """What leave-one-out residuals and intervals are made from."""
        solution = self._solved()
        if self.solver_ != "cholesky":
            raise ValueError(
                f"Leverages need the moments of the features, which solver={self.solver_!r} does not keep: "
                "use solver='cholesky'."
            )
        return Leverages(self.statistic_, solution, self.fit_intercept)

    def _leverage_of(self, leverages: Leverages, rows: Any) -> Array:
        """Leverages of checked rows, chunk by chunk."""
        out = np.empty(rows.shape[0])
        features = self.features_

        def fill(start: int, stop: int) -> None:
            out[start:stop] = leverages.of(features.design(rows[start:stop]).dense())

        over_row_chunks(fill, rows.shape[0], 1024, self.n_jobs)
        return out

    @property
    def coef_(self) -> Array:
        """Coefficients of the features: (n_components,), or (n_targets, n_components) where targets are a table."""
        coefficients = self._solved().coefficients.T
        return coefficients[0] if self._flat() else coefficients

    @property
    def intercept_(self) -> Array | float:
        """Value at z = 0, one for each target."""
        intercept = self._solved().intercept
        return float(intercept[0]) if self._flat() else intercept

    @property
    def alpha_(self) -> float:
        """The regularisation used."""
        return self._solved().alpha

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver."""
        return self._solved().n_iter

    @property
    def gcv_path_(self) -> tuple[Array, Array]:
        """The alphas tried and the score of each; only where alpha="gcv" and not with "sgd"."""
        solution = self._solved()
        if solution.gcv_alphas is None or solution.gcv_scores is None:
            raise AttributeError("gcv_path_ exists only where alpha='gcv' was chosen from a path.")
        return solution.gcv_alphas, solution.gcv_scores

    @abstractmethod
    def _flat(self) -> bool:
        """Whether the targets were one column without a table around it."""

    def _values(self, X: Any) -> Array:
        solution = self._solved()
        dtype = self.features_.dtype
        return self._scores(X, np.asarray(solution.coefficients, dtype=dtype), solution.intercept.astype(dtype))

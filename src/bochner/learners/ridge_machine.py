"""What ridge regression and classification share: rows in, coefficients out, by one of three solvers."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..blocks import BlockSource, CachedBlocks
from ..compute.numbers import is_number
from ..engines import Engine
from ..maps import FeatureMap, Features
from ..maps.base import checked_count
from ..maps.scoring import by_chunks
from ..solvers import (
    AveragedSgd,
    Leverages,
    RidgeSolution,
    least_norm,
    side_by_side,
    solve_ridge,
    solve_ridge_by_passes,
    solve_ridge_left_out,
)
from ..statistics import Moments, RowSample, SampledMoments
from .base import Array, ToDesign, ToHashedDesign, landmark_map
from .gaps import without_gaps
from .linear import LinearMachine
from .ridge_rows import (
    KeptBlocks,
    as_is,
    chosen_solver,
    dense_rows,
    ridge_passes,
    target_groups,
    target_range,
    targets_and_weights,
)

LEFT_OUT = 2048  # rows whose leave-one-out errors choose alpha: with half or twice as many R2 moves by less than .002


class RidgeMachine(LinearMachine):
    """Ridge regression on coded targets.

    What is kept for ``partial_fit``: by "cholesky" moments, by "sgd" the iterate, by "cg" the designs of the rows
    (after ``fit`` only where they take no more than an eighth of memory).
    """

    alpha: float | str
    solver: str
    tol: float
    max_iter: int
    fit_intercept: bool

    def _check_parameters(self) -> None:
        if isinstance(self.alpha, str):
            if self.alpha not in ("auto", "gcv"):
                raise ValueError(f"alpha must be a number >= 0, 'auto' or 'gcv', not {self.alpha!r}.")
        elif not (is_number(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be a number >= 0, 'auto' or 'gcv', but it is {self.alpha!r}.")
        if not (is_number(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _default_map(self, n_rows: int | None) -> FeatureMap:
        return landmark_map(n_rows)

    def _begin(self, coded: BlockSource, n_targets: int) -> None:
        """Draw the features and start from nothing."""
        features = self._draw_features(coded)
        solver = chosen_solver(self.solver, ToDesign(features)(coded.sample(1)).X, self._engine().memory_bytes)
        for name in ("statistic_", "_sgd", "_kept"):
            self.__dict__.pop(name, None)
        self.features_, self.solver_, self._n_targets = features, solver, n_targets
        self._solution: RidgeSolution | None = None
        self._range = np.full(n_targets, np.inf), np.full(n_targets, -np.inf)
        if solver == "cholesky":
            gathered = features.unwhitened()[0] if self.alpha == "auto" else features
            moments = Moments(gathered.n_components, n_targets)
            sample = RowSample(moments.n_features, n_targets, LEFT_OUT)
            self.statistic_ = SampledMoments(moments, sample) if self.alpha == "auto" else moments
        elif solver == "sgd":
            self._sgd = AveragedSgd(features.n_components, n_targets, self.fit_intercept)

    def _learn_coded(self, coded: BlockSource, n_columns: int) -> None:
        self._begin(coded, n_columns)
        if self.solver_ == "cg":
            memory = self._engine().memory_bytes
            cached = CachedBlocks(self._through(coded, self.features_, memory), memory // 2)
            self._note_range(coded)
            self._solution = self._by_passes(self._engine(), cached)
            kept = KeptBlocks.of_cache(cached, memory)
            if kept is not None:
                self._kept = kept
        else:
            self._absorb(coded, coded.n_rows)
            self._solution = self._of_least_norm(coded) if self._interpolates(coded) else None
            self._solved()

    def _interpolates(self, coded: BlockSource) -> bool:
        """Whether least norm is asked for, of rows whose features can be held: moments square their condition."""
        if self.solver_ != "cholesky" or self.alpha != 0.0 or coded.n_rows is None:
            return False
        return 4 * 8 * coded.n_rows * self.features_.n_components <= self._engine().memory_bytes

    def _of_least_norm(self, coded: BlockSource) -> RidgeSolution:
        blocks = list(self._through(coded, self.features_))
        Z = np.concatenate([block.X.dense() for block in blocks]).astype(np.float64, copy=False)
        targets, weights = zip(*(targets_and_weights(block) for block in blocks))
        precision = float(np.finfo(self.features_.dtype).eps)
        return least_norm(Z, np.concatenate(targets), np.concatenate(weights), self.fit_intercept, precision)

    def _absorb(self, coded: BlockSource, n_rows: int | None = None) -> None:
        """Take in the rows of a source of coded targets; more may follow where n_rows, all there will be, is None."""
        if self.solver_ == "cholesky":
            features, _ = self._gathered()
            step = ToHashedDesign(features) if isinstance(self.statistic_, SampledMoments) else ToDesign(features)
            seen: Any = self._engine().fold(
                self.statistic_, dense_rows(coded, features, self._engine().memory_bytes).mapped(step)
            )
            seen.merge(self.statistic_)
            self.statistic_ = seen
        elif self.solver_ == "sgd":
            self._note_range(coded)
            for block in self._through(coded, self.features_):
                self._sgd.update(block, self._sgd_alpha(), n_rows)
        else:
            self._note_range(coded)
            self._keep(coded)
        self._solution = None

    def _note_range(self, coded: BlockSource) -> None:
        """Widen the range of the targets by those of more rows, where predictions are kept in it."""
        if self.alpha == "auto":
            lows, highs = zip(self._range, *self._engine().map(target_range, coded))
            self._range = np.min(lows, axis=0), np.max(highs, axis=0)

    def _keep(self, coded: BlockSource) -> None:
        if "_kept" not in vars(self):
            if self._solution is not None:
                raise ValueError(
                    "partial_fit cannot go on from this fit with solver='cg', whose rows took too much memory to keep: "
                    "begin with partial_fit, give an engine with more memory, or use solver='cholesky'."
                )
            self._kept = KeptBlocks(self._engine().memory_bytes)
        memory = self._engine().memory_bytes
        self._kept.add(self._engine().map(as_is, self._through(coded, self.features_, memory)))

    def _sgd_alpha(self) -> float:
        return 0.0 if isinstance(self.alpha, str) else float(self.alpha)

    def _solved(self) -> RidgeSolution:
        """Solve on demand: a stream of partial_fit calls pays for one solution, not for one each."""
        self._check_fitted()
        if self._solution is None:
            if self.solver_ == "cholesky":
                self._solution = self._from_moments()
            elif self.solver_ == "sgd":
                self._solution = self._in_range(self._sgd.solution(self._sgd_alpha()))
            else:
                self._solution = self._by_passes(self._engine(), self._kept)
        return self._solution

    def _gathered(self) -> tuple[Features, Array | None]:
        """The features whose moments are taken, and the matrix from them to those that are penalised.

        Whitened once, moments of raw kernel values lose what lies below 1e-8 of their norm. Where alpha is chosen from
        the data no alpha that wins is that small; where it is given it may be, and each row is whitened.
        """
        sampled = isinstance(self.statistic_, SampledMoments)
        return self.features_.unwhitened() if sampled else (self.features_, None)

    def _moments(self) -> Moments:
        """The moments of the features that are penalised."""
        kept = self.statistic_.moments if isinstance(self.statistic_, SampledMoments) else self.statistic_
        matrix = self._gathered()[1]
        return kept if matrix is None else kept.through(matrix)

    def _from_moments(self) -> RidgeSolution:
        if not (self.alpha == "auto" and isinstance(self.statistic_, SampledMoments)):
            return solve_ridge(self._moments(), self.alpha, self.fit_intercept)
        sample, matrix = self.statistic_.sample, self._gathered()[1]
        return solve_ridge_left_out(self._moments(), sample, matrix, self.fit_intercept, self._row_error)

    @staticmethod
    @abstractmethod
    def _row_error(y: Array, scores: Array) -> Array:
        """The error of each row that ``held_out_error_`` is the mean of."""

    def _in_range(self, solution: RidgeSolution) -> RidgeSolution:
        """The solution with the range in which its predictions are kept, where alpha was left to the library."""
        return replace(solution, low=self._range[0], high=self._range[1]) if self.alpha == "auto" else solution

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
            self._check_parameters()
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
        for source, n_targets in target_groups(
            designs, width * features.dtype.itemsize, self._n_targets, engine.memory_bytes
        ):
            passes = ridge_passes(engine, source, width, n_targets, features.dtype)
            some = None if start is None else np.ascontiguousarray(start[:, known : known + n_targets])
            groups.append(
                solve_ridge_by_passes(
                    passes,
                    alpha,
                    self.fit_intercept,
                    tol=self.tol,
                    max_iter=self.max_iter,
                    start=some,
                    reported=self._row_error,
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
                stacklevel=5,
            )
        return self._in_range(found)

    def _leverages(self) -> Leverages:
        """What leave-one-out residuals and intervals are made from."""
        solution = self._solved()
        if self.solver_ != "cholesky":
            raise ValueError(
                f"Leverages need the moments of the features, which solver={self.solver_!r} does not keep: "
                "use solver='cholesky'."
            )
        return Leverages(self._moments(), solution, self.fit_intercept)

    def _leverage_of(self, leverages: Leverages, rows: Any) -> Array:
        """Leverages of checked rows, chunk by chunk."""
        features = self.features_

        def values_of(some: Any) -> Array:
            return leverages.of(features.design(some).dense())[:, None]

        return by_chunks(features, rows, 1, values_of, self._engine().n_jobs, np.float64)[:, 0]

    def _linear(self) -> tuple[Array, Array]:
        solution = self._solved()
        return solution.coefficients, solution.intercept

    @property
    def alpha_(self) -> float:
        """The regularisation used."""
        return self._solved().alpha

    @property
    def n_iter_(self) -> int:
        """Iterations of the solver."""
        return self._solved().n_iter

    @property
    def rank_(self) -> int:
        """Directions of the features that the solution of least norm uses; only where alpha=0, by "cholesky"."""
        rank = self._solved().rank
        if rank is None:
            raise AttributeError("rank_ exists only where alpha=0 and the solver is 'cholesky'.")
        return rank

    @property
    def path_(self) -> tuple[Array, Array]:
        """The alphas tried and the error of each; only where alpha was chosen, and not with "sgd"."""
        solution = self._solved()
        if solution.gcv_alphas is None or solution.gcv_scores is None:
            raise AttributeError("path_ exists only where alpha is 'auto' or 'gcv' and was chosen from a path.")
        return solution.gcv_alphas, solution.gcv_scores

    @property
    def held_out_error_(self) -> float:
        """Mean error of rows left out, at the alpha chosen: squared, or the share of wrong labels."""
        solution = self._solved()
        if solution.held_out_error is None:
            raise AttributeError(
                "held_out_error_ exists only where alpha='auto' was chosen by rows left out: several are needed."
            )
        return solution.held_out_error

    @property
    def range_(self) -> tuple[Array, Array] | None:
        """Least and greatest target seen, between which predictions are kept; None where alpha was given."""
        solution = self._solved()
        return None if solution.low is None or solution.high is None else (solution.low, solution.high)

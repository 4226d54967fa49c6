"""The problem of an exact machine: targets about their mean, solved for some rows and penalties; the best penalty."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import eigh

from ..compute.row_hash import row_hash
from ..maps.nystroem import KernelValues
from ..solvers.dual import DIRECT, solve_dual
from ..solvers.dual_problem import DualProblem, DualSolution, kernel_product
from ..solvers.ridge import EQUAL
from ..statistics.held_out import Error
from .base import Array
from .exact_machine import values_of

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)  # relative to the mean of k(x, x)
LOWEST, HIGHEST = -6, 1  # decades of alpha where an eigendecomposition serves all of them
CHOOSING, JUDGED = 3_900, 0.5  # rows that choose alpha, and the share of them that judges


@dataclass(frozen=True)
class Limits:
    """When a solver ends, and what it may use."""

    tol: float
    max_iter: int
    threads: int
    memory: int


class Centred:
    """Rows with targets less their weighted mean (but for intercept="none"), solved for some rows and alphas."""

    def __init__(
        self,
        inner: KernelValues,
        dtype: np.dtype,
        y: Array,
        weight: Array,
        intercept: str,
        rng: np.random.Generator,
        limits: Limits,
    ) -> None:
        self.values, self.rows = values_of(inner.kernel, dtype), inner.landmarks
        self.weight, self.rng, self.limits = weight, rng, limits
        self.intercept = intercept
        self.mean = (intercept != "none") * (weight @ y) / weight.sum()
        self.targets = (y - self.mean).astype(dtype)
        self.low, self.high = y.min(axis=0), y.max(axis=0)
        self.size = float(np.average(inner.kernel.diagonal(self.rows), weights=weight))

    def solved(self, some: Array, alphas: Any) -> DualSolution:
        """Solutions for some rows; for several alphas the targets are repeated, alpha by alpha."""
        alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
        targets = np.tile(self.targets[some], len(alphas))
        repeated = np.repeat(alphas, self.targets.shape[1])
        problem = DualProblem(self.values, self.rows[some], targets, self.weight[some], repeated)
        return solve_dual(problem, rng=self.rng, **asdict(self.limits))

    def with_intercept(self, alpha: float) -> tuple[DualSolution, Array]:
        """The solution for all rows, and the intercept.

        An intercept without penalty is b = 1'A y / 1'A 1 for A = (K + alpha V^{-1})^{-1}, with the coefficients
        A (y - b 1), whose sum is 0. A 1 is found as a further target.
        """
        everything = np.arange(len(self.rows))
        if self.intercept != "free":
            return self.solved(everything, alpha), self.mean
        beside = np.concatenate([self.targets, np.ones((len(self.rows), 1), dtype=self.targets.dtype)], axis=1)
        alphas = np.full(beside.shape[1], alpha)
        problem = DualProblem(self.values, self.rows, beside, self.weight, alphas)
        found = solve_dual(problem, rng=self.rng, **asdict(self.limits))
        own, of_ones = found.coefficients[:, :-1], found.coefficients[:, -1:]
        moved = own.sum(axis=0, dtype=np.float64) / of_ones.sum(dtype=np.float64)
        coefficients = own - of_ones * moved.astype(own.dtype)
        return replace(found, coefficients=coefficients), self.mean + moved

    def chosen_alpha(self, reported: Error) -> tuple[float, float | None]:
        """For few rows the alpha of least leave-one-out error; for more that of least error on held-out rows.

        Alpha is a variance of noise, which does not depend on the number of rows: some of them tell. Also the mean of
        another error over rows left out at this alpha: one by one, or a fifth of many rows.
        """
        if len(self.rows) <= DIRECT:
            return self._left_out(reported)
        alphas = self.size * np.array(ALPHAS)
        order = self.rng.permutation(len(self.rows))
        choosing = order[:CHOOSING]
        n_judged = max(1, int(JUDGED * len(choosing)))
        judged, training = choosing[:n_judged], choosing[n_judged:]
        predicted = self._predicted(training, alphas, judged)
        missed = np.square(predicted - np.tile(self.targets[judged], len(alphas)))
        errors = (self.weight[judged] @ missed).reshape(len(alphas), -1).sum(axis=1)
        alpha = float(alphas[errors.argmin()])
        fifth, others = order[: len(order) // 5], order[len(order) // 5 :]
        return alpha, self._mean_error(fifth, self._predicted(others, alpha, fifth), self.weight[fifth], reported)

    def _predicted(self, training: Array, alphas: Any, judged: Array) -> Array:
        """What machines fitted on some rows predict at others, less the mean."""
        found = self.solved(training, alphas).coefficients
        return kernel_product(self.values, self.rows[judged], self.rows[training], found, self.limits.threads)[0]

    def _mean_error(self, rows: Array, predicted: Array, weight: Array, error: Error) -> float | None:
        """Mean error over rows, of predictions less the mean of the targets; None where one is not a number."""
        kept = np.clip(predicted + self.mean, self.low, self.high)
        found = float(np.average(error(self.targets[rows] + self.mean, kept), weights=weight))
        return found if np.isfinite(found) else None

    def _left_out(self, reported: Error) -> tuple[float, float | None]:
        """The alpha of least leave-one-out error.

        With A = (V^{1/2} K V^{1/2} + alpha I)^{-1} row i has the residual r_i = alpha (A V^{1/2} y)_i / v_i^{1/2} and
        the leverage h_i = (1 - alpha A_ii) / v_i, and a machine without u_i of its weight the residual
        r_i / (1 - u_i h_i) there; one eigendecomposition serves all alphas. Equal rows are one row with the sum of
        their weights: all of them are left out to choose alpha, one to tell the error of new rows.
        """
        _, first, place = np.unique(row_hash(self.rows, self.targets), return_index=True, return_inverse=True)
        weight = np.bincount(place, self.weight)
        roots, targets = np.sqrt(weight)[:, None], self.targets[first].astype(np.float64)
        gram = self.values(self.rows[first], self.rows[first])
        values, vectors = eigh((roots * gram * roots.T).astype(np.float64), check_finite=False)
        values, along, squares = np.maximum(values, 0.0), vectors.T @ (roots * targets), np.square(vectors)

        def left_out(alpha: float, most: float) -> Array:
            residual = alpha * (vectors @ (along / (values + alpha)[:, None])) / roots
            leverage = (1.0 - alpha * (squares @ (1.0 / (values + alpha)))) / weight
            missed = residual / (1.0 - np.minimum(weight, most) * leverage)[:, None]
            return np.clip(targets - missed, self.low - self.mean, self.high - self.mean)

        alphas = self.size * np.logspace(LOWEST, HIGHEST, 5 * (HIGHEST - LOWEST) + 1)
        errors = np.array([weight @ np.square(left_out(alpha, np.inf) - targets).sum(axis=1) for alpha in alphas])
        best = int(np.flatnonzero(errors <= (1.0 + EQUAL * np.sqrt(2.0 / len(first))) * errors.min())[-1])
        return float(alphas[best]), self._mean_error(first, left_out(alphas[best], 1.0), weight, reported)

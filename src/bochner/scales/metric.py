"""A metric learned from the data: the average gradient outer product of kernel regression, fed back into its kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve
from sklearn.metrics.pairwise import euclidean_distances

from ..compute.cholesky import plain_cholesky
from ..kernels import RadialKernel
from .gram import Array, require_scales
from .maximise import never
from .rules import in_median_units

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1)
JUDGED = 0.35  # share of the rows that judge
LEAST = 1e-3  # directions whose scale is below this share of the largest are dropped
SAME = 1e-9  # distance of rows that are one
SOME_ROWS = 256
SMALLEST = 30  # rows below which nothing is learned


@dataclass(frozen=True)
class Fitted:
    """Kernel ridge regression in a metric: its matrix, its coefficients, and the loss on rows held out.

    The loss is the share of the variance of held-out targets that it leaves unexplained.
    """

    matrix: Array
    dual: Array
    loss: float


def learned_metric(
    kernel: RadialKernel, X: Array, targets: Array, *, max_iter: int, stop: Callable[[], bool] = never
) -> Fitted:
    """The best metric of some steps from the plain one, by rows held out."""
    require_scales(kernel)
    if not isinstance(kernel, RadialKernel):
        raise TypeError(f"learn_metric needs a radial kernel, and {type(kernel).__name__} is not: use Matern(nu=0.5).")
    plain = np.eye(X.shape[1])
    nothing = Fitted(plain, np.zeros((0, targets.shape[1])), 1.0)
    rows = JudgedRows(kernel.with_length_scale(1.0), X, targets - targets.mean(axis=0))
    if len(X) < SMALLEST or not rows.vary(plain) or not np.ptp(targets, axis=0).any():
        return nothing
    best = rows.fitted(plain)
    if not np.isfinite(best.loss):
        return nothing
    for _ in range(max_iter):
        if stop():
            break
        matrix = rows.next_matrix(best)
        if not rows.vary(matrix):
            break
        tried = rows.fitted(matrix)
        if tried.loss >= best.loss:
            break
        best = tried
    return best


@dataclass(frozen=True)
class JudgedRows:
    """Rows that are fitted and, the first of them, rows that judge."""

    kernel: RadialKernel
    X: Array
    targets: Array

    @property
    def n_judged(self) -> int:
        return round(JUDGED * len(self.X))

    def vary(self, matrix: Array) -> bool:
        """Whether rows that are fitted differ in a metric."""
        return varies(matrix, self.X[self.n_judged :])

    def fitted(self, matrix: Array) -> Fitted:
        """What comes of a metric, in units of the median distance."""
        n = self.n_judged
        matrix = in_median_units(matrix, self.X[n:])
        rows = self.X @ matrix.T
        dual, loss = _fitted(self.kernel, rows[n:], self.targets[n:], rows[:n], self.targets[:n])
        return Fitted(matrix, dual, loss)

    def next_matrix(self, fitted: Fitted) -> Array:
        """The metric of the gradients."""
        rows = self.X[self.n_judged :] @ fitted.matrix.T
        return next_matrix(self.kernel, fitted.matrix, rows, rows, fitted.dual)


def varies(matrix: Array, X: Array) -> bool:
    """Whether some rows differ in a metric, by more than rounding."""
    rows = X @ matrix.T
    return bool((np.ptp(rows, axis=0) > SAME * np.abs(rows).max(initial=0.0)).any()) if rows.size else False


def between(old: Array, new: Array, X: Array) -> Array:
    """The metric of the mean of two, each in units of the median distance.

    Half a step: whole ones soon forget directions that count little for the rows at hand, and more for others.
    """
    old, new = in_median_units(old, X), in_median_units(new, X)
    values, vectors = np.linalg.eigh(0.5 * (old.T @ old + new.T @ new))
    kept = values > LEAST**2 * values[-1]
    return in_median_units((vectors[:, kept] * np.sqrt(values[kept])).T[::-1], X)


def _fitted(kernel: RadialKernel, rows: Array, targets: Array, others: Array, wanted: Array) -> tuple[Array, float]:
    """Coefficients of kernel ridge regression with the alpha that predicts others best, and how well it does.

    In single precision, which is enough to tell directions that matter from others. The loss is infinite where rounding
    leaves no alpha that works.
    """
    rows, others = rows.astype(np.float32), others.astype(np.float32)
    values, cross = kernel.single(rows, rows), kernel.single(others, rows)
    spread = max(float(np.square(wanted).sum()), np.finfo(float).tiny)
    solved = [dual for alpha in ALPHAS if (dual := _solved(values, targets, alpha)) is not None]
    losses = [float(np.square(wanted - cross @ dual).sum()) / spread for dual in solved]
    best = int(np.argmin([*losses, np.inf]))
    return (solved[best], losses[best]) if losses else (np.zeros_like(targets), np.inf)


def next_matrix(kernel: RadialKernel, matrix: Array, rows: Array, centres: Array, dual: Array) -> Array:
    """M^{1/2} as rows, for f = sum_b a_b k(A x, c_b): eigenvectors of M times roots of eigenvalues, those that matter.

    Rows and centres are in the metric, divided by the length scale; they may be the same.
    """
    outer = np.zeros((len(matrix), len(matrix)))
    for start in range(0, len(rows), SOME_ROWS):  # what is made of all of them would be new memory, which is slow
        some = rows[start : start + SOME_ROWS]
        distances = euclidean_distances(some, centres)
        # A kernel with a kink has no gradient at its centre, which leaves out the one row that is there.
        slopes = np.where(distances > SAME, kernel.slope(distances, kernel.profile(distances)), 0.0)
        totals = slopes @ dual
        for weights, total in zip(dual.T, totals.T):
            gradients = slopes @ (weights[:, None] * centres) - total[:, None] * some
            outer += gradients.T @ gradients / len(rows)
    values, vectors = np.linalg.eigh(matrix.T @ outer @ matrix)
    roots = np.sqrt(np.maximum(values, 0.0))
    kept = roots > LEAST * roots[-1]
    return (vectors[:, kept] * roots[kept]).T[::-1]


def _solved(values: Array, targets: Array, alpha: float) -> Array | None:
    regular = values.copy()
    regular.flat[:: len(regular) + 1] += alpha
    factor = plain_cholesky(regular)
    if factor is None:
        return None
    dual = cho_solve((factor, True), targets.astype(np.float32), check_finite=False)
    return dual.astype(np.float64) if np.isfinite(dual).all() else None

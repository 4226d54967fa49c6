"""Least squares of least norm: what ridge regression tends to as alpha goes to 0, without squaring the condition."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from scipy.linalg import lstsq
from scipy.sparse.linalg import LinearOperator, lsqr

from .ridge import Array, RidgeSolution


class RowProducts(ABC):
    """The features Z of all rows, known by products with vectors; the targets Y and the weights of the rows."""

    targets: Array  # (rows, targets)
    weight: Array  # (rows,)

    @abstractmethod
    def times(self, coefficients: Array) -> Array:
        """Z c for one vector of coefficients, shape (rows,)."""

    @abstractmethod
    def adjoint(self, residual: Array) -> Array:
        """Z'r for one vector of rows, shape (features,)."""


def least_norm(features: Array, targets: Array, weight: Array, fit_intercept: bool, precision: float) -> RidgeSolution:
    """W = Z^+ Y by singular values, those below max(n, D) u s_1 dropped, u the precision of the features.

    Z and Y are less their weighted means where there is an intercept, and times the roots of the weights. Where rank is
    the number of rows this interpolates; else it is the least-squares solution of least norm.
    """
    feature_mean, target_mean = (weight @ table / weight.sum() * fit_intercept for table in (features, targets))
    roots = np.sqrt(weight)[:, None]
    cut = max(features.shape) * precision
    found, _, rank, _ = lstsq(roots * (features - feature_mean), roots * (targets - target_mean), cond=cut)
    return RidgeSolution(found, target_mean - feature_mean @ found, 0.0, rank=int(rank))


def least_norm_by_passes(
    rows: RowProducts, n_features: int, alpha: float, fit_intercept: bool, *, dtype: np.dtype, tol: float, max_iter: int
) -> RidgeSolution:
    """Minimise sum_i v_i (y_i - w'z_i - b)² + alpha ||w||² by LSQR (Paige and Saunders 1982), target by target.

    It works on Z, not on Z'Z, and starts from 0: residuals fall, norms grow up to that of the least-norm solution, and
    directions that rounding hides are never entered. ``tol`` is of the residual, relative to that of the data.
    """
    weight, targets = rows.weight, rows.targets
    total, roots = weight.sum(), np.sqrt(weight)
    feature_mean = rows.adjoint(weight) / total * fit_intercept
    target_mean = weight @ targets / total * fit_intercept

    def times(vector: Array) -> Array:
        return roots * (rows.times(vector) - feature_mean @ vector.ravel())

    def adjoint(vector: Array) -> Array:
        weighted = roots * vector.ravel()
        return rows.adjoint(weighted) - feature_mean * weighted.sum()

    operator = LinearOperator((len(roots), n_features), matvec=times, rmatvec=adjoint, dtype=np.float64)
    tol = max(tol, float(np.finfo(dtype).eps))
    coefficients = np.empty((n_features, targets.shape[1]))
    n_iter, gap, converged = 0, 0.0, True
    for place, column in enumerate((roots[:, None] * (targets - target_mean)).T):
        found, stopped, steps, left, *_ = lsqr(
            operator, column, damp=np.sqrt(alpha), atol=tol, btol=tol, conlim=0.0, iter_lim=max_iter
        )
        coefficients[:, place] = found
        n_iter, converged = max(n_iter, steps), converged and stopped != OUT_OF_STEPS
        gap = max(gap, float(left) / max(float(np.linalg.norm(column)), np.finfo(np.float64).tiny))
    intercept = target_mean - feature_mean @ coefficients
    return RidgeSolution(coefficients.astype(dtype), intercept, alpha, n_iter=n_iter, gap=gap, converged=converged)


OUT_OF_STEPS = 7  # of the reasons for which lsqr stops

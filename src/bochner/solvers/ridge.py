"""Ridge regression from moments: Cholesky, eigenvalues, and the regularisation chosen by GCV without a further pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, eigh

from ..compute.cholesky import jittered_cholesky, plain_cholesky
from ..statistics import Moments

Array = np.ndarray

EQUAL = 0.1  # of the relative standard error sqrt(2 / n) of a mean square: GCV is nearly flat towards small alphas
LEAST_JITTER = 1e-12  # of the mean eigenvalue


@dataclass(frozen=True)
class Spectrum:
    """S = V diag(values) V' with the cross moments in its eigenbasis: every alpha costs O(D) from here."""

    values: Array
    vectors: Array
    rotated_cross: Array  # V'C
    target_moment: Array
    n_rows: float
    centred: bool
    precision: float
    total_weight: float

    @classmethod
    def of(cls, moments: Moments, centred: bool) -> Spectrum:
        """Eigendecomposition of the second moments of the features."""
        values, vectors = eigh(moments.feature_moment, lower=True, driver="evd")
        values = np.maximum(values, 0.0)
        cross = vectors.T @ moments.cross_moment
        rows, weight = row_count(moments), moments.total_weight
        return cls(values, vectors, cross, moments.target_moment, rows, centred, moments.precision, weight)

    def coefficients(self, alpha: float) -> Array:
        """(S + alpha I)^{-1} C; for alpha = 0 the solution of least norm, with the null space of S left out."""
        return self.vectors @ (self.rotated_cross * self.gains(alpha)[:, None])

    def generalised_cross_validation(self, alpha: float) -> float:
        """GCV(alpha) = (sum of squared residuals / n) / (1 - tr H / n)², summed over targets.

        The residual sum is Q - 2 C'w + w'Sw and tr H = sum_j s_j / (s_j + alpha), plus 1 for the intercept.
        """
        gain = self.gains(alpha)
        squared = np.square(self.rotated_cross)
        residual = self.target_moment - (squared * (2 * gain - self.values * gain**2)[:, None]).sum(axis=0)
        freedom = float((self.values * gain).sum()) + self.centred
        slack = 1.0 - freedom / self.n_rows
        if slack <= 1e-12:
            return np.inf
        return float(np.maximum(residual, 0.0).sum() / self.n_rows / slack**2)

    def default_alphas(self) -> Array:
        """Five values a decade, from where the rounding of the features hides eigenvalues to above the largest."""
        largest = max(float(self.values[-1]), np.finfo(np.float64).tiny)
        lowest = np.log10(max(1e-12, self.precision))
        return largest * np.logspace(lowest, 1, round(5 * (1 - lowest)) + 1)

    def seen(self) -> Array:
        """Which directions rounding does not hide."""
        return self.values > self.values[-1] * len(self.values) * self.precision

    def gains(self, alpha: float) -> Array:
        """1 / (s_j + alpha), and 0 in directions that rounding hides: without data there, least norm is right."""
        seen = self.seen()
        return np.where(seen, 1.0 / np.where(seen, self.values + alpha, 1.0), 0.0)


def cholesky_coefficients(moments: Moments, alpha: float) -> Array | None:
    """(S + alpha I)^{-1} C by Cholesky with as little jitter as it takes; None where even much of it fails.

    The jitter is relative to the mean eigenvalue: a Gram matrix of float32 features may be indefinite by rounding.
    """
    regular = moments.feature_moment.copy()
    regular.flat[:: moments.n_features + 1] += alpha
    factor = plain_cholesky(regular)
    if factor is None:
        factor = jittered_cholesky(regular, LEAST_JITTER * float(np.trace(moments.feature_moment)) / moments.n_features)
    return None if factor is None else cho_solve((factor, True), moments.cross_moment, check_finite=False)


def row_count(moments: Moments) -> float:
    """Rows that GCV counts: weights of 1 and more are repetitions, smaller ones are importances of single rows."""
    return max(moments.total_weight, float(moments.n_rows))


@dataclass(frozen=True)
class RidgeSolution:
    """Coefficients and intercept, the alpha used, and the path where alpha was chosen.

    Where it was chosen from rows left out, also their predictions at this alpha, and the range of all targets.
    """

    coefficients: Array  # (features, targets)
    intercept: Array  # (targets,)
    alpha: float
    gcv_alphas: Array | None = None
    gcv_scores: Array | None = None
    n_iter: int = 1
    gap: float = 0.0  # relative residual of the normal equations, where they were solved by iterations
    converged: bool = True
    rank: int | None = None  # directions of the features that the solution of least norm uses, where it was asked for
    low: Array | None = None  # (targets,): predictions are kept between low and high
    high: Array | None = None
    held_out_error: float | None = None


def side_by_side(groups: Sequence[RidgeSolution]) -> RidgeSolution:
    """One solution from those of groups of targets, with the path of the first."""
    if len(groups) == 1:
        return groups[0]
    return RidgeSolution(
        np.hstack([group.coefficients for group in groups]),
        np.concatenate([group.intercept for group in groups]),
        groups[0].alpha,
        groups[0].gcv_alphas,
        groups[0].gcv_scores,
        max(group.n_iter for group in groups),
        max(group.gap for group in groups),
        all(group.converged for group in groups),
    )


def solve_ridge(moments: Moments, alpha: float | str, fit_intercept: bool) -> RidgeSolution:
    """Minimise sum_i v_i ||y_i - W'z_i - b||² + alpha ||W||²; alpha a number >= 0 or "gcv"."""
    used = moments if fit_intercept else moments.uncentred()
    alphas = scores = rank = None
    if alpha == "gcv":
        spectrum = Spectrum.of(used, fit_intercept)
        alphas = spectrum.default_alphas()
        scores = np.array([spectrum.generalised_cross_validation(value) for value in alphas])
        # Scores that differ by less than they can tell, or than rounding, are equal: the largest alpha of those.
        rounding = 1e3 * used.precision * float(used.target_moment.sum()) / row_count(used)
        equal = 1.0 + EQUAL * np.sqrt(2.0 / row_count(used))
        alpha = float(alphas[np.flatnonzero(scores <= equal * scores.min() + rounding)[-1]])
        coefficients = spectrum.coefficients(alpha)
    else:
        alpha = float(alpha)
        solution = cholesky_coefficients(used, alpha) if alpha > 0 else None
        if solution is None:
            spectrum = Spectrum.of(used, fit_intercept)
            solution, rank = spectrum.coefficients(alpha), int(spectrum.seen().sum())
        coefficients = solution
    intercept = moments.target_mean - moments.feature_mean @ coefficients
    if not fit_intercept:
        intercept = np.zeros_like(intercept)
    return RidgeSolution(coefficients, intercept, alpha, alphas, scores, rank=rank)

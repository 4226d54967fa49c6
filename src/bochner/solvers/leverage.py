"""How far each row pulls its own prediction: leverages, leave-one-out residuals and prediction variances of ridge."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, solve_triangular

from ..statistics import Moments
from .ridge import Array, RidgeSolution, Spectrum, row_count


class Leverages:
    """h(z) = (z - z̄)'(S + alpha I)^{-1}(z - z̄) + 1/N, with z̄ = 0 and no 1/N where there is no intercept.

    A row of weight v that the model was fitted on has the leverage v h(z), and its residual if it had been left out is
    its residual divided by 1 - v h(z). With sigma² = RSS / (n - tr H) a new target has the variance
    sigma² (1 + h(z)): the noise, and what is not known of the coefficients.
    """

    def __init__(self, moments: Moments, solution: RidgeSolution, fit_intercept: bool) -> None:
        used = moments if fit_intercept else moments.uncentred()
        self.mean = used.feature_mean
        self.constant = 1.0 / used.total_weight if fit_intercept else 0.0
        self.root = inverse_root(used, solution.alpha, fit_intercept)
        second = np.tril(used.feature_moment) + np.tril(used.feature_moment, -1).T
        freedom = float(np.einsum("ij,ij->", self.root, second @ self.root)) + fit_intercept
        weights = solution.coefficients
        squares = used.target_moment - 2 * (used.cross_moment * weights).sum(axis=0)
        squares = squares + (weights * (second @ weights)).sum(axis=0)
        self.noise = np.maximum(squares, 0.0) / max(row_count(used) - freedom, 1e-12 * row_count(used))

    def of(self, values: Array) -> Array:
        """h(z) for each row z of features."""
        centred = values.astype(np.float64) - self.mean
        return np.square(centred @ self.root).sum(axis=1) + self.constant


def inverse_root(moments: Moments, alpha: float, centred: bool) -> Array:
    """R with RR' = (S + alpha I)^{-1}: the inverse of the Cholesky factor, or from eigenvalues where that fails."""
    regular = moments.feature_moment.copy()
    regular.flat[:: moments.n_features + 1] += alpha
    try:
        if alpha == 0.0:
            raise LinAlgError
        factor = cho_factor(regular, lower=True, overwrite_a=True, check_finite=False)[0]
    except LinAlgError:
        spectrum = Spectrum.of(moments, centred)
        return spectrum.vectors * np.sqrt(spectrum.gains(alpha))
    return solve_triangular(factor, np.eye(moments.n_features), lower=True, trans=0, check_finite=False).T

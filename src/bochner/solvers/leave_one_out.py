"""The penalty of ridge regression by leave-one-out errors of some rows, from moments of all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..statistics import Moments, RowSample
from ..statistics.held_out import Error, squared_error
from .ridge import EQUAL, Array, RidgeSolution, Spectrum

MOST_PREDICTIONS = 1 << 21  # that are held at once: 16 MB
SURE = 1e-6  # share of its own prediction that a row must leave to others: below, rounding decides its residual


@dataclass(frozen=True)
class LeftOut:
    """Some rows as models see them that were fitted without each of them.

    Without row i a ridge regression has the residual r_i / (1 - u_i h_i) there, h_i its leverage and u_i what is left
    out of its weight v_i: no model is fitted again. Equal rows are one row with the sum of their weights, so that a row
    of weight 2 is the same as a row twice. To choose alpha all of them are left out; to tell the error of new rows,
    which may have equals too, one of them: u_i = min(v_i, 1). Generalised cross-validation divides by the mean of
    1 - v h instead, and cannot see rows that decide their own prediction: outlying ones, where a small alpha fits
    everything and predicts nothing.
    """

    spectrum: Spectrum  # of all rows
    along: Array  # features of the rows less their mean, in the eigenbasis
    squares: Array  # of these
    mean: Array  # what was taken off the targets
    targets: Array
    weights: Array
    low: Array  # range of the targets of all rows
    high: Array

    @classmethod
    def of(cls, moments: Moments, sample: RowSample, matrix: Array | None, centred: bool) -> LeftOut:
        """From the moments of all rows and a sample of them, whose values go through a matrix if there is one."""
        spectrum = Spectrum.of(moments, centred)
        values, targets, weights = sample.rows()
        features = values if matrix is None else values @ matrix
        along = (features - moments.feature_mean) @ spectrum.vectors
        return cls(spectrum, along, np.square(along), moments.target_mean, targets, weights, sample.low, sample.high)

    def predictions(self, alphas: Array, most: float = np.inf) -> Array:
        """What models predict without a row, or without ``most`` of its weight: shape (alphas, rows, targets).

        In the range of all targets; NaN for rows that decide themselves, up to rounding.
        """
        gains = np.stack([self.spectrum.gains(alpha) for alpha in alphas])
        constant = self.spectrum.centred / self.spectrum.total_weight
        left = 1.0 - np.minimum(self.weights, most) * (gains @ self.squares.T + constant)
        weighted = gains.T[:, :, None] * self.spectrum.rotated_cross[:, None, :]  # (features, alphas, targets)
        fitted = self.along @ weighted.reshape(len(weighted), -1)
        fitted = self.mean + fitted.reshape(len(self.along), len(alphas), -1).swapaxes(0, 1)
        sure = np.where(left > SURE, left, np.nan)[:, :, None]
        return np.clip(self.targets - (self.targets - fitted) / sure, self.low, self.high)

    def errors(self, alphas: Array, error: Error, most: float = np.inf) -> Array:
        """Weighted mean of the errors of the rows; infinite where a row decides its own prediction up to rounding."""
        at_once = max(1, MOST_PREDICTIONS // self.targets.size)
        found = []
        for start in range(0, len(alphas), at_once):
            for predictions in self.predictions(alphas[start : start + at_once], most):
                sure = np.isfinite(predictions).all()
                found.append(np.average(error(self.targets, predictions), weights=self.weights) if sure else np.inf)
        return np.array(found)


def solve_ridge_left_out(
    moments: Moments, sample: RowSample, matrix: Array | None, fit_intercept: bool, reported: Error
) -> RidgeSolution:
    """Ridge regression at the alpha of least squared leave-one-out error of a sample of rows.

    Of alphas whose errors are too near to each other to be told apart by so many rows, the largest is taken.

    Parameters
    ----------
    moments : of all rows, in the features that are penalised
    sample : some of the rows, in the features that were gathered
    matrix : from the latter to the former, or None
    reported : the error whose mean over the rows left out is told, at the alpha chosen
    """
    used = moments if fit_intercept else moments.uncentred()
    left_out = LeftOut.of(used, sample, matrix, fit_intercept)
    alphas = left_out.spectrum.default_alphas()
    errors = left_out.errors(alphas, squared_error)
    # Errors that differ by less than so many rows can tell, or than rounding, are equal: the largest alpha of those.
    rounding = 1e3 * used.precision * float(used.target_moment.sum()) / used.total_weight
    equal = 1.0 + EQUAL * np.sqrt(2.0 / len(left_out.targets))
    alpha = float(alphas[np.flatnonzero(errors <= equal * errors.min() + rounding)[-1]])
    coefficients = left_out.spectrum.coefficients(alpha)
    held_out = float(left_out.errors(np.array([alpha]), reported, most=1.0)[0])
    return RidgeSolution(
        coefficients,
        used.target_mean - used.feature_mean @ coefficients,
        alpha,
        alphas,
        errors,
        low=sample.low,
        high=sample.high,
        held_out_error=held_out if np.isfinite(held_out) else None,
    )

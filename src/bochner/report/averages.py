"""Averages over the draws of a map, which is what theory predicts, and whether a prediction is compatible with them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import chdtri, ndtri, stdtrit

from .intervals import Array, Estimate
from .predictions import NoPrediction, Prediction

SHAPE = 4.0  # of a gamma variable of skewness 1
CLOSE = 0.1  # relative difference below which measurement and theory agree, whatever the interval


@dataclass(frozen=True)
class Averages:
    """Error and squared error, means over pairs and draws, beside their expectations where theory has them.

    Their intervals serve the verdict only and are not printed. A few draws tell the mean of a law only if its tails are
    not heavy, and a map may have errors that are large but rare: a TensorSketch that is exact but for one draw in
    twenty, where two coordinates collide.
    """

    bias: Estimate
    mean_square: Estimate
    expected: float | None  # root of the expected mean square

    @classmethod
    def of(cls, errors: Array, prediction: Prediction | NoPrediction, confidence: float) -> Averages:
        """From errors of shape (draws, pairs)."""
        return cls(
            mean_of_draws(errors.mean(axis=1), confidence),
            mean_of_squares(np.mean(errors**2, axis=1), confidence),
            float(np.sqrt(prediction.mean_square)) if isinstance(prediction, Prediction) else None,
        )

    @property
    def root_mean_square(self) -> float:
        """The root of the mean square over pairs and draws."""
        return float(np.sqrt(self.mean_square.value))

    def has_bias(self) -> bool:
        """Whether the mean error is not 0 and not small beside the error."""
        return not self.bias.contains(0.0) and abs(self.bias.value) > CLOSE * self.root_mean_square

    def side(self) -> int:
        """1 if the error is larger than expected, -1 if smaller, 0 if it is as expected."""
        if self.expected is None or abs(self.root_mean_square - self.expected) <= CLOSE * self.expected:
            return 0
        return int(self.mean_square.low > self.expected**2) - int(self.mean_square.high < self.expected**2)


def mean_of_draws(values: Array, confidence: float) -> Estimate:
    """The mean over draws with Student's interval."""
    mean = float(values.mean())
    reach = float(stdtrit(len(values) - 1, 0.5 + 0.5 * confidence) * values.std(ddof=1) / np.sqrt(len(values)))
    return Estimate(mean, mean - reach, mean + reach)


def mean_of_squares(squares: Array, confidence: float) -> Estimate:
    """The mean over draws of a mean square, with the interval of gamma variables.

    The mean square of a draw is skewed, a weighted sum of few chi-squares, and its sample variance is small exactly
    when the mean is, so that Student's interval misses large means. The variance is therefore the larger of the
    sample's and, after the gamma law, 2 mean² (log mean - mean log), which the mean does not tell. Of n gamma variables
    of shape k the mean is gamma of shape nk; k follows from the variance, but not beyond SHAPE: then the variables are
    shifted, so that they keep a skewness of 1.
    """
    draws, mean = len(squares), float(squares.mean())
    variance = float(squares.var(ddof=1))
    if squares.min() > 0:
        variance = max(variance, gamma_variance(squares))
    if variance <= 0:
        return Estimate(mean, mean, mean)
    quantile = float(stdtrit(draws - 1, 0.5 + 0.5 * confidence))
    shape = draws * min(mean**2 / variance, SHAPE)
    freedom = 2.0 * shape * (float(ndtri(0.5 + 0.5 * confidence)) / quantile) ** 2
    tails = np.array([0.5 - 0.5 * confidence, 0.5 + 0.5 * confidence])
    low, high = freedom / np.maximum(chdtri(freedom, tails), np.finfo(float).tiny) - 1.0
    scale = float(np.sqrt(shape * variance / draws))
    return Estimate(mean, max(0.0, mean + scale * float(low)), mean + scale * float(high))


def gamma_variance(values: Array) -> float:
    """Variance of independent gamma variables by their logarithms: 1 / shape ~ 2 (log mean - mean log) n / (n - 1)."""
    mean = float(values.mean())
    return 2.0 * mean**2 * float(np.log(mean) - np.log(values).mean()) * len(values) / (len(values) - 1)

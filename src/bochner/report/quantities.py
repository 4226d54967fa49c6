"""The lines of an error report: each measured error beside what theory expects and promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from ..kernels import RadialKernel, ShiftInvariantKernel
from ..kernels.changed_rows import unchanged
from ..maps import FeatureMap, FourierFeatures
from ..maps.measure import Pairs, all_pairs
from ..theory import pointwise_bound
from .gram_error import GramSample
from .intervals import Array, Estimate, middle_of_draws
from .predictions import NoPrediction, Prediction, predict
from .redraws import PairSample

QUANTILES = {"median": 0.5, "90 % quantile": 0.9, "99 % quantile": 0.99}
BEYOND = 2  # pairs of a sample that must lie beyond a quantile, or it cannot tell where that is


@dataclass(frozen=True)
class Quantity:
    """One line of a report: an error in the middle draw, what theory expects of it over all draws, and a bound."""

    name: str
    measured: Estimate
    predicted: float | None = None
    bound: float | None = None


def kernel_quantities(
    errors: Array, sample: PairSample, prediction: Prediction | NoPrediction, confidence: float
) -> list[Quantity]:
    """Bias, root mean square, quantiles and maximum of the errors (draws x pairs) of kernel values.

    Each is a number of one draw over the pairs at hand, of which the report has the median over draws: half of the
    draws have a larger one. So its interval is exact for any map, however heavy the tails of its errors are, and speaks
    of the pairs that the predictions speak of. Quantiles that hardly any pair of a sample lies beyond are left out.

    Theory predicts the mean over draws of the error and of its square, and quantiles as those of a normal error of the
    predicted variance. By Markov's inequality half of the draws have a mean square below twice its mean.
    """
    size, squares = np.abs(errors), np.mean(errors**2, axis=1)
    bias = root = bound = None
    if isinstance(prediction, Prediction):
        bias, root = float(prediction.bias.mean()), float(np.sqrt(prediction.mean_square))
        bound = float(np.sqrt(2.0)) * root
    lines = [
        Quantity("bias", middle_of_draws(errors.mean(axis=1), confidence), bias),
        Quantity("root mean square", middle_of_draws(np.sqrt(squares), confidence), root, bound),
    ]
    for name, level in QUANTILES.items():
        if not sample.census and (1.0 - level) * errors.shape[1] < BEYOND:
            continue
        measured = middle_of_draws(np.quantile(size, level, axis=1), confidence)
        expected = normal_quantile(prediction, level) if isinstance(prediction, Prediction) else None
        lines.append(Quantity(name, measured, expected))
    lines.append(Quantity("maximum", middle_of_draws(size.max(axis=1), confidence)))
    return lines


def normal_quantile(prediction: Prediction, level: float) -> float:
    """The quantile of |error| over pairs whose errors are normal with the predicted bias and variance."""
    spread = np.sqrt(prediction.variance) + 1e-300
    high = float(np.max(np.abs(prediction.bias) + 10.0 * spread))

    def excess(value: float) -> float:
        inside = norm.cdf((value - prediction.bias) / spread) - norm.cdf((-value - prediction.bias) / spread)
        return float(np.mean(inside)) - level

    return float(brentq(excess, 0.0, high)) if high > 1e-290 else 0.0


def largest_error_bound(fitted: FeatureMap, n_pairs: int, delta: float) -> float | None:
    """An error that none of n pairs exceeds with probability 1 - delta (union bound), for independent frequencies."""
    kernel = unchanged(fitted.kernel_)
    if not (isinstance(fitted, FourierFeatures) and isinstance(kernel, ShiftInvariantKernel)):
        return None
    embedding = fitted.embedding
    independent = fitted.directions == "iid" or (fitted.directions == "auto" and not isinstance(kernel, RadialKernel))
    if not independent or embedding == "complex" or fitted.weights != "equal":
        return None

    def excess(eps: float) -> float:
        bound = pointwise_bound(
            kernel,
            eps=eps,
            n_components=fitted.n_components_,
            embedding=embedding,
            method="sub-gaussian",
        )
        return float(np.log(max(bound, 1e-300) * n_pairs / delta))

    return float(brentq(excess, 1e-9, 1.0 - 1e-9)) if excess(1.0 - 1e-9) < 0 else None


def gram_quantities(norms: Array, gram: GramSample, fitted: FeatureMap, rows: Any, confidence: float) -> list[Quantity]:
    """Errors of the Gram matrix of the rows at hand, from its spectral errors (draws x 2): medians over draws.

    The expected squared Frobenius norm is the sum of the variances of all entries. By Markov's inequality half of the
    draws have a spectral norm below the root of twice that, and a ridge norm below it divided by a.
    """
    bound = _frobenius(gram, fitted, rows)
    spectral, ridge = middle_of_draws(norms[:, 0], confidence), middle_of_draws(norms[:, 1], confidence)
    relative = spectral.times(1.0 / gram.size)
    return [
        Quantity("Gram, spectral norm", spectral, bound=bound),
        Quantity("Gram, relative to ||K||", relative, bound=None if bound is None else bound / gram.size),
        Quantity("Gram, ridge norm", ridge, bound=None if bound is None else bound / gram.ridge),
    ]


def _frobenius(gram: GramSample, fitted: FeatureMap, rows: Any) -> float | None:
    """The root of twice the expected squared Frobenius norm."""
    off, on = predict(fitted, rows, all_pairs(gram.rows)), predict(fitted, rows, Pairs(gram.rows, gram.rows))
    if isinstance(off, NoPrediction) or isinstance(on, NoPrediction):
        return None
    squares = [part.variance + part.bias**2 for part in (off, on)]
    return float(np.sqrt(2.0 * (2.0 * squares[0].sum() + squares[1].sum())))

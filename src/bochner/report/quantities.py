"""The lines of an error report: each measured error beside what theory expects and promises."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm

from ..kernels import RadialKernel, ShiftInvariantKernel
from ..maps import FeatureMap, FourierFeatures
from ..maps.measure import Pairs, all_pairs
from ..theory import pointwise_bound
from .gram import GramSample
from .intervals import Array, Estimate, crossed, grouped, over_draws
from .predictions import NoPrediction, Prediction, predict
from .redraws import Sample

QUANTILES = {"median": 0.5, "90 % quantile": 0.9, "99 % quantile": 0.99}


@dataclass(frozen=True)
class Quantity:
    """One line of a report: a measured error, what theory expects of it, and what it promises not to be exceeded."""

    name: str
    measured: Estimate
    predicted: float | None = None
    bound: float | None = None


def kernel_quantities(
    errors: Array, sample: Sample, prediction: Prediction | NoPrediction, confidence: float
) -> list[Quantity]:
    """Bias, root mean square, quantiles and maximum of the errors (draws x pairs) of kernel values.

    Quantiles and the maximum are those of one draw, averaged over draws; the maximum is over the pairs at hand. Theory
    predicts mean and mean square exactly, and quantiles as those of a normal error of the predicted variance.
    """
    groups = grouped(errors.shape[1])
    size = np.abs(errors)

    def per_group(statistic: Any) -> Array:
        return np.stack([statistic(size[:, part]) for part in groups], axis=1)

    means = np.stack([errors[:, part].mean(axis=1) for part in groups], axis=1)
    squares = per_group(lambda part: np.mean(part**2, axis=1))
    lines = [
        Quantity(
            "bias",
            crossed(means, confidence, census=sample.census),
            float(prediction.bias.mean()) if isinstance(prediction, Prediction) else None,
        ),
        Quantity(
            "root mean square",
            crossed(squares, confidence, census=sample.census, positive=True).root(),
            float(np.sqrt(prediction.mean_square)) if isinstance(prediction, Prediction) else None,
        ),
    ]
    for name, level in QUANTILES.items():
        spread = crossed(
            per_group(lambda part, level=level: np.quantile(part, level, axis=1)), confidence, census=sample.census
        )
        whole = float(np.quantile(size, level, axis=1).mean())
        moved = Estimate(whole, whole - (spread.value - spread.low), whole + (spread.high - spread.value))
        expected = normal_quantile(prediction, level) if isinstance(prediction, Prediction) else None
        lines.append(Quantity(name, moved, expected))
    lines.append(Quantity("maximum", over_draws(size.max(axis=1), confidence)))
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
    if not (isinstance(fitted, FourierFeatures) and isinstance(fitted.kernel_, ShiftInvariantKernel)):
        return None
    independent = fitted.directions == "iid" or (
        fitted.directions == "auto" and not isinstance(fitted.kernel_, RadialKernel)
    )
    if not independent:
        return None

    def excess(eps: float) -> float:
        bound = pointwise_bound(
            fitted.kernel_,
            eps=eps,
            n_components=fitted.n_components_,
            embedding=fitted.embedding,
            method="sub-gaussian",
        )
        return float(np.log(max(bound, 1e-300) * n_pairs / delta))

    return float(brentq(excess, 1e-9, 1.0 - 1e-9)) if excess(1.0 - 1e-9) < 0 else None


def gram_quantities(norms: Array, gram: GramSample, fitted: FeatureMap, rows: Any, confidence: float) -> list[Quantity]:
    """Errors of the Gram matrix, from its spectral errors (draws x 2).

    Theory's bound on the spectral norm is the root of the expected squared Frobenius norm, the sum of the variances of
    all entries; divided by a it bounds the ridge norm.
    """
    bound = _frobenius(gram, fitted, rows)
    spectral, ridge = over_draws(norms[:, 0], confidence), over_draws(norms[:, 1], confidence)
    relative = Estimate(*(part / gram.size for part in (spectral.value, spectral.low, spectral.high)))
    return [
        Quantity("Gram, spectral norm", spectral, bound=bound),
        Quantity("Gram, relative to ||K||", relative, bound=None if bound is None else bound / gram.size),
        Quantity("Gram, ridge norm", ridge, bound=None if bound is None else bound / gram.ridge),
    ]


def _frobenius(gram: GramSample, fitted: FeatureMap, rows: Any) -> float | None:
    off, on = predict(fitted, rows, all_pairs(gram.rows)), predict(fitted, rows, Pairs(gram.rows, gram.rows))
    if isinstance(off, NoPrediction) or isinstance(on, NoPrediction):
        return None
    squares = [part.variance + part.bias**2 for part in (off, on)]
    return float(np.sqrt(2.0 * squares[0].sum() + squares[1].sum()))

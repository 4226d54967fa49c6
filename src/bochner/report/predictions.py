"""The theory's prediction for a fitted map: mean and variance of z(x)'z(y) at given pairs, where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from .. import theory
from ..kernels import BinningKernel, Kernel, Laplace, RadialKernel, ShiftInvariantKernel
from ..kernels.changed_rows import ChangedRows, behind, unchanged
from ..kernels.homogeneous import HomogeneousKernel
from ..kernels.inner_product import InnerProduct
from ..kernels.polynomial import Polynomial
from ..kernels.power_series import PowerSeriesKernel
from ..maps import AdditiveFeatures, BinningFeatures, FeatureMap, FourierFeatures, MaclaurinFeatures, TensorSketch
from ..maps.binned import BinningFunction
from ..maps.changed_rows import behind_changes
from ..maps.degrees import Series, geometric_law, optimal_law, proportional_law, truncated_series
from ..maps.directions import FEWEST_HADAMARD, padded
from ..maps.factors import law_for
from ..maps.features import ConcatenatedFeatures
from ..maps.maclaurin import random_pairs
from ..maps.measure import Pairs, dense_parts, exact_values
from ..maps.products import GuardedFeatures, LinearFunction
from .projections import projected_pairs

Array = np.ndarray


@dataclass(frozen=True)
class Prediction:
    """What theory says of each pair: Var z(x)'z(y) and E z(x)'z(y) - k(x, y)."""

    variance: Array
    bias: Array

    @property
    def mean_square(self) -> float:
        """The expected mean square error over the pairs."""
        return float(np.mean(self.variance + self.bias**2))

    def scaled(self, weight: float) -> Prediction:
        """The prediction for weight times the kernel."""
        return Prediction(weight**2 * self.variance, weight * self.bias)


@dataclass(frozen=True)
class NoPrediction:
    """Why theory predicts nothing for this map and kernel: mostly because it has no closed form."""

    reason: str


def predict(fitted: FeatureMap, rows: Any, pairs: Pairs) -> Prediction | NoPrediction:
    """Mean and variance at each pair, where both are finite numbers: anything else is no prediction."""
    with np.errstate(over="ignore", invalid="ignore"):
        found = _predict(fitted, rows, pairs)
    if isinstance(found, NoPrediction):
        return found
    wrong = ~np.isfinite(found.variance + found.bias)
    if not wrong.any():
        return found
    return NoPrediction(
        f"the predicted variance is not a finite number at {np.count_nonzero(wrong)} of {len(wrong)} pairs of rows; "
        "look for rows far from the others"
    )


def _predict(fitted: FeatureMap, rows: Any, pairs: Pairs) -> Prediction | NoPrediction:
    """Sums of kernels term by term, for their features are independent."""
    kernel, features = fitted.kernel_, fitted.features_
    if isinstance(unchanged(kernel), fitted.needs):
        return _predict_term(fitted, kernel, features, fitted.n_draws_, rows, pairs)
    total: Prediction | None = None
    for (weight, term), (part, width) in zip(kernel.terms(), _parts(fitted)):
        found = _predict_term(fitted, term, part, width, rows, pairs)
        if isinstance(found, NoPrediction):
            return found
        found = found.scaled(weight)
        total = found if total is None else Prediction(total.variance + found.variance, total.bias + found.bias)
    return total if total is not None else NoPrediction("the kernel has no terms")


def _parts(fitted: FeatureMap) -> list[tuple[Any, int]]:
    """The features of each term of a sum and the width they were drawn with."""
    features: Any = behind_changes(fitted.features_)
    if isinstance(fitted, BinningFeatures):
        return [(coder, len(coder.sizes)) for coder in features.coders]
    return [(part, part.n_components) for part in features.parts]


def _predict_term(
    fitted: FeatureMap, kernel: Kernel, features: Any, width: int, rows: Any, pairs: Pairs
) -> Prediction | NoPrediction:
    if isinstance(kernel, ChangedRows):
        inner, rows = behind(kernel, rows)
        return _predict_term(fitted, inner, behind_changes(features), width, rows, projected_pairs(kernel, pairs))
    if isinstance(fitted, FourierFeatures) and isinstance(kernel, ShiftInvariantKernel):
        return _fourier(fitted, kernel, width, pairs)
    if isinstance(fitted, BinningFeatures) and isinstance(kernel, BinningKernel):
        return _binning(fitted, kernel, features, width, pairs)
    if isinstance(fitted, MaclaurinFeatures) and isinstance(kernel, PowerSeriesKernel):
        return _maclaurin(fitted, kernel, features, rows, pairs)
    if isinstance(fitted, TensorSketch) and isinstance(kernel, Polynomial):
        return _tensor_sketch(kernel, width, pairs)
    if isinstance(fitted, AdditiveFeatures) and isinstance(kernel, HomogeneousKernel):
        return _additive(fitted, kernel, pairs)
    return NoPrediction(f"the error of {type(fitted).__name__} has no closed form")


def _fourier(
    fitted: FourierFeatures, kernel: ShiftInvariantKernel, width: int, pairs: Pairs
) -> Prediction | NoPrediction:
    if fitted.embedding == "complex":
        return NoPrediction("complex features have two errors, of which bo.theory.complex_variance knows the variances")
    directions = fitted.directions
    if directions == "auto":
        directions = "orthogonal" if isinstance(kernel, RadialKernel) else "iid"
    if directions == "hadamard" and padded(pairs.left.shape[1]) < FEWEST_HADAMARD:
        directions = "orthogonal"
    if directions not in ("iid", "orthogonal"):
        return NoPrediction(f"directions={directions!r} have no closed form")
    parts = [
        theory.variance(kernel, x - y, width, embedding=fitted.embedding, directions=directions)
        for x, y in dense_parts(pairs)
    ]
    return unbiased(np.concatenate(parts))


def _binning(
    fitted: BinningFeatures, kernel: Kernel, features: Any, width: int, pairs: Pairs
) -> Prediction | NoPrediction:
    exact, gain = exact_values(kernel, pairs), np.zeros(pairs.n_pairs)
    if fitted.pitches == "stratified":
        if not isinstance(kernel, Laplace):
            return NoPrediction(f"stratified pitches have a closed form for Laplace only, not {type(kernel).__name__}")
        gain = np.concatenate([theory.stratification_gain(kernel, x - y) for x, y in dense_parts(pairs)])
    if fitted.hashing == "exact":
        return unbiased(theory.binning_variance(exact, width, gain=gain))
    coders = features.coders if isinstance(features, BinningFunction) else (features,)
    buckets = max(1, round(float(np.mean(np.concatenate([coder.sizes for coder in coders])))))
    mean = theory.binning_mean(exact, hashing=fitted.hashing, n_buckets=buckets)
    variance = theory.binning_variance(exact, width, hashing=fitted.hashing, n_buckets=buckets, gain=gain)
    return Prediction(variance, mean - exact)


def _maclaurin(
    fitted: MaclaurinFeatures, kernel: PowerSeriesKernel, features: Any, rows: Any, pairs: Pairs
) -> Prediction | NoPrediction:
    if not isinstance(kernel.base, InnerProduct):
        return NoPrediction(f"Maclaurin features of {type(kernel).__name__} have no closed form here")
    inner = features.inner if isinstance(features, GuardedFeatures) else features
    if isinstance(inner, LinearFunction):
        return unbiased(np.zeros(pairs.n_pairs))
    exact = inner.parts[0].n_components if isinstance(inner, ConcatenatedFeatures) else 0
    start = 2 if fitted.h01 else 1 if exact else 0
    series = truncated_series(kernel, rows, fitted.max_degree)
    n_random = features.n_components - exact
    law = _degree_law(fitted, kernel, series, start, n_random, rows)
    parts = [
        theory.maclaurin_variance(
            series.coefficients,
            law,
            x,
            y,
            n_random,
            projection=fitted.projection,
            start=start,
            allocation=fitted.allocation,
        )
        for x, y in dense_parts(pairs)
    ]
    return unbiased(np.concatenate(parts))


def _degree_law(
    fitted: MaclaurinFeatures, kernel: PowerSeriesKernel, series: Series, start: int, n_random: int, rows: Any
) -> Array:
    """The law of the degrees; "optimal" from pairs of rows of its own, which makes little difference."""
    if fitted.degrees == "geometric":
        return geometric_law(series, start, fitted.p)
    if fitted.degrees == "proportional":
        return proportional_law(series, start)
    x, y = random_pairs(rows, np.random.default_rng(0))
    moments = law_for(kernel.base, fitted.projection).moments(x, y, fitted.projection == "complex")
    within = 1.0 - 1.0 / n_random if fitted.allocation == "stratified" else 0.0
    return optimal_law(series, start, moments, kernel.base.rowwise(x, y), within)


def _tensor_sketch(kernel: Polynomial, width: int, pairs: Pairs) -> Prediction:
    degree, offset, scale = kernel.checked()
    parts = [
        theory.tensor_sketch_variance(x, y, degree=degree, n_components=width, offset=offset, scale=scale)
        for x, y in dense_parts(pairs)
    ]
    return unbiased(np.concatenate(parts))


def _additive(fitted: AdditiveFeatures, kernel: HomogeneousKernel, pairs: Pairs) -> Prediction | NoPrediction:
    """Random sampling: sum_j x_j y_j [(1 + K(2o))/2 - K(o)²] / order, o = log(y_j / x_j); zeros are exact."""
    if fitted.sampling != "random":
        return NoPrediction("regular sampling is not random, and its error has no closed form")
    parts = []
    for x, y in dense_parts(pairs):
        both = (x > 0) & (y > 0)
        ratio = np.log(np.where(both, y, 1.0) / np.where(both, x, 1.0))
        spread = 0.5 * (1.0 + kernel.signature(2.0 * ratio)) - kernel.signature(ratio) ** 2
        parts.append(np.sum(np.where(both, x * y * spread, 0.0), axis=1) / fitted.order)
    return unbiased(np.concatenate(parts))


def unbiased(variance: Array) -> Prediction:
    """The prediction for a map whose mean is the kernel."""
    return Prediction(variance, np.zeros_like(variance))

"""The theory's prediction for a fitted map: mean and variance of z(x)'z(y) at given pairs, where they are known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from .. import theory
from ..kernels import Kernel, Laplace, RadialKernel
from ..kernels.changed_rows import unchanged
from ..kernels.inner_product import InnerProduct
from ..kernels.power_series import PowerSeriesKernel
from ..maps import (
    AdditiveFeatures,
    BinningFeatures,
    FeatureMap,
    FourierFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)
from ..maps.binned import BinningFunction
from ..maps.changed_rows import behind_changes
from ..maps.degrees import Series, geometric_law, optimal_law, proportional_law, truncated_series
from ..maps.directions import FEWEST_HADAMARD, padded
from ..maps.factor_laws import law_for
from ..maps.features import ConcatenatedFeatures
from ..maps.maclaurin import random_pairs
from ..maps.measure import Pairs, dense_parts, exact_values
from ..maps.products import GuardedFeatures, LinearFunction
from .seen import seen_pairs

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
    if fitted.draws(unchanged(kernel)):
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


@dataclass(frozen=True)
class Drawn:
    """Features of one kernel of length scale 1, their width, and rows and pairs as the kernel sees them."""

    kernel: Any
    features: Any
    width: int
    rows: Any
    pairs: Pairs


def _predict_term(
    fitted: FeatureMap, kernel: Kernel, features: Any, width: int, rows: Any, pairs: Pairs
) -> Prediction | NoPrediction:
    kernel, rows, pairs = seen_pairs(kernel, rows, pairs)
    return predicted(fitted, Drawn(kernel, behind_changes(features), width, rows, pairs))


NO_FORM: dict[type[FeatureMap], str] = {
    NystroemFeatures: "the error of Nystroem features depends on all rows, and has no closed form",
}


@singledispatch
def predicted(fitted: Any, drawn: Drawn) -> Prediction | NoPrediction:  # noqa: ARG001
    """What theory says of a kind of map; of those in ``NO_FORM`` nothing, with the reason."""
    return NoPrediction(NO_FORM.get(type(fitted), f"the error of {type(fitted).__name__} has no closed form"))


@predicted.register
def _(fitted: FourierFeatures, drawn: Drawn) -> Prediction | NoPrediction:
    """The variance for the shift-invariant part of the kernel, times k(x, x) k(y, y)."""
    if fitted.weights != "equal":
        return NoPrediction("fitted weights have no closed form")
    term, kernel = drawn.kernel, drawn.kernel.shift_invariant()
    if fitted.embedding == "complex":
        return NoPrediction("complex features have two errors, of which bo.theory.complex_variance knows the variances")
    directions, pairs = fitted.directions, drawn.pairs
    if directions == "auto":
        directions = "orthogonal" if isinstance(kernel, RadialKernel) else "iid"
    if directions == "hadamard" and padded(pairs.left.shape[1]) < FEWEST_HADAMARD:
        directions = "orthogonal"
    if directions not in ("iid", "orthogonal"):
        return NoPrediction(f"directions={directions!r} have no closed form")
    parts = [
        term.diagonal(x)
        * term.diagonal(y)
        * theory.variance(kernel, x - y, drawn.width, embedding=fitted.embedding, directions=directions)
        for x, y in dense_parts(pairs)
    ]
    return unbiased(np.concatenate(parts))


@predicted.register
def _(fitted: BinningFeatures, drawn: Drawn) -> Prediction | NoPrediction:
    kernel, pairs, width = drawn.kernel, drawn.pairs, drawn.width
    exact, gain = exact_values(kernel, pairs), np.zeros(pairs.n_pairs)
    if fitted.pitches == "stratified":
        if not isinstance(kernel, Laplace):
            return NoPrediction(f"stratified pitches have a closed form for Laplace only, not {type(kernel).__name__}")
        gain = np.concatenate([theory.stratification_gain(kernel, x - y) for x, y in dense_parts(pairs)])
    if fitted.hashing == "exact":
        return unbiased(theory.binning_variance(exact, width, gain=gain))
    coders = drawn.features.coders if isinstance(drawn.features, BinningFunction) else (drawn.features,)
    buckets = max(1, round(float(np.mean(np.concatenate([coder.sizes for coder in coders])))))
    mean = theory.binning_mean(exact, hashing=fitted.hashing, n_buckets=buckets)
    variance = theory.binning_variance(exact, width, hashing=fitted.hashing, n_buckets=buckets, gain=gain)
    return Prediction(variance, mean - exact)


@predicted.register
def _(fitted: MaclaurinFeatures, drawn: Drawn) -> Prediction | NoPrediction:
    kernel, features, rows, pairs = drawn.kernel, drawn.features, drawn.rows, drawn.pairs
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


@predicted.register
def _(fitted: TensorSketch, drawn: Drawn) -> Prediction:  # noqa: ARG001
    degree, offset, scale = drawn.kernel.checked()
    parts = [
        theory.tensor_sketch_variance(x, y, degree=degree, n_components=drawn.width, offset=offset, scale=scale)
        for x, y in dense_parts(drawn.pairs)
    ]
    return unbiased(np.concatenate(parts))


@predicted.register
def _(fitted: AdditiveFeatures, drawn: Drawn) -> Prediction | NoPrediction:
    """Random sampling: sum_j (x_j y_j)^{2a} [(1 + K(2o))/2 - K(o)²] / order, o = log(y_j / x_j); zeros are exact."""
    if fitted.sampling != "random":
        return NoPrediction("regular sampling is not random, and its error has no closed form")
    parts, kernel = [], drawn.kernel
    for x, y in dense_parts(drawn.pairs):
        both = (x > 0) & (y > 0)
        ratio = np.log(np.where(both, y, 1.0) / np.where(both, x, 1.0))
        spread = 0.5 * (1.0 + kernel.signature_at(2.0 * ratio)) - kernel.signature_at(ratio) ** 2
        parts.append(
            np.sum(np.where(both, (x * y) ** (2.0 * kernel.checked_exponent()) * spread, 0.0), axis=1) / fitted.order
        )
    return unbiased(np.concatenate(parts))


def unbiased(variance: Array) -> Prediction:
    """The prediction for a map whose mean is the kernel."""
    return Prediction(variance, np.zeros_like(variance))

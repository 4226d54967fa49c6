"""Consistency of projections and features: every index in range, every length the one that the next step expects."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels import Columns, Metric, Scaling
from ...kernels.changed_rows import Change
from ...kernels.soft_tails import SoftColumns
from ...maps import Features
from ...maps.amplified import ExponentialFeatures
from ...maps.changed_rows import ChangedCodes, ChangedFeatures
from ...maps.features import ConcatenatedFeatures, DenseFeatures
from ...maps.fourier import ComplexFourierFunction, FourierFunction
from ...maps.frequency_weights import WeightedFeatures
from ...maps.projections import DenseProjection, FastfoodProjection, HadamardProjection, Projection
from .base import FLOATS, array, check, count, number, part, require


def feature_dtype(features: Any) -> np.dtype:
    """The precision of features, single or double."""
    dtype = part(features, "dtype", np.dtype)
    require(dtype in FLOATS, features, "dtype")
    return dtype


def columns_of(projection: Projection) -> int:
    """Columns of the data that a (checked) projection takes."""
    if isinstance(projection, DenseProjection):
        return projection.matrix.shape[0]
    return len(vars(projection)["inverse_scales"])


def precision_of(projection: Projection) -> np.dtype:
    """Precision in which a (checked) projection works."""
    return vars(projection)["matrix" if isinstance(projection, DenseProjection) else "scales"].dtype


@check.register
def _(projection: DenseProjection) -> None:
    matrix = array(projection, "matrix", (None, count(projection, "n_frequencies")))
    require(matrix.flags.c_contiguous, projection, "matrix")


@check.register
def _(projection: HadamardProjection) -> None:
    signs = array(projection, "signs", (None, 3, None))
    _check_blocks(projection, signs.dtype, signs.shape[0], signs.shape[2])
    require(bool((np.abs(signs) == 1).all()), projection, "signs")


@check.register
def _(projection: FastfoodProjection) -> None:
    signs = array(projection, "signs", (None, None))
    _check_blocks(projection, signs.dtype, *signs.shape)
    require(bool((np.abs(signs) == 1).all()), projection, "signs")
    array(projection, "gaussians", signs.shape, (signs.dtype,))
    permutations = array(projection, "permutations", signs.shape, (np.dtype(np.int64),))
    identity = np.broadcast_to(np.arange(signs.shape[1]), signs.shape)
    require(bool((np.sort(permutations, axis=1) == identity).all()), projection, "permutations")


def _check_blocks(projection: Projection, dtype: np.dtype, n_blocks: int, width: int) -> None:
    """Blocks of a power of two, wide enough for the data, as many as the frequencies need."""
    n_frequencies = count(projection, "n_frequencies")
    require(width >= 1 and width & (width - 1) == 0 and n_frequencies <= n_blocks * width, projection, "signs")
    array(projection, "scales", (n_frequencies,), (dtype,))
    inverse_scales = array(projection, "inverse_scales", (None,), (dtype,))
    require(1 <= len(inverse_scales) <= width, projection, "inverse_scales")


@check.register
def _(features: FourierFunction) -> None:
    dtype = feature_dtype(features)
    projection = part(features, "projection", Projection)
    require(columns_of(projection) == count(features, "n_features_in"), features, "n_features_in")
    require(precision_of(projection) == dtype, features, "projection")
    phases = array(features, "phases", (None,), (dtype,))
    n_pairs = count(features, "n_pairs", least=0)
    require(projection.n_frequencies == n_pairs + len(phases), features, "phases")
    require(count(features, "n_components") == 2 * n_pairs + len(phases), features, "n_components")


@check.register
def _(features: ComplexFourierFunction) -> None:
    pairs = part(features, "pairs", FourierFunction)
    require(pairs.dtype == feature_dtype(features) and len(pairs.phases) == 0, features, "pairs")
    require(pairs.n_features_in == count(features, "n_features_in"), features, "n_features_in")
    require(pairs.n_pairs == count(features, "n_components"), features, "n_components")


@check.register
def _(features: WeightedFeatures) -> None:
    inner = part(features, "inner", FourierFunction)
    require(feature_dtype(features) == inner.dtype, features, "dtype")
    array(features, "scales", (count(features, "n_components"),), (inner.dtype,))
    for name in ("n_features_in", "n_components"):
        require(count(features, name) == vars(inner)[name], features, name)


@check.register
def _(features: ExponentialFeatures) -> None:
    inner = part(features, "inner", FourierFunction | ComplexFourierFunction | WeightedFeatures)
    require(feature_dtype(features) == inner.dtype, features, "dtype")
    number(features, "rate", least=0.0)
    for name in ("n_features_in", "n_components"):
        require(count(features, name) == vars(inner)[name], features, name)


@check.register
def _(features: ConcatenatedFeatures) -> None:
    dtype, columns = feature_dtype(features), count(features, "n_features_in")
    parts, weights = part(features, "parts", tuple), part(features, "weights", tuple)
    require(len(parts) == len(weights) >= 1, features, "weights")
    for weight, piece in zip(weights, parts):
        require(isinstance(weight, float) and 0 < weight < np.inf, features, "weights")
        require(isinstance(piece, Features), features, "parts")
        require(piece.dtype == dtype and piece.n_features_in == columns, features, "parts")
        require(piece.output_dtype == parts[0].output_dtype, features, "parts")
    require(count(features, "n_components") == sum(piece.n_components for piece in parts), features, "n_components")


@check.register(ChangedFeatures)
@check.register(ChangedCodes)
def _(features: ChangedFeatures | ChangedCodes) -> None:
    """The width and precision of the inner features are those of the whole."""
    change, dense = part(features, "change", Change), isinstance(features, ChangedFeatures)
    inner: Features = part(features, "inner", DenseFeatures if dense else Features)
    require(dense or not isinstance(inner, DenseFeatures), features, "inner")
    require(change.n_columns == count(features, "n_features_in"), features, "n_features_in")
    require(change.n_directions == inner.n_features_in, features, "change")
    require(feature_dtype(features) == inner.dtype, features, "dtype")
    require(count(features, "n_components") == inner.n_components, features, "n_components")


DOUBLE = (np.dtype(np.float64),)


@check.register
def _(change: SoftColumns) -> None:
    centre = array(change, "centre", (None,), DOUBLE)
    require(bool((array(change, "spread", centre.shape, DOUBLE) > 0).all()), change, "spread")


@check.register
def _(change: Columns) -> None:
    scales = part(change, "scales", np.ndarray)
    require(scales.ndim == 1 and scales.dtype == np.float64 and bool((scales > 0).all()), change, "scales")
    _check_origin(change, len(scales))


@check.register
def _(change: Metric) -> None:
    matrix = array(change, "matrix", (None, None), DOUBLE)
    require(matrix.size > 0, change, "matrix")
    _check_origin(change, matrix.shape[1])


def _check_origin(change: Scaling, n_columns: int) -> None:
    if vars(change).get("origin") is not None:
        array(change, "origin", (n_columns,), DOUBLE)

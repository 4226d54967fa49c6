"""Consistency of features that are products of random factors."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...kernels.power_series import PowerSeriesKernel
from ...maps import Features
from ...maps.factor_laws import Activation, Factor, Rectifiers, ShiftedCosines
from ...maps.features import DenseFeatures
from ...maps.inner_map import NestedFeatures
from ...maps.products import DirectionFeatures, GuardedFeatures, LinearFunction, ProductFunction
from .base import FLOATS, array, check, columns, count, number, part, require
from .features import feature_dtype
from .kernels import used_kernel


@check.register
def _(factor: Factor) -> None:
    width = 2 * count(factor, "n_pairs", least=0) + count(factor, "n_singles", least=0)
    matrix = array(factor, "matrix", (None, width))
    activation = part(factor, "activation", Activation)
    if isinstance(activation, ShiftedCosines):
        array(activation, "phases", (width,), (matrix.dtype,))
    if isinstance(activation, ShiftedCosines | Rectifiers):
        array(activation, "scales", (width,), (matrix.dtype,))
    if isinstance(activation, Rectifiers):
        require(vars(activation).get("order") in (0, 1), activation, "order")


@check.register
def _(features: ProductFunction) -> None:
    dtype, dim = feature_dtype(features), columns(features, shown=bool(vars(features).get("batches")))
    n_pairs, n_singles = count(features, "n_pairs", least=0), count(features, "n_singles", least=0)
    require(count(features, "n_components") == 2 * n_pairs + n_singles, features, "n_components")
    array(features, "pair_constants", (n_pairs,), (dtype,))
    array(features, "single_constants", (n_singles,), (dtype,))
    widest = (n_pairs, n_singles)
    for batch in part(features, "batches", list):
        require(isinstance(batch, tuple) and len(batch) == 2, features, "batches")
        matrix, factors = batch
        require(isinstance(factors, tuple) and len(factors) > 0, features, "batches")
        require(all(isinstance(factor, Factor) for factor in factors), features, "batches")
        require(isinstance(matrix, np.ndarray) and matrix.dtype == dtype, features, "batches")
        require(matrix.shape == (dim, sum(factor.width for factor in factors)), features, "batches")
        joined = np.concatenate([factor.matrix for factor in factors], axis=1)  # no larger than the stored one
        require(joined.dtype == dtype and np.array_equal(matrix, joined), features, "batches")
        for factor in factors:
            narrower = factor.n_pairs <= widest[0] and factor.n_singles <= widest[1]
            require(narrower and factor.width > 0, features, "batches")
            widest = (factor.n_pairs, factor.n_singles)


@check.register
def _(features: LinearFunction) -> None:
    feature_dtype(features)
    dim = columns(features, shown=False)
    constant, slope = number(features, "constant", least=0.0), number(features, "slope", least=0.0)
    expected = (constant > 0) + (dim if slope > 0 else 0)
    require(count(features, "n_components") == expected, features, "n_components")


@check.register(DirectionFeatures)
@check.register(GuardedFeatures)
def _(features: Any) -> None:
    used_kernel(features, PowerSeriesKernel)
    inner = part(features, "inner", DenseFeatures)
    require(feature_dtype(features) == inner.dtype and inner.dtype in FLOATS, features, "dtype")
    for name in ("n_features_in", "n_components"):
        require(count(features, name) == vars(inner)[name], features, name)


@check.register
def _(features: NestedFeatures) -> None:
    inner, outer = part(features, "inner", Features), part(features, "outer", DenseFeatures)
    require(feature_dtype(features) == outer.dtype == inner.output_dtype, features, "dtype")
    require(outer.n_features_in == inner.n_components, features, "outer")
    require(count(features, "n_components") == outer.n_components, features, "n_components")
    require(count(features, "n_features_in") == inner.n_features_in, features, "n_features_in")

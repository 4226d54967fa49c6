"""Consistency of additive and of Nystroem features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from ...maps.additive import AdditiveFunction
from ...maps.nystroem import KernelValues, NystroemFunction
from ..sparse import kind_of
from .base import FLOATS, array, check, columns, count, number, require
from .features import feature_dtype
from .kernels import used_kernel

DOUBLE = (np.dtype(np.float64),)


@check.register
def _(features: AdditiveFunction) -> None:
    dtype = feature_dtype(features)
    weights = array(features, "weights", (None,), DOUBLE)
    require(bool((weights >= 0).all()), features, "weights")
    number(features, "exponent", least=0.0)
    dim = columns(features, shown=len(weights) > 0)
    frequencies = array(features, "frequencies", (len(weights), dim), DOUBLE)
    turns = array(features, "turns", (len(weights), dim), (dtype,))
    require(np.array_equal(turns, (frequencies / (2.0 * np.pi)).astype(dtype)), features, "turns")
    groups = (number(features, "constant", least=0.0) > 0) + 2 * len(weights)
    require(count(features, "n_components") == groups * dim, features, "n_components")


@check.register
def _(features: NystroemFunction) -> None:
    feature_dtype(features)
    n_landmarks = used_landmarks(features)
    array(features, "weights", (n_landmarks, n_landmarks), FLOATS)


@check.register
def _(features: KernelValues) -> None:
    feature_dtype(features)
    used_landmarks(features)


def used_landmarks(features: NystroemFunction | KernelValues) -> int:
    """The number of landmarks, which are rows that the kernel can take."""
    used_kernel(features)
    shape = count(features, "n_components"), count(features, "n_features_in")
    if has_sparse_landmarks(features):
        require(features.landmarks.shape == shape and features.landmarks.dtype in FLOATS, features, "landmarks")
        require(bool(np.isfinite(features.landmarks.data).all()), features, "landmarks")
    else:
        array(features, "landmarks", shape)
    return shape[0]


def has_sparse_landmarks(item: object) -> bool:
    """Whether rows may be wider than anything in the file, so that a dense one must not be made."""
    return (
        isinstance(item, NystroemFunction | KernelValues)
        and sp.issparse(item.landmarks)
        and kind_of(item.landmarks) is not None
    )

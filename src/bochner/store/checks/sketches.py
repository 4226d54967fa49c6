"""Consistency of TensorSketch."""

from __future__ import annotations

import numpy as np

from ...maps.tensor_sketch import SketchFunction
from .base import array, check, count, require
from .features import feature_dtype


@check.register
def _(features: SketchFunction) -> None:
    dtype, columns, width = feature_dtype(features), count(features, "n_features_in"), count(features, "n_components")
    buckets = array(features, "buckets", (None, None), (np.dtype(np.int64),))
    require(len(buckets) > 0 and buckets.shape[1] in (columns, columns + 1), features, "buckets")
    require(bool(((buckets >= 0) & (buckets < width)).all()), features, "buckets")
    array(features, "weights", buckets.shape, (dtype,))
    array(features, "coordinate_scales", (width - 1,), (dtype,))

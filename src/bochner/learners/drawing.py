"""Features drawn from a sample of rows: the one place where a map is fitted for a learner or a test."""

from __future__ import annotations

from typing import Any

from ..blocks import BlockSource
from ..maps import FeatureMap, Features, TransformerFeatures
from ..maps.base import as_generator
from ..maps.features import real_features


def drawn(feature_map: Any, source: BlockSource, random_state: Any) -> tuple[Any, Features]:
    """The map, fitted on a sample of the source's rows, and its features; a map's own random state comes first."""
    if isinstance(feature_map, FeatureMap):
        if feature_map.random_state is None:
            feature_map.random_state = as_generator(random_state)
        rows = source.sample(feature_map.sample_rows)
        return feature_map, real_features(feature_map.fit_sample(rows.X, rows.weight, rows.y).features_)
    rows = source.sample(None).X
    return feature_map.fit(rows), TransformerFeatures(feature_map, source.n_columns, rows[:1])

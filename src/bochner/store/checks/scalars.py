"""Consistency of products of scalar features: every part as wide as its whole, for the same columns and precision."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...maps.changed_rows import ChangedFeatures, behind_changes
from ...maps.factor_laws import Factor
from ...maps.features import DenseFeatures
from ...maps.grids import Grids
from ...maps.products import LinearFunction, ProductFunction
from ...maps.scalars import (
    BinColumns,
    ChangedColumns,
    CosineColumns,
    GivenColumns,
    LogarithmColumns,
    MixtureColumns,
    ProductColumns,
    ProjectionColumns,
    ScalarColumns,
    ScalarProducts,
    SeriesColumns,
)
from .base import array, check, columns, count, number, part, require
from .features import feature_dtype


@check.register
def _(scalars: CosineColumns) -> None:
    matrix = array(scalars, "matrix", (None, count(scalars, "n_columns")))
    array(scalars, "phases", (matrix.shape[1],), (matrix.dtype,))


@check.register
def _(scalars: BinColumns) -> None:
    require(part(scalars, "grids", Grids).n_grids == count(scalars, "n_columns"), scalars, "grids")


@check.register
def _(scalars: LogarithmColumns) -> None:
    turns = array(scalars, "turns", (None, count(scalars, "n_columns")))
    array(scalars, "phases", turns.shape, (turns.dtype,))
    number(scalars, "exponent", least=0.0)
    require(turns.flags.c_contiguous and scalars.phases.flags.c_contiguous, scalars, "turns")


@check.register
def _(scalars: ProjectionColumns) -> None:
    factor = part(scalars, "factor", Factor)
    require(factor.n_pairs == 0 and factor.n_singles == count(scalars, "n_columns"), scalars, "factor")


@check.register
def _(scalars: SeriesColumns) -> None:
    features, width = part(scalars, "features", DenseFeatures), count(scalars, "n_columns")
    # Only those that laws draw: other features may be sparse, refuse rows, or change them.
    require(isinstance(features, ProductFunction | ScalarProducts), scalars, "features")
    require(features.n_components == width, scalars, "features")
    places = array(scalars, "places", (width,), (np.dtype(np.int64),))
    require(np.array_equal(np.sort(places), np.arange(width)), scalars, "places")


@check.register
def _(scalars: ChangedColumns) -> None:
    change, inner = part(scalars, "change", ChangedFeatures), part(scalars, "inner", ScalarColumns)
    require(isinstance(behind_changes(change), LinearFunction), scalars, "change")
    require(inner.n_columns == count(scalars, "n_columns"), scalars, "inner")
    shapes = _shapes(inner, change.dtype)
    require(all(shape == (change.n_components, change.dtype) for shape in shapes), scalars, "inner")


@check.register
def _(scalars: GivenColumns) -> None:
    require(False, scalars, "function")  # no file holds functions


@check.register
def _(scalars: ProductColumns) -> None:
    width = count(scalars, "n_columns")
    require(all(one.n_columns == width for one in _parts(scalars)), scalars, "parts")


@check.register
def _(scalars: MixtureColumns) -> None:
    parts, places = _parts(scalars), part(scalars, "places", tuple)
    number(scalars, "factor", least=0.0)
    require(len(parts) == len(places) and all(isinstance(place, np.ndarray) for place in places), scalars, "places")
    whole = all(place.ndim == 1 and place.dtype == np.int64 for place in places)
    require(whole and all(len(place) == one.n_columns for one, place in zip(parts, places)), scalars, "places")
    # Before anything so long is made: no array of the file may fill two places.
    require(len({id(place) for place in places}) == len(places), scalars, "places")
    require(sum(map(len, places)) == count(scalars, "n_columns"), scalars, "n_columns")
    filled = np.sort(np.concatenate(places))
    require(np.array_equal(filled, np.arange(len(filled))), scalars, "places")


def _parts(scalars: ProductColumns | MixtureColumns) -> tuple[ScalarColumns, ...]:
    parts = part(scalars, "parts", tuple)
    require(len(parts) > 0 and all(isinstance(one, ScalarColumns) for one in parts), scalars, "parts")
    return parts


@check.register
def _(features: ScalarProducts) -> None:
    dtype, width = feature_dtype(features), count(features, "n_components")
    factors = part(features, "factors", tuple)
    dim = columns(features, shown=bool(factors))
    array(features, "scales", (width,), (dtype,))
    for factor in factors:
        require(isinstance(factor, ScalarColumns) and factor.n_columns <= width, features, "factors")
        width = factor.n_columns
        require(all(shape == (dim, dtype) for shape in _shapes(factor, dtype)), features, "factors")


def _shapes(scalars: ScalarColumns, dtype: np.dtype) -> Iterator[tuple[int, np.dtype]]:
    """Columns of the data and precision of every (checked) part; grids have one precision for all."""
    if isinstance(scalars, ProductColumns | MixtureColumns):
        for one in scalars.parts:
            yield from _shapes(one, dtype)
    elif isinstance(scalars, BinColumns):
        yield len(scalars.grids.place), dtype
    elif isinstance(scalars, CosineColumns):
        yield scalars.matrix.shape[0], scalars.matrix.dtype
    elif isinstance(scalars, LogarithmColumns):
        yield scalars.turns.shape[0], scalars.turns.dtype
    elif isinstance(scalars, ProjectionColumns):
        yield scalars.factor.matrix.shape[0], scalars.factor.matrix.dtype
    elif isinstance(scalars, ChangedColumns):
        yield scalars.change.n_features_in, scalars.change.dtype
    elif isinstance(scalars, SeriesColumns):
        yield scalars.features.n_features_in, scalars.features.dtype

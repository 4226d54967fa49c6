"""Consistency of random grids: their loops check no bounds, so everything they index by is checked here."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ...compute.bins import PARTIAL, PLAIN, SIGNED
from ...maps.binned import BinningFunction
from ...maps.grids import Coder, Grids, HashedBins, Vocabulary
from .base import array, check, count, part, require
from .features import feature_dtype

MOST_THREADS = 1024
MOST_BINS = 1 << 31  # of a grid: a signed code is an unsigned number of 32 bits

_DOUBLE, _SINGLE = (np.dtype(np.float64),), (np.dtype(np.float32),)
_WHOLE, _HASH, _KEY = (np.dtype(np.int64),), (np.dtype(np.uint32),), (np.dtype(np.uint64),)


@check.register
def _(grids: Grids) -> None:
    columns = array(grids, "columns", (None,), _WHOLE)
    place = array(grids, "place", (None,), _WHOLE)
    n_grids, n_columns = count(grids, "n_grids"), len(columns)
    expected = np.full(len(place), -1)
    require(bool(((columns >= 0) & (columns < len(place))).all()), grids, "columns")
    expected[columns] = np.arange(n_columns)
    require(len(np.unique(columns)) == n_columns and bool((place == expected).all()), grids, "place")
    for name in ("centre", "inverse", "farthest"):
        array(grids, name, (n_columns,), _DOUBLE)
    for name in ("slope", "offset"):
        array(grids, name, (n_grids, n_columns), _SINGLE)
    array(grids, "multiplier", (n_grids, n_columns), _HASH)
    array(grids, "start", (n_grids,), _HASH)
    made = copy(grids)
    made._start_from_zero()
    require(_equal(part(grids, "from_zero", tuple), made.from_zero), grids, "from_zero")


@check.register
def _(coder: HashedBins) -> None:
    sizes = _checked_sizes(coder, part(coder, "grids", Grids))
    require(vars(coder).get("mode") in (PLAIN, SIGNED), coder, "mode")
    require(bool((sizes <= MOST_BINS).all()), coder, "sizes")


@check.register
def _(coder: Vocabulary) -> None:
    low, high = part(coder, "low", Grids), part(coder, "high", Grids)
    sizes = _checked_sizes(coder, low)
    require((high.n_grids, len(high.place)) == (low.n_grids, len(low.place)), coder, "high")
    edges = array(coder, "edges", (low.n_grids + 1,), _WHOLE)
    require(bool((edges == np.concatenate([[0], np.cumsum(sizes)])).all()), coder, "edges")
    array(coder, "keys", (edges[-1],), _KEY)
    require(vars(coder).get("mode") == PARTIAL, coder, "mode")


def _checked_sizes(coder: Coder, grids: Grids) -> np.ndarray:
    sizes = array(coder, "sizes", (grids.n_grids,), _WHOLE)
    require(bool((sizes >= 1).all()) and sum(sizes.tolist()) < 1 << 62, coder, "sizes")
    return sizes


@check.register
def _(features: BinningFunction) -> None:
    """The function that its own constructor makes of the parts."""
    coders = part(features, "coders", tuple)
    require(len(coders) >= 1 and all(isinstance(coder, Coder) for coder in coders), features, "coders")
    require(len({coder.mode for coder in coders}) == 1, features, "coders")
    columns, dtype = count(features, "n_features_in"), feature_dtype(features)
    for coder in coders:
        grids = coder.low if isinstance(coder, Vocabulary) else vars(coder)["grids"]
        require(len(grids.place) == columns, features, "coders")
    scales = array(features, "scales", (sum(len(coder.sizes) for coder in coders),), _DOUBLE)
    made = BinningFunction(coders, scales, columns, dtype)
    require(_equal((part(features, "edges", np.ndarray),), (made.edges,)), features, "edges")
    for name in ("mode", "code_dtype", "n_components"):
        require(vars(features).get(name) == vars(made)[name], features, name)
    require(count(features, "threads") <= MOST_THREADS, features, "threads")
    count(features, "n_components")


def _equal(stored: tuple[Any, ...], made: tuple[np.ndarray, ...]) -> bool:
    return len(stored) == len(made) and all(
        isinstance(one, np.ndarray) and one.dtype == other.dtype and np.array_equal(one, other)
        for one, other in zip(stored, made)
    )

"""Random scalar features of any kind, one for each column, and products of them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.factor_products import overflowed
from ..compute.trigonometry import shifted_cosine
from ..kernels.homogeneous import refuse_entries
from .design import Array
from .factor_laws import Factor
from .features import DenseFeatures
from .grids import Grids
from .products import overflow_message, project

TILE_BYTES = 1 << 20


class ScalarColumns(ABC):
    """As many independent scalar features W of one law, E W(x)W(y) = b(x, y), as there are columns."""

    n_columns: int

    @abstractmethod
    def fill(self, X: Any, values: Array) -> None:
        """Write W(x) for the rows of a tile, dense or sparse, into values (rows, n_columns), contiguous."""


class CosineColumns(ScalarColumns):
    """W(x) = sqrt(2) cos(2π (turns'x + phase))."""

    def __init__(self, matrix: Array, phases: Array) -> None:
        self.matrix = matrix
        self.phases = phases
        self.n_columns = len(phases)

    def fill(self, X: Any, values: Array) -> None:
        project(X, self.matrix, values)
        shifted_cosine(values, self.phases, float(np.sqrt(2.0)), values)


class BinColumns(ScalarColumns):
    """W(x) = the random sign of the bin in which a random grid puts x: the top bit of the bin's hash."""

    def __init__(self, grids: Grids) -> None:
        self.grids = grids
        self.n_columns = grids.n_grids

    def fill(self, X: Any, values: Array) -> None:
        codes = self.grids.codes(X, np.full(self.n_columns, 2), np.dtype(np.uint16))
        values[:] = codes.T
        values *= 2.0
        values -= 1.0


class LogarithmColumns(ScalarColumns):
    """W(x) = sum_j sqrt(2) x_j^a cos(2π (turns_j log x_j + phase_j)), for entries >= 0; 0 gives 0 for a > 0."""

    def __init__(self, turns: Array, phases: Array, exponent: float) -> None:
        self.turns = turns
        self.phases = phases
        self.exponent = exponent
        self.n_columns = turns.shape[1]

    def fill(self, X: Any, values: Array) -> None:
        X = X.toarray() if sp.issparse(X) else X
        refuse_entries(X, self.exponent)
        logarithms, roots = np.log(np.where(X > 0, X, 1.0)), np.sqrt(2.0 * X ** (2.0 * self.exponent))
        values[:] = 0.0
        wave = np.empty_like(values)
        for j in range(X.shape[1]):
            np.multiply(logarithms[:, j, None], self.turns[j], out=wave)
            shifted_cosine(wave, self.phases[j], 1.0, wave)
            wave *= roots[:, j, None]
            values += wave


class ProjectionColumns(ScalarColumns):
    """W(x) = an activated projection, as one (real) factor of a product has it."""

    def __init__(self, factor: Factor) -> None:
        self.factor = factor
        self.n_columns = factor.width

    def fill(self, X: Any, values: Array) -> None:
        project(X, self.factor.matrix, values)
        self.factor.activation.apply(values)


class SeriesColumns(ScalarColumns):
    """W(x) = sqrt(a_N / P_N) W_1(x) ... W_N(x), a feature of a power series.

    The features are sorted by falling degree, so that few matrix products make them; ``places`` puts them into the
    random order of their degrees. Columns in sorted order would have the extreme degrees of several draws meet.
    """

    def __init__(self, features: DenseFeatures, places: Array) -> None:
        self.features = features
        self.places = places
        self.n_columns = len(places)

    def fill(self, X: Any, values: Array) -> None:
        some = np.empty_like(values)
        self.features.write(X, some)
        values[:, self.places] = some


class ProductColumns(ScalarColumns):
    """W(x) = the product of independent scalars, for a product of kernels."""

    def __init__(self, parts: Sequence[ScalarColumns]) -> None:
        self.parts = tuple(parts)
        self.n_columns = self.parts[0].n_columns

    def fill(self, X: Any, values: Array) -> None:
        self.parts[0].fill(X, values)
        scratch = np.empty_like(values)
        for part in self.parts[1:]:
            part.fill(X, scratch)
            values *= scratch


class ChangedColumns(ScalarColumns):
    """W(x) = inner W(c(x)), for kernels that see rows through a function c."""

    def __init__(self, change: DenseFeatures, inner: ScalarColumns) -> None:
        self.change = change  # c itself, as features
        self.inner = inner
        self.n_columns = inner.n_columns

    def fill(self, X: Any, values: Array) -> None:
        self.inner.fill(self.change(X), values)


class GivenColumns(ScalarColumns):
    """W(x) by a function that a kernel has drawn."""

    def __init__(self, function: Callable[[Any], Array], n_columns: int) -> None:
        self.function = function
        self.n_columns = n_columns

    def fill(self, X: Any, values: Array) -> None:
        values[:] = self.function(X)


class MixtureColumns(ScalarColumns):
    """Each column a scalar of one of several laws, for a sum of kernels."""

    def __init__(self, parts: Sequence[ScalarColumns], places: Sequence[Array], factor: float) -> None:
        self.parts = tuple(parts)
        self.places = tuple(places)
        self.factor = float(factor)
        self.n_columns = sum(len(place) for place in places)

    def fill(self, X: Any, values: Array) -> None:
        for part, place in zip(self.parts, self.places):
            some = np.empty((values.shape[0], part.n_columns), dtype=values.dtype)
            part.fill(X, some)
            values[:, place] = some
        values *= self.factor


class ScalarProducts(DenseFeatures):
    """z_i(x) = scale_i W_i1(x) ... W_iN(x), features sorted by falling degree: factor j concerns the first ones."""

    def __init__(self, factors: Sequence[ScalarColumns], scales: Array, n_features_in: int, dtype: np.dtype) -> None:
        self.factors = tuple(factors)
        self.scales = scales.astype(dtype)
        self.n_features_in = n_features_in
        self.n_components = len(scales)
        self.dtype = dtype

    def write(self, X: Any, out: Array) -> None:
        tile = max(16, TILE_BYTES // (self.n_components * self.dtype.itemsize))
        for start in range(0, X.shape[0], tile):
            self._write_tile(X[start : start + tile], out[start : start + tile])

    def _write_tile(self, X: Any, out: Array) -> None:
        out[:] = self.scales
        with np.errstate(over="ignore", invalid="ignore"):
            for factor in self.factors:
                values = np.empty((X.shape[0], factor.n_columns), dtype=self.dtype)
                factor.fill(X, values)
                out[:, : factor.n_columns] *= values
        if overflowed(out):
            raise ValueError(overflow_message(X, self.dtype))

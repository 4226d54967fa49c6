"""How scalar features are drawn for kernels that no activated projection serves: binning, additive, sums, products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..kernels import BinningKernel, Kernel, Product, ShiftInvariantKernel
from ..kernels.base import Term
from ..kernels.homogeneous import HomogeneousKernel, checked_entries
from .design import Array
from .factors import as_weights
from .grids import Grids, column_ranges
from .scalars import BinColumns, CosineColumns, LogarithmColumns, MixtureColumns, ProductColumns, ScalarColumns


class ScalarLaw(ABC):
    """How one scalar feature W with E W(x)W(y) = b(x, y) is drawn."""

    @abstractmethod
    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> ScalarColumns:
        """N independent ones for data like these rows."""

    @abstractmethod
    def moment(self, X: Array, Y: Array) -> Array:
        """E W(x)²W(y)² for paired rows."""


class CosineLaw(ScalarLaw):
    """W(x) = sqrt(2) cos(w'x + b): the second moment is 1 + k(2Δ)/2."""

    def __init__(self, kernel: ShiftInvariantKernel) -> None:
        self.kernel = kernel

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> CosineColumns:
        turns = self.kernel.sample_frequencies(rows.shape[1], n, rng).T / (2.0 * np.pi)
        return CosineColumns(as_weights(turns, rows.dtype), rng.random(n).astype(rows.dtype))

    def moment(self, X: Array, Y: Array) -> Array:
        return 1.0 + 0.5 * self.kernel.at(2.0 * (X - Y))


class BinLaw(ScalarLaw):
    """W(x) = a random sign for each bin of one random grid: 1 on average in one bin, 0 in two; W² = 1."""

    def __init__(self, kernel: BinningKernel) -> None:
        self.kernel = kernel

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> BinColumns:
        pitches = self.kernel.sample_pitches(rows.shape[1], n, rng)
        return BinColumns(Grids(pitches, *column_ranges(rows), rng))

    def moment(self, X: Array, Y: Array) -> Array:
        return np.ones(len(X))


class LogarithmLaw(ScalarLaw):
    """W(x) = sum_j sqrt(2 x_j) cos(l_j log x_j + b_j), l_j from the spectrum κ, b_j uniform.

    The phases are independent, so columns do not meet: E W(x)W(y) = sum_j sqrt(x_j y_j) K(log(y_j / x_j)) = sum_j k_j.
    With o_j = log(y_j / x_j),
    E W(x)²W(y)² = (sum x_j)(sum y_j) + sum_j x_j y_j K(2 o_j) / 2 + 2 (sum k_j)² - 2 sum k_j².
    """

    def __init__(self, kernel: HomogeneousKernel) -> None:
        self.kernel = kernel

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> LogarithmColumns:
        shape = rows.shape[1], n
        turns = self.kernel.sample_spectrum(shape[0] * n, rng).reshape(shape) / (2.0 * np.pi)
        return LogarithmColumns(as_weights(turns, rows.dtype), rng.random(shape).astype(rows.dtype))

    def moment(self, X: Array, Y: Array) -> Array:
        X, Y = checked_entries(X), checked_entries(Y)
        both = (X > 0) & (Y > 0)
        ratio = np.log(np.where(both, Y, 1.0) / np.where(both, X, 1.0))
        single = self.kernel.entrywise(X, Y)
        own = 0.5 * np.sum(X * Y * self.kernel.signature(2.0 * ratio), axis=1)
        across = 2.0 * (single.sum(axis=1) ** 2 - np.sum(single**2, axis=1))
        return X.sum(axis=1) * Y.sum(axis=1) + own + across


class ProductLaw(ScalarLaw):
    """W(x) = the product of independent scalars of the factors of a kernel; so is the second moment."""

    def __init__(self, laws: Sequence[ScalarLaw]) -> None:
        self.laws = tuple(laws)

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> ProductColumns:
        return ProductColumns([law.draw(rows, n, rng) for law in self.laws])

    def moment(self, X: Array, Y: Array) -> Array:
        return np.prod([law.moment(X, Y) for law in self.laws], axis=0)


class MixtureLaw(ScalarLaw):
    """W(x) = sqrt(v) W_i(x), term i with probability w_i / v, for b = sum w_i b_i and v = sum w_i.

    With m_i the second moments of the terms, E W(x)²W(y)² = v sum w_i m_i.
    """

    def __init__(self, weights: Sequence[float], laws: Sequence[ScalarLaw]) -> None:
        self.weights = np.array(weights)
        self.laws = tuple(laws)

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> MixtureColumns:
        total = float(self.weights.sum())
        chosen = rng.choice(len(self.laws), size=n, p=self.weights / total)
        places = {index: np.flatnonzero(chosen == index) for index in np.unique(chosen)}
        parts = [self.laws[index].draw(rows, len(place), rng) for index, place in places.items()]
        return MixtureColumns(parts, list(places.values()), np.sqrt(total))

    def moment(self, X: Array, Y: Array) -> Array:
        moments = [law.moment(X, Y) for law in self.laws]
        return float(self.weights.sum()) * np.einsum("i,ij->j", self.weights, np.stack(moments))


def scalar_law(base: Kernel) -> ScalarLaw:
    """The law of scalar features of a kernel, or one clear sentence."""
    terms: list[Term] = base.terms()
    laws = [_term_law(kernel) for _, kernel in terms]
    if len(terms) == 1 and terms[0][0] == 1.0:
        return laws[0]
    return MixtureLaw([weight for weight, _ in terms], laws)


def _term_law(kernel: Kernel) -> ScalarLaw:
    if isinstance(kernel, ShiftInvariantKernel):
        return CosineLaw(kernel)
    if isinstance(kernel, BinningKernel):
        return BinLaw(kernel)
    if isinstance(kernel, HomogeneousKernel):
        return LogarithmLaw(kernel)
    if isinstance(kernel, Product):
        return ProductLaw([scalar_law(kernel.left), scalar_law(kernel.right)])
    raise ValueError(
        f"MaclaurinFeatures cannot serve the inner kernel {type(kernel).__name__}: no unbiased scalar feature "
        "of it is known; give a shift-invariant, binning, additive, dot-product or arc-cosine one, or sums and "
        "products of the first three; for this kernel use NystroemFeatures."
    )

"""How scalar features of any kernel are drawn: Fourier, binning, additive, power series, sums, products."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from scipy.special import xlogy

from ..kernels import BinningKernel, DotProductKernel, Kernel, Product, ScalarKernel, ShiftInvariantKernel
from ..kernels.arc_cosine import ArcCosine
from ..kernels.base import Term
from ..kernels.changed_rows import ChangedRows
from ..kernels.composed import Composed
from ..kernels.homogeneous import HomogeneousKernel
from ..kernels.inner_product import InnerProduct
from ..kernels.power_series import PowerSeriesKernel
from .changed_rows import behind
from .degrees import TOLERANCE, independent_degrees, optimal_law, random_pairs, truncated_series
from .design import Array
from .factor_laws import FactorLaw, RectifierLaw, as_weights, has_projections, law_for
from .features import DenseFeatures
from .grids import Grids, column_ranges
from .products import LinearFunction, drawn_products
from .scalars import (
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

JUDGED, JUDGED_PAIRS = 4096, 200  # draws and pairs of rows on which scalar features of a user's own are judged


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
    """W(x) = sum_j sqrt(2) x_j^a cos(l_j log x_j + b_j), l_j from the spectrum κ, b_j uniform.

    The phases are independent, so columns do not meet: E W(x)W(y) = sum_j (x_j y_j)^a K(log(y_j / x_j)) = sum_j k_j.
    With o_j = log(y_j / x_j), u_j = x_j^{2a}, v_j = y_j^{2a},
    E W(x)²W(y)² = (sum u_j)(sum v_j) + sum_j u_j v_j K(2 o_j) / 2 + 2 (sum k_j)² - 2 sum k_j².
    """

    def __init__(self, kernel: HomogeneousKernel) -> None:
        self.kernel = kernel

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> LogarithmColumns:
        shape = rows.shape[1], n
        turns = self.kernel.sample_spectrum(shape[0] * n, rng).reshape(shape) / (2.0 * np.pi)
        phases = rng.random(shape).astype(rows.dtype)
        return LogarithmColumns(as_weights(turns, rows.dtype), phases, self.kernel.checked_exponent())

    def moment(self, X: Array, Y: Array) -> Array:
        X, Y = self.kernel.checked_entries(X), self.kernel.checked_entries(Y)
        both = (X > 0) & (Y > 0)
        ratio = np.log(np.where(both, Y, 1.0) / np.where(both, X, 1.0))
        single = self.kernel.entrywise(X, Y)
        U, V = (part ** (2.0 * self.kernel.checked_exponent()) for part in (X, Y))
        own = 0.5 * np.sum(U * V * self.kernel.signature_at(2.0 * ratio), axis=1)
        across = 2.0 * (single.sum(axis=1) ** 2 - np.sum(single**2, axis=1))
        return U.sum(axis=1) * V.sum(axis=1) + own + across


class ProjectionLaw(ScalarLaw):
    """W(x) = an activated projection: w'x for the inner product, sqrt(2) [w'x > 0] (w'x)^order for arc-cosine ones."""

    def __init__(self, factors: FactorLaw) -> None:
        self.factors = factors

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> ProjectionColumns:
        return ProjectionColumns(self.factors.draw(rows.shape[1], np.empty(0), np.ones(n), rng, rows.dtype))

    def moment(self, X: Array, Y: Array) -> Array:
        ((_, moment),) = self.factors.moments(X, Y, pairs=False)
        return moment


class SeriesLaw(ScalarLaw):
    """W(x) = sqrt(a_N / P_N) W_1(x) ... W_N(x), N with probability P_N, for a power series sum_n a_n b^n.

    W_j are fresh scalars of the base b: w'x with random signs for a dot-product kernel. With m their second moment,
    E W(x)²W(y)² = sum_n a_n² m^n / P_n, the least on average over pairs of rows with P_n ∝ a_n sqrt(mean of m^n).
    """

    def __init__(self, kernel: PowerSeriesKernel, rows: Any, rng: np.random.Generator) -> None:
        base, series = kernel.base, truncated_series(kernel, rows, None)
        if series.truncation_error > 2.0 * TOLERANCE * float(kernel.diagonal(rows).max()):
            raise ValueError(
                f"The series of the inner kernel {type(kernel).__name__} needs too many terms for the largest row "
                f"(square {series.square_radius:.4g}): scale the data or the kernel down."
            )
        projections = has_projections(base)
        self.base = ProjectionLaw(law_for(base, "rademacher")) if projections else scalar_law(base, rows, rng)
        X, Y = random_pairs(rows, rng)
        law = optimal_law(series, 0, [(1.0, self.base.moment(X, Y))], base.rowwise(X, Y), 0.0)
        self.degrees = np.flatnonzero(law)
        self.probabilities = law[self.degrees]
        self.logarithms = np.log(series.coefficients[self.degrees])

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> SeriesColumns:
        chosen = independent_degrees(self.probabilities, n, rng)
        places = np.argsort(-chosen, kind="stable")
        chosen = chosen[places]
        degrees, scales = self.degrees[chosen], np.exp(0.5 * (self.logarithms - np.log(self.probabilities))[chosen])
        features: DenseFeatures
        if isinstance(self.base, ProjectionLaw):
            none = np.empty(0, dtype=np.int64), np.empty(0)
            features = drawn_products(self.base.factors, none, (degrees, scales), rows.shape[1], rng, rows.dtype)
        else:
            features = drawn_scalars(self.base, degrees, scales, rows, rng)
        return SeriesColumns(features, places)

    def moment(self, X: Array, Y: Array) -> Array:
        powers = xlogy(self.degrees[:, None], self.base.moment(X, Y))
        return np.sum(np.exp((2.0 * self.logarithms - np.log(self.probabilities))[:, None] + powers), axis=0)


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


class ChangedLaw(ScalarLaw):
    """W(x) = inner W(c(x)), for a kernel that sees rows through a function c."""

    def __init__(self, kernel: ChangedRows, rows: Any, rng: np.random.Generator) -> None:
        self.kernel = kernel
        self.inner = scalar_law(kernel.kernel, self._changed(rows), rng)

    def _changed(self, rows: Any) -> Array:
        return self.kernel.change()(rows, rows.dtype)

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> ChangedColumns:
        changed = self._changed(rows)
        change = behind(self.kernel.change(), LinearFunction(0.0, 1.0, changed.shape[1], rows.dtype))
        return ChangedColumns(cast(DenseFeatures, change), self.inner.draw(changed, n, rng))

    def moment(self, X: Array, Y: Array) -> Array:
        change = self.kernel.change()
        return self.inner.moment(change(X), change(Y))


class GivenLaw(ScalarLaw):
    """W(x) as a kernel of the user's draws it: E W(x)W(y) and E W(x)²W(y)² are means over JUDGED draws.

    The first must be the kernel's values on pairs of rows, within five standard errors.
    """

    def __init__(self, kernel: ScalarKernel, rows: Any, rng: np.random.Generator) -> None:
        self.kernel = kernel
        self.judged = kernel.sample_scalars(rows, JUDGED, rng)
        X, Y = (part[:JUDGED_PAIRS] for part in random_pairs(rows, rng))
        products = self._products(X, Y)
        error = np.abs(products.mean(axis=1) - kernel.rowwise(X, Y))
        allowed = 5.0 * products.std(axis=1) / np.sqrt(JUDGED) + 1e-9 * np.abs(products).mean(axis=1)
        if (error > allowed).any():
            worst = int(np.argmax(error - allowed))
            raise ValueError(
                f"{type(kernel).__name__}.sample_scalars does not draw features of its kernel: for a pair of rows "
                f"E W(x)W(y) is off by {error[worst]:.3g}, and five standard errors of {JUDGED} draws are "
                f"{allowed[worst]:.3g}; W(x)W(y) must have the mean k(x, y)."
            )

    def _products(self, X: Array, Y: Array) -> Array:
        return np.asarray(self.judged(X), dtype=np.float64) * np.asarray(self.judged(Y), dtype=np.float64)

    def draw(self, rows: Any, n: int, rng: np.random.Generator) -> GivenColumns:
        return GivenColumns(self.kernel.sample_scalars(rows, n, rng), n)

    def moment(self, X: Array, Y: Array) -> Array:
        return np.mean(self._products(X, Y) ** 2, axis=1)


def scalar_law(base: Kernel, rows: Any, rng: np.random.Generator) -> ScalarLaw:
    """The law of scalar features of a kernel for data like these rows, or one clear sentence."""
    terms: list[Term] = base.terms()
    laws = [_term_law(kernel, rows, rng) for _, kernel in terms]
    if len(terms) == 1 and terms[0][0] == 1.0:
        return laws[0]
    return MixtureLaw([weight for weight, _ in terms], laws)


def without_scalars(base: Kernel) -> Kernel | None:
    """The first kernel within a base of which no unbiased scalar feature is known; None where there is none."""
    kernels = (kernel for _, kernel in base.terms())
    return next((found for kernel in kernels if (found := _without_scalars(kernel)) is not None), None)


def _without_scalars(kernel: Kernel) -> Kernel | None:
    if isinstance(kernel, Product):
        left = without_scalars(kernel.left)
        return without_scalars(kernel.right) if left is None else left
    if isinstance(kernel, DotProductKernel | Composed):
        return without_scalars(kernel.base)
    if isinstance(kernel, ChangedRows):
        return without_scalars(kernel.kernel)
    known = ShiftInvariantKernel | BinningKernel | HomogeneousKernel | ArcCosine | InnerProduct | ScalarKernel
    return None if isinstance(kernel, known) else kernel


def no_scalars(kernel: Kernel) -> str:
    """One sentence about a kernel without scalar features."""
    return (
        f"MaclaurinFeatures cannot serve the inner kernel {type(kernel).__name__}: no unbiased scalar feature "
        "of it is known; give a shift-invariant, binning, additive, dot-product, arc-cosine or composed one, or sums "
        "and products of them; for this kernel use NystroemFeatures, on its own or as inner_map."
    )


def _term_law(kernel: Kernel, rows: Any, rng: np.random.Generator) -> ScalarLaw:
    if isinstance(kernel, ShiftInvariantKernel):
        return CosineLaw(kernel)
    if isinstance(kernel, BinningKernel):
        return BinLaw(kernel)
    if isinstance(kernel, HomogeneousKernel):
        return LogarithmLaw(kernel)
    if isinstance(kernel, ArcCosine):
        return ProjectionLaw(RectifierLaw(kernel.checked_order()))
    if isinstance(kernel, DotProductKernel | Composed):
        return SeriesLaw(kernel, rows, rng)
    if isinstance(kernel, ChangedRows):
        return ChangedLaw(kernel, rows, rng)
    if isinstance(kernel, ScalarKernel):
        return GivenLaw(kernel, rows, rng)
    if isinstance(kernel, Product):
        return ProductLaw([scalar_law(kernel.left, rows, rng), scalar_law(kernel.right, rows, rng)])
    raise ValueError(no_scalars(kernel))


def converges_everywhere(base: Kernel) -> bool:
    """Whether no dot-product kernel or composition within a sum or product of kernels has a finite radius."""
    return all(_converges(kernel) for _, kernel in base.terms())


def _converges(kernel: Kernel) -> bool:
    if isinstance(kernel, Product):
        return converges_everywhere(kernel.left) and converges_everywhere(kernel.right)
    if isinstance(kernel, ChangedRows):
        return converges_everywhere(kernel.kernel)
    if isinstance(kernel, DotProductKernel | Composed):
        return np.isinf(kernel.radius) and converges_everywhere(kernel.base)
    return True


def drawn_scalars(law: ScalarLaw, degrees: Array, scales: Array, rows: Any, rng: np.random.Generator) -> ScalarProducts:
    """Draw every factor of features of these degrees and scales, sorted by falling degree."""
    weights = as_weights(scales, rows.dtype)
    if (weights < np.finfo(rows.dtype).tiny).any():
        raise ValueError(
            f"The weights of the features underflow {rows.dtype}: scale the data or the kernel down, or give float64 "
            "data."
        )
    counts = [int(np.sum(degrees > j)) for j in range(int(degrees[0]))]
    factors = [law.draw(rows, count, rng) for count in counts]
    return ScalarProducts(factors, weights, rows.shape[1], rows.dtype)

"""Random Maclaurin features: dot-product kernels and compositions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone

from ..compute.numbers import is_number
from ..kernels import Kernel
from ..kernels.arc_cosine import ArcCosine
from ..kernels.composed import Composed
from ..kernels.exponential_dot import ExponentialDot
from ..kernels.inner_product import Cosine, InnerProduct, directions
from ..kernels.power_series import PowerSeriesKernel
from .base import checked_count
from .changed_rows import peeled
from .degrees import (
    Series,
    geometric_law,
    independent_degrees,
    optimal_law,
    proportional_law,
    random_pairs,
    stratified_degrees,
    truncated_series,
)
from .design import Array
from .factor_laws import Moments, has_projections, law_for
from .features import ConcatenatedFeatures, DenseFeatures
from .inner_map import NestedFeatures, OuterSeries, inner_products
from .kernel_map import KernelMap
from .products import (
    DirectionFeatures,
    GuardedFeatures,
    LinearFunction,
    ProductFunction,
    by_falling_degree,
    drawn_products,
)
from .scalar_laws import converges_everywhere, drawn_scalars, no_scalars, scalar_law, without_scalars
from .scalars import ScalarProducts


class MaclaurinFeatures(KernelMap):
    """Random Maclaurin features: E z(x)'z(y) = f(b(x, y)) for any power series f = sum_n a_n t^n with a_n >= 0.

    A feature of degree N, drawn with probability P_N, is z(x) = sqrt(a_N / (D P_N)) W_1(x) ... W_N(x), with W_j
    fresh independent scalars with E W(x)W(y) = b(x, y): w'x with random signs w for the inner product (Kar and
    Karnick 2012), sqrt(2) cos(w'x + b) for a shift-invariant inner kernel, a random sign of x's bin in a random grid
    for a binning one, sum_j sqrt(2 x_j) cos(l_j log x_j + b_j) for an additive one, sqrt(2) [w'x > 0] (w'x)^order with
    normal w for an arc-cosine one; for a sum of kernels a scalar of one term, drawn by weight, and for a product a
    product of scalars, where those of dot-product kernels are made as z is, of random signs, with "optimal" degrees.

    With m = E W(x)²W(y)² and t = b(x, y), the variance for independent degrees is
    [sum_n a_n² m^n / P_n - f(t)²] / D; with random signs m = ||x||²||y||² + 2t² - 2 sum_i x_i² y_i².

    By default degrees are stratified: the constant term takes one exact column, and each other degree its share of
    the columns up to rounding. That is unbiased too, and the variance falls to sum_{n>0} a_n² (m^n - t^{2n}) / (D P_n)
    up to the rounding.

    Parameters
    ----------
    kernel : Kernel, default=None
        A dot-product kernel, ``ArcCosine``, ``Composed``, or sums, scalings and products of dot-product kernels.
        None: ``ExponentialDot(sigma="norm")``.
    n_components : int, default=None
        Number of output columns, at least 1; None: 256, or what ``eps`` needs. (Fewer are given only if h01 represents
        the kernel exactly with fewer.)
    p : float, default=2.0
        Base of the geometric degree law, greater than 1; of no effect with other laws.
    degrees : {"geometric", "proportional", "optimal"}, default="geometric"
        Law of the degree N: (p - 1) / p^{N+1}; proportional to a_N R^{2N} with R² the largest b(x, x) of the data,
        which bounds every feature; proportional to a_N sqrt(mean of m^N over pairs of rows), which minimises the mean
        variance over the data and is the best choice where fit sees data like those of transform.
    allocation : {"stratified", "independent"}, default="stratified"
        "independent" is the map as published, to which the published variance and bounds belong.
    h01 : bool, default=False
        Represent the terms of degree 0 and 1 exactly by [sqrt(a_0), sqrt(a_1) x], and draw N given N >= 2. Needs
        n_components of at least the number of columns plus 2.
    projection : {"rademacher", "gaussian", "complex"}, default="rademacher"
        Random signs; normal numbers (variance never lower); entries 1, -1, i, -i in pairs of columns (complex to real:
        variance lower at high degrees). For a shift-invariant inner kernel "complex" is exp(i w'x), much the better.
    max_degree : int, default=None
        Highest degree kept. None: as many as count for the data (relative error 1e-12; 1,023 at most).
    inner_map : map of a kernel, default=None
        For a composition f(b): a map phi of the inner kernel b (whatever kernel it is given), drawn once and kept, for
        inner kernels of which no random scalar is known, as in ``NystroemFeatures(n_components=200)``. The features are
        those of f(<phi(x), phi(y)>), with W = g'phi(x) and fresh random signs g: unbiased for that, and off from f(b)
        by ``inner_error_``, which no width removes. A random phi has the mean f(b) + f''(b) Var/2 + ....
    eps : float in (0, 1), default=None
        A tolerance in place of ``n_components``: the root mean square error of z(x)'z(y) over random pairs of different
        rows, relative to the mean of k(x, x), measured in fit. The width grows until it is met.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    truncation_error_ : float
        Largest error of leaving out high degrees, sum_{n > max_degree} a_n R^{2n}, for rows like those of fit.
    inner_error_ : float
        With ``inner_map``: root mean square of f(<phi(x), phi(y)>) - f(b(x, y)) over pairs of rows.
    features_ : DenseFeatures
        The frozen function from rows to features.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-0.5, 0.5, size=(100, 5))
    >>> features = bo.MaclaurinFeatures(bo.ExponentialDot(), 4096, degrees="optimal", h01=True, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(abs(Z @ Z.T - bo.ExponentialDot()(X)).max() < 0.1)
    True
    """

    offers: ClassVar[str] = "a dot-product kernel (Polynomial, ExponentialDot, Vovk, ...), ArcCosine or Composed"

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_components: int | None = None,
        *,
        p: float = 2.0,
        degrees: Literal["geometric", "proportional", "optimal"] = "geometric",
        allocation: Literal["stratified", "independent"] = "stratified",
        h01: bool = False,
        projection: Literal["rademacher", "gaussian", "complex"] = "rademacher",
        max_degree: int | None = None,
        inner_map: KernelMap | None = None,
        eps: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.p = p
        self.degrees = degrees
        self.allocation = allocation
        self.h01 = h01
        self.projection = projection
        self.max_degree = max_degree
        self.inner_map = inner_map
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(n_components=40),
            cls(n_components=40, degrees="proportional", allocation="independent"),
            cls(n_components=40, degrees="optimal", projection="gaussian"),
            cls(n_components=40, p=3.0, projection="complex"),
            cls(n_components=40, h01=True),
        ]

    def draws(self, kernel: Kernel) -> bool:
        if not isinstance(kernel, PowerSeriesKernel):
            return False
        base = kernel.base
        if isinstance(base, InnerProduct | Cosine):
            return True
        if self.inner_map is not None and isinstance(kernel, Composed):
            return True
        return not self.h01 and without_scalars(base) is None

    def refusal(self, kernel: Kernel, whole: Kernel | None = None) -> str:
        if isinstance(kernel, PowerSeriesKernel) and not self.h01:
            return no_scalars(without_scalars(kernel.base) or kernel.base)
        if isinstance(kernel, PowerSeriesKernel):
            return (
                f"h01=True needs a kernel that is a series of the inner product, and {type(kernel).__name__} of "
                f"{type(kernel.base).__name__} is not: use h01=False."
            )
        return super().refusal(kernel, whole)

    def _default_kernel(self) -> Kernel:
        return ExponentialDot(sigma="norm")

    def fit_sample(self, rows: Any, weight: Array | None = None, targets: Any = None) -> Self:
        self._check_words()
        super().fit_sample(rows, weight, targets)
        terms = self._drawn_terms(self.kernel_)
        series = [truncated_series(*peeled(term, rows)[1:], self.max_degree) for _, term in terms]
        self.truncation_error_ = float(sum(size * part.truncation_error for (size, _), part in zip(terms, series)))
        if self.inner_map is not None:
            self.inner_error_ = self._inner_error(rows)
        return self

    def _inner_error(self, rows: Any) -> float:
        """Root mean square of f(<phi(x), phi(y)>) - f(b(x, y)) over pairs of different rows."""
        term, features = self.kernel_, self.features_
        if not isinstance(term, Composed) or not isinstance(features, NestedFeatures):
            raise ValueError("inner_map serves a composition on its own: give MaclaurinFeatures(bo.Composed(...)).")
        X, Y = random_pairs(rows, np.random.default_rng(0))
        return float(np.sqrt(np.mean((term.profile(inner_products(features, X, Y)) - term.rowwise(X, Y)) ** 2)))

    def draw(self, kernel: PowerSeriesKernel, rows: Any, n_components: int, rng: np.random.Generator) -> DenseFeatures:
        if self.inner_map is None or not isinstance(kernel, Composed):
            return self._drawn(kernel, rows, n_components, rng)
        inner = clone(self.inner_map).set_params(kernel=kernel.base, random_state=rng).fit_sample(rows).features_
        return NestedFeatures(inner, self._drawn(OuterSeries(kernel), inner(rows), n_components, rng))

    def _drawn(
        self, kernel: PowerSeriesKernel, rows: Any, n_components: int, rng: np.random.Generator
    ) -> DenseFeatures:
        dim, dtype = rows.shape[1], rows.dtype
        series = truncated_series(kernel, rows, self.max_degree)
        first, exact = self._exact_part(kernel, series, n_components, dim, dtype)
        left = n_components - (exact.n_components if exact else 0)
        parts: list[DenseFeatures] = [exact] if exact else []
        if (series.coefficients[first:] > 0).any():
            if left < 1:
                raise ValueError(
                    f"n_components={n_components} is too small for h01=True with {dim} columns: give at least "
                    f"{n_components - left + 1}."
                )
            parts.append(self._random_part(kernel, series, first, left, rows, rng))
        features = parts[0] if len(parts) == 1 else ConcatenatedFeatures((1.0, 1.0), parts)
        if isinstance(kernel.base, Cosine):
            return DirectionFeatures(features, kernel)
        everywhere = np.isinf(kernel.radius) and converges_everywhere(kernel.base)
        # b(x, x) is the same for every row where b is shift-invariant, and the series knows that it converges there.
        constant = has_projections(kernel.base) and not isinstance(kernel.base, InnerProduct | ArcCosine)
        return features if everywhere or constant else GuardedFeatures(features, kernel)

    def _exact_part(
        self, kernel: PowerSeriesKernel, series: Series, n_components: int, dim: int, dtype: np.dtype
    ) -> tuple[int, LinearFunction | None]:
        """The lowest degree that is drawn at random, and the columns that represent the degrees below it."""
        coefficients = np.append(series.coefficients, 0.0)
        if self.h01:
            slope = np.sqrt(coefficients[1])
            exact = LinearFunction(np.sqrt(coefficients[0]), slope, dim, dtype)
            return 2, exact if exact.n_components else None
        only_constant = not (coefficients[1:] > 0).any()
        if self.allocation == "independent" or n_components == 1 or coefficients[0] == 0 or only_constant:
            return 0, None
        return 1, LinearFunction(np.sqrt(coefficients[0]), 0.0, dim, dtype)

    def _random_part(
        self, kernel: PowerSeriesKernel, series: Series, first: int, n: int, rows: Any, rng: np.random.Generator
    ) -> ProductFunction | ScalarProducts:
        paired = self.projection == "complex"
        if not has_projections(kernel.base):
            return self._scalar_part(kernel, series, first, n, rows, rng)
        factor_law = law_for(kernel.base, self.projection)
        n_pairs = n // 2 if paired else 0
        n_singles = n - 2 * n_pairs
        law = self._degree_law(
            kernel, series, first, n_pairs + n_singles, lambda X, Y: factor_law.moments(X, Y, paired), rows, rng
        )
        degrees = self._drawn_degrees(law, n_pairs + n_singles, rng)
        columns = np.repeat([2.0, 1.0], [n_pairs, n_singles])
        scales = np.sqrt(series.coefficients[degrees] / law[degrees] * columns / n)
        pairs = by_falling_degree(degrees[:n_pairs], scales[:n_pairs])
        singles = by_falling_degree(degrees[n_pairs:], scales[n_pairs:])
        return drawn_products(factor_law, pairs, singles, rows.shape[1], rng, rows.dtype)

    def _scalar_part(
        self, kernel: PowerSeriesKernel, series: Series, first: int, n: int, rows: Any, rng: np.random.Generator
    ) -> ScalarProducts:
        """Products of scalar features that are no projections: of binning, additive and mixed inner kernels."""
        scalar = scalar_law(kernel.base, rows, rng)
        if self.projection == "complex":
            name = type(kernel.base).__name__
            raise ValueError(f"projection='complex' cannot serve the inner kernel {name}: use 'rademacher'.")
        law = self._degree_law(kernel, series, first, n, lambda X, Y: [(1.0, scalar.moment(X, Y))], rows, rng)
        degrees = self._drawn_degrees(law, n, rng)
        degrees, scales = by_falling_degree(degrees, np.sqrt(series.coefficients[degrees] / law[degrees] / n))
        return drawn_scalars(scalar, degrees, scales, rows, rng)

    def _drawn_degrees(self, law: Array, n: int, rng: np.random.Generator) -> Array:
        draw = stratified_degrees if self.allocation == "stratified" else independent_degrees
        return draw(law, n, rng)

    def _degree_law(
        self,
        kernel: PowerSeriesKernel,
        series: Series,
        first: int,
        n: int,
        moments: Callable[[Array, Array], Moments],
        rows: Any,
        rng: np.random.Generator,
    ) -> Array:
        if self.degrees == "geometric":
            return geometric_law(series, first, self.p)
        if self.degrees == "proportional":
            return proportional_law(series, first)
        X, Y = random_pairs(rows, rng)
        if isinstance(kernel.base, Cosine):
            X, Y = directions(X), directions(Y)
        # A single feature cannot be stratified; many leave only the variance within each degree.
        within = 1.0 - 1.0 / n if self.allocation == "stratified" else 0.0
        return optimal_law(series, first, moments(X, Y), kernel.base.rowwise(X, Y), within)

    def _least_draws(self, dim: int) -> int:
        return dim + 2 if self.h01 else 1

    def _check_words(self) -> None:
        choices = {
            "degrees": ("geometric", "proportional", "optimal"),
            "allocation": ("stratified", "independent"),
            "projection": ("rademacher", "gaussian", "complex"),
        }
        for name, allowed in choices.items():
            if getattr(self, name) not in allowed:
                raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, not {getattr(self, name)!r}.")
        if not isinstance(self.h01, bool | np.bool_):
            raise ValueError(f"h01 must be True or False, not {self.h01!r}.")
        if not (is_number(self.p) and self.p > 1):
            raise ValueError(f"p must be a finite number greater than 1, but it is {self.p}.")
        if self.max_degree is not None:
            checked_count(self.max_degree, "max_degree")

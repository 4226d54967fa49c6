"""A power series of a kernel is a kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from .base import Array, Kernel
from .composed_frequencies import GeneralComposition, RadialComposition, rescaled
from .dot_product import DotProductKernel
from .power_series import PowerSeriesKernel
from .scaled_kernel import RadialKernel, ScaledKernel
from .scaling import Metric
from .shift_invariant import ShiftInvariantKernel


class Composed(PowerSeriesKernel):
    """k(x, y) = f(inner(x, y)), with f the series of a dot-product kernel and inner any kernel (Kar and Karnick).

    If the inner kernel is itself a dot-product kernel g(<x, y>), so is k, with the coefficients of the series f(g(t)),
    which are sums of non-negative numbers only and therefore found without cancellation.

    Parameters
    ----------
    outer : DotProductKernel
        Gives f: ``Polynomial``, ``ExponentialDot``, ``Vovk`` or ``DotProduct(function)``.
    inner : Kernel
        Any kernel. Random Maclaurin features serve dot-product, arc-cosine, shift-invariant, binning, additive and
        composed inner kernels, sums, scalings and products of all of them, these at changed rows, any ``ScalarKernel``
        of a user's own, and every other kernel through an ``inner_map``; Fourier features serve shift-invariant
        ones and their sums, with less variance.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
    >>> kernel([[0.0]], [[1.0]]).round(6)
    array([[1.834057]])
    """

    def __init__(self, outer: DotProductKernel, inner: Kernel) -> None:
        self.outer = outer
        self.inner = inner

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .exponential_dot import ExponentialDot
        from .gaussian import Gaussian
        from .polynomial import Polynomial

        return [
            cls(ExponentialDot(), Gaussian(1.0)),
            cls(Polynomial(2), Gaussian(1.0) + Polynomial(2)),
            cls(ExponentialDot(), Polynomial(2, offset=0.5)),
        ]

    def checked(self) -> tuple[DotProductKernel, Kernel]:
        """Outer and inner kernel, or one clear sentence."""
        if not isinstance(self.outer, DotProductKernel):
            raise TypeError(
                f"outer must be a dot-product kernel such as bo.ExponentialDot(), not {type(self.outer).__name__}."
            )
        if not isinstance(self.inner, Kernel):
            raise TypeError(f"inner must be a bochner kernel such as bo.Gaussian(), not {type(self.inner).__name__}.")
        return self.outer, self.inner

    @property
    def series(self) -> DotProductKernel | Composed | None:
        """The inner kernel if it is a plain power series (no amplitude), so that the two series merge into one."""
        inner = self.checked()[1]
        return inner if isinstance(inner, DotProductKernel | Composed) else None

    @property
    def base(self) -> Kernel:
        return self.inner if self.series is None else self.series.base

    @property
    def radius(self) -> float:
        outer = self.checked()[0]
        if self.series is None or np.isinf(outer.radius):
            return outer.radius if self.series is None else self.series.radius
        return min(self.series.radius, largest_argument(self.series, outer.radius))

    def profile(self, t: Array) -> Array:
        return self.outer.profile(t if self.series is None else self.series.profile(t))

    def coefficients(self, n_terms: int) -> Array:
        outer = self.checked()[0]
        if self.series is None:
            return outer.coefficients(n_terms)
        return composed_coefficients(outer, self.series.coefficients(n_terms), n_terms)

    def split(self, dim: int) -> tuple[Any, Kernel] | None:
        """A metric of the inner kernel is a function of rows; length scales of columns stay with it."""
        base = self.base
        if not (isinstance(base, ScaledKernel) and isinstance(base.length_scale, Metric)):
            return None
        return base.split(dim)[0], rescaled(self, 1.0)

    def shift_invariant(self) -> ShiftInvariantKernel | None:
        """f(b)/f(b(0)), where the inner kernel b is shift-invariant, or a sum of such kernels.

        Its frequencies are sums of N inner ones, N of the law a_n b(0)^n / f(b(0)). So ``FourierFeatures`` serve the
        composition, and ``bo.theory`` knows their errors: those of this kernel, times f(b(0)).
        """
        if not all(isinstance(inner, ShiftInvariantKernel) for _, inner in self.base.terms()):
            return None
        return RadialComposition(self) if isinstance(self.base, RadialKernel) else GeneralComposition(self)

    def resolve(self, rows: Any, weight: Array | None = None) -> Composed:
        outer, inner = self.checked()
        inner = inner.resolve(rows, weight)
        # For the outer series the inner kernel plays the inner product: rows of norm sqrt(inner(x, x)) stand for it.
        norms = np.sqrt(inner.diagonal(rows))[:, None]
        return Composed(outer.resolve(norms, weight), inner)


OUTER_TERMS = 400


def composed_coefficients(outer: DotProductKernel, inner: Array, n_terms: int) -> Array:
    """Coefficients of f(g(t)) = sum_m a_m g(t)^m, all terms non-negative; truncated where they no longer count.

    If g(0) = 0 the first n_terms powers give exact values; otherwise a_m g(0)^m must fade within OUTER_TERMS.
    """
    n_outer = n_terms if inner[0] == 0.0 else max(n_terms, OUTER_TERMS)
    outer_coefficients = outer.coefficients(n_outer)
    last = int(np.max(np.flatnonzero(outer_coefficients), initial=0))
    total, power = np.zeros(n_terms), np.zeros(n_terms)
    power[0] = 1.0
    with np.errstate(over="ignore", under="ignore"):
        for a in outer_coefficients[: last + 1]:
            total += a * power
            power = np.convolve(power, inner)[:n_terms]
    return total


def largest_argument(series: PowerSeriesKernel, value: float) -> float:
    """The t >= 0 at which the increasing function g reaches a value (infinite if it never does), by bisection."""
    low, high = 0.0, min(series.radius, 1.0)
    with np.errstate(all="ignore"):
        if series.profile(np.array(low)) >= value:
            return 0.0
        while series.profile(np.array(high)) < value:
            if high >= series.radius or high > 1e150:
                return series.radius
            low, high = high, min(2.0 * high, series.radius)
        for _ in range(200):
            middle = 0.5 * (low + high)
            low, high = (middle, high) if series.profile(np.array(middle)) < value else (low, middle)
    return low

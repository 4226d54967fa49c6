"""Compositions of shift-invariant kernels are shift-invariant: sums of N inner frequencies, N from the series."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Self

import numpy as np

from .base import Array
from .power_series import PowerSeriesKernel
from .scaled_kernel import RadialKernel
from .scaling import LengthScale
from .shift_invariant import ShiftInvariantKernel, inside_unit
from .spectrum import RadialSpectrum, checked_spectrum

TERMS = (64, 256, 1024)  # coefficients asked of a series until it has converged
CONVERGED = 1e-12  # of the sum: what later terms may hold
PROBES = np.geomspace(1e-3, 1e2, 200)
FEWEST = 2.0**-54  # probability below which no uniform number reaches a degree


class GeneralComposition(ShiftInvariantKernel):
    """k(Δ) = f(b(Δ)) / f(b(0)), b a sum of shift-invariant kernels: with v = b(0), a frequency is w = u_1 + ... + u_N,

        P[N = n] = a_n v^n / f(v),   each u independent, of a term of b drawn by its weight,

    because E cos((u_1 + ... + u_n)'Δ) = (b(Δ) / v)^n for symmetric u. So E||w||² = E N E||u||², E N = v f'(v) / f(v).

    Parameters
    ----------
    kernel : Composed

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Composed(bo.ExponentialDot(), bo.Laplace(1.0)).shift_invariant()
    >>> kernel([[0.0]], [[1.0]]).round(6)  # exp(exp(-1) - 1)
    array([[0.531464]])
    """

    def __init__(self, kernel: PowerSeriesKernel) -> None:
        self.kernel = kernel

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .composed import Composed
        from .exponential_dot import ExponentialDot
        from .gaussian import Gaussian
        from .laplace import Laplace

        return [cls(Composed(ExponentialDot(), Laplace(1.3) + Gaussian(1.0) * 0.5))]

    @property
    def largest(self) -> float:
        """f(b(0))."""
        return float(self.kernel.profile(np.array(at_zero(self.kernel))))

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.kernel.rowwise(X, Y) / self.largest

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.kernel(X, Y) / self.largest

    def n_uniforms(self, dim: int) -> int:
        return 1 + (len(degree_law(self.kernel)) - 1) * (1 + self._widest(dim))

    def _widest(self, dim: int) -> int:
        return max(inner.n_uniforms(dim) for _, inner in self._terms())

    def _terms(self) -> list[tuple[float, ShiftInvariantKernel]]:
        return [
            (weight, inner) for weight, inner in self.kernel.base.terms() if isinstance(inner, ShiftInvariantKernel)
        ]

    def _shares(self) -> Array:
        """Cumulated probabilities of the terms of b."""
        return np.cumsum([weight for weight, _ in self._terms()]) / at_zero(self.kernel)

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        """The first uniform number gives N; of each further group the first gives a term, the others its frequency."""
        chosen, size = degrees_from(uniforms[:, 0], degree_law(self.kernel)), 1 + self._widest(dim)

        def part(some: Array, j: int) -> Array:
            group = uniforms[some, 1 + j * size : 1 + (j + 1) * size]
            return self._of_terms(
                group[:, 0], lambda inner, here: inner.frequencies(group[here, 1 : 1 + inner.n_uniforms(dim)], dim), dim
            )

        return sums(chosen, dim, part)

    def sample_frequencies(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        def part(some: Array, j: int) -> Array:  # noqa: ARG001
            return self._of_terms(
                rng.random(len(some)), lambda inner, here: inner.sample_frequencies(dim, len(here), rng), dim
            )

        return sums(degrees_from(rng.random(n), degree_law(self.kernel)), dim, part)

    def _of_terms(self, levels: Array, draw: Callable[[Any, Array], Array], dim: int) -> Array:
        """One frequency for each level, of the term of b that the level falls on."""
        terms = self._terms()
        chosen = np.minimum(np.searchsorted(self._shares(), levels, side="right"), len(terms) - 1)
        found = np.empty((len(levels), dim))
        for number, (_, inner) in enumerate(terms):
            here = np.flatnonzero(chosen == number)
            found[here] = draw(inner, here)
        return found

    def frequency_second_moment(self, dim: int) -> float:
        inner = sum(weight * one.frequency_second_moment(dim) for weight, one in self._terms())
        return mean_degree(self.kernel) * float(inner) / at_zero(self.kernel)


def rescaled(kernel: Any, length_scale: LengthScale) -> Any:
    """A composition whose innermost kernel has another length scale."""
    inner = kernel.inner
    if isinstance(inner, PowerSeriesKernel):
        return type(kernel)(kernel.outer, rescaled(inner, length_scale))
    return type(kernel)(kernel.outer, inner.with_length_scale(length_scale))


class RadialComposition(RadialKernel):
    """k(Δ) = f(p(||Δ|| / l)) / f(1) for a radial inner kernel p: radial itself, so that directions may be orthogonal.

    The length of a frequency is 0 with probability a_0 / f(1); else it is of the law whose transform is the profile
    (f(p(r)) - a_0) / (f(1) - a_0), found numerically.

    Parameters
    ----------
    kernel : Composed

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0)).shift_invariant()
    >>> kernel([[0.0]], [[1.0]]).round(6)  # exp(exp(-1/2) - 1)
    array([[0.674712]])
    >>> float(bo.theory.variance(kernel, [1.0], 100)[0].round(6))
    0.005107
    """

    def __init__(self, kernel: PowerSeriesKernel) -> None:
        self.kernel = kernel

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .composed import Composed
        from .exponential_dot import ExponentialDot
        from .gaussian import Gaussian
        from .matern import Matern
        from .polynomial import Polynomial

        return [
            cls(Composed(ExponentialDot(), Gaussian(1.3))),
            cls(Composed(Polynomial(3, offset=0.0), Matern(1.3, 2.5))),
        ]

    @property
    def _inner(self) -> Any:
        return self.kernel.base

    @property
    def length_scale(self) -> LengthScale:  # type: ignore[override]
        """That of the inner kernel."""
        return self._inner.length_scale

    def profile(self, r: Array) -> Array:
        return self.kernel.profile(self._inner.profile(r)) / self.kernel.profile(np.array(1.0))

    def resolve(self, rows: Any, weight: Array | None = None) -> RadialComposition:
        return RadialComposition(self.kernel.resolve(rows, weight))

    def with_length_scale(self, length_scale: LengthScale) -> RadialComposition:
        return RadialComposition(rescaled(self.kernel, length_scale))

    def unit_uniforms(self, dim: int) -> int:
        return 1 + (len(degree_law(self.kernel)) - 1) * self._inner.unit_uniforms(dim)

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        """The first uniform number gives N, each further group one inner frequency."""
        size = self._inner.unit_uniforms(dim)

        def part(some: Array, j: int) -> Array:
            return self._inner.unit_frequencies(uniforms[some, 1 + j * size : 1 + (j + 1) * size], dim)

        return sums(degrees_from(uniforms[:, 0], degree_law(self.kernel)), dim, part)

    def sample_frequencies(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        def part(some: Array, j: int) -> Array:  # noqa: ARG001
            return self._inner.sample_frequencies(dim, len(some), rng)

        return sums(degrees_from(rng.random(n), degree_law(self.kernel)), dim, part)

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        still = float(degree_law(self.kernel)[0])
        moving = np.asarray(uniforms) >= still
        radii = np.zeros(np.shape(uniforms))
        levels = inside_unit((np.asarray(uniforms)[moving] - still) / (1.0 - still))
        radii[moving] = spectrum_of(KnownByValues(self._moving_profile), dim).quantile(levels)
        return radii

    def _moving_profile(self, r: Array) -> Array:
        still = float(degree_law(self.kernel)[0])
        return (self.profile(r) - still) / (1.0 - still)

    def unit_density(self, radius: Array, dim: int) -> Array:
        if degree_law(self.kernel)[0] > 0:
            raise ValueError(
                "RadialComposition does not know the density of its frequencies: they are 0 with a probability above "
                "0, that of the constant term of the series; take the series without it."
            )
        return super().unit_density(radius, dim)

    def unit_second_moment(self, dim: int) -> float:
        return mean_degree(self.kernel) * float(self._inner.unit_second_moment(dim))


class KnownByValues:
    """A profile that is taken for another if they agree to the last bit at many distances."""

    def __init__(self, profile: Callable[[Array], Array]) -> None:
        self.profile = profile
        self.values = profile(PROBES).tobytes()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, KnownByValues) and self.values == other.values

    def __hash__(self) -> int:
        return hash(self.values)


@lru_cache(maxsize=32)
def spectrum_of(profile: KnownByValues, dim: int) -> RadialSpectrum:
    """The spectrum of a profile, found once: maps are drawn again and again while a width is sought."""
    return checked_spectrum(profile.profile, dim)


def at_zero(kernel: PowerSeriesKernel) -> float:
    """b(0) of a sum of kernels that are 1 at 0."""
    return float(sum(weight for weight, _ in kernel.base.terms()))


def degree_law(kernel: PowerSeriesKernel) -> Array:
    """P[N = n] = a_n v^n / f(v), v = b(0), up to where no uniform number reaches."""
    v = at_zero(kernel)
    for n_terms in TERMS:
        with np.errstate(all="ignore"):
            terms = kernel.coefficients(n_terms) * v ** np.arange(n_terms, dtype=np.float64)
            total = float(kernel.profile(np.array(v)))
        if np.isfinite(total) and abs(total - terms.sum()) <= CONVERGED * total:
            law = terms / terms.sum()
            beyond = np.cumsum(law[::-1])[::-1]
            return law[: int(np.flatnonzero(beyond >= FEWEST)[-1]) + 1]
    raise ValueError(
        f"The series of {type(kernel).__name__} does not converge within {TERMS[-1]} terms at {v:g}, where x = y: "
        "scale the inner kernel down."
    )


def mean_degree(kernel: PowerSeriesKernel) -> float:
    """E N."""
    law = degree_law(kernel)
    return float(law @ np.arange(len(law)))


def degrees_from(levels: Array, law: Array) -> Array:
    """One degree for each uniform number."""
    return np.minimum(np.searchsorted(np.cumsum(law), levels, side="right"), len(law) - 1)


def sums(chosen: Array, dim: int, part: Callable[[Array, int], Array]) -> Array:
    """The sum of ``chosen`` parts in each row; part(rows, j) gives the j-th of them."""
    found = np.zeros((len(chosen), dim))
    for j in range(int(chosen.max(initial=0))):
        some = np.flatnonzero(chosen > j)
        found[some] += part(some, j)
    return found

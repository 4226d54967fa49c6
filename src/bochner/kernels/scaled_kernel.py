"""Kernels behind a scaling: k(x, y) = unit(s(x), s(y)), so that who writes a kernel writes it for length scale 1."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances

from ..compute.numbers import refuse_no_numbers
from .base import Array
from .length_words import resolve_length_scale
from .scaling import LengthScale, Metric, Scaling, check_columns, column_scales, scaling_of, stretched
from .shift_invariant import ShiftInvariantKernel, open_uniform
from .spectrum import checked_spectrum

STEP = 1e-5  # of a difference quotient, relative to the distance
NEAREST = 1e-12  # distance that stands for 0 where a slope is infinite there


class ScaledKernel(ShiftInvariantKernel):
    """k(x, y) = unit(s(x), s(y)) with the scaling s that ``length_scale`` says: lengths, words or a ``Metric``.

    A subclass writes the unit kernel: its values at rows that are scaled already, and the law of its frequencies.
    """

    length_scale: LengthScale
    distance: ClassVar[str] = "euclidean"  # in which words are resolved

    @abstractmethod
    def unit_values(self, X: Any, Y: Any) -> Array:
        """Values at length scale 1 for rows of doubles, dense or sparse, shape (n, m); Y is X for k(X, X)."""

    @abstractmethod
    def unit_at(self, delta: Array) -> Array:
        """k(Δ) at length scale 1 for rows of differences, shape (n,)."""

    @abstractmethod
    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        """Frequencies at length scale 1 from uniform numbers (n, n_uniforms)."""

    @abstractmethod
    def unit_second_moment(self, dim: int) -> float:
        """E||w||² at length scale 1."""

    @abstractmethod
    def unit_spectral_density(self, frequencies: Array) -> Array:
        """The density at rows of frequencies, at length scale 1."""

    def unit_uniforms(self, dim: int) -> int:
        """How many uniform numbers make one frequency at length scale 1."""
        return dim

    def unit_single(self, X: Any, Y: Any) -> Array:
        """``unit_values`` in single precision, where the kernel has a faster way to them."""
        return self.unit_values(X, Y).astype(np.float32)

    @property
    def auto_factor(self) -> float:
        """The length scale that "auto" means, over the typical distance between rows."""
        return 1.0

    def split(self, dim: int) -> tuple[Scaling, Self]:
        """The scaling of rows of so many columns, and the kernel of length scale 1 behind it."""
        return scaling_of(self.length_scale, dim), self.with_length_scale(1.0)

    def column_lengths(self, dim: int) -> Array:
        """The length scale of each column; refused for a metric, which mixes them."""
        return column_scales(self.length_scale, dim)

    def scaled(self, factor: Any) -> Self:
        """The same kernel with lengths so many times as long; an array has a factor for each column (or direction)."""
        return self.with_length_scale(stretched(self.length_scale, factor))

    def with_length_scale(self, length_scale: LengthScale) -> Self:
        """The same kernel with another length scale."""
        other: Self = clone(self).set_params(length_scale=length_scale)
        return other

    def resolve(self, rows: Any, weight: Array | None = None) -> Self:
        found = resolve_length_scale(self.length_scale, rows, weight, self.distance, self.auto_factor)
        return self.with_length_scale(found)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.unit_values(*self._scaled_pair(X, Y))

    def single(self, X: Any, Y: Any) -> Array:
        return self.unit_single(*self._scaled_pair(X, Y))

    def rowwise(self, X: Array, Y: Array) -> Array:
        scaling = scaling_of(self.length_scale, X.shape[1])
        return self.unit_at(scaling.linear(np.asarray(X, np.float64) - np.asarray(Y, np.float64)))

    def _scaled_pair(self, X: Any, Y: Any) -> tuple[Any, Any]:
        """Both arguments as the unit kernel sees them, from an origin near Y: k(x, y) does not see the other rows of X.

        Sparse rows keep the origin 0.
        """
        X = as_table(X)
        Y = X if Y is None else as_table(Y)
        scaling = scaling_of(self.length_scale, X.shape[1])
        check_columns(Y, X.shape[1])
        if not (sp.issparse(X) or sp.issparse(Y)):
            scaling = scaling.around(Y)
        left = scaling(X)
        return left, left if Y is X else scaling(Y)

    def n_uniforms(self, dim: int) -> int:
        return self.unit_uniforms(self._n_directions(dim))

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        scaling = scaling_of(self.length_scale, dim)
        return scaling.frequencies(self.unit_frequencies(uniforms, scaling.n_directions))

    def frequency_second_moment(self, dim: int) -> float:
        scaling = scaling_of(self.length_scale, dim)
        unit_moment = self.unit_second_moment(scaling.n_directions)
        return np.inf if np.isinf(unit_moment) else unit_moment / scaling.n_directions * scaling.trace()

    def spectral_density(self, frequencies: Any) -> Array:
        w = np.atleast_2d(np.asarray(frequencies, dtype=np.float64))
        if w.ndim != 2 or not np.isfinite(w).all():
            raise ValueError("frequencies must be a finite vector, or a table with one such row each.")
        unit, factor = scaling_of(self.length_scale, w.shape[1]).unit_frequencies(w)
        return factor * self.unit_spectral_density(unit)

    def _n_directions(self, dim: int) -> int:
        """Columns that the unit kernel sees."""
        return self.length_scale.n_directions if isinstance(self.length_scale, Metric) else dim


class RadialKernel(ScaledKernel):
    """k(Δ) = profile(||s(Δ)||): rotation invariant in the scaled columns.

    A subclass writes the profile and the law of its frequencies at length scale 1, and one class serves isotropic
    kernels, one length scale per column and metrics.
    """

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """The kernel at scaled distance r >= 0, with profile(0) = 1."""

    def slope(self, r: Array, values: Array) -> Array:
        """-profile'(r) / r, numerically where a kernel does not know better; ``values`` are the profile at r.

        Sums over pairs of slope(r) Δ_j² are how the kernel changes with length scales. Where r is 0 any finite number
        will do.
        """
        return numerical_slope(self.profile, r)

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        """Quantile function of ||w|| at length scale 1; a kernel that does not know it has it from its profile."""
        return checked_spectrum(self.profile, dim).quantile(uniforms)

    def sample_radii(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """N draws of ||w|| at length scale 1: what orthogonal and structured directions are multiplied by."""
        return self.radius_quantile(open_uniform(rng, (n,)), dim)

    def unit_density(self, radius: Array, dim: int) -> Array:
        """The density of w at ||w|| = radius, at length scale 1; by default found numerically from the profile."""
        return checked_spectrum(self.profile, dim).density(radius)

    def unit_spectral_density(self, frequencies: Array) -> Array:
        return self.unit_density(np.linalg.norm(frequencies, axis=1), frequencies.shape[1])

    def unit_values(self, X: Any, Y: Any) -> Array:
        return self.profile(euclidean_distances(X, Y))

    def unit_at(self, delta: Array) -> Array:
        return self.profile(np.linalg.norm(delta, axis=1))


class ProductFormKernel(ScaledKernel):
    """k(Δ) = prod_j profile(|s(Δ)_j|): one column at a time, frequencies with independent columns.

    A subclass writes the profile; the rest is found numerically where it does not know better.
    """

    distance: ClassVar[str] = "cityblock"

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """The one-dimensional kernel at scaled distance r >= 0, with profile(0) = 1."""

    @abstractmethod
    def column_second_moment(self) -> float:
        """E w_j² at length scale 1."""

    def slope(self, r: Array, values: Array) -> Array:
        """-profile'(r) / r, numerically where a kernel does not know better; ``values`` are the profile at r."""
        return numerical_slope(self.profile, r)

    def quantile(self, uniforms: Array) -> Array:
        """Quantile function of one column's frequency at length scale 1 (a law symmetric about 0)."""
        centred = uniforms - 0.5
        size = checked_spectrum(self.profile, 1).quantile(np.abs(2.0 * centred).ravel())
        return np.sign(centred) * size.reshape(centred.shape)

    def column_density(self, frequencies: Array) -> Array:
        """The density of one column's frequency at length scale 1; by default found numerically from the profile."""
        return checked_spectrum(self.profile, 1).density(np.abs(frequencies))

    def unit_spectral_density(self, frequencies: Array) -> Array:
        return np.prod(self.column_density(frequencies), axis=1)

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        return self.quantile(uniforms)

    def unit_second_moment(self, dim: int) -> float:
        return dim * self.column_second_moment()

    def unit_values(self, X: Any, Y: Any) -> Array:
        X, Y = (part.toarray() if sp.issparse(part) else part for part in (X, Y))
        values = np.ones((X.shape[0], Y.shape[0]))
        for x, y in zip(X.T, Y.T):
            values *= self.profile(np.abs(x[:, None] - y[None, :]))
        return values

    def unit_at(self, delta: Array) -> Array:
        return np.prod(self.profile(np.abs(delta)), axis=1)


def numerical_slope(profile: Callable[[Array], Array], r: Array) -> Array:
    """-profile'(r) / r by a central difference."""
    apart = np.maximum(r, NEAREST)
    return (profile(apart * (1 - STEP)) - profile(apart * (1 + STEP))) / (2 * STEP * apart**2)


def from_products(
    finish: Callable[[Array, Array, Array], None], X: Any, Y: Any, dtype: type = np.float64
) -> Array | None:
    """Kernel values made in place from products x'y and halves of squared norms; None where that would not do.

    That is for sparse rows, and norms too large to be squared.
    """
    if sp.issparse(X) or sp.issparse(Y):
        return None
    left = X.astype(dtype, copy=False)
    right = left if Y is X else Y.astype(dtype, copy=False)
    left_halves = 0.5 * np.einsum("ij,ij->i", left, left)
    right_halves = left_halves if Y is X else 0.5 * np.einsum("ij,ij->i", right, right)
    if not np.isfinite(left_halves.sum() + right_halves.sum()):
        return None
    values = left @ right.T
    finish(values, left_halves, right_halves)
    if Y is X:
        np.fill_diagonal(values, 1.0)
    return values


def checked_function(function: Any, what: str) -> Any:
    """A function of the user's, or one clear sentence."""
    if not callable(function):
        raise TypeError(f"A profile must be a function of {what}, not {type(function).__name__}.")
    return function


def as_table(X: Any) -> Any:
    """Rows as an array, or sparse as they are; refuses what is not a table."""
    if sp.issparse(X):
        return X
    refuse_no_numbers(X)
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"A kernel needs a table of rows and columns, but it was given {X.ndim} dimension(s).")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)

"""Shift-invariant kernels: Bochner's theorem as three abstract methods."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.stats import qmc
from sklearn.base import clone
from sklearn.metrics.pairwise import euclidean_distances, manhattan_distances

from .base import Array, Kernel
from .common_row import common_row
from .length_scale import LengthScale, column_scales, resolve_length_scale
from .spectrum import checked_spectrum


class ShiftInvariantKernel(Kernel):
    """k(x, y) = k(x - y) with k(0) = 1, that is k(Δ) = E cos(w'Δ) for random frequencies w (Bochner).

    A subclass says how uniform random numbers become frequencies. One rule then serves pseudo-random draws and
    quasi-random (Sobol, Halton) points alike.
    """

    largest_dim: ClassVar[float] = np.inf  # columns up to which it has frequencies

    @abstractmethod
    def n_uniforms(self, dim: int) -> int:
        """How many uniform numbers make one frequency in ``dim`` dimensions."""

    @abstractmethod
    def frequencies(self, uniforms: Array, dim: int) -> Array:
        """Frequencies (n, dim) from uniform numbers (n, n_uniforms) inside the open unit interval."""

    @abstractmethod
    def frequency_second_moment(self, dim: int) -> float:
        """E||w||² = -Laplacian of k at 0; infinite where k is not twice differentiable at 0."""

    def sample_frequencies(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """N independent frequencies, shape (n, dim)."""
        return self.frequencies(open_uniform(rng, (n, self.n_uniforms(dim))), dim)

    def spectral_density(self, frequencies: Any) -> Array:
        """p(w) with k(Δ) = integral of p(w) cos(w'Δ) dw, for rows of frequencies w, shape (n,).

        Parameters
        ----------
        frequencies : array of shape (dim,) or (n, dim)

        Returns
        -------
        array of shape (n,)
        """
        raise ValueError(f"{type(self).__name__} does not know the density of its frequencies.")

    def at(self, delta: Array) -> Array:
        """k(Δ) for rows of differences Δ, shape (n,)."""
        delta = np.atleast_2d(np.asarray(delta, dtype=np.float64))
        return self.rowwise(delta, np.zeros_like(delta))

    def diagonal(self, X: Any) -> Array:
        return np.ones(X.shape[0] if sp.issparse(X) else len(X))

    def times(self, other: Kernel) -> Kernel:
        if isinstance(other, ShiftInvariantKernel):
            return ShiftInvariantProduct(self, other)
        return super().times(other)


def open_uniform(rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
    """Uniform numbers in the open interval (0, 1)."""
    return inside_unit(rng.random(shape))


def inside_unit(levels: Array) -> Array:
    """Levels moved into the open interval (0, 1): quantile functions are infinite at its ends."""
    return np.clip(levels, 2.0**-54, 1 - 2.0**-53)


class RadialKernel(ShiftInvariantKernel):
    """k(Δ) = profile(||Δ / length_scale||): rotation invariant in the scaled columns.

    A subclass writes the profile and the law of its frequencies at length scale 1. Frequencies of length scale l
    are w / l, column by column, so one class serves isotropic and ARD kernels.
    """

    length_scale: LengthScale

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """The kernel at scaled distance r >= 0, with profile(0) = 1."""

    @abstractmethod
    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        """Frequencies at length scale 1."""

    @abstractmethod
    def unit_second_moment(self, dim: int) -> float:
        """E||w||² at length scale 1."""

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        """Quantile function of ||w|| at length scale 1; a kernel that does not know it has it from its profile."""
        return checked_spectrum(self.profile, dim).quantile(uniforms)

    def sample_radii(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """N draws of ||w|| at length scale 1: what orthogonal and structured directions are multiplied by."""
        return self.radius_quantile(open_uniform(rng, (n,)), dim)

    def unit_density(self, radius: Array, dim: int) -> Array:
        """The density of w at ||w|| = radius, at length scale 1; by default found numerically from the profile."""
        return checked_spectrum(self.profile, dim).density(radius)

    def spectral_density(self, frequencies: Any) -> Array:
        w, scales = scaled_frequencies(frequencies, self.length_scale)
        return np.prod(scales) * self.unit_density(np.linalg.norm(w, axis=1), w.shape[1])

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        return self.unit_frequencies(uniforms, dim) / column_scales(self.length_scale, dim)

    def frequency_second_moment(self, dim: int) -> float:
        return scaled_second_moment(self.unit_second_moment(dim), self.length_scale, dim)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X, Y = scaled_pair(X, Y, self.length_scale)
        return self.profile(euclidean_distances(X, Y))

    def rowwise(self, X: Array, Y: Array) -> Array:
        scales = column_scales(self.length_scale, X.shape[1])
        return self.profile(np.linalg.norm((X - Y) / scales, axis=1))

    @property
    def auto_factor(self) -> float:
        """The length scale that "auto" means, over the typical distance between rows."""
        return 1.0

    def resolve(self, rows: Any, weight: Array | None = None) -> Self:
        scale = resolve_length_scale(self.length_scale, rows, weight, "euclidean", self.auto_factor)
        return with_length_scale(self, scale)


class ProductFormKernel(ShiftInvariantKernel):
    """k(Δ) = prod_j profile(|Δ_j| / length_scale_j): one column at a time, frequencies with independent columns."""

    length_scale: LengthScale

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """The one-dimensional kernel at scaled distance r >= 0, with profile(0) = 1."""

    @abstractmethod
    def quantile(self, uniforms: Array) -> Array:
        """Quantile function of one column's frequency at length scale 1 (a law symmetric about 0)."""

    @abstractmethod
    def column_second_moment(self) -> float:
        """E w_j² at length scale 1."""

    def column_density(self, frequencies: Array) -> Array:
        """The density of one column's frequency at length scale 1; by default found numerically from the profile."""
        return checked_spectrum(self.profile, 1).density(np.abs(frequencies))

    def spectral_density(self, frequencies: Any) -> Array:
        w, scales = scaled_frequencies(frequencies, self.length_scale)
        return np.prod(scales * self.column_density(w), axis=1)

    def n_uniforms(self, dim: int) -> int:
        return dim

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        return self.quantile(uniforms) / column_scales(self.length_scale, dim)

    def frequency_second_moment(self, dim: int) -> float:
        return scaled_second_moment(dim * self.column_second_moment(), self.length_scale, dim)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X, Y = (_dense(part) for part in scaled_pair(X, Y, self.length_scale))
        values = np.ones((X.shape[0], Y.shape[0]))
        for x, y in zip(X.T, Y.T):
            values *= self.profile(np.abs(x[:, None] - y[None, :]))
        return values

    def rowwise(self, X: Array, Y: Array) -> Array:
        scales = column_scales(self.length_scale, X.shape[1])
        return np.prod(self.profile(np.abs(X - Y) / scales), axis=1)

    def resolve(self, rows: Any, weight: Array | None = None) -> Self:
        return with_length_scale(self, resolve_length_scale(self.length_scale, rows, weight, "cityblock"))


class ShiftInvariantProduct(ShiftInvariantKernel):
    """k(Δ) = left(Δ) right(Δ): frequencies are sums, w = v + u with v, u independent, so E||w||² adds up too.

    The density of the sum is E p(w - u), with p that of the factor with the heavier tail and a mean over 2^14
    quasi-random u of the other.
    """

    def __init__(self, left: ShiftInvariantKernel, right: ShiftInvariantKernel) -> None:
        self.left = left
        self.right = right

    def n_uniforms(self, dim: int) -> int:
        return self.left.n_uniforms(dim) + self.right.n_uniforms(dim)

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        split = self.left.n_uniforms(dim)
        return self.left.frequencies(uniforms[:, :split], dim) + self.right.frequencies(uniforms[:, split:], dim)

    def frequency_second_moment(self, dim: int) -> float:
        return self.left.frequency_second_moment(dim) + self.right.frequency_second_moment(dim)

    def spectral_density(self, frequencies: Any) -> Array:
        w = np.atleast_2d(np.asarray(frequencies, dtype=np.float64))
        dim = w.shape[1]
        light, heavy = sorted((self.left, self.right), key=lambda factor: factor.frequency_second_moment(dim))
        uniforms = qmc.Sobol(light.n_uniforms(dim), rng=0).random_base2(14)
        shifts = light.frequencies(np.clip(uniforms, 2.0**-54, 1 - 2.0**-53), dim)
        return np.array([heavy.spectral_density(one - shifts).mean() for one in w])

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.left(X, Y) * self.right(X, Y)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.left.rowwise(X, Y) * self.right.rowwise(X, Y)

    def resolve(self, rows: Any, weight: Array | None = None) -> ShiftInvariantProduct:
        left, right = self.left.resolve(rows, weight), self.right.resolve(rows, weight)
        return ShiftInvariantProduct(left, right)


def scaled_frequencies(frequencies: Any, length_scale: LengthScale) -> tuple[Array, Array]:
    """Rows of frequencies times the length scales, and these."""
    w = np.atleast_2d(np.asarray(frequencies, dtype=np.float64))
    if w.ndim != 2 or not np.isfinite(w).all():
        raise ValueError("frequencies must be a finite vector, or a table with one such row each.")
    scales = column_scales(length_scale, w.shape[1])
    return w * scales, scales


def scaled_pair(X: Any, Y: Any, length_scale: LengthScale, dtype: type = np.float64) -> tuple[Any, Any]:
    """Both arguments less one common row, divided by the length scales, column by column; Y = X if not given.

    Differences do not see the common row, and what is left is as small as the data are wide: where x'y or single
    precision is used, digits are lost to the spread of the rows only and not to their distance from 0. The row is that
    of Y, so that k(x, y) does not depend on the other rows of X. Sparse rows stay as they are.
    """
    X = as_table(X)
    Y = X if Y is None else as_table(Y)
    plain = sp.issparse(X) or sp.issparse(Y) or X.shape[1] != Y.shape[1]
    common = None if plain else common_row(Y)
    left = _scaled(X, common, length_scale, dtype)
    return left, left if Y is X else _scaled(Y, common, length_scale, dtype)


def from_products(
    finish: Callable[[Array, Array, Array], None],
    X: Any,
    Y: Any,
    length_scale: LengthScale,
    dtype: type = np.float64,
) -> Array | None:
    """Kernel values made in place from products x'y and halves of squared norms; None where that would not do.

    That is for sparse rows, for arguments that do not fit (which others explain), and norms too large to be squared.
    """
    if sp.issparse(X) or sp.issparse(Y):
        return None
    left, right = scaled_pair(X, Y, length_scale, dtype)
    left_halves = 0.5 * np.einsum("ij,ij->i", left, left)
    right_halves = left_halves if Y is None else 0.5 * np.einsum("ij,ij->i", right, right)
    if left.shape[1] != right.shape[1] or not np.isfinite(left_halves.sum() + right_halves.sum()):
        return None
    values = left @ right.T
    finish(values, left_halves, right_halves)
    if Y is None:
        np.fill_diagonal(values, 1.0)
    return values


def scaled_manhattan(X: Any, Y: Any, length_scale: LengthScale) -> Array:
    """Sum over columns of |x_j - y_j| / length_scale_j."""
    return manhattan_distances(*scaled_pair(X, Y, length_scale))


def scaled_second_moment(unit_moment: float, length_scale: LengthScale, dim: int) -> float:
    """E||w||² after division by the length scales, for columns of equal second moment."""
    if np.isinf(unit_moment):
        return np.inf
    return float(unit_moment / dim * np.sum(column_scales(length_scale, dim) ** -2.0))


def with_length_scale(kernel: Any, length_scale: LengthScale) -> Any:
    """Return a copy of the kernel with another length scale."""
    return clone(kernel).set_params(length_scale=length_scale)


def as_table(X: Any) -> Any:
    """Rows as an array, or sparse as they are; refuses what is not a table."""
    if sp.issparse(X):
        return X
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"A kernel needs a table of rows and columns, but it was given {X.ndim} dimension(s).")
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _scaled(X: Any, common: Array | None, length_scale: LengthScale, dtype: type) -> Any:
    if sp.issparse(X):
        return (X @ sp.diags(1.0 / column_scales(length_scale, X.shape[1]))).tocsr()
    rows = np.subtract(X, 0.0 if common is None else common, dtype=np.float64)
    if not (isinstance(length_scale, float) and length_scale == 1.0):
        rows /= column_scales(length_scale, X.shape[1])
    return rows.astype(dtype, copy=False)


def _dense(X: Any) -> Array:
    return X.toarray() if sp.issparse(X) else X

"""Shift-invariant kernels: Bochner's theorem as three abstract methods."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from scipy.stats import qmc

from .base import Array, Kernel


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

        Examples
        --------
        >>> import bochner as bo
        >>> bo.Gaussian(1.0).spectral_density([0.0, 0.0]).round(10)
        array([0.15915494])
        """
        raise ValueError(f"{type(self).__name__} does not know the density of its frequencies.")

    def shift_invariant(self) -> ShiftInvariantKernel:
        return self

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


class ShiftInvariantProduct(ShiftInvariantKernel):
    """k(Δ) = left(Δ) right(Δ): frequencies are sums, w = v + u with v, u independent, so E||w||² adds up too.

    The density of the sum is E p(w - u), with p that of the factor with the heavier tail and a mean over 2^14
    quasi-random u of the other.
    """

    def __init__(self, left: ShiftInvariantKernel, right: ShiftInvariantKernel) -> None:
        self.left = left
        self.right = right

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .gaussian import Gaussian
        from .laplace import Laplace

        return [cls(Gaussian(1.3), Laplace(2.0))]

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

"""What a kernel is, and how kernels add, multiply and scale."""

from __future__ import annotations

from abc import ABC, abstractmethod
from itertools import product
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from .names import OwnNames, no_kernel

Array = np.ndarray
Term = tuple[float, "Kernel"]


class Kernel(OwnNames, BaseEstimator, ABC):
    """A positive definite function k(x, y).

    A kernel knows its own mathematics and nothing of feature maps, data sources or learners. It is a scikit-learn
    ``BaseEstimator`` only for its parameters: ``get_params``, ``clone`` and ``repr`` work, so that a grid search
    can reach ``feature_map__kernel__length_scale``.

    Laws: ``k(X, X)`` is symmetric positive semi-definite; ``k.diagonal(X) == diag(k(X))``;
    ``k.rowwise(X, Y) == diag(k(X, Y))``; kernels are closed under ``+``, ``*`` and multiplication by a number > 0.
    """

    @classmethod
    def instead(cls, name: str) -> str | None:
        if name in ("gamma", "kernel"):
            return "a gamma belongs to bo.Gaussian.from_gamma(gamma) and bo.Laplace.from_gamma(gamma)"
        return None

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        """Instances for rows of ``dim`` columns that use every parameter: the contracts in tests look at these."""
        return [cls()]

    @abstractmethod
    def __call__(self, X: Any, Y: Any = None) -> Array:
        """Kernel matrix k(x_i, y_j), shape (n, m); Y = X if not given."""

    def single(self, X: Any, Y: Any) -> Array:
        """k(X, Y) in single precision, several times as fast where the kernel has a way: for sums over many rows."""
        return self(X, Y).astype(np.float32)

    @abstractmethod
    def rowwise(self, X: Array, Y: Array) -> Array:
        """k(x_i, y_i) for paired rows, shape (n,)."""

    @abstractmethod
    def diagonal(self, X: Any) -> Array:
        """k(x_i, x_i), shape (n,)."""

    def resolve(self, rows: Any, weight: Array | None = None) -> Kernel:
        """Return this kernel with every word among its parameters ("median", "std") made a number from the rows."""
        return self

    def split(self, dim: int) -> tuple[Any, Kernel] | None:
        """Return a function of rows of so many columns and a kernel behind it: None where rows are seen as they are."""
        return None

    def terms(self) -> list[Term]:
        """Return pairs (weight, kernel) with k = sum of weight * kernel, as fine as the algebra allows.

        A feature map that can serve each term serves the sum by concatenation.
        """
        return [(1.0, self)]

    def times(self, other: Kernel) -> Kernel:
        """Return the product of two terms as a single kernel, in the most specific class that has features."""
        return Product(self, other)

    def shift_invariant(self) -> Kernel | None:
        """κ with k(x, y) = sqrt(k(x, x) k(y, y)) κ(x - y), κ(0) = 1, where there is one: random frequencies serve k."""
        return None

    def spectral_density(self, frequencies: Any) -> Array:
        """p(w) with k(Δ) = integral of p(w) cos(w'Δ) dw, where k is a function of Δ = x - y; shape (n,).

        Its mass is k(0): a sum of kernels has the sum of their densities, a product their convolution.

        Parameters
        ----------
        frequencies : array of shape (dim,) or (n, dim)

        Returns
        -------
        array of shape (n,)
        """
        raise ValueError(f"{type(self).__name__} is not known as a function of x - y: it has no spectral density.")

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Kernel | float) -> Kernel:
        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(self, other) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__


def checked_kernel(given: Any) -> Kernel:
    """A kernel as it is, or one clear sentence."""
    if not isinstance(given, Kernel):
        raise TypeError(no_kernel(given))
    return given


class Sum(Kernel):
    """k(x, y) = left(x, y) + right(x, y); its features are the features of both, side by side.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Gaussian(1.0) + 0.5 * bo.Laplace(1.0)
    >>> kernel([[0.0]], [[1.0]]).round(4)
    array([[0.7905]])
    """

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .gaussian import Gaussian
        from .laplace import Laplace

        return [cls(Gaussian(1.0), Laplace(2.0) * 0.5)]

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.left(X, Y) + self.right(X, Y)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.left.rowwise(X, Y) + self.right.rowwise(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) + self.right.diagonal(X)

    def resolve(self, rows: Any, weight: Array | None = None) -> Kernel:
        return Sum(self.left.resolve(rows, weight), self.right.resolve(rows, weight))

    def terms(self) -> list[Term]:
        return self.left.terms() + self.right.terms()

    def spectral_density(self, frequencies: Any) -> Array:
        return self.left.spectral_density(frequencies) + self.right.spectral_density(frequencies)


class Scaled(Kernel):
    """k(x, y) = weight * kernel(x, y), weight > 0; its features are multiplied by sqrt(weight)."""

    def __init__(self, kernel: Kernel, weight: float) -> None:
        self.kernel = kernel
        self.weight = weight

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .matern import Matern

        return [cls(Matern(1.0), 2.0)]

    def _checked_weight(self) -> float:
        if not (np.isfinite(self.weight) and self.weight > 0):
            raise ValueError(f"A kernel can be scaled by a finite number > 0 only, not by {self.weight}.")
        return float(self.weight)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self._checked_weight() * self.kernel(X, Y)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self._checked_weight() * self.kernel.rowwise(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self._checked_weight() * self.kernel.diagonal(X)

    def resolve(self, rows: Any, weight: Array | None = None) -> Kernel:
        return Scaled(self.kernel.resolve(rows, weight), self.weight)

    def terms(self) -> list[Term]:
        return [(self._checked_weight() * weight, kernel) for weight, kernel in self.kernel.terms()]

    def spectral_density(self, frequencies: Any) -> Array:
        return self._checked_weight() * self.kernel.spectral_density(frequencies)


class Product(Kernel):
    """k(x, y) = left(x, y) * right(x, y).

    The product of two shift-invariant kernels is shift-invariant: its frequencies are sums of independent
    frequencies of the factors (the spectrum of a product is the convolution of the spectra).
    """

    def __init__(self, left: Kernel, right: Kernel) -> None:
        self.left = left
        self.right = right

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .cauchy import Cauchy
        from .gaussian import Gaussian
        from .laplace import Laplace

        return [cls(Gaussian(1.0), Cauchy(2.0)), cls(Gaussian(1.0) + Cauchy(1.0), Laplace(3.0))]

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.left(X, Y) * self.right(X, Y)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.left.rowwise(X, Y) * self.right.rowwise(X, Y)

    def diagonal(self, X: Any) -> Array:
        return self.left.diagonal(X) * self.right.diagonal(X)

    def resolve(self, rows: Any, weight: Array | None = None) -> Kernel:
        return Product(self.left.resolve(rows, weight), self.right.resolve(rows, weight))

    def terms(self) -> list[Term]:
        pairs = product(self.left.terms(), self.right.terms())
        return [(v * w, left.times(right)) for (v, left), (w, right) in pairs]

    def spectral_density(self, frequencies: Any) -> Array:
        terms = self.terms()
        if any(isinstance(kernel, Product) for _, kernel in terms):  # factors that are no functions of x - y
            return super().spectral_density(frequencies)
        return np.sum([weight * kernel.spectral_density(frequencies) for weight, kernel in terms], axis=0)


def largest_row(rows: Any) -> Any:
    """The row with the largest entry, as a table of one row; no row of no rows."""
    if rows.shape[0] == 0:
        return rows
    sizes = abs(rows).max(axis=1)
    place = int(np.argmax(sizes.toarray() if sp.issparse(sizes) else sizes))
    row = rows[place : place + 1]
    return row if sp.issparse(row) else np.ascontiguousarray(row)


def refuse_overflow(kernel: Kernel, rows: Any) -> None:
    """Refuse rows of which the largest has values of the kernel that are not numbers."""
    with np.errstate(all="ignore"):
        finite = np.isfinite(kernel(largest_row(rows), rows)).all()
    if not finite:
        raise ValueError("The kernel is not finite at some rows: scale the data or the kernel down.")

"""Compositions over any inner map: dot-product features of the features of the inner kernel."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from ..kernels import Composed, Gaussian, Polynomial
from ..kernels.dot_product import DotProductKernel
from ..kernels.power_series import PowerSeriesKernel
from .design import Array
from .features import DenseFeatures, Features


class OuterSeries(DotProductKernel):
    """f(<u, v>), f the series of a composition f(b(x, y)): the same series of the inner product of features of b."""

    def __init__(self, kernel: PowerSeriesKernel) -> None:
        self.kernel = kernel

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(Composed(Polynomial(2, offset=0.5), Gaussian(1.0)))]

    @property
    def radius(self) -> float:
        return self.kernel.radius

    def profile(self, t: Array) -> Array:
        return self.kernel.profile(t)

    def coefficients(self, n_terms: int) -> Array:
        return self.kernel.coefficients(n_terms)


class NestedFeatures(DenseFeatures):
    """z(x) = outer(inner(x)): with <inner(x), inner(y)> near b(x, y), features of f(b) from those of f(<u, v>)."""

    def __init__(self, inner: Features, outer: DenseFeatures) -> None:
        self.inner = inner
        self.outer = outer
        self.n_features_in = inner.n_features_in
        self.n_components = outer.n_components
        self.dtype = outer.dtype

    def write(self, X: Any, out: Array) -> None:
        self.outer.write(self.inner(X), out)


def inner_products(features: NestedFeatures, X: Array, Y: Array) -> Array:
    """<inner(x_i), inner(y_i)> for paired rows."""
    left, right = (np.asarray(features.inner(part.astype(features.inner.dtype)), dtype=np.float64) for part in (X, Y))
    return np.einsum("ij,ij->i", left, right)

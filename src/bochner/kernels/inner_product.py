"""The inner product, plain and of normalised rows: what dot-product kernels are power series of."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .base import Array, Kernel
from .power_series import as_table


class InnerProduct(Kernel):
    """k(x, y) = <x, y>."""

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = as_table(X)
        Y = X if Y is None else as_table(Y)
        product = X @ Y.T
        return product.toarray() if sp.issparse(product) else np.asarray(product, dtype=np.float64)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return np.einsum("ij,ij->i", X, Y, dtype=np.float64)

    def diagonal(self, X: Any) -> Array:
        return squared_norms(X)


class Cosine(Kernel):
    """k(x, y) = <x, y> / (||x|| ||y||), the inner product of directions; 0 where a row is zero."""

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = directions(as_table(X))
        Y = X if Y is None else directions(as_table(Y))
        return np.clip(InnerProduct()(X, Y), -1.0, 1.0)

    def rowwise(self, X: Array, Y: Array) -> Array:
        return np.clip(InnerProduct().rowwise(directions(X), directions(Y)), -1.0, 1.0)

    def diagonal(self, X: Any) -> Array:
        return (squared_norms(X) > 0).astype(np.float64)


def squared_norms(X: Any) -> Array:
    """||x_i||² of dense or sparse rows, in float64."""
    X = as_table(X)
    if sp.issparse(X):
        return np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    return np.einsum("ij,ij->i", X, X)


def directions(X: Any) -> Any:
    """Rows divided by their norms, rows of zeros left alone; the dtype is kept."""
    norms = np.sqrt(squared_norms(X))
    inverse = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0).astype(X.dtype)
    return sp.diags(inverse) @ X if sp.issparse(X) else X * inverse[:, None]

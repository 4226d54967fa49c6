"""Features that are products of random factors, computed by few matrix products and multiplied in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.factor_products import multiply_factors, overflowed
from ..kernels.inner_product import directions, squared_norms
from ..kernels.power_series import PowerSeriesKernel
from .design import Array
from .factor_laws import Factor, FactorLaw
from .features import DenseFeatures

TILE_BYTES = 1 << 20  # enough rows that calls cost nothing, few enough that projections stay in the caches (measured)


class ProductFunction(DenseFeatures):
    """z(x) = [Re, Im of products of complex factors; products of real factors], each group sorted by falling degree.

    Factor j then concerns a leading part of each group, so that it is one block of columns, whatever the degrees;
    consecutive factors share one matrix product up to the width of the first. A product of no factors is a constant.
    """

    def __init__(
        self,
        factors: Sequence[Factor],
        pair_constants: Array,
        single_constants: Array,
        n_features_in: int,
        dtype: np.dtype,
    ) -> None:
        self.n_pairs = len(pair_constants)
        self.n_singles = len(single_constants)
        self.pair_constants = pair_constants.astype(dtype)
        self.single_constants = single_constants.astype(dtype)
        self.batches = [(np.concatenate([f.matrix for f in batch], axis=1), batch) for batch in batched(factors)]
        self.n_features_in = n_features_in
        self.n_components = 2 * self.n_pairs + self.n_singles
        self.dtype = dtype

    def write(self, X: Any, out: Array) -> None:
        width = max((matrix.shape[1] for matrix, _ in self.batches), default=1)
        tile = min(X.shape[0], max(16, TILE_BYTES // (width * self.dtype.itemsize)))
        scratch = np.empty(tile * width, dtype=self.dtype)
        for start in range(0, X.shape[0], tile):
            stop = min(start + tile, X.shape[0])
            self._write_tile(X[start:stop], scratch, out[start:stop])

    def _write_tile(self, X: Any, scratch: Array, out: Array) -> None:
        self._write_constants(out)
        with np.errstate(over="ignore", invalid="ignore"):
            for number, (matrix, batch) in enumerate(self.batches):
                values = scratch[: X.shape[0] * matrix.shape[1]].reshape(X.shape[0], -1)
                project(X, matrix, values)
                stop = 0
                for factor in batch:
                    start, stop = stop, stop + factor.width
                    factor.activation.apply(values[:, start:stop])
                layout = np.array([(factor.n_pairs, factor.n_singles) for factor in batch])
                multiply_factors(values, layout, self.n_pairs, number == 0, out)
        if overflowed(out):
            raise ValueError(overflow_message(X, self.dtype))

    def _write_constants(self, out: Array) -> None:
        """Set the features that have no factor."""
        first = self.batches[0][1][0] if self.batches else None
        pairs, singles = (first.n_pairs, first.n_singles) if first else (0, 0)
        out[:, pairs : self.n_pairs] = self.pair_constants[pairs:]
        out[:, self.n_pairs + pairs : 2 * self.n_pairs] = 0.0
        out[:, 2 * self.n_pairs + singles :] = self.single_constants[singles:]


class LinearFunction(DenseFeatures):
    """z(x) = [constant, slope x]: the terms of degree 0 and 1 of a dot-product kernel, without error (H0/1)."""

    def __init__(self, constant: float, slope: float, n_features_in: int, dtype: np.dtype) -> None:
        self.constant = constant
        self.slope = slope
        self.n_features_in = n_features_in
        self.n_components = (constant > 0) + (n_features_in if slope > 0 else 0)
        self.dtype = dtype

    def write(self, X: Any, out: Array) -> None:
        linear = out
        if self.constant > 0:
            out[:, 0] = self.constant
            linear = out[:, 1:]
        if self.slope > 0:
            linear[:] = X.toarray() if sp.issparse(X) else X
            linear *= self.dtype.type(self.slope)


class DirectionFeatures(DenseFeatures):
    """z(x) = g(x) inner(x / ||x||): features of a series in the cosine, times the kernel's amplitude."""

    def __init__(self, inner: DenseFeatures, kernel: PowerSeriesKernel) -> None:
        self.inner = inner
        self.kernel = kernel
        self.n_features_in = inner.n_features_in
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def write(self, X: Any, out: Array) -> None:
        self.inner.write(directions(X), out)
        out *= self.kernel.amplitude(X).astype(self.dtype)[:, None]


class GuardedFeatures(DenseFeatures):
    """Features of a series that converges in a ball only: rows outside are refused."""

    def __init__(self, inner: DenseFeatures, kernel: PowerSeriesKernel) -> None:
        self.inner = inner
        self.kernel = kernel
        self.n_features_in = inner.n_features_in
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    def write(self, X: Any, out: Array) -> None:
        self.kernel.refuse_outside(self.kernel.base.diagonal(X))
        self.inner.write(X, out)


def overflow_message(X: Any, dtype: np.dtype) -> str:
    """One sentence: where the features overflow, and what to do."""
    norms = np.sqrt(squared_norms(X))
    return (
        f"The features overflow {dtype} in a block whose largest row has norm {norms.max():.4g}: "
        "scale the data or the kernel down, lower the degree, or give float64 data."
    )


def project(X: Any, matrix: Array, values: Array) -> None:
    """X @ matrix for a dense or sparse tile, into values."""
    if sp.issparse(X):
        values[:] = X @ matrix
    else:
        np.matmul(X, matrix, out=values)


def batched(factors: Sequence[Factor]) -> list[tuple[Factor, ...]]:
    """Consecutive factors in groups no wider than the first: the many narrow ones of high degree go together."""
    groups: list[list[Factor]] = []
    for factor in factors:
        if groups and sum(f.width for f in groups[-1]) + factor.width <= factors[0].width:
            groups[-1].append(factor)
        else:
            groups.append([factor])
    return [tuple(group) for group in groups]


def by_falling_degree(degrees: Array, scales: Array) -> tuple[Array, Array]:
    """Sort features so that those that have a j-th factor come first, for every j."""
    order = np.argsort(-degrees, kind="stable")
    return degrees[order], scales[order]


def drawn_products(
    law: FactorLaw,
    pairs: tuple[Array, Array],
    singles: tuple[Array, Array],
    dim: int,
    rng: np.random.Generator,
    dtype: np.dtype,
) -> ProductFunction:
    """Draw every factor of features whose (degrees, scales) are given, sorted by falling degree.

    A scale is spread evenly over the factors of its feature, so that neither they nor their products overflow early.
    """
    roots = [scales ** (1.0 / np.maximum(degrees, 1)) for degrees, scales in (pairs, singles)]
    constants = [np.where(degrees == 0, scales, 1.0) for degrees, scales in (pairs, singles)]
    highest = max((int(degrees[0]) for degrees, _ in (pairs, singles) if len(degrees)), default=0)
    factors = []
    for j in range(highest):
        n_pairs, n_singles = (int(np.sum(degrees > j)) for degrees, _ in (pairs, singles))
        factors.append(law.draw(dim, roots[0][:n_pairs], roots[1][:n_singles], rng, dtype))
    return ProductFunction(factors, constants[0], constants[1], dim, dtype)

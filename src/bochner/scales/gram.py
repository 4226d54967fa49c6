"""Kernel matrices of a few rows as functions of one length scale per column, with their derivatives."""

from __future__ import annotations

from collections.abc import Callable
from functools import singledispatch
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..compute.distances import manhattan, manhattan_pullback
from ..kernels import Laplace, ProductFormKernel, RadialKernel, ScaledKernel
from ..kernels.base import checked_kernel

Array = np.ndarray
Pullback = Callable[[Array], Array]

NO_SCALES = (
    "Neither length scales nor a metric can be learned for the kernel {}: "
    "use one with a length_scale, such as Gaussian, Matern or Laplace."
)
STEP = 1e-5  # of a difference quotient in the logarithm of a length scale


@singledispatch
def gram(kernel: Any, scaled: Array) -> tuple[Array, Pullback]:  # noqa: ARG001
    """The lower triangle of K for rows divided by length scales, and the map from a symmetric G to dF / d log l.

    For F with dF = sum_ab G_ab dK_ab this is sum_ab G_ab dK_ab / d log l_j; of G the lower triangle is read. Every
    kernel with a length scale has it: radial and product kernels by their slope, all others by differences.
    """
    raise TypeError(NO_SCALES.format(type(kernel).__name__))


def require_scales(kernel: Any) -> None:
    """Refuse kernels without a length scale."""
    if not isinstance(checked_kernel(kernel), ScaledKernel):
        raise TypeError(NO_SCALES.format(type(kernel).__name__))


@gram.register
def _(kernel: ScaledKernel, scaled: Array) -> tuple[Array, Pullback]:
    """By central differences, one kernel matrix for each end and column."""

    def pullback(G: Array) -> Array:
        weights, totals = np.tril(G, -1), np.empty(scaled.shape[1])
        for column in range(scaled.shape[1]):
            longer, shorter = scaled.copy(), scaled.copy()
            longer[:, column] *= np.exp(-STEP)
            shorter[:, column] *= np.exp(STEP)
            change = kernel.unit_values(longer, longer) - kernel.unit_values(shorter, shorter)
            totals[column] = 2.0 * np.sum(weights * change) / (2.0 * STEP)
        return totals

    return kernel.unit_values(scaled, scaled), pullback


@gram.register
def _(kernel: RadialKernel, scaled: Array) -> tuple[Array, Pullback]:
    """K = profile(r), so dK / d log l_j = slope(r) Δ_j² with slope(r) = -profile'(r) / r.

    Sums over pairs of weights w_ab Δ_abj² are 2 sum_a (w 1)_a x_aj² - 2 (X'wX)_jj: a matrix product.
    """
    distances = euclidean_distances(scaled)
    values = kernel.profile(distances)

    def pullback(G: Array) -> Array:
        weights = np.tril(G, -1) * kernel.slope(distances, values)
        weights = weights + weights.T
        squares = weights.sum(axis=1) @ np.square(scaled)
        return 2.0 * (squares - np.einsum("ij,ij->j", scaled, weights @ scaled))

    return values, pullback


@gram.register
def _(kernel: ProductFormKernel, scaled: Array) -> tuple[Array, Pullback]:
    """K = prod_j profile(|Δ_j|), so dK / d log l_j = K slope(|Δ_j|) Δ_j² / profile(|Δ_j|)."""
    values = kernel.unit_values(scaled, scaled)

    def pullback(G: Array) -> Array:
        weights, totals = np.tril(G, -1) * values, np.empty(scaled.shape[1])
        for column, x in enumerate(scaled.T):
            apart = np.abs(x[:, None] - x[None, :])
            factor = kernel.profile(apart)
            change = kernel.slope(apart, factor) * np.square(apart)
            share = np.divide(change, factor, out=np.zeros_like(change), where=factor != 0.0)
            totals[column] = 2.0 * np.sum(weights * share)
        return totals

    return values, pullback


@gram.register
def _(kernel: Laplace, scaled: Array) -> tuple[Array, Pullback]:  # noqa: ARG001
    """K = exp(-sum_j |Δ_j|), so dK / d log l_j = K |Δ_j|."""
    columns = np.ascontiguousarray(scaled.T, dtype=np.float32)
    values = np.exp(-manhattan(columns))

    def pullback(G: Array) -> Array:
        weights = np.multiply(G, values, dtype=np.float32)
        return 2.0 * manhattan_pullback(columns, weights)

    return values.astype(np.float64), pullback

"""Exact kernel matrices of a few rows as functions of one length scale per column, with their derivatives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics.pairwise import euclidean_distances

from ..compute.distances import manhattan, manhattan_pullback
from ..kernels import Gaussian, Kernel, Laplace, Matern, RationalQuadratic

Array = np.ndarray
Pullback = Callable[[Array], Array]


class ScaledKernel(ABC):
    """k(x, y) of rows divided by length scales, column by column."""

    @abstractmethod
    def at(self, scaled: Array) -> tuple[Array, Pullback]:
        """The lower triangle of K for rows already divided, and the map from a symmetric G to dF / d log l.

        For F with dF = sum_ab G_ab dK_ab this is sum_ab G_ab dK_ab / d log l_j; of G the lower triangle is read.
        """


class ScaledLaplace(ScaledKernel):
    """K = exp(-sum_j |Δ_j|), so dK / d log l_j = K |Δ_j|."""

    def at(self, scaled: Array) -> tuple[Array, Pullback]:
        columns = np.ascontiguousarray(scaled.T, dtype=np.float32)
        values = np.exp(-manhattan(columns))

        def pullback(G: Array) -> Array:
            weights = np.multiply(G, values, dtype=np.float32)
            return 2.0 * manhattan_pullback(columns, weights)

        return values.astype(np.float64), pullback


class ScaledRadial(ScaledKernel):
    """K = profile(r), so dK / d log l_j = slope(r) Δ_j² with slope(r) = -profile'(r) / r.

    Sums over pairs of weights w_ab Δ_abj² are 2 sum_a (w 1)_a x_aj² - 2 (X'wX)_jj: a matrix product.
    """

    def __init__(self, profile: Callable[[Array], Array], slope: Callable[[Array, Array], Array]) -> None:
        self.profile = profile
        self.slope = slope

    def at(self, scaled: Array) -> tuple[Array, Pullback]:
        distances = euclidean_distances(scaled)
        values = self.profile(distances)

        def pullback(G: Array) -> Array:
            weights = np.tril(G, -1) * self.slope(distances, values)
            weights = weights + weights.T
            squares = weights.sum(axis=1) @ np.square(scaled)
            return 2.0 * (squares - np.einsum("ij,ij->j", scaled, weights @ scaled))

        return values, pullback


def scaled_kernel(kernel: Kernel) -> ScaledKernel:
    """The kernel in this form, or one clear sentence."""
    if isinstance(kernel, Laplace):
        return ScaledLaplace()
    if isinstance(kernel, Gaussian):
        return ScaledRadial(kernel.profile, lambda _r, values: values)
    if isinstance(kernel, Matern):
        return ScaledRadial(kernel.profile, matern_slope(kernel))
    if isinstance(kernel, RationalQuadratic):
        alpha = float(kernel.alpha)
        return ScaledRadial(kernel.profile, lambda r, values: values / (1.0 + np.square(r) / (2.0 * alpha)))
    raise TypeError(
        f"Neither length scales nor a metric can be learned for the kernel {type(kernel).__name__}: "
        "use Gaussian, Matern, RationalQuadratic or, for length scales, Laplace."
    )


def matern_slope(kernel: Matern) -> Callable[[Array, Array], Array]:
    """-k'(r)/r: k_{nu-1}(r sqrt(nu/(nu-1))) nu/(nu-1) for nu > 1, k/r for nu = 1/2, numerically in between."""
    nu = float(kernel.nu)
    if np.isinf(nu):
        return lambda _r, values: values
    if nu > 1.0:
        lower = Matern(nu=nu - 1.0)
        ratio = nu / (nu - 1.0)
        return lambda r, _values: ratio * lower.profile(r * np.sqrt(ratio))

    def slope(r: Array, values: Array) -> Array:
        # Where r is 0 the sum is multiplied by Δ² = 0: any finite number will do.
        apart = np.maximum(r, 1e-12)
        if nu == 0.5:
            return values / apart
        step = 1e-5
        return (kernel.profile(apart * (1 - step)) - kernel.profile(apart * (1 + step))) / (2 * step * apart**2)

    return slope


def length_scale_of(kernel: Any, columns: int) -> Array:
    """The kernel's length scales as one number per column."""
    return np.broadcast_to(np.asarray(kernel.length_scale, dtype=np.float64), (columns,)).copy()

"""The Laplace kernel: product form, heavy-tailed spectrum, and the home of random binning."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.distances import negative_manhattan
from ..compute.exponential import gaussians
from .base import Array
from .binning import BinningKernel, stretched_quantile
from .length_scale import LengthScale, column_scales
from .shift_invariant import ProductFormKernel, scaled_manhattan, scaled_pair


class Laplace(ProductFormKernel, BinningKernel):
    """k(Δ) = exp(-sum_j |Δ_j| / l_j), with independent Cauchy frequencies of scale 1 / l_j.

    E||w||² is infinite (the kernel has a kink at 0), so bounds that need it are void. Its pitch law for random
    binning is Gamma(2, scale l_j). The isotropic exponential exp(-||Δ|| / l) is ``Matern(nu=0.5)``, another kernel
    for d > 1.

    Parameters
    ----------
    length_scale : float, array of one per column, "median" or "std", default=1.0
        The words use the distance sum_j |Δ_j|, in which this kernel is measured.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Laplace()([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.1353]])
    """

    def __init__(self, length_scale: LengthScale = 1.0) -> None:
        self.length_scale = length_scale

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return np.exp(-scaled_manhattan(X, Y, self.length_scale))

    def single(self, X: Any, Y: Any) -> Array:
        if sp.issparse(X) or sp.issparse(Y):
            return super().single(X, Y)
        rows, others = scaled_pair(X, Y, self.length_scale, np.float32)
        values = negative_manhattan(rows, others)
        gaussians(values, np.zeros(len(rows), np.float32), np.zeros(len(others), np.float32))
        return values

    def profile(self, r: Array) -> Array:
        return np.exp(-r)

    def quantile(self, uniforms: Array) -> Array:
        return np.tan(np.pi * (uniforms - 0.5))

    def column_density(self, frequencies: Array) -> Array:
        return 1.0 / (np.pi * (1.0 + np.square(frequencies)))

    def column_second_moment(self) -> float:
        return np.inf

    def pitches(self, uniforms: Array) -> Array:
        return stretched_quantile(uniforms, 1.0) * column_scales(self.length_scale, uniforms.shape[1])

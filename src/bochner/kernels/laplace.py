"""The Laplace kernel: product form, heavy-tailed spectrum, and the home of random binning."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.metrics.pairwise import manhattan_distances

from ..compute.distances import negative_manhattan
from ..compute.exponential import gaussians
from .base import Array
from .binning import BinningKernel, stretched_quantile
from .scaled_kernel import NEAREST, ProductFormKernel
from .scaling import LengthScale, Metric, checked_gamma


class Laplace(ProductFormKernel, BinningKernel):
    """k(Δ) = exp(-sum_j |Δ_j| / l_j), with independent Cauchy frequencies of scale 1 / l_j.

    E||w||² is infinite (the kernel has a kink at 0), so bounds that need it are void. Its pitch law for random
    binning is Gamma(2, scale l_j). The isotropic exponential exp(-||Δ|| / l) is ``Matern(nu=0.5)``, another kernel
    for d > 1.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
        The words use the distance sum_j |Δ_j|, in which this kernel is measured. In scikit-learn's terms
        gamma = 1 / l: ``from_gamma``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Laplace(1.0)([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.1353]])
    """

    def __init__(self, length_scale: LengthScale = "auto") -> None:
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3), cls(Metric(np.eye(dim) - 0.3 * np.eye(dim, k=1))), cls(np.linspace(0.7, 2.0, dim))]

    @classmethod
    def from_gamma(cls, gamma: float) -> Self:
        """exp(-gamma sum_j |Δ_j|), as scikit-learn's "laplacian" has it: l = 1 / gamma.

        Examples
        --------
        >>> import bochner as bo
        >>> bo.Laplace.from_gamma(0.5).length_scale
        2.0
        """
        return cls(1.0 / checked_gamma(gamma))

    def unit_values(self, X: Any, Y: Any) -> Array:
        return np.exp(-manhattan_distances(X, Y))

    def unit_single(self, X: Any, Y: Any) -> Array:
        if sp.issparse(X) or sp.issparse(Y):
            return super().unit_single(X, Y)
        rows, others = X.astype(np.float32), Y.astype(np.float32)
        values = negative_manhattan(rows, others)
        gaussians(values, np.zeros(len(rows), np.float32), np.zeros(len(others), np.float32))
        return values

    def profile(self, r: Array) -> Array:
        return np.exp(-r)

    def slope(self, r: Array, values: Array) -> Array:
        return values / np.maximum(r, NEAREST)

    def quantile(self, uniforms: Array) -> Array:
        return np.tan(np.pi * (uniforms - 0.5))

    def column_density(self, frequencies: Array) -> Array:
        return 1.0 / (np.pi * (1.0 + np.square(frequencies)))

    def column_second_moment(self) -> float:
        return np.inf

    def unit_pitches(self, uniforms: Array) -> Array:
        return stretched_quantile(uniforms, 1.0)

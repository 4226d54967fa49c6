"""The Cauchy kernel, product form."""

from __future__ import annotations

from typing import Self

import numpy as np

from .base import Array
from .scaled_kernel import ProductFormKernel
from .scaling import LengthScale


class Cauchy(ProductFormKernel):
    """k(Δ) = prod_j 1 / (1 + Δ_j² / l_j²), with independent Laplace frequencies of scale 1 / l_j, E||w||² = 2d / l².

    The isotropic 1 / (1 + ||Δ||² / l²) is ``RationalQuadratic(alpha=1, length_scale=l / sqrt(2))``.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Cauchy(1.0)([[0.0, 0.0]], [[1.0, 1.0]])
    array([[0.25]])
    """

    def __init__(self, length_scale: LengthScale = "auto") -> None:
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3), cls(np.linspace(0.7, 2.0, dim))]

    def profile(self, r: Array) -> Array:
        with np.errstate(over="ignore"):  # 0 far out
            return 1.0 / (1.0 + np.square(r))

    def quantile(self, uniforms: Array) -> Array:
        centred = uniforms - 0.5
        return -np.sign(centred) * np.log1p(-2.0 * np.abs(centred))

    def column_density(self, frequencies: Array) -> Array:
        return 0.5 * np.exp(-np.abs(frequencies))

    def column_second_moment(self) -> float:
        return 2.0

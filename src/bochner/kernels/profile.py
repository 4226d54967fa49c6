"""Any profile as a kernel: its spectrum found numerically, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Self

import numpy as np
from scipy.special import ndtri

from .base import Array
from .binning import BinningKernel
from .convex import StretchedExponential
from .matern import Matern
from .pitch_law import is_convex
from .pitch_law import quantile as pitch_quantile
from .scaled_kernel import ProductFormKernel, RadialKernel, checked_function
from .scaling import LengthScale
from .spectrum import RadialSpectrum, checked_spectrum, second_derivative_at_zero

Profile = Callable[[Array], Array]


@lru_cache(maxsize=32)
def spectrum_of(function: Profile, dim: int) -> RadialSpectrum:
    """The spectrum of a function, which is found once: a function, unlike a kernel, does not change."""
    return checked_spectrum(function, dim)


class RadialProfile(RadialKernel):
    """k(Δ) = function(||s(Δ)||) for any function that is positive definite in the data's dimension.

    The law of the frequency's length is found by a Hankel transform; its direction is uniform. A function that is
    positive definite in one dimension need not be so in another: fitting a map refuses it then, and names the negative
    mass of its spectrum.

    Parameters
    ----------
    function : callable
        Maps an array of distances r >= 0 to kernel values, with 1 at 0.
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> kernel = bo.RadialProfile(lambda r: np.exp(-(r**1.5)), 1.0)
    >>> kernel([[0.0, 0.0]], [[1.0, 0.0]]).round(4)
    array([[0.3679]])
    """

    def __init__(self, function: Profile, length_scale: LengthScale = "auto") -> None:
        self.function = checked_function(function, "distances")
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(Matern(nu=1.5).profile, 1.3)]

    def profile(self, r: Array) -> Array:
        return self.function(np.asarray(r, dtype=np.float64))

    def unit_uniforms(self, dim: int) -> int:
        return dim + 1

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        direction = ndtri(uniforms[:, :dim])
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        return direction * self.radius_quantile(uniforms[:, dim], dim)[:, None]

    def radius_quantile(self, uniforms: Array, dim: int) -> Array:
        return spectrum_of(self.function, dim).quantile(uniforms)

    def unit_density(self, radius: Array, dim: int) -> Array:
        return spectrum_of(self.function, dim).density(radius)

    def unit_second_moment(self, dim: int) -> float:
        return dim * second_derivative_at_zero(self.function)


class ProductProfile(ProductFormKernel, BinningKernel):
    """k(Δ) = prod_j function(|s(Δ)_j|) for any function that is positive definite on the line.

    Where the function is convex and decreasing the kernel has a pitch law too, found numerically.

    Parameters
    ----------
    function : callable
        Maps an array of distances r >= 0 to kernel values, with 1 at 0.
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> bo.ProductProfile(lambda r: 1 / (1 + r), 1.0)([[0.0, 0.0]], [[1.0, 3.0]])
    array([[0.125]])
    """

    def __init__(self, function: Profile, length_scale: LengthScale = "auto") -> None:
        self.function = checked_function(function, "distances")
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [
            cls(Matern(nu=1.5).profile, 1.3),
            cls(StretchedExponential(exponent=0.7).profile, np.linspace(0.7, 2.0, dim)),
        ]

    def profile(self, r: Array) -> Array:
        return self.function(np.asarray(r, dtype=np.float64))

    def quantile(self, uniforms: Array) -> Array:
        centred = uniforms - 0.5
        size = spectrum_of(self.function, 1).quantile(np.abs(2.0 * centred).ravel())
        return np.sign(centred) * size.reshape(centred.shape)

    def column_density(self, frequencies: Array) -> Array:
        return spectrum_of(self.function, 1).density(np.abs(frequencies))

    def column_second_moment(self) -> float:
        return second_derivative_at_zero(self.function)

    def unit_pitches(self, uniforms: Array) -> Array:
        return pitch_quantile(self.function, uniforms)

    @property
    def has_pitches(self) -> bool:
        return is_convex(self.function)

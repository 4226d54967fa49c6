"""Product kernels with convex profiles: they have a pitch law for random binning, and frequencies too."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Self

import numpy as np
from scipy.special import sici

from ..compute.numbers import is_number
from .base import Array
from .binning import BinningKernel, stretched_quantile
from .scaled_kernel import ProductFormKernel
from .scaling import LengthScale
from .spectrum import RadialSpectrum, checked_spectrum

FAR = 1e4  # from here on sine and cosine integrals cancel to 1/w² (1 - 6/w² + ..)


class ConvexProductKernel(ProductFormKernel, BinningKernel):
    """k(Δ) = prod_j profile(|s(Δ)_j|) with a profile that is convex, decreasing and 1 at 0.

    Such a profile is positive definite on the line (Polya). A frequency is made from two uniform numbers per column.
    """

    @abstractmethod
    def column_frequencies(self, first: Array, second: Array) -> Array:
        """Frequencies of single columns at length scale 1 from two independent uniform numbers each."""

    def unit_uniforms(self, dim: int) -> int:
        return 2 * dim

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        return self.column_frequencies(uniforms[:, :dim], uniforms[:, dim:])

    def column_second_moment(self) -> float:
        return np.inf  # a convex profile has a kink at 0


class StretchedExponential(ConvexProductKernel):
    """k(Δ) = exp(-sum_j (|Δ_j| / l_j)^a), 0 < a <= 1: rougher than Laplace (a = 1), with a heavier tail.

    The pitch is t^{1/a} with t of law a Gamma(2) + (1 - a) Gamma(1); the frequencies are symmetric stable of index a
    (Chambers, Mallows and Stuck 1976). The radial kernel exp(-(||Δ|| / l)^a) is ``PoweredExponential``.

    With a = 0.1 two frequencies in a hundred make more than 2^52 turns, which doubles cannot follow: Fourier features
    are above k by about .02 for each column. Random binning serves any a.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"
    exponent : float, default=0.5

    Examples
    --------
    >>> import bochner as bo
    >>> bo.StretchedExponential(1.0, exponent=0.5)([[0.0]], [[4.0]]).round(4)
    array([[0.1353]])
    """

    def __init__(self, length_scale: LengthScale = "auto", exponent: float = 0.5) -> None:
        self.length_scale = length_scale
        self.exponent = exponent

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3), cls(1.3, 1.0), cls(np.linspace(0.7, 2.0, dim), 0.7)]

    def _checked_exponent(self) -> float:
        if not (is_number(self.exponent) and 0.0 < self.exponent <= 1.0):
            raise ValueError(f"exponent must be greater than 0 and at most 1, but it is {self.exponent}.")
        return float(self.exponent)

    def profile(self, r: Array) -> Array:
        return np.exp(-(r ** self._checked_exponent()))

    def unit_pitches(self, uniforms: Array) -> Array:
        return stretched_quantile(uniforms, self._checked_exponent())

    def column_frequencies(self, first: Array, second: Array) -> Array:
        a = self._checked_exponent()
        angle, waiting = np.pi * (first - 0.5), -np.log(second)
        shape = np.sin(a * angle) / np.cos(angle) ** (1.0 / a)
        return shape * (np.cos((1.0 - a) * angle) / waiting) ** ((1.0 - a) / a)

    def column_density(self, frequencies: Array) -> Array:
        """Of the symmetric stable law, which has no closed form: found numerically."""
        return stable_spectrum(self._checked_exponent()).density(np.abs(frequencies))


@lru_cache(maxsize=16)
def stable_spectrum(exponent: float) -> RadialSpectrum:
    """The law of |w| with E cos(w r) = exp(-r^exponent)."""
    return checked_spectrum(StretchedExponential(exponent=exponent).profile, 1)


class Reciprocal(ConvexProductKernel):
    """k(Δ) = prod_j 1 / (1 + |Δ_j| / l_j): a mixture of Laplace kernels of rate s with density e^{-s}.

    The pitch law has the distribution function (δ / (1 + δ))²; a frequency is an exponential number times a Cauchy one.

    Parameters
    ----------
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Reciprocal(1.0)([[0.0, 0.0]], [[1.0, 3.0]])
    array([[0.125]])
    """

    def __init__(self, length_scale: LengthScale = "auto") -> None:
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(1.3), cls(np.linspace(0.7, 2.0, dim))]

    def profile(self, r: Array) -> Array:
        return 1.0 / (1.0 + r)

    def unit_pitches(self, uniforms: Array) -> Array:
        root = np.sqrt(uniforms)
        return root * (1.0 + root) / (1.0 - uniforms)

    def column_frequencies(self, first: Array, second: Array) -> Array:
        return -np.log(second) * np.tan(np.pi * (first - 0.5))

    def column_density(self, frequencies: Array) -> Array:
        """(1/π) times the integral of s e^{-s} / (s² + w²) ds, infinite at 0."""
        size = np.abs(frequencies)
        with np.errstate(divide="ignore", invalid="ignore"):
            sine, cosine = sici(size)
            found = (0.5 * np.pi - sine) * np.sin(size) - cosine * np.cos(size)
        return np.where(size > FAR, 1.0 / np.square(np.maximum(size, FAR)), found) / np.pi

"""Product kernels with convex profiles: they have a pitch law for random binning, and frequencies too."""

from __future__ import annotations

from abc import abstractmethod
from functools import lru_cache
from typing import Any, Self

import numpy as np
from scipy.special import sici

from .base import Array
from .binning import BinningKernel, stretched_quantile
from .length_scale import LengthScale, column_scales, resolve_length_scale
from .shift_invariant import ShiftInvariantKernel, scaled_frequencies, scaled_pair, with_length_scale
from .spectrum import RadialSpectrum, checked_spectrum

FAR = 1e4  # from here on sine and cosine integrals cancel to 1/w² (1 - 6/w² + ..)


class ConvexProductKernel(ShiftInvariantKernel, BinningKernel):
    """k(Δ) = prod_j profile(|Δ_j| / l_j) with a profile that is convex, decreasing and 1 at 0.

    Such a profile is positive definite on the line (Polya). A frequency is made from two uniform numbers per column.
    """

    length_scale: LengthScale

    @abstractmethod
    def profile(self, r: Array) -> Array:
        """The one-dimensional kernel at scaled distance r >= 0."""

    @abstractmethod
    def unit_pitches(self, uniforms: Array) -> Array:
        """Quantile function of the pitch law at length scale 1."""

    @abstractmethod
    def column_density(self, frequencies: Array) -> Array:
        """The density of one column's frequency at length scale 1."""

    @abstractmethod
    def unit_frequencies(self, first: Array, second: Array) -> Array:
        """Frequencies at length scale 1 from two independent uniform numbers each."""

    def spectral_density(self, frequencies: Any) -> Array:
        w, scales = scaled_frequencies(frequencies, self.length_scale)
        return np.prod(scales * self.column_density(w), axis=1)

    def pitches(self, uniforms: Array) -> Array:
        return self.unit_pitches(uniforms) * column_scales(self.length_scale, uniforms.shape[1])

    def n_uniforms(self, dim: int) -> int:
        return 2 * dim

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        return self.unit_frequencies(uniforms[:, :dim], uniforms[:, dim:]) / column_scales(self.length_scale, dim)

    def frequency_second_moment(self, dim: int) -> float:
        return np.inf  # a convex profile has a kink at 0

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X, Y = (
            part if isinstance(part, np.ndarray) else part.toarray() for part in scaled_pair(X, Y, self.length_scale)
        )
        values = np.ones((X.shape[0], Y.shape[0]))
        for x, y in zip(X.T, Y.T):
            values *= self.profile(np.abs(x[:, None] - y[None, :]))
        return values

    def rowwise(self, X: Array, Y: Array) -> Array:
        scales = column_scales(self.length_scale, X.shape[1])
        return np.prod(self.profile(np.abs(X - Y) / scales), axis=1)

    def resolve(self, rows: Any, weight: Array | None = None) -> Self:
        return with_length_scale(self, resolve_length_scale(self.length_scale, rows, weight, "cityblock"))


class StretchedExponential(ConvexProductKernel):
    """k(Δ) = exp(-sum_j (|Δ_j| / l_j)^a), 0 < a <= 1: rougher than Laplace (a = 1), with a heavier tail.

    The pitch is t^{1/a} with t of law a Gamma(2) + (1 - a) Gamma(1); the frequencies are symmetric stable of index a
    (Chambers, Mallows and Stuck 1976).

    Parameters
    ----------
    length_scale : float, array of one per column, "median" or "std", default=1.0
    exponent : float, default=0.5

    Examples
    --------
    >>> import bochner as bo
    >>> bo.StretchedExponential(exponent=0.5)([[0.0]], [[4.0]]).round(4)
    array([[0.1353]])
    """

    def __init__(self, length_scale: LengthScale = 1.0, exponent: float = 0.5) -> None:
        self.length_scale = length_scale
        self.exponent = exponent

    def _checked_exponent(self) -> float:
        if not 0.0 < self.exponent <= 1.0:
            raise ValueError(f"exponent must be greater than 0 and at most 1, but it is {self.exponent}.")
        return float(self.exponent)

    def profile(self, r: Array) -> Array:
        return np.exp(-(r ** self._checked_exponent()))

    def unit_pitches(self, uniforms: Array) -> Array:
        return stretched_quantile(uniforms, self._checked_exponent())

    def unit_frequencies(self, first: Array, second: Array) -> Array:
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
    length_scale : float, array of one per column, "median" or "std", default=1.0

    Examples
    --------
    >>> import bochner as bo
    >>> bo.Reciprocal()([[0.0, 0.0]], [[1.0, 3.0]])
    array([[0.125]])
    """

    def __init__(self, length_scale: LengthScale = 1.0) -> None:
        self.length_scale = length_scale

    def profile(self, r: Array) -> Array:
        return 1.0 / (1.0 + r)

    def unit_pitches(self, uniforms: Array) -> Array:
        root = np.sqrt(uniforms)
        return root * (1.0 + root) / (1.0 - uniforms)

    def unit_frequencies(self, first: Array, second: Array) -> Array:
        return -np.log(second) * np.tan(np.pi * (first - 0.5))

    def column_density(self, frequencies: Array) -> Array:
        """(1/π) times the integral of s e^{-s} / (s² + w²) ds, infinite at 0."""
        size = np.abs(frequencies)
        with np.errstate(divide="ignore", invalid="ignore"):
            sine, cosine = sici(size)
            found = (0.5 * np.pi - sine) * np.sin(size) - cosine * np.cos(size)
        return np.where(size > FAR, 1.0 / np.square(np.maximum(size, FAR)), found) / np.pi

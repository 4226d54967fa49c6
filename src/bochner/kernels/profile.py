"""Any profile as a kernel: its spectrum found numerically, or refused."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Literal

import numpy as np
from scipy.special import ndtri

from .base import Array
from .binning import BinningKernel
from .general import GeneralProfile
from .length_scale import LengthScale, column_scales
from .pitch_law import quantile as pitch_quantile
from .shift_invariant import ProductFormKernel, RadialKernel
from .spectrum import RadialSpectrum, checked_spectrum, second_derivative_at_zero

Profile = Callable[[Array], Array]


@lru_cache(maxsize=32)
def spectrum_of(function: Profile, dim: int) -> RadialSpectrum:
    """The spectrum of a function, which is found once: a function, unlike a kernel, does not change."""
    return checked_spectrum(function, dim)


class RadialProfile(RadialKernel):
    """k(Δ) = function(||Δ / l||) for any function that is positive definite in the data's dimension.

    The law of the frequency's length is found by a Hankel transform; its direction is uniform.
    Made by ``ShiftInvariant(function, form="radial")``.
    """

    def __init__(self, function: Profile, length_scale: LengthScale = 1.0) -> None:
        self.function = function
        self.length_scale = length_scale

    def profile(self, r: Array) -> Array:
        return self.function(np.asarray(r, dtype=np.float64))

    def n_uniforms(self, dim: int) -> int:
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
    """k(Δ) = prod_j function(|Δ_j| / l_j) for any function that is positive definite on the line.

    Where the function is convex and decreasing the kernel has a pitch law too, found numerically.
    Made by ``ShiftInvariant(function, form="product")``.
    """

    def __init__(self, function: Profile, length_scale: LengthScale = 1.0) -> None:
        self.function = function
        self.length_scale = length_scale

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

    def pitches(self, uniforms: Array) -> Array:
        return pitch_quantile(self.function, uniforms) * column_scales(self.length_scale, uniforms.shape[1])


def ShiftInvariant(
    profile: Profile, form: Literal["product", "radial", "general"] = "product", length_scale: LengthScale = 1.0
) -> ProductProfile | RadialProfile | GeneralProfile:
    """Make a shift-invariant kernel from any profile with profile(0) = 1 (Bochner's theorem, numerically).

    form="product": k(Δ) = prod_j profile(|Δ_j| / l_j);  form="radial": k(Δ) = profile(||Δ / l||);
    form="general": k(Δ) = profile(Δ / l), for data of one or two columns.

    The two have different spectra, and a profile that is positive definite in one form or dimension need not be so
    in another: fitting a map refuses it then, and names the negative mass of its spectrum.

    Parameters
    ----------
    profile : callable
        Maps an array of distances r >= 0 to kernel values; for form="general" differences, of shape (n, n_columns).
    form : {"product", "radial", "general"}, default="product"
    length_scale : float, array of one per column, "median" or "std", default=1.0

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> kernel = bo.ShiftInvariant(lambda r: np.exp(-r**1.5), form="radial")
    >>> kernel([[0.0, 0.0]], [[1.0, 0.0]]).round(4)
    array([[0.3679]])
    """
    if not callable(profile):
        raise TypeError(f"profile must be a function of distances, not {type(profile).__name__}.")
    if form == "product":
        return ProductProfile(profile, length_scale)
    if form == "radial":
        return RadialProfile(profile, length_scale)
    if form == "general":
        return GeneralProfile(profile, length_scale)
    raise ValueError(f"form must be 'product', 'radial' or 'general', not {form!r}.")

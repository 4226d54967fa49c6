"""Any function of differences in one or two dimensions as a kernel: its spectrum found on a grid, or refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar, Self

import numpy as np
from scipy.fft import fftn, fftshift, ifftshift
from scipy.interpolate import RegularGridInterpolator

from .base import Array
from .scaled_kernel import ScaledKernel, checked_function
from .scaling import LengthScale, scaling_of
from .spectral import checked_values, dense, tiles
from .spectrum import LARGEST_QUADRATURE_ERROR, half_radius, second_derivative_at_zero

Function = Callable[[Array], Array]

POINTS = {1: 1 << 16, 2: 1 << 11}  # of the grid along each axis; two dimensions take 200 MB while it is made
REACH = {1: (256.0, 32.0, 2048.0), 2: (64.0, 16.0, 256.0)}  # half radii from the centre to the edge that are tried
PROBES = 60  # differences at which the kernel that the grid implies is compared with the function
FARTHEST = 3.0  # times the reach of the grid, up to which these are
LARGEST_ERROR = 5e-3  # of kernel values, above which no grid is trusted: the error of 20,000 features
DECAYED = 1e-4  # what a function may have left at the edge for negative mass to be its own, not that of the edge
GOOD_ERROR = 1e-4  # of kernel values, below which no other grid is tried


def slanted(difference: Array) -> Array:
    """exp(-Δ'AΔ/2) with 2 on the diagonal of A and 1 beside it: a kernel that is neither radial nor a product."""
    return np.exp(-0.5 * (np.square(difference).sum(axis=1) + np.square(difference.sum(axis=1))))


class GeneralProfile(ScaledKernel):
    """k(Δ) = function(s(Δ)) for any positive definite function of one or two columns, which need not be radial.

    The density of the frequencies is the Fourier transform (2π)^{-d} of the integral of k(Δ) cos(w'Δ) dΔ, found by FFT
    on a grid that reaches far beyond the function: where it is not positive definite, fitting a map refuses it, and
    names the negative mass of its spectrum.

    Parameters
    ----------
    function : callable
        Maps rows of differences, of shape (n, n_columns), to kernel values, of shape (n,), with 1 at 0.
    length_scale : float, array of one per column, "median", "std", "auto" or Metric, default="auto"

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> def slanted(d):  # exp(-d'Ad / 2), A = [[2, 1], [1, 2]]: E w_1 w_2 = 1
    ...     return np.exp(-(d[:, 0] ** 2 + d[:, 0] * d[:, 1] + d[:, 1] ** 2))
    >>> bo.GeneralProfile(slanted, 1.0).at([0.5, -0.3]).round(8)
    array([0.82695913])
    """

    largest_dim: ClassVar[float] = 2

    def __init__(self, function: Function, length_scale: LengthScale = "auto") -> None:
        self.function = checked_function(function, "differences")
        self.length_scale = length_scale

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(slanted, 1.3)]

    def unit_frequencies(self, uniforms: Array, dim: int) -> Array:
        return grid_spectrum(self.function, dim).quantile(uniforms)

    def unit_spectral_density(self, frequencies: Array) -> Array:
        return grid_spectrum(self.function, frequencies.shape[1]).density(frequencies)

    def unit_second_moment(self, dim: int) -> float:
        return self._second_moment(np.eye(dim))

    def frequency_second_moment(self, dim: int) -> float:
        scaling = scaling_of(self.length_scale, dim)
        return self._second_moment(scaling.linear(np.eye(dim)))

    def _second_moment(self, steps: Array) -> float:
        """Minus the sum of the second derivatives along steps, which is the Laplacian where they are those of x."""
        sizes = np.linalg.norm(steps, axis=1)
        some = sizes > 0.0
        along = [second_derivative_at_zero(Ray(self.function, step)) for step in steps[some] / sizes[some, None]]
        return float(np.sum(np.array(along) * sizes[some] ** 2))

    def unit_at(self, delta: Array) -> Array:
        return checked_values(self.function, delta)

    def unit_values(self, X: Any, Y: Any) -> Array:
        X, Y = dense(X), dense(Y)
        values = np.empty((len(X), len(Y)))
        for rows in tiles(len(X), 8 * len(Y) * X.shape[1]):
            delta = X[rows, None, :] - Y[None, :, :]
            values[rows] = checked_values(self.function, delta.reshape(-1, X.shape[1])).reshape(-1, len(Y))
        return values


@dataclass(frozen=True)
class Ray:
    """The function along a direction of length 1: a profile of distances."""

    function: Function
    direction: Array

    def __call__(self, r: Array) -> Array:
        delta = np.multiply.outer(np.ravel(r), self.direction)
        return checked_values(self.function, delta).reshape(np.shape(r))


@dataclass(frozen=True)
class GridSpectrum:
    """A density that is linear between the points of a grid of frequencies, whose Fourier transform is the kernel.

    Attributes
    ----------
    axes : the points along each axis
    reached : cumulative sums of the masses of the points, one after the other, from 0 to 1
    table : the density at the points
    """

    axes: tuple[Array, ...]
    reached: Array
    table: Array

    @property
    def mass(self) -> Array:
        """The probability of each point, which is spread between its neighbours."""
        return np.diff(self.reached).reshape(self.table.shape)

    @property
    def steps(self) -> list[float]:
        """Distance between points along each axis."""
        return [float(axis[1] - axis[0]) for axis in self.axes]

    def quantile(self, uniforms: Array) -> Array:
        """Frequencies from uniform numbers, one for each column: the first by its own law, the second given the first.

        A uniform number tells the point, and where it lies in the range that belongs to that point the distance from
        it, which is triangular.
        """
        height = len(self.table)
        before = self.reached[:: self.table.size // height]  # at the first point of each row, and 1 at the end
        row, share = _found(before, uniforms[:, 0], np.zeros(len(uniforms), int), height)
        columns = [self.axes[0][row] + self.steps[0] * _triangular(share)]
        if len(self.axes) == 2:
            width = self.table.shape[1]
            target = before[row] + uniforms[:, 1] * (before[row + 1] - before[row])
            place, share = _found(self.reached, target, row * width, width)
            columns.append(self.axes[1][place - row * width] + self.steps[1] * _triangular(share))
        return np.column_stack(columns)

    def density(self, frequencies: Array) -> Array:
        """The density at rows of frequencies; 0 outside the grid."""
        table = RegularGridInterpolator(self.axes, self.table, bounds_error=False, fill_value=0.0)
        return np.maximum(table(frequencies), 0.0)

    def kernel(self, delta: Array) -> Array:
        """The kernel of this law at rows of differences, exactly: sums over points, axis by axis."""
        mass = self.mass
        envelope = np.prod([_envelope(step, part) for step, part in zip(self.steps, delta.T)], axis=0)
        parts = []
        for some in tiles(len(delta), 16 * len(mass)):
            waves = [np.exp(1j * np.outer(part, axis)) for part, axis in zip(delta[some].T, self.axes)]
            along = waves[-1] @ mass.T
            parts.append((along if len(waves) == 1 else (waves[0] * along).sum(axis=1)).real)
        return envelope * np.concatenate(parts)


def _found(reached: Array, target: Array, start: Array, count: int) -> tuple[Array, Array]:
    """Which of so many ranges from ``start`` on a number falls into, and which share of that range is below it."""
    place = np.clip(np.searchsorted(reached, target, side="right") - 1, start, start + count - 1)
    share = (target - reached[place]) / np.maximum(reached[place + 1] - reached[place], np.finfo(np.float64).tiny)
    return place, np.clip(share, 0.0, 1.0)


def _triangular(share: Array) -> Array:
    """Quantile function of the triangular law between -1 and 1."""
    return np.where(share < 0.5, np.sqrt(2.0 * share) - 1.0, 1.0 - np.sqrt(2.0 * (1.0 - share)))


def _envelope(step: float, delta: Array) -> Array:
    """sinc²(c Δ / 2), the Fourier transform of the triangular law between -c and c."""
    return np.sinc(0.5 * step * delta / np.pi) ** 2


@dataclass(frozen=True)
class Attempt:
    """A spectrum on one grid: its negative mass, what the function has left at the edge, the error of the kernel."""

    spectrum: GridSpectrum
    negative: float
    left: float
    error: float


@lru_cache(maxsize=4)
def grid_spectrum(function: Function, dim: int) -> GridSpectrum:
    """The spectrum of a function, found once; refused if it is not positive definite or the grid cannot hold it."""
    if dim not in POINTS:
        raise ValueError(
            f"GeneralProfile serves data of 1 or 2 columns, and these have {dim}: use RadialProfile or ProductProfile, "
            "a bo.Metric of two directions, or bo.Spectral with a sampler of frequencies."
        )
    radii = [half_radius(Ray(function, axis)) for axis in np.eye(dim)]
    tried: list[Attempt] = []
    for reach in REACH[dim]:
        tried.append(_on_grid(function, radii, reach))
        if tried[-1].error < GOOD_ERROR:
            break
    negative = max((one.negative for one in tried if one.left < DECAYED), default=0.0)
    if negative > LARGEST_QUADRATURE_ERROR:
        raise ValueError(
            f"The function is not positive definite in dimension {dim}: its spectrum has negative mass {negative:.3g}; "
            "choose another function."
        )
    best = min(tried, key=lambda one: one.error)
    if best.error > LARGEST_ERROR:
        raise ValueError(
            f"The function has no spectrum that a grid of {POINTS[dim]} points along each axis can hold: kernel values "
            f"would be wrong by {best.error:.1g}; choose one that is smoother, or that decays faster than to "
            f"{best.left:.1g} within {reach:g} times the distance at which it is one half."
        )
    return best.spectrum


def _on_grid(function: Function, radii: list[float], reach: float) -> Attempt:
    """The spectrum on a grid that reaches so many half radii.

    Masses at points c apart, each spread triangularly between its neighbours, have the Fourier transform of the masses
    times sinc²(c Δ / 2), so that the function is divided by it first: at the edge by 4/π². Beyond the edge, where the
    transform of the masses repeats, it takes away all but (r / 2L)² of what is at a distance r from the centre.
    """
    dim, size = len(radii), POINTS[len(radii)]
    points = [2.0 * reach * radius / size * (np.arange(size) - size // 2) for radius in radii]
    steps = [np.pi / (reach * radius) for radius in radii]
    delta = np.stack(np.meshgrid(*points, indexing="ij"), axis=-1).reshape(-1, dim)
    values = np.concatenate([checked_values(function, delta[some]) for some in tiles(len(delta), 8 * dim)])
    _refuse_values(values, delta)
    values = values.reshape((size,) * dim)
    left = float(max(np.abs(np.take(values, 0, axis=axis)).max() for axis in range(dim)))
    density = _transform(values) / np.prod(steps)
    for axis, (along, step) in enumerate(zip(points, steps)):
        shape = [size if other == axis else 1 for other in range(dim)]
        values = values / _envelope(step, along).reshape(shape)
    transformed = _transform(values)
    mass = np.maximum(transformed, 0.0)
    negative = float(np.sum(mass - transformed))
    axes = tuple(step * (np.arange(size) - size // 2) for step in steps)
    reached = np.concatenate([[0.0], np.cumsum(mass.ravel())])
    spectrum = GridSpectrum(axes, reached / reached[-1], density)
    farthest = FARTHEST * reach
    return Attempt(spectrum, negative, left, _error(function, spectrum, radii, farthest))


def _transform(values: Array) -> Array:
    """The real part of the discrete Fourier transform of values on a grid around 0, divided by their number."""
    return fftshift(fftn(ifftshift(values))).real / values.size


def _error(function: Function, spectrum: GridSpectrum, radii: list[float], farthest: float) -> float:
    """Largest difference between the function and the kernel of the spectrum, at random differences of all sizes."""
    rng = np.random.default_rng(0)
    direction = rng.normal(size=(PROBES, len(radii)))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    sizes = np.geomspace(1e-2, farthest, PROBES)[:, None]
    delta = direction * sizes * np.array(radii)
    return float(np.abs(spectrum.kernel(delta) - checked_values(function, delta)).max())


def _refuse_values(values: Array, delta: Array) -> None:
    if not np.isfinite(values).all():
        raise ValueError(f"The function must be finite; it is not at Δ = {delta[~np.isfinite(values)][0]}.")
    if np.abs(values).max() > 1.0 + 1e-6:
        worst = int(np.abs(values).argmax())
        raise ValueError(
            f"The function is not positive definite: |k(Δ)| <= k(0) = 1 is violated at Δ = {delta[worst]}, where it is "
            f"{values[worst]:.9g}."
        )

"""Maclaurin coefficients of any analytic function, by Cauchy integrals on circles.

a_n = (1 / (m r^n)) sum_j f(r e^{2πij/m}) e^{-2πijn/m}, a Fourier transform of f on the circle of radius r. Its error
has two parts: aliasing, sum_l a_{n+lm} r^{lm}, and rounding, about 1e-16 max|f| / r^n. No radius is good for every n:
small ones drown high coefficients in rounding, large ones low coefficients. So many radii are tried, and for each n the
one with the lowest error floor is taken, and must agree with the next best.

A circle is believed only if f is analytic inside: the negative frequencies of its transform then vanish up to
rounding (and so do the highest positive ones, which bounds the aliasing). What they amount to is the noise of f.
Small circles may be refused, where f is a quotient such as -log(1 - t)/t that rounding spoils near 0, also behind
smaller ones on which f was given its limit: the last run of circles counts. A circle with terms beyond its points, as
those of exp(exp(t) - 1), is asked again with four and sixteen times as many.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

Array = np.ndarray
Function = Callable[[Array], Array]

POINTS = 4096
FINER = (POINTS, 4 * POINTS, 16 * POINTS)
N_COEFFICIENTS = POINTS // 4
RADII = 2.0 ** np.arange(-40.0, 40.0, 0.5)
NOISE = 1e-9  # relative to max|f|: a circle with more in its negative frequencies is not inside the disc
SPOILT = 1e-3  # below, rounding spoils quotients by more than NOISE: (1 - cos(t))/t² by 2e-10 here
SAFETY = 4.0
BEYOND = NOISE ** (
    -2.0 / FINER[-1]
)  # at a pole the last circle believed is smaller than the true radius by this factor


@dataclass(frozen=True)
class MaclaurinSeries:
    """Coefficients, the error floor of each, and the radius of convergence as far as circles can tell."""

    coefficients: Array
    floors: Array
    radius: float


@lru_cache(maxsize=32)
def maclaurin_series(function: Function) -> MaclaurinSeries:
    """The first coefficients of f, zero where they lie below their own error floor.

    Raises ValueError if f is not analytic at 0, or if two radii disagree on a coefficient.
    """
    runs: list[list[Circle]] = [[]]
    for radius in RADII:
        circle = circle_spectrum(function, radius, FINER if runs[-1] else FINER[:1])
        if circle is not None:
            runs[-1].append(circle)
        elif runs[-1]:
            if radius > SPOILT:
                break
            runs.append([])
    circles = next((run for run in reversed(runs) if len(run) > 1), [])
    if len(circles) < 2:
        raise ValueError(
            "The function of DotProduct is not analytic at 0, so it has no Maclaurin series: "
            "give a function that accepts complex arrays and is smooth at 0."
        )
    limit = np.inf
    if circles[-1].radius < RADII[-1]:
        inner, outer = edge(function, circles[-1].radius, float(RADII[RADII > circles[-1].radius][0]))
        # Near the edge lie the best circles for high coefficients.
        more = [circle_spectrum(function, radius) for radius in (0.99 * inner, inner)]
        circles += [circle for circle in more if circle is not None]
        limit = np.inf if overflows(function, outer) else BEYOND * outer
    coefficients, floors = agreed(*map(np.array, zip(*(circle.estimates() for circle in circles))))
    return MaclaurinSeries(coefficients, floors, limit)


@dataclass(frozen=True)
class Circle:
    """The numbers a_n r^n on a circle inside the disc of convergence, and their common error floor."""

    radius: float
    terms: Array
    floor: float

    def estimates(self) -> tuple[Array, Array]:
        """a_n and its error floor; an infinite floor where r^n leaves the floating-point range."""
        logarithms = np.arange(len(self.terms)) * np.log(self.radius)
        usable = np.abs(logarithms) < 690.0
        powers = np.exp(np.where(usable, logarithms, 0.0))
        with np.errstate(over="ignore"):
            values, floors = self.terms / powers, np.maximum(self.floor / powers, np.finfo(float).tiny)
        usable &= np.isfinite(floors) & np.isfinite(values)
        return np.where(usable, values, 0.0), np.where(usable, floors, np.inf)


def circle_spectrum(function: Function, radius: float, sizes: tuple[int, ...] = FINER) -> Circle | None:
    """The transform of f on a circle, or None if the circle is not inside the disc of convergence."""
    for n_points in sizes:
        values = evaluate(function, radius * np.exp(2j * np.pi * np.arange(n_points) / n_points))
        size = np.abs(values).max()
        if not np.isfinite(size) or size > 1e300:
            return None
        transform = np.fft.fft(values) / n_points
        stray = np.abs(transform[n_points // 2 :]).max()
        if stray <= NOISE * size:
            break
    else:
        return None
    # A rounding of the argument moves f by eps |z f'(z)|, which no implementation of f can avoid.
    slope = np.arange(n_points // 2) @ np.abs(transform[: n_points // 2])
    floor = SAFETY * max(stray, np.finfo(float).eps * (size + slope))
    return Circle(float(radius), transform[:N_COEFFICIENTS].real, float(floor))


def agreed(estimates: Array, floors: Array) -> tuple[Array, Array]:
    """For each n the estimate of lowest floor, zero below its floor, provided that the next best agrees."""
    order = np.argsort(floors, axis=0)
    columns = np.arange(estimates.shape[1])
    best, second = order[0], order[1]
    value, floor = estimates[best, columns], floors[best, columns]
    other, other_floor = estimates[second, columns], floors[second, columns]
    with np.errstate(invalid="ignore"):
        apart = np.abs(value - other) > floor + other_floor + 1e-8 * np.abs(value)
    if apart.any():
        raise ValueError(
            f"The Maclaurin coefficient a_{np.flatnonzero(apart)[0]} of the function of DotProduct could not be found: "
            "circles of two radii disagree; give a function that is analytic around 0."
        )
    return np.where((np.abs(value) <= floor) | np.isinf(floor), 0.0, value), floor


def evaluate(function: Function, points: Array) -> Array:
    """F at complex points, or one clear sentence."""
    try:
        with np.errstate(all="ignore"):
            values = np.asarray(function(points), dtype=complex)
    except TypeError as error:
        raise ValueError(f"The function of DotProduct must accept arrays of complex numbers: {error}") from error
    if values.shape != points.shape:
        raise ValueError(
            f"The function of DotProduct must act on each element, but it turns shape {points.shape} into "
            f"{values.shape}."
        )
    return values


def overflows(function: Function, radius: float) -> bool:
    """Whether a circle was refused only because f grows beyond the floating-point range there."""
    return bool(np.abs(evaluate(function, np.array([0.99 * radius + 0j, -0.99 * radius]))).max() > 1e200)


def edge(function: Function, inside: float, outside: float) -> tuple[float, float]:
    """The last circle believed and the first one not, within a thousandth of each other."""
    for _ in range(9):
        middle = float(np.sqrt(inside * outside))
        inside, outside = (inside, middle) if circle_spectrum(function, middle) is None else (middle, outside)
    return float(inside), float(outside)

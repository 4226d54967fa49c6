"""The one-class support vector machine in the primal: Newton on a rounded hinge, to a verified duality gap."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve

from ..compute.threads import single_threaded_blas
from ..statistics.band import BandSums

Array = np.ndarray
Pass = Callable[[BandSums], BandSums]  # takes all rows into the statistic

SHRINK = 0.2  # of the band, each time its problem is solved
LEAST_STEP = 2.0**-20


@dataclass(frozen=True)
class Boundary:
    """w and ρ with the primal value they reach, a dual value that bounds it from below, and the width of the band."""

    coefficients: Array
    offset: float
    width: float
    primal: float
    dual: float
    n_iter: int
    converged: bool


def one_class(
    take: Pass, start: Array, offset: float, width: float, nu: float, dtype: np.dtype, max_iter: int, tol: float
) -> Boundary:
    """Minimise P(w, ρ) = 1/2 ||w||² - ρ + 1/(νN) sum v max(0, ρ - w'z) over w and ρ, N = sum v.

    The hinge is rounded over a band of width h; Newton's method minimises the rounded problem, then the band shrinks.
    The derivative of the rounded hinge gives multipliers 0 <= a_i <= v_i / (νN) of the dual, max -1/2 ||sum a_i z_i||²
    with sum a_i = 1: the gap between the primal value and the best dual value so far is known at every step, and the
    search stops where it is at most tol times the latter.
    """
    seen, dual = take(BandSums(start, offset, width, dtype)), -np.inf
    for iteration in range(1, max_iter + 1):
        primal, dual = primal_value(seen, nu), max(dual, dual_value(seen, nu))
        if primal - dual <= tol * abs(dual):
            return Boundary(seen.coefficients, seen.offset, width, primal, dual, iteration, True)
        step, decrement = newton_step(seen, nu)
        if decrement <= 0.01 * (primal - rounded_value(seen, nu)):  # what rounding costs is what is left to gain
            width *= SHRINK
            seen = take(BandSums(seen.coefficients, seen.offset, width, dtype))
            continue
        seen = descend(take, seen, step, decrement, nu, dtype)
    primal, dual = primal_value(seen, nu), max(dual, dual_value(seen, nu))
    return Boundary(seen.coefficients, seen.offset, width, primal, dual, max_iter, False)


def rounded_value(seen: BandSums, nu: float) -> float:
    """The objective with the rounded hinge."""
    w = seen.coefficients
    return 0.5 * float(w @ w) - seen.offset + seen.rounded / (nu * seen.weight)


def primal_value(seen: BandSums, nu: float) -> float:
    """The objective itself."""
    w = seen.coefficients
    return 0.5 * float(w @ w) - seen.offset + seen.hinge / (nu * seen.weight)


def dual_value(seen: BandSums, nu: float) -> float:
    """-1/2 ||sum a z||² for multipliers made feasible: scaled down where they add up to more than 1, and moved towards
    the multipliers that are all at their bound where they add up to less.
    """
    mass, pull = seen.mass / (nu * seen.weight), seen.pull / (nu * seen.weight)
    if mass >= 1.0:
        pull = pull / mass
    else:
        share = (1.0 - mass) / (1.0 / nu - mass) if nu * mass < 1.0 else 0.0
        pull = (1.0 - share) * pull + share * seen.total / (nu * seen.weight)
    return -0.5 * float(pull @ pull)


def newton_step(seen: BandSums, nu: float) -> tuple[Array, float]:
    """The Newton direction of (w, ρ) and the decrease of the quadratic model along it, times two."""
    size = len(seen.coefficients)
    scale = 1.0 / (nu * seen.weight)
    gradient = np.r_[seen.coefficients - scale * seen.pull, scale * seen.mass - 1.0]
    curvature = np.empty((size + 1, size + 1))
    bend = scale / seen.width
    curvature[:size, :size] = bend * seen.band_moment
    curvature.flat[: size * (size + 1) : size + 2] += 1.0
    curvature[:size, size] = curvature[size, :size] = -bend * seen.band_total
    # Without rows in the band nothing bends in ρ: a little of what all rows would give keeps the step finite.
    curvature[size, size] = bend * max(seen.band_weight, 1e-6 * seen.weight)
    with single_threaded_blas():  # one solution for each pass: threads of BLAS gain little and may wait for others
        step = -solve(curvature, gradient, assume_a="pos", check_finite=False)
    return step, float(-gradient @ step)


def descend(take: Pass, seen: BandSums, step: Array, decrement: float, nu: float, dtype: np.dtype) -> BandSums:
    """The full step where it lowers the rounded objective enough, else half of it, and so on."""
    value, length = rounded_value(seen, nu), 1.0
    while True:
        w, offset = seen.coefficients + length * step[:-1], seen.offset + length * float(step[-1])
        moved = take(BandSums(w, offset, seen.width, dtype))
        if rounded_value(moved, nu) <= value - 1e-4 * length * decrement or length < LEAST_STEP:
            return moved
        length *= 0.5

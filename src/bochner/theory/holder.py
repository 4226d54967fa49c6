"""A uniform bound for rough kernels: Hoelder's inequality in place of a Lipschitz constant they do not have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import gamma, gammaln

from ..kernels import Columns, Laplace, ProductFormKernel, RadialKernel, ShiftInvariantKernel
from .checks import Array, count, positive, shift_invariant
from .tail import Tail

Along = Callable[[Array], Array]  # k(t u) as a function of t, u an axis
SMALL_LOSS = 1e-6  # 1 - k where the power law of k at 0 takes over from quadrature


def holder_tail(
    kernel: ShiftInvariantKernel, eps: float, dim: int, diameter: float, paired: bool, alpha: float
) -> Tail:
    """Net argument with |cos a - cos b| <= 2^{1-e} |a - b|^e and M_e = E||w||^e, at the order e whose rate is best.

    With n = d (paired) or 2d (shifted, whose error lives on pairs of points):

        Pr <= [(n/e)^{-n/(n+e)} + (n/e)^{e/(n+e)}] k1^{e/(n+e)} k2^{n/(n+e)},
        paired:  k1 = 2 (4 l)^d exp(-D eps²/(16 alpha)),           k2 = 2^{3-e} M_e / eps,
        shifted: k1 = 2 (2 sqrt(2) l)^{2d} exp(-D eps²/(32 alpha')), k2 = 3 2^{2-e/2} M_e / eps.

    The width needed is smallest at one order for moderate delta; the order is chosen for delta = 0.05, and every order
    is valid.
    """
    largest = min(1.0, moment_limit(kernel, dim))

    def components(order: float) -> float:
        return _tail_at(kernel, order, eps, dim, diameter, paired, alpha).components(0.05)

    best = minimize_scalar(components, bounds=(1e-3, largest * (1 - 1e-9)), method="bounded", options={"xatol": 1e-7})
    return _tail_at(kernel, float(best.x), eps, dim, diameter, paired, alpha)


def _tail_at(
    kernel: ShiftInvariantKernel, order: float, eps: float, dim: int, diameter: float, paired: bool, alpha: float
) -> Tail:
    moment = fractional_moment(kernel, order, dim)
    n = dim if paired else 2 * dim
    share, rest = order / (n + order), n / (n + order)
    shape = np.log((n / order) ** -rest + (n / order) ** share)
    if paired:
        log_anchors = np.log(2.0) + n * np.log(4.0 * diameter)
        log_slope = (3.0 - order) * np.log(2.0) + np.log(moment / eps)
        rate = eps**2 / (16.0 * alpha)
    else:
        log_anchors = np.log(2.0) + n * np.log(2.0 * np.sqrt(2.0) * diameter)
        log_slope = np.log(3.0) + (2.0 - 0.5 * order) * np.log(2.0) + np.log(moment / eps)
        rate = eps**2 / (32.0 * alpha)
    return Tail(float(shape + share * log_anchors + rest * log_slope), share * rate)


def fractional_moment(kernel: Any, order: float, dim: int) -> float:
    """An upper bound on E||w||^e, 0 < e < 2, from the kernel alone; infinite where the moment is.

    E|w_j|^e = (e / (Γ(1-e) cos(πe/2))) ∫_0^inf (1 - k(t u_j)) t^{-1-e} dt along each axis u_j, and
    E||w||^e <= sum_j E|w_j|^e, with equality in one column. A radial kernel's law of the direction is known, so that
    E||w||^e = E|w_1|^e Γ((d+e)/2) Γ(1/2) / (Γ(d/2) Γ((1+e)/2)) exactly at length scale 1. The product Laplace kernel
    has E|w_j|^e = l_j^{-e} / cos(πe/2).

    Parameters
    ----------
    kernel : shift-invariant kernel
    order : float in (0, 2)
    dim : int

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.fractional_moment(bo.Laplace(1.0), 0.5, dim=2), 6)
    2.828427
    """
    kernel, dim = shift_invariant(kernel), count(dim, "dim")
    if not 0 < positive(order, "order") < 2:
        raise ValueError(f"order must be a number between 0 and 2, but it is {order!r}.")
    if isinstance(kernel, RadialKernel):
        scaling = kernel.split(dim)[0]
        n = scaling.n_directions
        direction = gammaln(0.5 * (n + order)) + gammaln(0.5) - gammaln(0.5 * n) - gammaln(0.5 * (1 + order))
        factor = min(np.sum(scaling.steepness() ** order), np.exp(direction) * scaling.stretch() ** order)
        return float(_axis_moment(kernel.profile, order) * factor)
    if isinstance(kernel, ProductFormKernel) and isinstance(scaling := kernel.split(dim)[0], Columns):
        powers = np.sum(scaling.scales**-order)
        if isinstance(kernel, Laplace):
            return np.inf if order >= 1 else float(powers / np.cos(0.5 * np.pi * order))
        return float(_axis_moment(kernel.profile, order) * powers)
    return float(sum(_axis_moment(along, order) for along in axes(kernel, dim)))


def moment_limit(kernel: ShiftInvariantKernel, dim: int) -> float:
    """The order up to which E||w||^e is finite: the exponent a of 1 - k(t u) ~ t^a at 0 (2: all that matter here)."""
    return min(roughness(along)[1] for along in axes(kernel, dim))


def axes(kernel: ShiftInvariantKernel, dim: int) -> list[Along]:
    """The kernel along each axis; where it has a profile, that is all there is to know, up to length scales."""
    if isinstance(kernel, RadialKernel):
        return [kernel.profile]
    if isinstance(kernel, ProductFormKernel) and isinstance(kernel.split(dim)[0], Columns):
        return [kernel.profile]

    def along(axis: Array) -> Along:
        return lambda t: kernel.at(np.multiply.outer(t, axis))

    return [along(axis) for axis in np.eye(dim)]


def _axis_moment(along: Along, order: float) -> float:
    """E|w_j|^e from k along an axis: quadrature in log t, with the power law of 1 - k below the smallest t."""
    start, exponent = roughness(along)
    if exponent <= order:
        return np.inf

    def integrand(log_t: float) -> float:
        return float((1.0 - along(np.array([np.exp(log_t)]))[0]) * np.exp(-order * log_t))

    low = np.log(start)
    body = sum(
        quad(integrand, low + a, low + b, limit=200)[0] for a, b in zip((0, 10, 20, 30), (10, 20, 30, 30 + 40 / order))
    )
    below = (1.0 - float(along(np.array([start]))[0])) * start**-order / (exponent - order)
    constant = 2.0 / np.pi if order == 1 else order / (gamma(1.0 - order) * np.cos(0.5 * np.pi * order))
    return float(constant * (body + below))


def roughness(along: Along) -> tuple[float, float]:
    """A small t with 1 - k(t) near SMALL_LOSS, and the exponent of 1 - k there."""
    t = np.geomspace(1e-12, 1e6, 3601)
    loss = 1.0 - np.asarray(along(t), dtype=np.float64)
    enough = np.flatnonzero(loss >= SMALL_LOSS)
    if enough.size == 0:
        raise ValueError("The kernel is constant along an axis: leave that column out.")
    start = float(t[max(enough[0], 1)])
    values: Array = 1.0 - np.asarray(along(np.array([start, 2.0 * start])), dtype=np.float64)
    return start, float(np.log2(values[1] / values[0]))

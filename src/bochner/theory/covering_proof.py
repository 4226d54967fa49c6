"""The net argument behind the uniform bounds, step by step, as numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from .checks import Array, count, inside_unit, one_of, positive, shift_invariant
from .slope import SLOPES, Slope, slope_variance
from .supremum import variance_supremum
from .uniform import exponent_share

PLACES = 200  # at which the slope of the error is looked up, to say how far above it the bound is


def net_radius(k1: float, k2: float, dim: int) -> float:
    """The radius r that makes k1 r^-d + k2 r² smallest: r = (d k1 / (2 k2))^{1/(d+2)}.

    With k1 = 2 (4 l)^d exp(-D_f eps²/8), the failures at the anchors of a net of radius 1, and k2 = 4 E L² / eps²,
    those of the slope, D_f frequencies. The minimum is [(d/2)^{-d/(d+2)} + (d/2)^{2/(d+2)}] k1^{2/(d+2)} k2^{d/(d+2)}.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> k1, k2 = 2 * (4 * 6.0) * np.exp(-20000 * 0.1**2 / 8), 4 * 1.0 / 0.1**2
    >>> print(f"{bo.theory.net_radius(k1, k2, dim=1):.7e}")
    9.4101469e-05
    """
    return float(np.exp(_log_radius(np.log(positive(k1, "k1")), np.log(positive(k2, "k2")), count(dim, "dim"))))


@dataclass(frozen=True)
class CoveringProof:
    """What ``covering_proof`` found. Prints as a table; probabilities above 1 say nothing.

    Attributes
    ----------
    net_radius : r, the radius of the net on differences x - y
    n_anchors : bound on the number of its points
    anchor_failure : union bound on |f| >= eps/2 at an anchor
    slope_failure : Markov's bound on L >= eps/(2r), (2r/eps)² E L²
    total : the two together
    closed_form : the same minimised by hand, beta_d (...)
    rounded_two : with c^-d + c² <= 2, c = (d/2)^{1/(d+2)}
    rounded : with 2^8 and the exponent 2 of Rahimi and Recht
    """

    net_radius: float
    n_anchors: float
    anchor_failure: float
    slope_failure: float
    total: float
    closed_form: float
    rounded_two: float
    rounded: float
    steps: tuple[tuple[str, float, float], ...] = field(repr=False)

    def table(self) -> list[tuple[str, float, float]]:
        """Rows (step, value, slack): how many times the value is above that of the next sharper step, 1 if none is.

        Sharper are: for the anchors the isodiametric covering number; for the failure at an anchor Bernstein's
        inequality; for the slope the mean square of the slope at its steepest place, which is below E L².
        """
        return list(self.steps)

    def __str__(self) -> str:
        lines = [f"{'step':<56}{'value':>14}{'slack':>12}"]
        lines += [f"{name:<56}{value:>14.8g}{slack:>12.4g}" for name, value, slack in self.steps]
        return "\n".join(lines)


def covering_proof(
    kernel: Any,
    *,
    eps: float,
    n_components: int,
    dim: int,
    diameter: float,
    slope: str = "published",
    tail: str = "hoeffding",
    covering: str = "published",
) -> CoveringProof:
    """Prove a uniform bound for paired Fourier features with independent frequencies, and show what each step costs.

    The error f(Δ) of D_f = D/2 frequencies lives on differences Δ = x - y, a set of diameter at most 2l. If |f| < eps/2
    at T anchors within r of which every Δ lies, and f has a Lipschitz constant L < eps/(2r), then |f| < eps everywhere:

        Pr(sup|f| >= eps) <= T 2 exp(-D_f eps² / (8 alpha)) + (2r/eps)² E L²,

    T = (4l/r)^d published, (1 + 2l/r)^d isodiametric (true of every set); alpha = 1 by Hoeffding's inequality,
    min(1, sigma_w²/2 + eps/3) by Bernstein's; E L² as in ``slope_moment``; r is chosen to make the sum smallest. With
    the published T that gives beta_d (...), then 2 for c^-d + c², then 2^8 and the exponent 2: Rahimi and Recht's
    bound. Where sqrt(E L²) l < eps, a larger set, with equality, stands for this one.

    Parameters
    ----------
    kernel : shift-invariant kernel
    eps : float in (0, 1)
    n_components : int
        Real output columns, even: cosines and sines.
    dim, diameter : int and float
        Of the set.
    slope : {"published", "rigorous", "sharp"}, default="published"
        The bound on E L²; the published one is not proved.
    tail : {"hoeffding", "bernstein"}, default="hoeffding"
    covering : {"published", "isodiametric"}, default="published"

    Returns
    -------
    CoveringProof

    Examples
    --------
    >>> import bochner as bo
    >>> proof = bo.theory.covering_proof(bo.Gaussian(1.0), eps=0.1, n_components=40000, dim=1, diameter=6.0)
    >>> print(proof)
    step                                                             value       slack
    diameter of the differences x - y                                   12           1
    radius of the net                                        9.4101469e-05           1
    anchors of the net                                           255043.84           2
    failure at some anchor (hoeffding)                       7.0840691e-06   3.164e+09
    failure of the slope (published)                         3.5420346e-06       4e+04
    either                                                   1.0626104e-05           1
    the same in closed form                                  1.0626104e-05           1
    with c^-d + c^2 <= 2                                     1.1245259e-05       1.058
    with 2^8 and the exponent 2                                 0.05324773        4735
    """
    kernel, eps, d = shift_invariant(kernel), inside_unit(eps, "eps"), count(dim, "dim")
    one_of(slope, SLOPES, "slope")
    bernstein = one_of(tail, ("hoeffding", "bernstein"), "tail") == "bernstein"
    published = one_of(covering, ("published", "isodiametric"), "covering") == "published"
    width = count(n_components, "n_components")
    if width % 2:
        raise ValueError(f"n_components must be even, cosines and sines of whole frequencies, but it is {width}.")
    moment = Slope.of(kernel, d, True, slope).moment(width)
    if np.isinf(moment):
        raise ValueError(
            f"The net argument says nothing about {type(kernel).__name__}: its E||w||² is infinite, for it has a kink "
            "at 0; use uniform_bound with method='holder' or method='points'."
        )
    size = max(positive(diameter, "diameter"), eps / np.sqrt(moment))
    sharper = exponent_share(eps, True, variance_supremum(kernel, d, size))
    exponents = -width * eps**2 / 16.0 / np.array([1.0, sharper])
    log_failure = np.log(2.0) + exponents[int(bernstein)]  # at one anchor
    log_slope = np.log(4.0 * moment / eps**2)  # of the slope, at r = 1
    log_r = _log_radius(log_failure + d * np.log(4.0 * size), log_slope, d)
    closed = _log_constant(d) + _log_product(log_failure, log_slope, d, size)
    if not published:
        best = minimize_scalar(
            lambda at: np.logaddexp(log_failure + _log_anchors(at, d, size, False), log_slope + 2.0 * at),
            bounds=(log_r - 10.0, log_r + 10.0),
            method="bounded",
            options={"xatol": 1e-10},
        )
        log_r = float(best.x)
    log_anchors = _log_anchors(log_r, d, size, published)
    at_anchors, of_slope = log_failure + log_anchors, log_slope + 2.0 * log_r
    two = np.log(2.0) + _log_product(log_failure, log_slope, d, size)
    last = np.log(256.0 * moment * size**2 / eps**2) + exponents[int(bernstein)] * 2.0 / (d + 2)
    either = float(np.logaddexp(at_anchors, of_slope))
    steepest = np.log(moment) - np.log(_largest_slope_variance(kernel, d, size, width))
    fewer = log_anchors - _log_anchors(log_r, d, size, False)
    rows = (
        ("diameter of the differences x - y", np.log(2.0 * size), 0.0),
        ("radius of the net", log_r, 0.0),
        ("anchors of the net", log_anchors, fewer),
        (f"failure at some anchor ({tail})", at_anchors, exponents[int(bernstein)] - exponents.min()),
        (f"failure of the slope ({slope})", of_slope, steepest),
        ("either", either, 0.0),
        ("the same in closed form", closed, closed - either),
        ("with c^-d + c^2 <= 2", two, two - closed),
        ("with 2^8 and the exponent 2", last, last - two),
    )
    with np.errstate(over="ignore"):
        steps = tuple((name, float(np.exp(value)), float(np.exp(slack))) for name, value, slack in rows)
    _, radius, anchors, anchor_failure, slope_failure, total, closed_form, rounded_two, rounded = (
        value for _, value, _ in steps
    )
    return CoveringProof(
        radius, anchors, anchor_failure, slope_failure, total, closed_form, rounded_two, rounded, steps
    )


def _log_radius(log_k1: float, log_k2: float, d: int) -> float:
    return float((np.log(0.5 * d) + log_k1 - log_k2) / (d + 2))


def _log_anchors(log_r: float, d: int, size: float, published: bool) -> float:
    """Logarithm of T: (4l/r)^d or (1 + 2l/r)^d, the differences having the diameter 2l."""
    if published:
        return float(d * (np.log(4.0 * size) - log_r))
    return float(d * np.log1p(2.0 * size * np.exp(-log_r))) if np.exp(log_r) < 2.0 * size else 0.0


def _log_product(log_failure: float, log_slope: float, d: int, size: float) -> float:
    """Logarithm of k1^{2/(d+2)} k2^{d/(d+2)}."""
    return float((2.0 * (log_failure + d * np.log(4.0 * size)) + d * log_slope) / (d + 2))


def _log_constant(d: int) -> float:
    """Logarithm of c^-d + c², c = (d/2)^{1/(d+2)}."""
    log_c = np.log(0.5 * d) / (d + 2)
    return float(np.logaddexp(-d * log_c, 2.0 * log_c))


def _largest_slope_variance(kernel: Any, d: int, size: float, width: int) -> float:
    """The largest E||grad f(Δ)||² along the first axis."""
    places: Array = np.zeros((PLACES, d))
    places[:, 0] = np.linspace(0.0, size, PLACES + 1)[1:]
    return float(slope_variance(kernel, places, width).max())

"""Kar and Karnick's Theorem 4 with explicit constants: widths for dot-product kernels and for compositions."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import Composed, RadialKernel, ShiftInvariantKernel
from .checks import Array, count, inside_unit, is_one_column, one_of, positive
from .factor_moments import PROJECTIONS
from .holder import fractional_moment
from .maclaurin import geometric_degrees, truncation_bias
from .slope import Slope, lipschitz_constant
from .supremum import LARGEST, profile_supremum
from .tail import smallest_width
from .uniform import net_tail

TERMS = (64, 256, 1024)  # coefficients asked of a kernel until its series has converged
CONVERGED = 1e-9  # of the sum: the last term of a series that is not known to be complete


def maclaurin_components_needed(
    coefficients: Any,
    *,
    eps: float,
    delta: float,
    dim: int,
    radius: float,
    degrees: str = "geometric",
    p: float = 2.0,
    max_degree: int | None = None,
    h01: bool = False,
    complete: bool = False,
) -> int:
    """Kar and Karnick's Theorem 4 with explicit constants: a width for an error below eps on the L1 ball of radius R.

        D >= (8B²/eps²) [2d log(32 R EL / (eps delta)) + log(4/delta)],   EL = R f'(R²)(1 + sqrt d),

    for independent degrees and random signs, B = max_n a_n R^{2n} / P_n the bound of a feature: f(R²) for proportional
    degrees, max_n a_n R^{2n} p^{n+1}/(p-1) for geometric ones (in print p/(p-1) f(pR²), which is larger). An L2 ball of
    radius R_2 lies in the L1 ball of radius sqrt(d) R_2.

    With ``max_degree`` q, the series is cut there at an error of eps_1 = sum_{n>q} a_n R^{2n}, and eps - eps_1 is left
    for the rest. With ``h01``, degrees 0 and 1 are exact and B, f and f' are of the degrees from 2 on; their d + 1
    columns are not counted.

    Parameters
    ----------
    coefficients : array of shape (n_terms,)
        Enough of them that the series has converged (at pR² for geometric degrees); refused if it has not.
    eps, delta : float in (0, 1)
    dim : int
    radius : float
    degrees : {"geometric", "proportional"}, default="geometric"
    p : float, default=2.0
    max_degree : int, default=None
    h01 : bool, default=False
    complete : bool, default=False
        Whether the coefficients are all there are, those of a polynomial.

    Returns
    -------
    int
        Random columns; 0 where nothing is random.

    Examples
    --------
    >>> import bochner as bo
    >>> from scipy.special import factorial
    >>> import numpy as np
    >>> a = 1 / factorial(np.arange(60))
    >>> setting = {"eps": 0.1, "delta": 0.05, "dim": 5, "radius": 1.0}
    >>> bo.theory.maclaurin_components_needed(a, p=1.5, **setting)
    1843012
    >>> bo.theory.maclaurin_components_needed(a, degrees="proportional", h01=True, max_degree=4, **setting)
    54409
    >>> bo.theory.maclaurin_components_needed([0.0, 0.0, 1.0], complete=True, **setting) > 0
    True
    """
    eps, delta, d = inside_unit(eps, "eps"), inside_unit(delta, "delta"), count(dim, "dim")
    a, radius = _checked(coefficients), positive(radius, "radius")
    geometric = one_of(degrees, ("geometric", "proportional"), "degrees") == "geometric"
    if not complete:
        _refuse_unless_converged(a, (p if geometric and max_degree is None else 1.0) * radius**2)
    if max_degree is not None:
        eps -= _cut(a, count(max_degree, "max_degree"), radius, eps)
        a = a[: max_degree + 1]
    start = 2 if h01 else 0
    bound = _feature_bound(a, radius**2, p if geometric else None, start)
    slope = radius * _derivative(a, radius**2, start) * (1.0 + np.sqrt(d))
    return _components(bound, slope, 2.0 * radius, eps, delta, d)


def composed_components_needed(
    kernel: Any,
    *,
    eps: float,
    delta: float,
    dim: int,
    diameter: float,
    degrees: str = "proportional",
    p: float = 2.0,
    projection: str = "rademacher",
    scalar_bound: float | None = None,
    scalar_slope: float | None = None,
    method: str = "theorem-4",
    rigorous: bool = False,
) -> int:
    """A width for an error below eps of f(k(x, y)), k the inner kernel, over a set of diameter l.

    - "theorem-4": for products of scalars W with |W| <= C and E Lip(W) <= M, E W(x)W(y) = k,

          D >= (8B²/eps²) [2d log(16 l EL / (eps delta)) + log(4/delta)],   EL = C f'(C²) M + Lip f(k),

      B = max_n a_n C^{2n} / P_n: f(C²) for proportional degrees P_n ~ a_n C^{2n}. Shifted cosines of a shift-invariant
      inner kernel have C = sqrt(2), M = sqrt(2) E||w||, Lip f(k) <= f'(1) sup||grad k||; with projection="complex",
      exp(i w'x), C = 1 and M = E||w||, and the count is of complex features, two columns each.
    - "shift-invariant": f(k)/f(1) is shift-invariant itself, with a sum of N inner frequencies for a frequency,
      P[N = n] = a_n / f(1), so that E||w||² is f'(1)/f(1) times the inner one: Sutherland and Schneider's bound for
      paired Fourier features at eps/f(1), a far smaller width.

    Parameters
    ----------
    kernel : Composed
    eps, delta : float in (0, 1)
    dim, diameter : int and float
    degrees : {"proportional", "geometric"}, default="proportional"
    p : float, default=2.0
    projection : {"rademacher", "gaussian", "complex"}, default="rademacher"
        As of ``MaclaurinFeatures``; for a shift-invariant inner kernel the first two are cosines both.
    scalar_bound, scalar_slope : float, default=None
        C and M of another random W; needed if the inner kernel is not shift-invariant.
    method : {"theorem-4", "shift-invariant"}, default="theorem-4"
    rigorous : bool, default=False
        Of "shift-invariant", see ``uniform_bound``; Theorem 4 is rigorous as it is.

    Returns
    -------
    int

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Composed(bo.ExponentialDot(), bo.Gaussian(1.0))
    >>> setting = {"eps": 0.1, "delta": 0.05, "dim": 2, "diameter": 6.0}
    >>> bo.theory.composed_components_needed(kernel, **setting)
    2439426
    >>> bo.theory.composed_components_needed(kernel, method="shift-invariant", **setting)
    153250
    """
    if not isinstance(kernel, Composed):
        raise ValueError(f"This width is for compositions, bo.Composed(outer, inner), not {type(kernel).__name__}.")
    eps, delta, d = inside_unit(eps, "eps"), inside_unit(delta, "delta"), count(dim, "dim")
    size, base = positive(diameter, "diameter"), kernel.base
    geometric = one_of(degrees, ("geometric", "proportional"), "degrees") == "geometric"
    if one_of(method, ("theorem-4", "shift-invariant"), "method") == "shift-invariant":
        if not isinstance(base, ShiftInvariantKernel):
            raise ValueError(f"method='shift-invariant' needs a shift-invariant inner kernel, not {_name(base)}.")
        return _fourier_components(kernel, base, eps, delta, d, size, rigorous)
    largest, steep, outer = _scalars(base, d, projection, scalar_bound, scalar_slope)
    a = _enough_coefficients(kernel, (p if geometric else 1.0) * largest**2)
    bound = _feature_bound(a, largest**2, p if geometric else None, 0)
    of_kernel = largest * steep if outer is None else outer
    slope = largest * steep * _derivative(a, largest**2, 0)
    slope += of_kernel * _derivative(a, largest**2 if outer is None else 1.0, 0)
    return _components(bound, slope, size, eps, delta, d)


def _scalars(
    base: Any, dim: int, projection: str, scalar_bound: float | None, scalar_slope: float | None
) -> tuple[float, float, float | None]:
    """C, M and the Lipschitz constant of the inner kernel, None where C M is all that is known of it."""
    if scalar_bound is not None and scalar_slope is not None:
        return positive(scalar_bound, "scalar_bound"), positive(scalar_slope, "scalar_slope"), None
    if not isinstance(base, ShiftInvariantKernel) or (scalar_bound is None) != (scalar_slope is None):
        raise ValueError(
            f"The scalar features of {_name(base)} must be described: give both scalar_bound (of |W|) and scalar_slope "
            "(of its mean Lipschitz constant)."
        )
    mean, steep = fractional_moment(base, 1.0, dim), lipschitz_constant(base, dim)
    if np.isinf(mean):
        raise ValueError(f"The inner kernel {_name(base)} has an infinite E||w||, and Theorem 4 says nothing about it.")
    if one_of(projection, PROJECTIONS, "projection") == "complex":
        return 1.0, mean, min(mean, steep)
    return float(np.sqrt(2.0)), float(np.sqrt(2.0)) * mean, min(mean, steep)


def _fourier_components(
    kernel: Composed, base: ShiftInvariantKernel, eps: float, delta: float, dim: int, size: float, rigorous: bool
) -> int:
    a = _enough_coefficients(kernel, 1.0)
    largest = float(a.sum())
    share = _derivative(a, 1.0, 0) / largest  # E N
    square = share * base.frequency_second_moment(dim)
    if np.isinf(square):
        raise ValueError(f"The inner kernel {_name(base)} has an infinite E||w||²: no uniform bound is known for it.")
    slope = Slope(square)
    if rigorous:
        mean, steep = share * fractional_moment(base, 1.0, dim), share * lipschitz_constant(base, dim)
        slope = Slope.sharp(square, mean, steep, True)
    supremum = LARGEST
    if isinstance(base, RadialKernel) or is_one_column(base, dim):
        reach = size * base.split(dim)[0].stretch()
        supremum = profile_supremum(lambda r: kernel.profile(base.profile(r)) / largest, reach)
    tolerance = eps / largest
    return int(
        np.ceil(
            smallest_width(lambda width: net_tail(tolerance, dim, size, True, supremum, slope.moment(width)), delta)
        )
    )


def _components(bound: float, slope: float, size: float, eps: float, delta: float, d: int) -> int:
    """(8B²/eps²) [2d log(16 l EL / (eps delta)) + log(4/delta)]; the logarithm of a net is at least 0."""
    if bound == 0:
        return 0
    with np.errstate(divide="ignore"):
        net = max(0.0, float(np.log(16.0 * size * slope / (eps * delta))))
    return max(1, int(np.ceil(8.0 * bound**2 / eps**2 * (2.0 * d * net + np.log(4.0 / delta)))))


def _feature_bound(a: Array, square: float, p: float | None, start: int) -> float:
    """The largest a_n C^{2n} / P_n over n >= start, for geometric degrees of base p; without one, proportional ones."""
    terms = _terms(a, square)
    terms[:start] = 0.0
    if p is None:
        return float(terms.sum())
    law = geometric_degrees(len(a), p, start)
    return float(np.max(terms[start:] / law[start:], initial=0.0))


def _terms(a: Array, at: float) -> Array:
    return a * at ** np.arange(len(a), dtype=np.float64)


def _derivative(a: Array, at: float, start: int) -> float:
    """f'(at), f the series of the degrees from ``start`` on."""
    degree = np.arange(len(a))
    return float(np.sum(np.where(degree < max(start, 1), 0.0, degree * a * at ** np.maximum(degree - 1.0, 0.0))))


def _cut(a: Array, last: int, radius: float, eps: float) -> float:
    """eps_1, refused where it leaves nothing."""
    found = truncation_bias(a, last + 1, radius)
    if found < eps:
        return found
    works = next(q for q in range(last, len(a)) if truncation_bias(a, q + 1, radius) < eps)
    raise ValueError(
        f"max_degree={last} leaves out {found:.4g}, not less than eps={eps:g}: the smallest that works is "
        f"max_degree={works}."
    )


def _enough_coefficients(kernel: Composed, at: float) -> Array:
    for n_terms in TERMS:
        a = kernel.coefficients(n_terms)
        if _converged(a, at):
            break
    _refuse_unless_converged(a, at)
    return a


def _converged(a: Array, at: float) -> bool:
    with np.errstate(over="ignore", invalid="ignore"):
        terms = _terms(a, at)
        return bool(np.isfinite(terms.sum()) and terms[-1] <= CONVERGED * terms.sum())


def _refuse_unless_converged(a: Array, at: float) -> None:
    if not _converged(a, at):
        raise ValueError(
            f"The Maclaurin series has not converged at {at:.4g} after {len(a)} terms: give more terms, or a smaller "
            "radius or p; a series with a radius of convergence below this has no bound; for a polynomial whose "
            "coefficients these all are say complete=True."
        )


def _checked(coefficients: Any) -> Array:
    a = np.asarray(coefficients, dtype=np.float64)
    if a.ndim != 1 or not a.size or not np.isfinite(a).all() or (a < 0).any():
        raise ValueError("coefficients must be a vector of finite numbers >= 0.")
    return a


def _name(kernel: Any) -> str:
    return type(kernel).__name__

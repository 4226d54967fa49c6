"""How many factors each feature of a power series has: truncation, degree laws, and draws of degrees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import logsumexp

from ..kernels.power_series import PowerSeriesKernel
from .design import Array
from .factor_laws import Moments

TOLERANCE = 2.0**-40  # relative truncation error below which further terms are left out
TERMS = (64, 256, 1024)  # terms asked of a kernel, until the series is exhausted
LARGEST_ERROR = 0.05
MOMENT_PAIRS = 1000  # pairs of rows over which the "optimal" degree law averages
SMALLEST_VARIANCE = 1e-4  # relative to the second moment: no degree is starved, for other pairs may need it


@dataclass(frozen=True)
class Series:
    """Coefficients a_0..a_N of a kernel, and what the terms left out amount to at the largest row."""

    coefficients: Array
    square_radius: float
    truncation_error: float


def truncated_series(kernel: PowerSeriesKernel, rows: Any, max_degree: int | None) -> Series:
    """The terms of a kernel that count for data like these rows.

    The error of leaving out n > N is at most sum_{n > N} a_n R^{2n} with R² the largest b(x, x). Polynomials of up
    to degree 62 are kept whole; longer series end where the error is below 1e-12 of the kernel, or at ``max_degree``.
    """
    with np.errstate(over="ignore"):
        diagonal = kernel.base.diagonal(rows)
    kernel.refuse_outside(diagonal)
    square_radius = float(diagonal.max()) or min(1.0, 0.5 * kernel.radius)
    with np.errstate(over="ignore", invalid="ignore"):
        total = float(kernel.profile(np.array([square_radius]))[0])
    if not np.isfinite(total):
        raise ValueError(
            f"The kernel {type(kernel).__name__} overflows at the largest row (square {square_radius:.4g}): "
            "scale the data or the kernel down."
        )
    for n_terms in TERMS:
        coefficients = kernel.coefficients(n_terms)
        if not np.isfinite(coefficients).all():
            raise ValueError(
                f"The coefficients of the kernel {type(kernel).__name__} overflow: scale it down or lower its degree."
            )
        terms = term_sizes(coefficients, square_radius)
        left = total - terms.sum()
        if left <= TOLERANCE * total and (max_degree is None or max_degree < n_terms):
            break
    left = left if left > 1e-13 * total else 0.0
    errors = np.append(np.cumsum(terms[::-1])[::-1][1:], 0.0) + left  # errors[N]: of stopping at N
    if max_degree is not None:
        last = min(max_degree, n_terms - 1)
    else:
        last = n_terms - 1 if n_terms == TERMS[0] and terms[-1] == 0 else int(np.argmax(errors <= TOLERANCE * total))
        last = last if errors[last] <= TOLERANCE * total else n_terms - 1
        if errors[last] > LARGEST_ERROR * total:
            raise ValueError(
                f"The series of {type(kernel).__name__} needs more than {TERMS[-1]} terms for the largest row (square "
                f"{square_radius:.4g}): scale the data or the kernel down, or give max_degree."
            )
    kept = coefficients[: last + 1]
    kept = kept[: np.flatnonzero(kept)[-1] + 1] if kept.any() else kept[:1]
    return Series(kept, square_radius, float(errors[last]))


def term_sizes(coefficients: Array, square_radius: float) -> Array:
    """a_n R^{2n}, through logarithms: neither factor need fit the floating-point range."""
    sizes = np.zeros(len(coefficients))
    degrees = np.flatnonzero(coefficients)
    sizes[degrees] = np.exp(np.log(coefficients[degrees]) + degrees * np.log(square_radius))
    return sizes


def geometric_law(series: Series, first: int, p: float) -> Array:
    """P_n proportional to p^-n over the degrees n >= first with a_n > 0; (p - 1) / p^{n+1} for an infinite series."""
    return normalised(series, first, -np.arange(len(series.coefficients)) * np.log(p))


def proportional_law(series: Series, first: int) -> Array:
    """P_n proportional to a_n R^{2n}: every feature is bounded by sqrt(f(R²))."""
    with np.errstate(divide="ignore"):
        logarithms = np.log(series.coefficients)
    return normalised(series, first, logarithms + np.arange(len(logarithms)) * np.log(series.square_radius))


def optimal_law(series: Series, first: int, moments: Moments, products: Array, within: float) -> Array:
    """P_n proportional to a_n sqrt(v_n), which minimises the mean variance sum a_n² v_n / P_n over pairs of rows.

    v_n is the mean second moment of a product of n factors, less ``within`` times the mean of b^{2n} (``products``
    is b): 0 for independent degrees, near 1 for stratified ones, where only the variance within a degree counts.
    """
    n = np.arange(len(series.coefficients))
    unit = series.square_radius**2
    with np.errstate(over="ignore", divide="ignore"):
        second = sum(weight * np.mean((base[:, None] / unit) ** n, axis=0) for weight, base in moments)
        spread = second - within * np.mean((products[:, None] ** 2 / unit) ** n, axis=0)
        spread = np.clip(spread, SMALLEST_VARIANCE * second, 1e300)
        logarithms = np.log(series.coefficients) + 0.5 * np.log(spread)
    return normalised(series, first, logarithms + n * np.log(series.square_radius))


def normalised(series: Series, first: int, logarithms: Array) -> Array:
    """Probabilities from logarithms of weights, on the degrees that the series has from ``first`` on."""
    possible = series.coefficients > 0
    possible[:first] = False
    law = np.zeros(len(possible))
    law[possible] = np.exp(logarithms[possible] - logsumexp(logarithms[possible]))
    # A degree must not vanish by underflow: its coefficient counts, so features without it would be biased.
    law[possible] = np.maximum(law[possible], 1e-290)
    return law / law.sum()


def stratified_degrees(law: Array, n: int, rng: np.random.Generator) -> Array:
    """Degrees of n features at evenly spaced quantiles with one random shift, in random order.

    Each degree appears floor(n P) or ceil(n P) times, n P on average: unbiased, and without the variance of counts.
    """
    quantiles = (rng.random() + np.arange(n)) / n
    cumulative = np.cumsum(law)
    degrees = np.searchsorted(cumulative / cumulative[-1], quantiles, side="right")
    return rng.permutation(np.minimum(degrees, np.flatnonzero(law)[-1]))


def independent_degrees(law: Array, n: int, rng: np.random.Generator) -> Array:
    """Degrees of n features drawn independently: the map as published."""
    return rng.choice(len(law), size=n, p=law)


def random_pairs(rows: Any, rng: np.random.Generator) -> tuple[Array, Array]:
    """Pairs of different rows (of the same one, if there is but one), dense and in float64."""
    chosen = rng.permutation(rows.shape[0])[:MOMENT_PAIRS]
    some = rows[chosen]
    some = np.asarray(some if isinstance(some, np.ndarray) else some.toarray(), dtype=np.float64)
    return some, np.roll(some, 1, axis=0)

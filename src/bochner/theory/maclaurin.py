"""Random Maclaurin features: degree laws, exact variance, truncation, cost."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.special import xlogy

from .checks import Array, count, one_of, positive
from .factor_moments import inner_products, projection_moments

ROUNDING = 1e-14  # of sums of powers through logarithms: a difference below it is 0, and a pseudo-moment's may be less


def geometric_degrees(n_terms: int, p: float = 2.0, start: int = 0) -> Array:
    """P[N = n] = (p-1)/p^{n-start+1} for n = start, ..., n_terms - 1, and 0 below start.

    Kar and Karnick print 1/p^{n+1}, which is a probability for p = 2 only. start = 2 is the law of H0/1.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.geometric_degrees(4, p=3.0).round(4)
    array([0.6667, 0.2222, 0.0741, 0.0247])
    """
    if not (np.isfinite(p) and p > 1):
        raise ValueError(f"p must be a finite number greater than 1, but it is {p!r}.")
    degree = np.arange(count(n_terms, "n_terms"), dtype=np.float64)
    return np.where(degree < start, 0.0, (p - 1.0) * p ** -(degree - start + 1.0))


def proportional_degrees(coefficients: Any, radius: float, start: int = 0) -> Array:
    """P[N = n] ~ a_n R^{2n}, n >= start: features bounded by sqrt(f(R²)) for rows within radius R.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.proportional_degrees([1.0, 1.0, 0.5], 2.0).round(4)
    array([0.0769, 0.3077, 0.6154])
    """
    return _normalised(coefficients, np.log(positive(radius, "radius")) * 2.0, start)


def optimal_degrees(coefficients: Any, moment: float, start: int = 0) -> Array:
    """P[N = n] ~ a_n m^{n/2}, n >= start: least variance at a pair whose projections have second moment m.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.optimal_degrees([1.0, 1.0, 0.5], 4.0).round(4)
    array([0.2, 0.4, 0.4])
    """
    return _normalised(coefficients, 0.5 * np.log(positive(moment, "moment")), start)


def maclaurin_variance(
    coefficients: Any,
    probabilities: Any,
    x: Any,
    y: Any,
    n_components: int,
    *,
    projection: str = "rademacher",
    start: int = 0,
    allocation: str = "independent",
) -> Array:
    """Var z(x)'z(y) of D random Maclaurin features Z = sqrt(a_N / P_N) prod_{j<=N} w_j'x.

        (1/D) [sum_n a_n² m^n / P_n - f(t)²],   t = <x, y>,

    m the second moment of a projection. Complex signs, as D real columns from D/2 complex features:
    (1/D) [sum_n (a_n²/P_n)(m^n + m_P^n) - 2f(t)²]. Degrees below ``start`` are represented exactly and the sums, f
    included, are over the others: start = 2 is H0/1. Where degrees are stratified, each with its share D P_n of the
    columns (rounding aside), the variance between degrees is gone: (1/D) sum_n a_n² (m^n - t^{2n}) / P_n.

    Parameters
    ----------
    coefficients : array of shape (n_terms,)
        Maclaurin coefficients a_n >= 0 of f, enough of them that the rest does not count.
    probabilities : array of shape (n_terms,)
        P[N = n], greater than 0 where a_n is, from ``start`` on.
    x, y : array of shape (dim,) or (n, dim)
    n_components : int
        Random columns: those of exact terms are not counted.
    projection : {"rademacher", "gaussian", "complex"}, default="rademacher"
    start : int, default=0
        The lowest degree that is drawn.
    allocation : {"independent", "stratified"}, default="independent"

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import bochner as bo
    >>> from scipy.special import factorial
    >>> import numpy as np
    >>> a = 1 / factorial(np.arange(40))
    >>> x, y = [0.5, -0.3, 0.4], [0.2, 0.1, 0.6]
    >>> bo.theory.maclaurin_variance(a, bo.theory.geometric_degrees(40, 2.0), x, y, 1).round(6)
    array([1.32537])
    """
    moment, pseudo = projection_moments(x, y, projection)
    t = inner_products(x, y)
    value = series_variance(coefficients, probabilities, t, moment, n_components, start=start, allocation=allocation)
    if projection != "complex":
        return value
    return value + series_variance(
        coefficients, probabilities, t, pseudo, n_components, start=start, allocation=allocation
    )


def composed_variance(coefficients: Any, probabilities: Any, inner: Any, inner_moment: Any, n_components: int) -> Array:
    """Var of random features of f(K_inner): sum_n a_n² m^n / P_n - f(K_inner)², m = E (W(x) W(y))² of the inner draw.

    One shifted cosine W = sqrt(2) cos(w'x + b) of a shift-invariant kernel has m = 1 + k(2Δ)/2.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> from scipy.special import factorial
    >>> a, moment = 1 / factorial(np.arange(60)), 1 + np.exp(-2.0) / 2  # exp of a Gaussian at distance 1
    >>> law = bo.theory.optimal_degrees(a, moment)
    >>> bo.theory.composed_variance(a, law, np.exp(-0.5), moment, 1).round(7)
    array([4.5338427])
    """
    return series_variance(coefficients, probabilities, inner, inner_moment, n_components)


def series_variance(
    coefficients: Any,
    probabilities: Any,
    mean: Any,
    moment: Any,
    n_components: int,
    *,
    start: int = 0,
    allocation: str = "independent",
) -> Array:
    """(1/D) [sum_n a_n² m^n / P_n - (sum_n a_n t^n)²] over the degrees that are drawn, or its stratified form."""
    stratified = one_of(allocation, ("independent", "stratified"), "allocation") == "stratified"
    a, probability = (np.asarray(values, dtype=np.float64) for values in (coefficients, probabilities))
    if a.ndim != 1 or a.shape != probability.shape or (a < 0).any():
        raise ValueError("coefficients must be a vector of numbers >= 0, and probabilities as many numbers.")
    degree = np.arange(len(a))
    drawn = (a > 0) & (degree >= start)
    if (probability[drawn] <= 0).any():
        raise ValueError(f"Degree {degree[drawn][probability[drawn] <= 0][0]} has a coefficient but probability 0.")
    t, m = (np.atleast_1d(np.asarray(values, dtype=np.float64))[:, None] for values in (mean, moment))
    powers, width = degree[drawn], count(n_components, "n_components")
    log_a, log_weights = np.log(a[drawn]), 2.0 * np.log(a[drawn]) - np.log(probability[drawn])
    squares = np.sum(_weighted_powers(log_weights, m, powers), axis=1)
    if stratified:
        means = np.sum(_weighted_powers(log_weights, t * t, powers), axis=1)
    else:
        means = np.sum(_weighted_powers(log_a, t, powers), axis=1) ** 2
    finite = np.isfinite(squares)
    difference = np.where(finite, squares - np.where(finite, means, 0.0), np.inf)
    rounding = ROUNDING * np.where(finite, np.abs(squares) + means, 0.0)
    return np.where(np.abs(difference) <= rounding, 0.0, difference) / width


def _weighted_powers(log_weights: Array, base: Array, powers: Array) -> Array:
    """Powers base^n times weights, through logarithms: a weight may underflow where the power overflows."""
    with np.errstate(over="ignore", divide="ignore"):
        return np.sign(base) ** powers * np.exp(log_weights + xlogy(powers, np.abs(base)))


def truncation_bias(coefficients: Any, n_terms: int, radius: float) -> float:
    """Sum of a_n R^{2n} over n >= n_terms: the largest error of leaving those degrees out, within L2 radius R.

    Examples
    --------
    >>> import bochner as bo
    >>> from scipy.special import factorial
    >>> import numpy as np
    >>> round(bo.theory.truncation_bias(1 / factorial(np.arange(40)), n_terms=6, radius=1.0), 10)
    0.0016151618
    """
    a = np.asarray(coefficients, dtype=np.float64)
    rest = np.arange(count(n_terms, "n_terms"), len(a))
    return float(np.sum(a[rest] * positive(radius, "radius") ** (2.0 * rest)))


class MaclaurinCost(NamedTuple):
    """What one random column costs a row, on average."""

    factors: float
    multiplications: float


def maclaurin_cost(degree_law: Any, dim: int) -> MaclaurinCost:
    """The mean number of factors w_j'x of a random Maclaurin feature, E N, and of multiplications, d E N + E (N - 1)_+.

    Geometric degrees have E N = 1/(p - 1), those of H0/1 (start = 2) 2 + 1/(p - 1): with p = 2 a column of H0/1 costs
    three projections where a plain one costs one.

    Parameters
    ----------
    degree_law : array of shape (n_terms,)
        P[N = n], as of ``geometric_degrees``; divided by its sum.
    dim : int

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.maclaurin_cost(bo.theory.geometric_degrees(60, 2.0), dim=54).factors, 9)
    1.0
    >>> round(bo.theory.maclaurin_cost(bo.theory.geometric_degrees(60, 2.0, start=2), dim=54).factors, 9)
    3.0
    """
    law = np.asarray(degree_law, dtype=np.float64)
    if law.ndim != 1 or not np.isfinite(law).all() or (law < 0).any() or not law.sum() > 0:
        raise ValueError("degree_law must be a vector of probabilities of the degrees 0, 1, ....")
    law, degree = law / law.sum(), np.arange(len(law))
    factors, products = float(law @ degree), float(law @ np.maximum(degree - 1, 0))
    return MaclaurinCost(factors, count(dim, "dim") * factors + products)


def _normalised(coefficients: Any, log_ratio: float, start: int) -> Array:
    a = np.asarray(coefficients, dtype=np.float64)
    degree = np.arange(len(a))
    weights = np.where(degree < start, 0.0, a * np.exp(log_ratio * degree))
    return weights / weights.sum()

"""Functions of the inner product on one sphere: what a fixed dimension asks of a kernel, and not every one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import roots_jacobi

from .checks import Array, count

NODES = 256  # of Gauss's rule, exact for polynomials of degree 511


def gegenbauer_coefficients(function: Callable[[Array], Any], dim: int, n_terms: int = 20) -> Array:
    """b_0, b_1, ... of f(t) = sum_n b_n P_n(t), P_n the Gegenbauer polynomials of R^d with P_n(1) = 1.

        b_n = ∫ f P_n w dt / ∫ P_n² w dt,   w(t) = (1 - t²)^{(d-3)/2},

    Legendre polynomials for d = 3, Chebyshev ones for d = 2. f(<x, y>) is positive definite on the unit sphere of R^d
    if and only if no b_n is negative (Schoenberg 1942). In every dimension at once that asks all Maclaurin coefficients
    to be >= 0; one dimension asks less, and the less the smaller it is. A coefficient that rounding alone could have
    made is 0: the polynomials of high degree are small but at the ends, and more so in high dimensions.

    Parameters
    ----------
    function : callable
        Maps an array of numbers in [-1, 1] to values.
    dim : int
        At least 2.
    n_terms : int, default=20

    Returns
    -------
    array of shape (n_terms,)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.gegenbauer_coefficients(lambda t: (3 * t**2 - 1) / 2, dim=3, n_terms=3).round(6)
    array([0., 0., 1.])
    >>> bo.theory.gegenbauer_coefficients(lambda t: (3 * t**2 - 1) / 2, dim=4, n_terms=3).round(6)
    array([-0.125,  0.   ,  1.125])
    """
    d, n_terms = count(dim, "dim"), count(n_terms, "n_terms")
    if d < 2:
        raise ValueError("dim must be at least 2: the sphere of one dimension is two points.")
    if n_terms > NODES:
        raise ValueError(f"n_terms must be at most {NODES}, but it is {n_terms}.")
    t, weights = roots_jacobi(NODES, 0.5 * (d - 3), 0.5 * (d - 3))
    values = np.asarray(function(t), dtype=np.float64)
    if values.shape != t.shape or not np.isfinite(values).all():
        raise ValueError("function must map an array of numbers in [-1, 1] to as many finite values.")
    polynomials = np.empty((n_terms, NODES))
    before, here = np.zeros(NODES), np.ones(NODES)
    for n in range(n_terms):
        polynomials[n] = here
        # (n + d - 2) P_{n+1} = (2n + d - 2) t P_n - n P_{n-1}; for d = 2 and n = 0 both sides vanish, and P_1 = t.
        after = t if n == 0 else ((2 * n + d - 2) * t * here - n * before) / (n + d - 2)
        before, here = here, after
    squares = (polynomials**2) @ weights
    found = (polynomials * weights) @ values / squares
    rounding = 32.0 * np.finfo(np.float64).eps * np.sqrt(weights @ values**2 / squares)
    return np.where(np.abs(found) > rounding, found, 0.0)

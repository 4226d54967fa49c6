"""The largest error of random binning over a box: a bound that no Lipschitz constant is needed for."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import BinningKernel
from .checks import Array, count, inside_unit
from .slope import slope_at_zero

SHARES = np.arange(1, 1000) / 1000.0  # theta: every value is valid, and the width needed hardly depends on it


def binning_bound(kernel: Any, *, eps: float, n_grids: int, sides: Any = None, n_points: int | None = None) -> float:
    """Bound Pr(sup |z(x)'z(y) - k(x, y)| >= eps) of binning features with P independent grids and exact bins.

    Over a box, cut into T cells: for two cells the indicators "all points share a bin" and "some points share a bin"
    bracket the estimate, and differ only where a boundary cuts a cell, with probability at most theta eps if the side
    of a cell in column j is theta eps / (2 d a_j), a_j = E(1/δ_j) = -k'(0+) along column j. Hoeffding's inequality for
    both brackets of all pairs of cells gives

        min over theta of T(T + 1) exp(-2P (1 - theta)² eps²),   T = prod_j ceil(2 d a_j l_j / (theta eps)),

    l_j the side of the box. Between n given points: n(n - 1) exp(-2P eps²).

    Parameters
    ----------
    kernel : binning kernel
        Laplace, Reciprocal, StretchedExponential, or a convex profile.
    eps : float in (0, 1)
    n_grids : int
    sides : array of one length per column, default=None
        Of the box. Give this or ``n_points``.
    n_points : int, default=None

    Returns
    -------
    float
        Above 1 it says nothing; infinite where the profile has an infinite slope at 0, as StretchedExponential.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.binning_bound(bo.Laplace(1.0), eps=0.1, n_grids=1029, sides=[6.0]) <= 0.05
    True
    """
    log_factors, shares = _factors(kernel, inside_unit(eps, "eps"), sides, n_points)
    with np.errstate(over="ignore"):
        bounds = np.exp(log_factors - 2.0 * count(n_grids, "n_grids") * ((1.0 - shares) * eps) ** 2)
    return float(bounds.min())


def grids_needed(kernel: Any, *, eps: float, delta: float, sides: Any = None, n_points: int | None = None) -> int:
    """The smallest number of grids for which ``binning_bound`` promises an error below eps with probability 1 - delta.

    P >= log(T(T + 1)/delta) / (2 (1 - theta)² eps²), theta the best of a thousand.

    Parameters
    ----------
    kernel : binning kernel
    eps, delta : float in (0, 1)
    sides : array of one length per column, default=None
    n_points : int, default=None

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.grids_needed(bo.Laplace(1.0), eps=0.1, delta=0.05, sides=[6.0])
    1029
    >>> bo.theory.grids_needed(bo.Laplace(1.0), eps=0.1, delta=0.05, n_points=1000)
    841
    """
    log_factors, shares = _factors(kernel, inside_unit(eps, "eps"), sides, n_points)
    needed = float(np.min((log_factors - np.log(inside_unit(delta, "delta"))) / (2.0 * ((1.0 - shares) * eps) ** 2)))
    if np.isinf(needed):
        raise ValueError(
            f"No bound over a box is known for {type(kernel).__name__}, whose slope at 0 is infinite: give n_points, "
            "for a bound between given points."
        )
    return max(1, int(np.ceil(needed)))


def _factors(kernel: Any, eps: float, sides: Any, n_points: int | None) -> tuple[Array, Array]:
    """Logarithms of the factor for each theta, and the thetas; theta = 0 for given points."""
    if not isinstance(kernel, BinningKernel):
        raise ValueError(
            f"Random binning needs a kernel with a pitch law, such as Laplace, not {type(kernel).__name__}."
        )
    if (sides is None) == (n_points is None):
        raise ValueError("Give one of sides (of a box, one for each column) and n_points (between which errors count).")
    if n_points is not None:
        n = count(n_points, "n_points")
        if n < 2:
            raise ValueError("n_points must be at least 2: one point has no pairs.")
        return np.array([np.log(n * (n - 1.0))]), np.zeros(1)
    lengths = np.asarray(sides, dtype=np.float64)
    if lengths.ndim != 1 or not lengths.size or not (np.isfinite(lengths).all() and (lengths > 0).all()):
        raise ValueError(f"sides must be one length greater than 0 for each column, such as [6.0, 2.0], not {sides!r}.")
    kernel.unit_pitches(np.full((1, len(lengths)), 0.5))  # refuses a profile that is not convex
    rates = np.array([slope_at_zero(_along(kernel, axis)) for axis in np.eye(len(lengths))])
    if np.isinf(rates).any():
        return np.full(len(SHARES), np.inf), SHARES
    cells = np.ceil(2.0 * len(lengths) * rates * lengths / (SHARES[:, None] * eps))
    log_cells = np.log(np.maximum(cells, 1.0)).sum(axis=1)
    return 2.0 * log_cells + np.log1p(np.exp(-log_cells)), SHARES


def _along(kernel: BinningKernel, axis: Array) -> Any:
    return lambda t: kernel.rowwise(np.multiply.outer(t, axis), np.zeros((len(t), len(axis))))

"""Statements about any kernel or any bounded terms: Hoeffding's inequality, and Johnson and Lindenstrauss's lemma."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import Kernel
from .checks import Array, count, inside_unit, positive
from .factor_moments import paired_rows


def hoeffding(ranges: Any, deviation: float) -> float:
    """Bound Pr(|S - E S| >= t) for a sum S of independent terms, each in an interval of length r_i (Hoeffding 1963).

        2 exp(-2 t² / sum_i r_i²)

    Parameters
    ----------
    ranges : array of shape (n_terms,)
        The lengths r_i.
    deviation : float
        t.

    Returns
    -------
    float
        Above 1 it says nothing.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.hoeffding([0.02] * 100, 0.1), 6)
    1.213061
    """
    lengths = np.asarray(ranges, dtype=np.float64)
    if lengths.ndim != 1 or not np.isfinite(lengths).all() or (lengths < 0).any():
        raise ValueError("ranges must be a vector of finite lengths >= 0, one for each term.")
    total = float(np.sum(lengths**2))
    return 2.0 * float(np.exp(-2.0 * positive(deviation, "deviation") ** 2 / total)) if total > 0 else 0.0


def johnson_lindenstrauss(n_points: int, eps: float) -> int:
    """A dimension D in which n points of any Hilbert space have an image with every squared distance kept to 1 ± eps.

        D >= 4 log(n) / (eps²/2 - eps³/3)

    D independent normal projections fail at one pair with probability at most 2 exp(-D (eps²/2 - eps³/3)/2), so that at
    this D the union bound over n(n-1)/2 pairs is below 1 (Dasgupta and Gupta 2003). In the space of a kernel such a
    projection is a sample path of its Gaussian process: features exist for every kernel and any data, though drawing
    them takes the kernel matrix; see ``sample_path_variance``.

    Parameters
    ----------
    n_points : int
        At least 2.
    eps : float in (0, 1)

    Returns
    -------
    int

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.johnson_lindenstrauss(1000, 0.1)
    5921
    """
    n, eps = count(n_points, "n_points"), inside_unit(eps, "eps")
    if n < 2:
        raise ValueError("n_points must be at least 2: one point has no distances.")
    return int(np.ceil(4.0 * np.log(n) / (eps**2 / 2.0 - eps**3 / 3.0)))


def sample_path_variance(kernel: Kernel, x: Any, y: Any, n_components: int) -> Array:
    """Var z(x)'z(y) of features z_j = g_j / sqrt(D), g_j independent sample paths of the kernel's Gaussian process.

        [k(x, x) k(y, y) + k(x, y)²] / D

    Unbiased for any kernel: the features of Johnson and Lindenstrauss's lemma, noisier than Fourier ones.

    Parameters
    ----------
    kernel : Kernel
    x, y : array of shape (dim,) or (n, dim)
    n_components : int

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.sample_path_variance(bo.Gaussian(1.0), [0.0], [1.0], 1).round(7)
    array([1.3678794])
    """
    x, y = paired_rows(x, y)
    value = kernel.diagonal(x) * kernel.diagonal(y) + kernel.rowwise(x, y) ** 2
    return np.asarray(value / count(n_components, "n_components"))

"""TensorSketch: the exact variance of the sketched polynomial kernel."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Array, count
from .factor_moments import paired_rows


def tensor_sketch_variance(
    x: Any, y: Any, *, degree: int, n_components: int, offset: float = 0.0, scale: float = 1.0
) -> Array:
    """Var z(x)'z(y) for (offset + scale <x, y>)^p by TensorSketch with independent uniform hashes and signs.

    With N = ||x||²||y||², P = <x, y>², q = sum_i x_i²y_i² (x and y extended by the column sqrt(offset)):

        (1/D) [(P+N-q)^p + (2P-q)^p - 2P^p] + (κ/D²) [(N+2P-2q)^p - (P+N-q)^p - (2P-q)^p + P^p],

    κ = 2 for even D and 1 for odd.

    Parameters
    ----------
    x, y : array of shape (dim,) or (n, dim)
    degree, n_components : int
    offset, scale : float, default=0.0 and 1.0

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.tensor_sketch_variance([0.9, -0.6, 0.8], [0.4, 0.7, 1.1], degree=2, n_components=4).round(8)
    array([1.74655205])
    """
    x, y = paired_rows(x, y)
    p, width = count(degree, "degree"), count(n_components, "n_components")
    extra = np.full((len(x), 1), np.sqrt(offset))
    x, y = (np.hstack([np.sqrt(scale) * rows, extra]) for rows in (x, y))
    norms = np.sum(x * x, axis=1) * np.sum(y * y, axis=1)
    product = np.sum(x * y, axis=1) ** 2
    repeats = np.sum((x * y) ** 2, axis=1)
    with np.errstate(over="ignore", invalid="ignore"):
        parallel, crossed = (product + norms - repeats) ** p, (2.0 * product - repeats) ** p
        single = parallel + crossed - 2.0 * product**p
        double = (norms + 2.0 * product - 2.0 * repeats) ** p - parallel - crossed + product**p
        value = single / width + (2.0 if width % 2 == 0 else 1.0) * double / width**2
        size = parallel + np.abs(crossed) + 2.0 * product**p
        # Terms that cancel leave their rounding, p + 3 roundings of each, and no more than that can be told from 0.
        return np.where(np.abs(value) <= (p + 3) * np.finfo(np.float64).eps * size, 0.0, value)

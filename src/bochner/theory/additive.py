"""The error of deterministic features of additive kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import HomogeneousKernel
from .checks import Array, count, positive


def additive_error(kernel: HomogeneousKernel, x: Any, y: Any, order: int, interval: float) -> Array:
    """What regular sampling of the spectrum adds to sum_j (x_j y_j)^a K(o_j), o_j = log(y_j / x_j): known exactly.

        sum_j (x_j y_j)^a { L κ(0) + 2L sum_{i <= n} κ(iL) cos(iL o_j) - K(o_j) },

    for the uniform window, n frequencies iL. By Poisson's summation the braces hold two errors: the copies of K at
    other periods, sum_{m != 0} K(o + 2πm/L), less the frequencies left out, 2L sum_{i > n} κ(iL) cos(iL o).

    Parameters
    ----------
    kernel : HomogeneousKernel
    x, y : array of shape (dim,) or (n, dim)
        Rows of entries >= 0.
    order : int
        N, at least 1.
    interval : float
        L.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> kernel = bo.Homogeneous(lambda o: np.exp(-(o**2) / 2))
    >>> error = bo.theory.additive_error(kernel, [0.3], [0.8], order=6, interval=0.5)[0]
    >>> round(float(kernel([[0.3]], [[0.8]])[0, 0] + error), 6)
    0.303292
    """
    if not isinstance(kernel, HomogeneousKernel):
        raise ValueError(f"This error is for additive kernels such as bo.AdditiveChi2(), not {type(kernel).__name__}.")
    x, y = (kernel.checked_entries(np.atleast_2d(np.asarray(part, dtype=np.float64))) for part in (x, y))
    n, step = count(order, "order"), positive(interval, "interval")
    both = (x > 0) & (y > 0)
    ratio = np.log(np.where(both, y, 1.0) / np.where(both, x, 1.0))
    multiples = step * np.arange(n + 1)
    weights = step * kernel.spectrum_at(multiples)
    weights[1:] *= 2.0
    errors = np.cos(ratio[..., None] * multiples) @ weights - kernel.signature_at(ratio)
    return np.sum(np.where(both, (x * y) ** kernel.checked_exponent() * errors, 0.0), axis=1)

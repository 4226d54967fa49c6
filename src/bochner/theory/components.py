"""From a tolerance to a width: every bound inverted."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Embedding, inside_unit, is_paired, one_of, shift_invariant
from .pointwise import POINTWISE, pointwise_tail
from .uniform import UNIFORM, uniform_tail


def components_needed(
    kernel: Any,
    *,
    eps: float,
    delta: float,
    dim: int | None = None,
    diameter: float | None = None,
    embedding: Embedding = "paired",
    method: str = "sutherland-schneider",
    rigorous: bool = False,
    n_points: int | None = None,
    difference: Any = None,
    supremum: float | None = None,
) -> int:
    """The smallest ``n_components`` for which a bound promises an error below eps with probability 1 - delta.

    ``n_components`` are real output columns, always. Rahimi and Recht count frequencies: their number is doubled here.
    These are promises and far from tight: ``bo.error_report`` says what your data need.

    Parameters
    ----------
    kernel : shift-invariant kernel
    eps, delta : float in (0, 1)
        Tolerance and probability of failure.
    dim, diameter : int and float, default=None
        Of the set over which the error is to be small, for the uniform methods and for "bernstein".
    embedding : {"paired", "shifted"}, default="paired"
    method : str, default="sutherland-schneider"
        Uniform over a set: "sutherland-schneider", "rahimi-recht", "holder"; between ``n_points`` given points:
        "points"; at one pair of points: "hoeffding", "sub-gaussian", "bernstein".
    rigorous : bool, default=False
        Constants that close the gap in the published proofs, see ``uniform_bound``.
    n_points : int, default=None
    difference : array of shape (dim,), default=None
        For "bernstein" in place of dim and diameter.
    supremum : float, default=None
        sigma_w², where it is known.

    Returns
    -------
    int

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.components_needed(bo.Gaussian(), eps=0.1, delta=0.05, dim=2, diameter=6.0)
    18016
    >>> bo.theory.components_needed(bo.Laplace(), eps=0.1, delta=0.05, method="points", n_points=1000)
    6725
    """
    kernel, delta = shift_invariant(kernel), inside_unit(delta, "delta")
    one_of(method, UNIFORM + POINTWISE, "method")
    if method in POINTWISE:
        tail = pointwise_tail(kernel, eps, embedding, method, difference, dim, diameter, width=0)
    else:
        tail = uniform_tail(kernel, eps, dim, diameter, embedding, method, rigorous, n_points, supremum)
    if np.isinf(tail.log_factor):
        raise ValueError(
            f"method={method!r} says nothing about {type(kernel).__name__}: its E||w||² is infinite, for it has a kink "
            "at 0; use method='holder' (uniform) or method='points' (between given points)."
        )
    needed = max(1.0, tail.components(delta))
    if method in ("rahimi-recht", "bernstein") and is_paired(embedding):
        return 2 * int(np.ceil(0.5 * needed))  # whole frequencies
    return int(np.ceil(needed))

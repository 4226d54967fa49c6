"""From a tolerance to a width: every bound inverted."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import ndtri

from .checks import Embedding, inside_unit, is_paired, one_of, shift_invariant
from .pointwise import POINTWISE, chebyshev_components, pointwise_tail
from .tail import smallest_width
from .uniform import UNIFORM, uniform_tails


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
        Of the set over which the error is to be small, for the uniform methods, "bernstein" and "chebyshev".
    embedding : {"paired", "shifted"}, default="paired"
    method : str, default="sutherland-schneider"
        Uniform over a set: "sutherland-schneider", "rahimi-recht", "holder"; between ``n_points`` given points:
        "points"; at one pair of points: "hoeffding", "sub-gaussian", "bernstein", "chebyshev".
    rigorous : bool, default=False
        A slope that closes the gap in the published proofs, see ``uniform_bound``.
    n_points : int, default=None
    difference : array of shape (dim,), default=None
        For "bernstein" and "chebyshev" in place of dim and diameter.
    supremum : float, default=None
        sigma_w², where it is known.

    Returns
    -------
    int

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.components_needed(bo.Gaussian(1.0), eps=0.1, delta=0.05, dim=2, diameter=6.0)
    18016
    >>> bo.theory.components_needed(bo.Laplace(1.0), eps=0.1, delta=0.05, method="points", n_points=1000)
    6725
    """
    kernel, delta = shift_invariant(kernel), inside_unit(delta, "delta")
    one_of(method, UNIFORM + POINTWISE, "method")
    if method == "chebyshev":
        needed = chebyshev_components(kernel, eps, delta, embedding, difference, dim, diameter)
    elif method in POINTWISE:
        tail = pointwise_tail(kernel, eps, embedding, method, difference, dim, diameter, width=0)
        needed = tail.components(delta)
    else:
        tails = uniform_tails(kernel, eps, dim, diameter, embedding, method, rigorous, n_points, supremum)
        needed = smallest_width(tails, delta)
    if np.isinf(needed):
        raise ValueError(
            f"method={method!r} says nothing about {type(kernel).__name__}: its E||w||² is infinite, for it has a kink "
            "at 0; use method='holder' (uniform) or method='points' (between given points)."
        )
    if method in ("rahimi-recht", "bernstein", "chebyshev") and is_paired(embedding):
        return max(2, 2 * int(np.ceil(0.5 * needed)))  # whole frequencies
    return max(1, int(np.ceil(needed)))


def pointwise_table(
    kernel: Any, *, difference: Any, eps: float, delta: float, embedding: Embedding = "paired"
) -> list[tuple[str, int]]:
    """The width that each inequality asks for, for an error below eps at one pair with probability 1 - delta.

    The last row is no bound: z² Var_1 / eps², z the normal quantile of 1 - delta/2 and Var_1 / D the variance. It is
    what is needed in truth, up to the error of the normal approximation.

    Parameters
    ----------
    kernel : shift-invariant kernel
    difference : array of shape (dim,)
    eps, delta : float in (0, 1)
    embedding : {"paired", "shifted"}, default="paired"

    Returns
    -------
    list of (method, n_components)

    Examples
    --------
    >>> import bochner as bo
    >>> for row in bo.theory.pointwise_table(bo.Gaussian(1.0), difference=[1.0], eps=0.1, delta=0.05):
    ...     print(row)
    ('chebyshev', 800)
    ('hoeffding', 1476)
    ('sub-gaussian', 1476)
    ('bernstein', 394)
    ('normal approximation (not a bound)', 154)
    """
    given: dict[str, Any] = {"difference": difference, "eps": eps, "delta": delta, "embedding": embedding}
    rows = [(method, components_needed(kernel, method=method, **given)) for method in POINTWISE]
    at_certainty = chebyshev_components(kernel, eps, 1.0, embedding, difference, None, None)  # Var_1 / eps²
    normal = ndtri(1.0 - 0.5 * delta) ** 2 * at_certainty
    return [*rows, ("normal approximation (not a bound)", max(1, int(np.ceil(normal))))]

"""The error at one pair of points: Chebyshev, Hoeffding, sub-Gaussian and Bernstein bounds for both embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Embedding, count, inside_unit, is_paired, known, one_of, positive
from .supremum import variance_supremum
from .tail import Tail
from .variance import estimate_variance, frequency_variance

POINTWISE = ("chebyshev", "hoeffding", "sub-gaussian", "bernstein")


def pointwise_bound(
    kernel: Any,
    *,
    eps: float,
    n_components: int,
    embedding: Embedding = "paired",
    method: str = "hoeffding",
    difference: Any = None,
    dim: int | None = None,
    diameter: float | None = None,
) -> float:
    """Bound Pr(|z(x)'z(y) - k(x, y)| >= eps) for one pair of points and independent frequencies, D = n_components.

    ============ ============================== ==============================
    method       paired                         shifted
    ============ ============================== ==============================
    chebyshev    2v / (D eps²)                  (v + 1/2) / (D eps²)
    hoeffding    2 exp(-D eps² / 4)             2 exp(-D eps² / 8)
    sub-gaussian 2 exp(-D eps² / 4)             2 exp(-D eps² / 3)
    bernstein    2 exp(-D eps²/(4(v + 2eps/3))) 2 exp(-D eps²/(2(v + 1/2 + eps)))
    ============ ============================== ==============================

    A shifted term is A + B with A = cos(w'Δ) in [-1, 1] and B = cos(w'(x+y) + 2b) independent, E exp(tB) = I_0(t) <=
    exp(t²/4): that is the 3, where Hoeffding's inequality on [-2, 2] gives 8. v = Var cos(w'Δ), at the given
    ``difference`` or, where a ``diameter`` is given instead, the largest within it. An odd width (pairs and one shifted
    cosine) satisfies the paired Hoeffding bound too; in Bernstein's it adds max(0, 1/2 - v) / (2D) to v, and
    Chebyshev's is Var / eps² with the exact ``variance``. Chebyshev's inequality asks for less than Hoeffding's where
    delta is not small, and for far more where it is, as 1/delta and not log(1/delta).

    Parameters
    ----------
    kernel : shift-invariant kernel
    eps : float in (0, 1)
    n_components : int
        Real output columns.
    embedding : {"paired", "shifted"}, default="paired"
    method : {"hoeffding", "sub-gaussian", "bernstein", "chebyshev"}, default="hoeffding"
    difference : array of shape (dim,), default=None
        x - y, for "bernstein" and "chebyshev".
    dim, diameter : int and float, default=None
        For these two in place of ``difference``.

    Returns
    -------
    float
        Above 1 it says nothing.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.pointwise_bound(bo.Gaussian(1.0), eps=0.1, n_components=1476), 4)
    0.0499
    """
    width = count(n_components, "n_components")
    if method == "chebyshev":
        spread = _largest_variance(kernel, difference, dim, diameter, method)
        return float(estimate_variance(spread, width, is_paired(embedding)) / inside_unit(eps, "eps") ** 2)
    tail = pointwise_tail(kernel, eps, embedding, method, difference, dim, diameter, width)
    return tail.at(width)


def pointwise_tail(
    kernel: Any,
    eps: float,
    embedding: Embedding,
    method: str,
    difference: Any,
    dim: int | None,
    diameter: float | None,
    width: int,
) -> Tail:
    """The bound as a function of the width, which itself matters only where it is odd."""
    eps, paired = inside_unit(eps, "eps"), is_paired(embedding)
    one_of(method, POINTWISE[1:], "method of a pointwise bound")
    if method == "hoeffding":
        return Tail(np.log(2.0), eps**2 / (4.0 if paired else 8.0))
    if method == "sub-gaussian":
        return Tail(np.log(2.0), eps**2 / (4.0 if paired else 3.0))
    spread = _largest_variance(kernel, difference, dim, diameter, method)
    if not paired:
        return Tail(np.log(2.0), eps**2 / (2.0 * (spread + 0.5 + eps)))
    if width % 2:
        spread += max(0.0, 0.5 - spread) / (2.0 * width)
    return Tail(np.log(2.0), eps**2 / (4.0 * (spread + 2.0 * eps / 3.0)))


def chebyshev_components(
    kernel: Any,
    eps: float,
    delta: float,
    embedding: Embedding,
    difference: Any,
    dim: int | None,
    diameter: float | None,
) -> float:
    """The width, a real number, at which Chebyshev's bound is delta: D Var / (delta eps²)."""
    spread = _largest_variance(kernel, difference, dim, diameter, "chebyshev")
    return float(2.0 * estimate_variance(spread, 2, is_paired(embedding)) / (delta * inside_unit(eps, "eps") ** 2))


def _largest_variance(kernel: Any, difference: Any, dim: int | None, diameter: float | None, method: str) -> float:
    if difference is not None:
        return float(frequency_variance(kernel, difference).max())
    within = positive(known(diameter, "diameter", method), "diameter")
    return 0.5 * variance_supremum(kernel, count(known(dim, "dim", method), "dim"), within)

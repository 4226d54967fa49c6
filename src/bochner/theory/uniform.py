"""The largest error over a whole set: the bounds of Rahimi and Recht and of Sutherland and Schneider."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .checks import Embedding, count, inside_unit, is_paired, known, one_of, positive, shift_invariant
from .holder import holder_tail
from .slope import Slope
from .supremum import variance_supremum
from .tail import VOID, Tail, constant

UNIFORM = ("sutherland-schneider", "rahimi-recht", "holder", "points")
PAIRED_GAP = 4.0  # E L² <= 4 sigma_p² holds of every kernel, where the published proof has sigma_p²
SHIFTED_GAP = (2.0 + np.sqrt(2.0)) ** 2 / 3.0  # E L² <= (2 + sqrt 2)² sigma_p², where it has 3 sigma_p²


def uniform_bound(
    kernel: Any,
    *,
    eps: float,
    n_components: int,
    dim: int | None = None,
    diameter: float | None = None,
    embedding: Embedding = "paired",
    method: str = "sutherland-schneider",
    rigorous: bool = False,
    n_points: int | None = None,
    supremum: float | None = None,
) -> float:
    """Bound Pr(sup |z(x)'z(y) - k(x, y)| >= eps) over all x, y in a set of the given diameter.

    With s = sigma_p diameter / eps (at least 1), sigma_p² = E||w||², sigma_w² = sup 2 Var cos(w'Δ) and D real columns:

    - "sutherland-schneider", paired: beta_d s^{2d/(d+2)} exp(-D eps² / (8(d+2) alpha)),
      alpha = min(1, sigma_w²/2 + eps/3), beta_d = [(d/2)^{-d/(d+2)} + (d/2)^{2/(d+2)}] 2^{(6d+2)/(d+2)};
      shifted: beta'_d s^{2d/(d+1)} exp(-D eps² / (32(d+1) alpha')), alpha' = min(1, (1 + sigma_w²)/8 + eps/6),
      beta'_d = [d^{-d/(d+1)} + d^{1/(d+1)}] 2^{(5d+1)/(d+1)} 3^{d/(d+1)}.
    - "rahimi-recht", paired only: 2^8 s² exp(-D eps² / (8(d+2))), that is D/2 frequencies.
    - "holder": for kernels whose E||w||² is infinite (Laplace, Matern with nu <= 1); always rigorous.
    - "points": between ``n_points`` given points, no diameter needed:
      n(n-1) exp(-D eps²/4) paired, n(n+1) exp(-D eps²/3) shifted (whose diagonal has errors too).

    The published proofs of the first two treat the place of the steepest slope as fixed, which is not justified;
    ``rigorous=True`` closes the gap: sigma_p² in s becomes the bound on E L² of ``slope_moment``, "sharp" (a third of
    it for shifted features, whose published proof has 3 sigma_p²). ``covering_proof`` shows every step.

    The paired bounds are for an even width; the one shifted cosine of an odd width can add 3/D to the error.

    Parameters
    ----------
    kernel : shift-invariant kernel
    eps : float in (0, 1)
    n_components : int
        Real output columns.
    dim, diameter : int and float
        Of the set; ``enclosing_diameter(X)`` finds it from data. Not needed by "points".
    embedding : {"paired", "shifted"}, default="paired"
    method : {"sutherland-schneider", "rahimi-recht", "holder", "points"}, default="sutherland-schneider"
    rigorous : bool, default=False
    n_points : int, default=None
    supremum : float, default=None
        sigma_w², where it is known; None finds it numerically.

    Returns
    -------
    float
        Above 1 it says nothing; infinite where the kernel has no finite E||w||² (use "holder" or "points").

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.uniform_bound(bo.Gaussian(1.0), eps=0.1, n_components=12000, dim=1, diameter=6.0), 6)
    0.015599
    """
    width = count(n_components, "n_components")
    return uniform_tails(kernel, eps, dim, diameter, embedding, method, rigorous, n_points, supremum)(width).at(width)


def uniform_tails(
    kernel: Any,
    eps: float,
    dim: int | None,
    diameter: float | None,
    embedding: Embedding,
    method: str,
    rigorous: bool,
    n_points: int | None,
    supremum: float | None,
) -> Callable[[float], Tail]:
    """The bound as a function of the width; its factor falls with the width where the bound on E L² does."""
    kernel, eps, paired = shift_invariant(kernel), inside_unit(eps, "eps"), is_paired(embedding)
    one_of(method, UNIFORM, "method of a uniform bound")
    if method == "points":
        points = points_tail(eps, count(known(n_points, "n_points", method), "n_points"), paired)
        return constant(points)
    dim = count(known(dim, "dim", method), "dim")
    diameter = positive(known(diameter, "diameter", method), "diameter")
    if method == "rahimi-recht" and not paired:
        raise ValueError(
            "Rahimi and Recht's bound is proved for embedding='paired' only: use method='sutherland-schneider'."
        )
    if supremum is None:
        supremum = 2.0 if method == "rahimi-recht" else variance_supremum(kernel, dim, diameter)
    if method == "holder":
        rough = holder_tail(kernel, eps, dim, diameter, paired, exponent_share(eps, paired, supremum))
        return constant(rough)
    slope = Slope.of(kernel, dim, paired, "sharp" if rigorous else "published")
    rounded = method == "rahimi-recht"

    def at(width: float) -> Tail:
        moment = slope.moment(width)
        return (
            rahimi_recht_tail(eps, dim, diameter, moment)
            if rounded
            else net_tail(eps, dim, diameter, paired, supremum, moment)
        )

    return at


def net_tail(eps: float, dim: int, diameter: float, paired: bool, supremum: float, slope: float) -> Tail:
    """Sutherland and Schneider's bound where E L² <= slope; any eps > 0 will do."""
    if np.isinf(slope):
        return VOID
    alpha = exponent_share(eps, paired, supremum)
    # Below s = 1 the formulas would go on falling, beyond what their proof covers.
    log_size = max(0.0, float(np.log(np.sqrt(slope if paired else slope / 3.0) * diameter / eps)))
    if paired:
        return Tail(float(np.log(beta(dim))) + 2.0 * dim / (dim + 2.0) * log_size, eps**2 / (8.0 * (dim + 2) * alpha))
    return Tail(
        float(np.log(beta_prime(dim))) + 2.0 * dim / (dim + 1.0) * log_size, eps**2 / (32.0 * (dim + 1) * alpha)
    )


def rahimi_recht_tail(eps: float, dim: int, diameter: float, slope: float) -> Tail:
    """Rahimi and Recht's bound where E L² <= slope."""
    if np.isinf(slope):
        return VOID
    log_size = max(0.0, float(np.log(np.sqrt(slope) * diameter / eps)))
    return Tail(float(np.log(256.0)) + 2.0 * log_size, eps**2 / (8.0 * (dim + 2)))


def exponent_share(eps: float, paired: bool, supremum: float) -> float:
    """The alpha of the exponent: Bernstein's inequality, or Hoeffding's where that is sharper (1)."""
    return min(1.0, 0.5 * supremum + eps / 3.0) if paired else min(1.0, (1.0 + supremum) / 8.0 + eps / 6.0)


def points_tail(eps: float, n_points: int, paired: bool) -> Tail:
    """A union bound over all pairs of n points: the paired embedding has no error on the diagonal."""
    if n_points < 2:
        raise ValueError("n_points must be at least 2: one point has no pairs.")
    if paired:
        return Tail(float(np.log(n_points * (n_points - 1.0))), eps**2 / 4.0)
    return Tail(float(np.log(n_points * (n_points + 1.0))), eps**2 / 3.0)


def beta(dim: int, *, rigorous: bool = False) -> float:
    """beta_d of the paired bound: 12 for d = 1, at most 66 (d = 64), 64 in the limit.

    ``rigorous=True``: times 4^{d/(d+2)}, which holds of every kernel; ``uniform_bound`` does better for a given one.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.beta(2), 6)
    22.627417
    """
    d = float(count(dim, "dim"))
    value = (0.5 * d) ** (-d / (d + 2)) + (0.5 * d) ** (2 / (d + 2))
    return value * 2.0 ** ((6 * d + 2) / (d + 2)) * (PAIRED_GAP ** (d / (d + 2)) if rigorous else 1.0)


def beta_prime(dim: int, *, rigorous: bool = False) -> float:
    """beta'_d of the shifted bound: 27.7 for d = 1, at most 98 (d = 48), 96 in the limit.

    ``rigorous=True``: times ((2 + sqrt 2)²/3)^{d/(d+1)}, which holds of every kernel.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.beta_prime(3), 6)
    64.0
    """
    d = float(count(dim, "dim"))
    value = d ** (-d / (d + 1)) + d ** (1 / (d + 1))
    value *= 2.0 ** ((5 * d + 1) / (d + 1)) * 3.0 ** (d / (d + 1))
    return value * (SHIFTED_GAP ** (d / (d + 1)) if rigorous else 1.0)

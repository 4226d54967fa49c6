"""The expected squared L2 error over a measure, exactly: closed forms, quadrature, or an average over given pairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.special import erf

from ..kernels import Gaussian, ProductFormKernel
from ..kernels.length_scale import column_scales
from .checks import Array, Embedding, count, is_paired, positive, shift_invariant
from .variance import variance

ColumnMean = Callable[[int], float]  # column -> E of something of the column's difference


def l2_error(
    kernel: Any,
    *,
    n_components: int,
    dim: int | None = None,
    embedding: Embedding = "paired",
    normal: float | None = None,
    uniform: float | None = None,
    difference: Any = None,
) -> float:
    """E ∫ f(x, y)² dμ of the error f of Fourier features with independent frequencies, exactly.

        paired: (1/D) ∫ [1 + k(2Δ) - 2k(Δ)²] dμ,   shifted: (1/D) ∫ [1 + k(2Δ)/2 - k(Δ)²] dμ.

    The measure is one of three: ``normal=s``, x and y independent N(0, s² I); ``uniform=L``, x and y independent and
    uniform on a cube of side L; ``difference``, the average over the given rows of differences. Closed forms for the
    Gaussian kernel, E exp(-cΔ²/2l²) = (1 + 2cs²/l²)^{-1/2} per column for the normal measure and
    h(c) = (2/L²) [L sqrt(π) erf(L sqrt b)/(2 sqrt b) - (1 - e^{-bL²})/(2b)], b = c/2l², for the uniform one; quadrature
    column by column for product kernels; the average for any kernel.

    Parameters
    ----------
    kernel : shift-invariant kernel
    n_components : int
        Real output columns.
    dim : int, default=None
        Needed with ``normal`` and ``uniform``.
    embedding : {"paired", "shifted"}, default="paired"
    normal, uniform : float, default=None
    difference : array of shape (n, dim), default=None

    Returns
    -------
    float

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.l2_error(bo.Gaussian(), n_components=1, dim=2, uniform=2.0, embedding="shifted"), 6)
    0.720495
    """
    kernel, width = shift_invariant(kernel), count(n_components, "n_components")
    if sum(given is not None for given in (normal, uniform, difference)) != 1:
        raise ValueError("Give the measure as one of normal=s, uniform=L or difference=rows of x - y.")
    if difference is not None:
        return float(np.mean(variance(kernel, difference, width, embedding=embedding)))
    if dim is None:
        raise ValueError("dim is needed with normal=s or uniform=L: give the number of columns.")
    squares, doubles = _mean_of_squares(kernel, count(dim, "dim"), normal, uniform)
    n_pairs = width // 2 if is_paired(embedding) else 0
    n_shifted = width - 2 * n_pairs
    single = 0.5 * (1.0 + doubles - 2.0 * squares)
    return float((single * (4 * n_pairs + n_shifted) + 0.5 * n_shifted) / width**2)


def l2_concentration(*, excess: float, n_components: int, embedding: Embedding = "paired", mass: float = 1.0) -> float:
    """Bound Pr(| ∫f² dμ - E ∫f² dμ | >= excess): 2 exp(-D e²/(64 m²)) paired, 2 exp(-D e²/(288 m²)) shifted.

    By McDiarmid's inequality; m, the ``mass``, is μ(X × X), 1 for a probability.
    """
    excess, width = positive(excess, "excess"), count(n_components, "n_components")
    scale = (64.0 if is_paired(embedding) else 288.0) * positive(mass, "mass") ** 2
    return float(2.0 * np.exp(-width * excess**2 / scale))


def _mean_of_squares(kernel: Any, dim: int, normal: float | None, uniform: float | None) -> tuple[float, float]:
    """E k(Δ)² and E k(2Δ): products over columns, for both measures have independent columns."""
    if isinstance(kernel, Gaussian):
        scales = column_scales(kernel.length_scale, dim)
        if normal is not None:
            share = (positive(normal, "normal") / scales) ** 2
            return float(np.prod((1.0 + 4.0 * share) ** -0.5)), float(np.prod((1.0 + 8.0 * share) ** -0.5))
        side = positive(uniform, "uniform")
        return _cube_mean(2.0, side, scales), _cube_mean(4.0, side, scales)
    if isinstance(kernel, ProductFormKernel):
        scales = column_scales(kernel.length_scale, dim)
        squares = [_column_mean(lambda r: kernel.profile(r) ** 2, scale, normal, uniform) for scale in scales]
        doubles = [_column_mean(lambda r: kernel.profile(2.0 * r), scale, normal, uniform) for scale in scales]
        return float(np.prod(squares)), float(np.prod(doubles))
    raise ValueError(
        f"The L2 error of {type(kernel).__name__} over a whole measure is known for the Gaussian and for product "
        "kernels only: give difference=rows of x - y drawn from the measure."
    )


def _cube_mean(c: float, side: float, scales: Array) -> float:
    b = c / (2.0 * scales**2)
    root = np.sqrt(b)
    inner = side * np.sqrt(np.pi) * erf(side * root) / (2.0 * root) + np.expm1(-b * side**2) / (2.0 * b)
    return float(np.prod(2.0 / side**2 * inner))


def _column_mean(function: Any, scale: float, normal: float | None, uniform: float | None) -> float:
    """E function(|Δ_j| / scale) by quadrature over the density of |Δ_j|."""

    def value(r: float) -> float:
        return float(function(np.array([r / scale]))[0])

    if normal is not None:
        spread = np.sqrt(2.0) * positive(normal, "normal")
        return quad(lambda u: value(spread * u) * np.sqrt(2.0 / np.pi) * np.exp(-0.5 * u * u), 0.0, 12.0, limit=200)[0]
    side = positive(uniform, "uniform")
    return quad(lambda r: value(r) * 2.0 * (side - r) / side**2, 0.0, side, limit=200)[0]

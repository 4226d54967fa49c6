"""The expected squared L2 error over a measure: closed forms, quadrature, or an average; and its concentration."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.special import erf
from scipy.stats import chi

from ..kernels import Gaussian, ProductFormKernel, RadialKernel
from ..kernels.scaling import column_scales
from .checks import Array, Embedding, count, is_paired, known, one_of, positive, shift_invariant
from .holder import roughness
from .variance import estimate_variance, variance

Measure = Callable[[int, np.random.Generator], tuple[Array, Array]]  # n draws of (x, y)
Profile = Callable[[Array], Array]
KNOTS = 800  # of a function of the distance
PANEL = 24  # nodes of a panel


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
    column by column for product kernels; for radial ones over the law of ||Δ/l||², which is 2s²/l² chi²_d for the
    normal measure and one length scale, else a sum over columns of independent terms; the average for any kernel. Of a
    measure that can be drawn from, ``sampled_l2_error`` has the average and its standard error.

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
    >>> round(bo.theory.l2_error(bo.Gaussian(1.0), n_components=1, dim=2, uniform=2.0, embedding="shifted"), 6)
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
    return float(estimate_variance(0.5 * (1.0 + doubles - 2.0 * squares), width, is_paired(embedding)))


def sampled_l2_error(
    kernel: Any,
    measure: Measure,
    *,
    n_components: int,
    embedding: Embedding = "paired",
    n_draws: int = 100_000,
    random_state: int = 0,
) -> tuple[float, float]:
    """E ∫ f(x, y)² dμ for any probability μ that can be drawn from, and the standard error of this average.

    The mean over draws (x, y) of the exact variance of ``variance``; see ``l2_error``.

    Parameters
    ----------
    kernel : shift-invariant kernel
    measure : callable
        measure(n, rng) gives n rows x and n rows y, two arrays of shape (n, dim).
    n_components : int
    embedding : {"paired", "shifted"}, default="paired"
    n_draws : int, default=100_000
    random_state : int, default=0

    Returns
    -------
    (float, float)

    Examples
    --------
    >>> import bochner as bo
    >>> def ring(n, rng):
    ...     x, y = rng.normal(size=(2, n, 3))
    ...     return x, y
    >>> value, error = bo.theory.sampled_l2_error(bo.Matern(1.0, nu=1.5), ring, n_components=1)
    >>> abs(value - 0.9556087) < 5 * error < 0.01  # one component is one shifted cosine
    True
    """
    x, y = (np.asarray(rows, dtype=np.float64) for rows in measure(n_draws, np.random.default_rng(random_state)))
    if x.ndim != 2 or x.shape != y.shape or len(x) < 2:
        raise ValueError("measure(n, rng) must give two tables of n rows, x and y, of as many columns.")
    values = variance(kernel, x - y, n_components, embedding=embedding)
    return float(values.mean()), float(values.std(ddof=1) / np.sqrt(len(values)))


def l2_concentration(
    *,
    excess: float,
    n_components: int,
    embedding: Embedding = "paired",
    mass: float = 1.0,
    method: str = "mcdiarmid",
    variance: float | None = None,
) -> float:
    """Bound Pr(| ∫f² dμ - E ∫f² dμ | >= excess).

    - "mcdiarmid": 2 exp(-D e²/(64 m²)) paired, 2 exp(-D e²/(288 m²)) shifted; m, the ``mass``, is μ(X × X), 1 for a
      probability. It knows nothing of the measure, and says nothing at moderate widths: for the Gaussian kernel,
      D = 500, x and y uniform on [-3, 3], its 5 % point is 0.687, where the simulated one is 0.0021.
    - "chebyshev": variance / e², with the exact ``l2_variance``; there 0.0053.

    Parameters
    ----------
    excess : float
    n_components : int
    embedding : {"paired", "shifted"}, default="paired"
    mass : float, default=1.0
    method : {"mcdiarmid", "chebyshev"}, default="mcdiarmid"
    variance : float, default=None
        Of ∫f² dμ, for "chebyshev": see ``l2_variance``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.l2_concentration(excess=0.0053, n_components=500, method="chebyshev", variance=0.0011795582**2)
    0.0495...
    """
    if one_of(method, ("mcdiarmid", "chebyshev"), "method") == "chebyshev":
        return positive(known(variance, "variance", method), "variance") / positive(excess, "excess") ** 2
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
    if isinstance(kernel, RadialKernel):
        scales = column_scales(kernel.length_scale, dim)
        return (
            _radial_mean(lambda r: kernel.profile(r) ** 2, scales, normal, uniform),
            _radial_mean(lambda r: kernel.profile(2.0 * r), scales, normal, uniform),
        )
    raise ValueError(
        f"The L2 error of {type(kernel).__name__} over a whole measure is known for radial and product kernels only: "
        "use sampled_l2_error, or give difference=rows of x - y drawn from the measure."
    )


def _radial_mean(function: Profile, scales: Array, normal: float | None, uniform: float | None) -> float:
    """E function(||Δ/l||)."""
    if normal is not None and (scales == scales[0]).all():
        return _chi_mean(function, np.sqrt(2.0) * positive(normal, "normal") / float(scales[0]), len(scales))
    return _column_by_column(function, scales, normal, uniform)


def _chi_mean(function: Profile, spread: float, dim: int) -> float:
    """E function(spread chi_d)."""
    law = chi(dim)
    ends = law.ppf([0.0, 1e-6, 0.01, 0.5, 0.99, 1.0 - 1e-16])
    return sum(
        quad(lambda u: float(function(np.array([spread * u]))[0]) * float(law.pdf(u)), low, high, limit=200)[0]
        for low, high in pairwise(ends)
    )


def _column_by_column(function: Profile, scales: Array, normal: float | None, uniform: float | None) -> float:
    """E function(||Δ/l||) of independent columns: G_j(r) = E G_{j-1}(sqrt(r² + Δ_j²/l_j²)), G_0 the function, at r = 0.

    Each G_j is kept on a grid of r, dense near 0, with cubic splines between: an error of about 1e-7.
    """
    start = roughness(function)[0]
    laws = [_column_law(scale, start, normal, uniform) for scale in scales[np.isfinite(scales)]]
    reach = float(np.sqrt(sum(nodes[-1] ** 2 for nodes, _ in laws)))
    grid = np.append(0.0, np.geomspace(min(start, 1e-3 * reach), 1.001 * reach, KNOTS))
    for nodes, weights in laws[:-1]:
        values = function(np.hypot(grid[:, None], nodes)) @ weights
        function = CubicSpline(grid, values)
    nodes, weights = laws[-1]
    return float(function(nodes) @ weights)


def _column_law(scale: float, start: float, normal: float | None, uniform: float | None) -> tuple[Array, Array]:
    """Nodes and weights for the law of |Δ_j| / l_j: Gauss-Legendre on panels that double."""
    if normal is not None:
        spread = np.sqrt(2.0) * positive(normal, "normal") / scale
        largest = 9.0 * spread
    else:
        largest = positive(uniform, "uniform") / scale
    n_panels = max(6, int(np.ceil(np.log2(largest / start))) + 1)
    ends = np.append(0.0, largest * 2.0 ** np.arange(1 - n_panels, 1.0))
    points, shares = np.polynomial.legendre.leggauss(PANEL)
    nodes = (0.5 * (ends[:-1] + ends[1:])[:, None] + 0.5 * np.diff(ends)[:, None] * points).ravel()
    weights = (0.5 * np.diff(ends)[:, None] * shares).ravel()
    if normal is not None:
        return nodes, weights * np.sqrt(2.0 / np.pi) / spread * np.exp(-0.5 * (nodes / spread) ** 2)
    return nodes, weights * 2.0 * (largest - nodes) / largest**2


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

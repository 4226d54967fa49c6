"""Orthogonal random features of radial kernels: covariances in and between blocks, stratified radii, fixed norms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.special import ndtr

from ..compute.haar import block_size
from ..kernels import Gaussian, RadialKernel
from .checks import Array, count, one_of
from .gaussian_blocks import gaussian_covariance
from .radial import RadiusLaw, spherical_loss, spherical_mean, strata_edges

ANGLES = 96  # between a frequency and the difference
MOST_STRATA = 4096  # beyond, what is left within strata falls with their number squared
FEW_STRATA = 128  # beyond, two radii of one stratum are as good as one
NOTHING = 1e-9  # a distance at which covariances are rounding errors
POINTS = 128  # for each law that is cut into few strata, and distances beyond which tables serve


def orthogonal_covariance(distance: Any, dim: int, kernel: RadialKernel | None = None) -> Array:
    """Cov(cos w_1'Δ, cos w_2'Δ) of two frequencies of one orthogonal block, their radii independent; z = ||Δ / l||.

    For orthogonal directions ||R_1 u_1 ± R_2 u_2||² = R_1² + R_2², so that cov = E j_d(z sqrt(R_1² + R_2²)) - k². Given
    the angle θ between Δ and the first frequency the cosines are independent: with k_q(t) = E j_q(t R), R = ||w|| l,

        cov = Cov_θ( k_1(z cos θ), k_{d-1}(z sin θ) ),    θ of density proportional to sin^{d-2} θ,

    which is found to about 1e-5 of its size within two length scales. The Gaussian's is 1F1(d; d/2; -z²/2) - exp(-z²).

    Parameters
    ----------
    distance : array of shape (n,)
        ||Δ / length_scale||.
    dim : int
    kernel : radial kernel, default=None
        None is the Gaussian.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.orthogonal_covariance(1.0, dim=4).round(10)
    array([-0.039342])
    >>> bo.theory.orthogonal_covariance(1.0, dim=4, kernel=bo.Matern(1.0, nu=1.5)).round(7)
    array([-0.0383064])
    """
    z, dim = distances(distance), count(dim, "dim")
    if dim == 1:  # a block of one frequency has no pairs
        return np.zeros_like(z)
    if kernel is None or isinstance(kernel, Gaussian):
        return gaussian_covariance(z, dim)
    result, apart = np.zeros_like(z), z > NOTHING
    if apart.any():
        result[apart] = _covariance(RadiusLaw.of(kernel, dim), z[apart], dim)
    return result


def _covariance(law: RadiusLaw, z: Array, dim: int) -> Array:
    """The covariance over the angle, φ = π/2 - θ, with points crowded where φ and π/2 - φ are small."""
    x, weights = np.polynomial.legendre.leggauss(ANGLES)
    widest = min(0.5 * np.pi, 13.0 / np.sqrt(dim))  # cos^{d-2} φ is below 1e-36 beyond
    phi = 0.5 * widest * (1.0 - np.cos(0.5 * np.pi * (x + 1.0)))
    weights = weights * np.sin(0.5 * np.pi * (x + 1.0)) * np.cos(phi) ** (dim - 2)
    weights /= weights.sum()
    along, across = (np.maximum(part, 1e-4) for part in (np.sin(phi), np.cos(phi)))
    least, most = 0.5e-4 * z.min(), 2.0 * z.max()
    one, other = law.mean_loss(least, most, 1), law.mean_loss(least, most, dim - 1)
    parts = []
    for part in np.array_split(z, 1 + len(z) // 4096):
        left, right = one(np.multiply.outer(part, along)), other(np.multiply.outer(part, across))
        parts.append(((left - (left @ weights)[:, None]) * (right - (right @ weights)[:, None])) @ weights)
    return np.concatenate(parts)


def radius_variance(distance: Any, dim: int, kernel: RadialKernel | None = None) -> Array:
    """Var j_d(z R): the part of Var cos(w'Δ) that is due to the radius R = ||w|| l, which stratified radii remove.

        Var j_d(z R) = E_t k(z sqrt(2 + 2t)) - k(z)²,    t = u_1'u_2 of two random directions,

    as j_d² averages over two directions. For the Gaussian it is e^{-z²} [0F1(; d/2; z⁴/4) - 1]. m frequencies with
    stratified radii have a variance that is smaller by this over m, up to terms of order d / m².

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.radius_variance([0.5, 1.0], dim=8).round(7)
    array([0.0030469, 0.0235753])
    """
    z, dim = distances(distance), count(dim, "dim")
    kernel = Gaussian(1.0) if kernel is None else kernel
    cosines, weights = inner_products(dim)
    lost = 1.0 - kernel.profile(np.multiply.outer(z, np.sqrt(2.0 + 2.0 * cosines)))
    once = 1.0 - kernel.profile(z)
    return np.maximum(once * (2.0 - once) - lost @ weights, 0.0)


def inner_products(dim: int) -> tuple[Array, Array]:
    """Points and weights for means over u_1'u_2, two independent directions in ``dim`` dimensions."""
    if dim == 1:
        return np.array([-1.0, 1.0]), np.array([0.5, 0.5])
    x, weights = np.polynomial.legendre.leggauss(2 * ANGLES)
    widest = min(0.5 * np.pi, 13.0 / np.sqrt(dim))
    phi = widest * x
    weights = weights * np.cos(phi) ** (dim - 2)
    return np.sin(phi), weights / weights.sum()


def orthogonal_variance(
    distance: Any,
    dim: int,
    n_frequencies: int,
    kernel: RadialKernel | None = None,
    *,
    radii: str = "stratified",
) -> Array:
    """Variance of the mean of cos(w_i'Δ) over m orthogonal frequencies of a radial kernel, z = ||Δ / l||.

    With independent radii, v = Var cos(w'Δ) and blocks of b, a divisor of m, it is v/m + (b-1)/m cov. Stratified radii,
    as ``FourierFeatures`` draw them, are one from each of m parts of equal probability, in random order: this couples
    all frequencies as ``pair_covariances`` says.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.orthogonal_variance(1.0, dim=8, n_frequencies=8, radii="independent").round(10)
    array([0.00606793])
    >>> bo.theory.orthogonal_variance(1.0, dim=8, n_frequencies=8).round(6)
    array([0.003487])
    """
    m, z, dim = count(n_frequencies, "n_frequencies"), distances(distance), count(dim, "dim")
    kernel = Gaussian(1.0) if kernel is None else kernel
    single = np.maximum(0.5 * (1.0 + kernel.profile(2.0 * z)) - kernel.profile(z) ** 2, 0.0)
    return np.maximum((m * single + coupling(z, dim, kernel, np.ones(m), radii=radii)) / m**2, 0.0)


def coupling(z: Array, dim: int, kernel: RadialKernel, weights: Array, *, radii: str = "stratified") -> Array:
    """Sum of c_i c_j Cov(cos w_i'Δ, cos w_j'Δ) over i != j, frequencies in blocks as ``FourierFeatures`` draw them."""
    within = block_pairs(weights, block_size(dim, len(weights)))
    between = float(np.sum(weights) ** 2 - np.sum(weights**2)) - within
    if one_of(radii, ("stratified", "independent"), "radii") == "independent":
        return within * orthogonal_covariance(z, dim, kernel)
    same, other = pair_covariances(z, dim, len(weights), kernel)
    return within * same + between * other


def block_pairs(weights: Array, size: int) -> float:
    """Sum of c_i c_j over i != j in one block of ``size`` frequencies; blocks are filled in order, the last in part."""
    starts = np.arange(0, len(weights), size)
    sums, squares = np.add.reduceat(weights, starts), np.add.reduceat(weights**2, starts)
    return float(np.sum(sums**2 - squares))


def pair_covariances(
    distance: Any, dim: int, n_frequencies: int, kernel: RadialKernel | None = None
) -> tuple[Array, Array]:
    """Covariances of cos(w_i'Δ) in one block and in different blocks, of m frequencies whose radii are stratified.

    Radii are Q((π_i + U_i) / m), Q the quantile function of ||w||, π a random permutation: two of them never share a
    stratum. With g_s the mean of j_d(z R) in stratum s and B the variance of g_s over strata,

        different blocks:  -B / (m - 1),
        one block:         -B / (m - 1) + [m cov - e] / (m - 1),

    where cov is the covariance for independent radii and e the mean over strata of E j_d(z sqrt(R² + R'²)) - g_s², with
    R and R' independent in stratum s. As m grows B tends to ``radius_variance``, e to k(sqrt(2) z) - E j_d(z R)².

    Examples
    --------
    >>> import bochner as bo
    >>> one, different = bo.theory.pair_covariances(1.0, 4, 64)
    >>> bool(one < different < 0)
    True
    """
    z, dim, m = distances(distance), count(dim, "dim"), count(n_frequencies, "n_frequencies")
    kernel = Gaussian(1.0) if kernel is None else kernel
    if m == 1:
        return np.zeros_like(z), np.zeros_like(z)
    between, interaction = _through_table(z, lambda at: _strata_moments(at, dim, m, kernel))
    covariance = orthogonal_covariance(z, dim, kernel)
    other = -between / (m - 1)
    return other + (m * covariance - interaction) / (m - 1) if dim > 1 else other, other


def _strata_moments(z: Array, dim: int, m: int, kernel: RadialKernel) -> Array:
    """B and e, shape (2, n), for distances greater than 0."""
    law = RadiusLaw.of(kernel, dim)
    total = radius_variance(z, dim, kernel)
    n_strata = min(m, MOST_STRATA)
    between = np.concatenate([law.strata_losses(part, dim, n_strata).var(axis=1) for part in np.array_split(z, 8)])
    between = total - np.maximum(total - between, 0.0) * (n_strata / m) ** 2
    if dim == 1:
        return np.stack([between, np.zeros_like(z)])
    if m > FEW_STRATA:
        once = kernel.profile(z)
        return np.stack([between, kernel.profile(np.sqrt(2.0) * z) - once**2 - total])
    return np.stack([between, _interaction(z, dim, m, kernel)])


def _interaction(z: Array, dim: int, m: int, kernel: RadialKernel) -> Array:
    """The mean over strata of E h(R, R') - (E g(R))², h(r, s) = j_d(z sqrt(r² + s²)), g(r) = j_d(z r)."""
    edges = strata_edges(m)
    x, weights = np.polynomial.legendre.leggauss(4 + POINTS // m)
    half = 0.5 * np.diff(edges)[:, None]
    scores = edges[:-1, None] + half * (x + 1.0)
    share = m * half * weights * np.exp(-0.5 * scores**2) / np.sqrt(2.0 * np.pi)
    radii = kernel.radius_quantile(ndtr(scores), dim)
    both = np.hypot(radii[:, :, None], radii[:, None, :])
    result = np.empty_like(z)
    for index, distance in enumerate(z):
        single = np.einsum("sa,sa->s", share, spherical_loss(distance * radii, dim))
        joint = np.einsum("sa,sb,sab->s", share, share, spherical_loss(distance * both, dim))
        result[index] = np.mean(2.0 * single - single**2 - joint)
    return result


def _through_table(z: Array, function: Callable[[Array], Array]) -> Array:
    """Two smooth functions of distances, 0 at 0, through cubic splines in log z where there are many distances."""
    result, apart = np.zeros((2, len(z))), z > NOTHING
    if apart.sum() <= POINTS:
        if apart.any():
            result[:, apart] = function(z[apart])
        return result
    log_z = np.linspace(np.log(z[apart].min()) - 1e-9, np.log(z[apart].max()) + 1e-9, POINTS)
    result[:, apart] = CubicSpline(log_z, function(np.exp(log_z)), axis=1)(np.log(z[apart]))
    return result


def fixed_norm_mean(distance: Any, dim: int) -> Array:
    """The mean of cos(w'Δ) where every ||w|| l is fixed at sqrt(d), not chi distributed: not the Gaussian kernel.

    j_d(t) = Γ(d/2) (2/t)^{d/2-1} J_{d/2-1}(t) at t = sqrt(d) z; its bias is about -(z⁴/4d) e^{-z²/2}.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.fixed_norm_mean(1.0, dim=4).round(8)
    array([0.57672481])
    """
    return spherical_mean(np.sqrt(count(dim, "dim")) * distances(distance), dim)


def distances(value: Any) -> Array:
    """Distances z >= 0, shape (n,)."""
    z = np.abs(np.atleast_1d(np.asarray(value, dtype=np.float64)))
    if z.ndim != 1 or not np.isfinite(z).all():
        raise ValueError("distance must be a finite number, or one for each pair of points.")
    return z


def scaled_differences(kernel: Any, delta: Array) -> Array:
    """s(Δ) of a radial kernel; others have no orthogonal features and are refused."""
    if not isinstance(kernel, RadialKernel):
        raise ValueError(
            f"Orthogonal directions need a radial kernel, and {type(kernel).__name__} is not: use directions='iid'."
        )
    return kernel.split(delta.shape[1])[0].linear(delta)

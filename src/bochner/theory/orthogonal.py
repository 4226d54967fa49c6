"""Orthogonal random features of the Gaussian kernel in closed form, and what fixed norms would do to the mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln, hyp1f1, jv

from ..kernels import Gaussian
from ..kernels.length_scale import column_scales
from .checks import Array, count

SERIES_REACH = 4.0  # z² up to which the alternating series loses no more than two digits
SERIES_TERMS = 60


def orthogonal_covariance(distance: Any, dim: int) -> Array:
    """Cov(cos w_1'Δ, cos w_2'Δ) of two frequencies of one orthogonal block, Gaussian kernel, z = ||Δ|| / l.

        cov = 1F1(d; d/2; -z²/2) - exp(-z²) = sum_{k >= 2} (-1)^k (r_k - 1) z^{2k} / k!,  r_k = prod_{j<k} (d+j)/(d+2j).

    The series is used for small z, where the difference would cancel; Kummer's transformation
    1F1(d; d/2; -x) = e^{-x} 1F1(-d/2; d/2; x) for large.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.orthogonal_covariance(1.0, dim=4).round(10)
    array([-0.039342])
    """
    z_squared, dim = np.square(np.atleast_1d(np.asarray(distance, dtype=np.float64))), count(dim, "dim")
    if dim == 1:  # a block of one frequency has no pairs
        return np.zeros_like(z_squared)
    half = 0.5 * z_squared
    return np.where(
        z_squared <= SERIES_REACH,
        _series(np.minimum(z_squared, SERIES_REACH), dim),
        np.exp(-half) * hyp1f1(-0.5 * dim, 0.5 * dim, half) - np.exp(-z_squared),
    )


def _series(z_squared: Array, dim: int) -> Array:
    order = np.arange(SERIES_TERMS)
    ratio = np.cumprod(np.concatenate([[1.0], (dim + order[:-1]) / (dim + 2.0 * order[:-1])]))
    factors = (ratio - 1.0) * np.where(order % 2, -1.0, 1.0) / np.exp(gammaln(order + 1.0))
    return np.polynomial.polynomial.polyval(z_squared, factors)


def orthogonal_variance(distance: Any, dim: int, n_frequencies: int) -> Array:
    """Variance of the mean of cos(w_i'Δ) over m orthogonal frequencies of the Gaussian kernel, in blocks of d.

    One block of m <= d: (1/2m)(1 - e^{-z²})² + ((m-1)/m) cov. Further blocks are independent of the first.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.orthogonal_variance(1.0, dim=8, n_frequencies=8).round(10)
    array([0.00606793])
    """
    m, z_squared = count(n_frequencies, "n_frequencies"), np.square(np.atleast_1d(np.asarray(distance, float)))
    single = 0.5 * np.expm1(-z_squared) ** 2
    pairs = block_pairs(m, 0, count(dim, "dim")) / 4.0
    return np.maximum(single / m + orthogonal_covariance(distance, dim) * pairs / m**2, 0.0)


def block_pairs(n_pairs: int, n_shifted: int, dim: int) -> float:
    """Sum of c_i c_j over i != j in one block of ``dim`` frequencies, c = 2 for a pair and 1 for a shifted cosine.

    The pairs come first; blocks are filled in order, the last one in part.
    """
    weights = np.concatenate([np.full(n_pairs, 2.0), np.ones(n_shifted)])
    starts = np.arange(0, len(weights), dim)
    sums, squares = np.add.reduceat(weights, starts), np.add.reduceat(weights**2, starts)
    return float(np.sum(sums**2 - squares))


def fixed_norm_mean(distance: Any, dim: int) -> Array:
    """The mean of cos(w'Δ) where every ||w|| l is fixed at sqrt(d), not chi distributed: not the Gaussian kernel.

    j_d(t) = Γ(d/2) (2/t)^{d/2-1} J_{d/2-1}(t) at t = sqrt(d) z; its bias is about -(z⁴/4d) e^{-z²/2}.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.fixed_norm_mean(1.0, dim=4).round(8)
    array([0.57672481])
    """
    t = np.sqrt(count(dim, "dim")) * np.atleast_1d(np.asarray(distance, dtype=np.float64))
    order = 0.5 * dim - 1.0
    safe = np.where(t > 0, t, 1.0)
    with np.errstate(over="ignore"):
        value = np.exp(gammaln(0.5 * dim) + order * np.log(2.0 / safe)) * jv(order, safe)
    return np.where(t > 0, value, 1.0)


def scaled_distance(kernel: Any, delta: Array) -> Array:
    """||Δ / length_scale|| of a Gaussian kernel; other kernels have no closed form and are refused."""
    if not isinstance(kernel, Gaussian):
        raise ValueError(
            f"The variance of orthogonal features is known in closed form for the Gaussian kernel only, not for "
            f"{type(kernel).__name__}: use directions='iid', whose variance is larger at moderate distances."
        )
    return np.linalg.norm(delta / column_scales(kernel.length_scale, delta.shape[1]), axis=1)

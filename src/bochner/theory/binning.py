"""Random binning: mean and variance, with and without hashing."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expn

from ..kernels import Laplace
from ..kernels.scaling import column_scales
from .checks import Array, count, differences, one_of

HASHINGS = ("exact", "plain", "signed")


def binning_mean(value: Any, *, hashing: str = "exact", n_buckets: int | None = None) -> Array:
    """E z(x)'z(y) of binning features: k, but k + (1 - k)/M where bins are hashed to M buckets a grid without signs.

    Parameters
    ----------
    value : array
        Kernel values k(x, y).
    hashing : {"exact", "plain", "signed"}, default="exact"
        "exact" keeps every bin apart; "signed" gives each bin a random sign, which removes the bias of "plain".
    n_buckets : int, default=None
        M, for both kinds of hashing.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.binning_mean(0.27253, hashing="plain", n_buckets=16).round(4)
    array([0.318])
    """
    k = np.atleast_1d(np.asarray(value, dtype=np.float64))
    if one_of(hashing, HASHINGS, "hashing") != "plain":
        return k
    return k + (1.0 - k) / count(n_buckets, "n_buckets")


def stratification_gain(kernel: Any, difference: Any) -> Array:
    """What P times the variance of binning falls by when each column's pitches are stratified over the grids.

    Given the pitches δ, rows share a bin with probability prod_j h_j, h_j = (1 - |Δ_j|/δ_j)_+, whose variance is part
    of k(1 - k). Strata of each column's law remove the part that is a sum over columns (Stein 1987, Latin hypercubes):
    sum_j (E h_j² - k_j²) prod_{i != j} k_i², up to terms of order 1/P. For the Laplace kernel, with r = |Δ_j| / l_j,
    k_j = e^{-r} and E h_j² = e^{-r}(1 - r) + r² E_1(r) = 2 E_3(r), E_n the exponential integrals.

    Parameters
    ----------
    kernel : Laplace
    difference : array of shape (dim,) or (n, dim)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.stratification_gain(bo.Laplace(1.0), [1.0]).round(4)
    array([0.084])
    """
    if not isinstance(kernel, Laplace):
        raise ValueError(
            f"The gain of stratified pitches is known for the Laplace kernel, not {type(kernel).__name__}."
        )
    delta = differences(difference)
    r = np.abs(delta) / column_scales(kernel.length_scale, delta.shape[1])
    spread = np.maximum(2.0 * expn(3, r) - np.exp(-2.0 * r), 0.0)  # Var of E(h_j | δ_j)
    others = np.exp(-2.0 * (r.sum(axis=1, keepdims=True) - r))  # prod_{i != j} k_i²
    return np.sum(spread * others, axis=1)


def binning_variance(
    value: Any, n_grids: int, *, hashing: str = "exact", n_buckets: int | None = None, gain: Any = 0.0
) -> Array:
    """Var z(x)'z(y) of binning features with P grids.

    A grid is a Bernoulli trial, so k(1-k)/P exactly; plain hashing to M buckets a grid is one of probability
    q = k + (1-k)/M; signed hashing has variance (k + (1-k)/M - k²)/P about the mean k. Stratified pitches take
    ``gain``/P off that, ((1 - 1/M)² gain)/P where hashing is plain.

    Parameters
    ----------
    value : array
        Kernel values k(x, y).
    n_grids : int
    hashing, n_buckets : see binning_mean
    gain : array, default=0.0
        See ``stratification_gain``.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.binning_variance(0.5, 50)
    array([0.005])
    """
    k, grids = np.atleast_1d(np.asarray(value, dtype=np.float64)), count(n_grids, "n_grids")
    gain = np.asarray(gain, dtype=np.float64)
    if one_of(hashing, HASHINGS, "hashing") == "exact":
        return (k * (1.0 - k) - gain) / grids
    buckets = count(n_buckets, "n_buckets")
    together = k + (1.0 - k) / buckets
    if hashing == "plain":
        return (together * (1.0 - together) - (1.0 - 1.0 / buckets) ** 2 * gain) / grids
    return (together - k**2 - gain) / grids

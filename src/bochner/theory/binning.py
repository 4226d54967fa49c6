"""Random binning: mean and variance, with and without hashing."""

from __future__ import annotations

from typing import Any

import numpy as np

from .checks import Array, count, one_of

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


def binning_variance(value: Any, n_grids: int, *, hashing: str = "exact", n_buckets: int | None = None) -> Array:
    """Var z(x)'z(y) of binning features with P grids.

    A grid is a Bernoulli trial, so k(1-k)/P exactly; plain hashing to M buckets a grid is one of probability
    q = k + (1-k)/M; signed hashing has variance (k + (1-k)/M - k²)/P about the mean k.

    Parameters
    ----------
    value : array
        Kernel values k(x, y).
    n_grids : int
    hashing, n_buckets : see binning_mean

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.binning_variance(0.5, 50)
    array([0.005])
    """
    k, grids = np.atleast_1d(np.asarray(value, dtype=np.float64)), count(n_grids, "n_grids")
    if one_of(hashing, HASHINGS, "hashing") == "exact":
        return k * (1.0 - k) / grids
    together = k + (1.0 - k) / count(n_buckets, "n_buckets")
    mean = together if hashing == "plain" else k
    return (together - mean**2) / grids

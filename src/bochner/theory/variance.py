"""The exact variance of Fourier features in terms of the kernel, and which embedding is better where."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import brentq

from .checks import Array, Embedding, count, differences, is_paired, one_of, positive, shift_invariant
from .orthogonal import coupling, scaled_differences


def frequency_variance(kernel: Any, difference: Any) -> Array:
    """Var cos(w'Δ) = [1 + k(2Δ) - 2k(Δ)²] / 2: the variance that one frequency contributes.

    Parameters
    ----------
    kernel : shift-invariant kernel
    difference : array of shape (dim,) or (n, dim)
        Differences Δ = x - y.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.frequency_variance(bo.Gaussian(1.0), [1.0]).round(10)
    array([0.1997882])
    """
    kernel, delta = shift_invariant(kernel), differences(difference)
    return np.maximum(0.5 * (1.0 + kernel.at(2.0 * delta) - 2.0 * kernel.at(delta) ** 2), 0.0)


def variance(
    kernel: Any,
    difference: Any,
    n_components: int,
    *,
    embedding: Embedding = "paired",
    directions: str = "iid",
) -> Array:
    """Exact variance of z(x)'z(y), z the Fourier features of a shift-invariant kernel.

    With D = n_components real columns and independent frequencies

        paired:   [1 + k(2Δ) - 2k(Δ)²] / D,        shifted:   [1 + k(2Δ)/2 - k(Δ)²] / D.

    An odd D is pairs and one shifted cosine: z(x)'z(y) = sum_i c_i cos(w_i'Δ) + (1/D) sum_shifted cos(w'(x+y) + 2b)
    with c_i = 2/D for a pair and 1/D for a shifted cosine, so that in general

        Var = v sum_i c_i² + n_shifted / (2D²) + sum_{i != j} c_i c_j cov_ij,   v = Var cos(w'Δ),

    where cov_ij = 0 for independent frequencies and is that of ``bo.theory.pair_covariances`` for orthogonal ones.

    Parameters
    ----------
    kernel : shift-invariant kernel
    difference : array of shape (dim,) or (n, dim)
    n_components : int
        Real output columns, twice the number of frequencies where they are paired.
    embedding : {"paired", "shifted"}, default="paired"
    directions : {"iid", "orthogonal"}, default="iid"
        "orthogonal", with stratified radii as ``FourierFeatures`` draw them, is for radial kernels only; others raise.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.variance(bo.Gaussian(1.0), [1.0], 100).round(8)
    array([0.00399576])
    """
    kernel, delta = shift_invariant(kernel), differences(difference)
    width = count(n_components, "n_components")
    total = estimate_variance(frequency_variance(kernel, delta), width, is_paired(embedding))
    if one_of(directions, ("iid", "orthogonal"), "directions") == "orthogonal":
        n_pairs, n_shifted = pairs_and_shifted(width, is_paired(embedding))
        weights = np.concatenate([np.full(n_pairs, 2.0), np.ones(n_shifted)])
        seen = scaled_differences(kernel, delta)
        total = total + coupling(np.linalg.norm(seen, axis=1), seen.shape[1], kernel, weights) / width**2
    return np.maximum(total, 0.0)


def complex_variance(kernel: Any, difference: Any, n_frequencies: int) -> tuple[Array, Array]:
    """Exact variances of the real and the imaginary part of the complex estimate (1/m) sum_j exp(i w_j'Δ).

        Var Re = [1 + k(2Δ) - 2k(Δ)²] / 2m,        Var Im = [1 - k(2Δ)] / 2m,        sum = [1 - k(Δ)²] / m.

    The real part is the paired estimate of 2m real columns; the imaginary part is noise of mean 0.

    Parameters
    ----------
    kernel : shift-invariant kernel
    difference : array of shape (dim,) or (n, dim)
    n_frequencies : int
        m, the complex columns of ``FourierFeatures(embedding="complex")``.

    Returns
    -------
    real, imaginary : arrays of shape (n,)

    Examples
    --------
    >>> import bochner as bo
    >>> real, imaginary = bo.theory.complex_variance(bo.Gaussian(1.0), [1.0], 1)
    >>> real.round(10), imaginary.round(10)
    (array([0.1997882]), array([0.43233236]))
    """
    kernel, delta = shift_invariant(kernel), differences(difference)
    total = count(n_frequencies, "n_frequencies")
    imaginary = np.maximum(0.5 * (1.0 - kernel.at(2.0 * delta)), 0.0)
    return frequency_variance(kernel, delta) / total, imaginary / total


def pairs_and_shifted(width: int, paired: bool) -> tuple[int, int]:
    """How many frequencies of a width are cosine and sine, and how many one shifted cosine: an odd width has one."""
    n_pairs = width // 2 if paired else 0
    return n_pairs, width - 2 * n_pairs


def estimate_variance(single: Any, width: int, paired: bool) -> Any:
    """Var z(x)'z(y) of independent frequencies, from v = Var cos(w'Δ) of a single one."""
    n_pairs, n_shifted = pairs_and_shifted(width, paired)
    return (single * (4 * n_pairs + n_shifted) + 0.5 * n_shifted) / width**2


def better_embedding(kernel: Any, difference: Any) -> Array:
    """Which embedding has the smaller variance at equal width: "paired" iff k(2Δ) <= 2k(Δ)², that is Var cos <= 1/2.

    Always "paired" for the Gaussian and the Laplace kernel; "shifted" at large distances for the Cauchy kernel.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.theory.better_embedding(bo.Cauchy(1.0), [[1.0], [4.0]]).tolist()
    ['paired', 'shifted']
    """
    return np.where(frequency_variance(kernel, difference) <= 0.5, "paired", "shifted")


def flip_distance(kernel: Any, direction: Any = (1.0,), largest: float = 100.0) -> float:
    """The smallest distance along a direction at which "shifted" becomes the better embedding; inf if it never does.

    Solves k(2Δ) = 2k(Δ)² for Δ = r u, u the unit vector of ``direction``, 0 < r <= largest.

    Parameters
    ----------
    kernel : shift-invariant kernel
    direction : array of shape (dim,), default=(1.0,)
    largest : float, default=100.0
        How far to look, in the units of the data.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.flip_distance(bo.Cauchy(1.0)), 7)
    2.4823935
    """
    kernel = shift_invariant(kernel)
    unit = np.asarray(direction, dtype=np.float64)
    unit = unit / np.linalg.norm(unit)
    excess_at = np.geomspace(1e-3, 1.0, 4000) * positive(largest, "largest")

    def excess(radius: float | Array) -> Array:
        delta = np.multiply.outer(np.atleast_1d(radius), unit)
        return kernel.at(2.0 * delta) - 2.0 * kernel.at(delta) ** 2

    # Both terms vanish far out, where the sign of their difference is the sign of rounding errors.
    above = np.flatnonzero(excess(excess_at) > 1e-13)
    if above.size == 0:
        return np.inf
    first = above[0]
    if first == 0:
        return float(excess_at[0])
    return float(brentq(lambda radius: float(excess(radius)[0]), excess_at[first - 1], excess_at[first], xtol=1e-12))

"""The exact variance of the squared L2 error over a measure on pairs of points."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import ShiftInvariantKernel
from .checks import Array, Embedding, count, is_paired, shift_invariant
from .factor_moments import paired_rows
from .variance import pairs_and_shifted

BLOCK = 2**20  # kernel values at once, 8 MB each of some ten arrays


def l2_variance(
    kernel: Any, *, n_components: int, pairs: tuple[Any, Any], embedding: Embedding = "paired", weights: Any = None
) -> float:
    """Var ∫ f(x, y)² dμ of the error f of Fourier features with independent frequencies, exactly.

    f is the mean of m independent copies of a random function c with mean 0, and ||f||² = ∫ f² dμ, so that

        Var ||f||² = Var ||c||² / m³ + 2 (m - 1) Q / m³,   Q = ∫∫ Cov(c(x, y), c(x', y'))² dμ dμ.

    paired:  c = cos(w'Δ) - k(Δ), m = D/2, Cov = [k(Δ + Δ') + k(Δ - Δ')]/2 - k(Δ) k(Δ');
    shifted: c = cos(w'Δ) + cos(w's + 2b) - k(Δ), m = D, s = x + y, Cov as before and k(s - s')/2.

    E ||c||⁴ too is a sum of kernel values, at combinations of two differences. An odd paired width has one term of the
    second kind. Time grows as the square of the number of pairs.

    Parameters
    ----------
    kernel : shift-invariant kernel
    n_components : int
    pairs : (x, y), two arrays of shape (n, dim)
        The measure puts its mass on these pairs of points, evenly.
    embedding : {"paired", "shifted"}, default="paired"
    weights : array of shape (n,), default=None
        The mass of each pair, as of a quadrature rule; None: 1/n.

    Returns
    -------
    float

    Examples
    --------
    >>> import bochner as bo
    >>> x, y = [[0.0], [1.0], [2.0]], [[1.0], [-1.0], [0.5]]
    >>> round(bo.theory.l2_variance(bo.Gaussian(1.0), n_components=10, pairs=(x, y)) ** 0.5, 7)
    0.0889735
    """
    kernel, width = shift_invariant(kernel), count(n_components, "n_components")
    x, y = paired_rows(*pairs)
    mass = np.full(len(x), 1.0 / len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    if mass.shape != (len(x),):
        raise ValueError(f"weights must have one number for each of the {len(x)} pairs, but have shape {mass.shape}.")
    n_pairs, n_shifted = pairs_and_shifted(width, is_paired(embedding))
    fourth, crossed = np.zeros(2), np.zeros((2, 2))  # E ||c||⁴ and ∫∫ Cov Cov of the two kinds of terms
    rows = max(1, BLOCK // len(x))
    for start in range(0, len(x), rows):
        part = slice(start, start + rows)
        both = _products(kernel, (x[part], y[part]), (x, y))
        share = mass[part, None] * mass
        for i, (squares, covariance) in enumerate(both):
            fourth[i] += np.sum(share * squares)
            for j, (_, other) in enumerate(both):
                crossed[i, j] += np.sum(share * covariance * other)
    second = np.array([_mean_square(kernel, x - y, mass, noise) for noise in (0.0, 0.5)])
    terms, scale = np.array([n_pairs, n_shifted]), np.array([2.0, 1.0]) / width
    single = np.sum(terms * scale**4 * (fourth - second**2))
    ordered = np.outer(terms, terms) - np.diag(terms)
    return float(max(0.0, single + 2.0 * np.sum(ordered * np.outer(scale**2, scale**2) * crossed)))


def _mean_square(kernel: ShiftInvariantKernel, delta: Array, mass: Array, noise: float) -> float:
    """E ||c||²."""
    return float(mass @ (0.5 * (1.0 + kernel.at(2.0 * delta)) - kernel.at(delta) ** 2 + noise))


def _products(
    kernel: ShiftInvariantKernel, left: tuple[Array, Array], right: tuple[Array, Array]
) -> list[tuple[Array, Array]]:
    """(E c²c'², E cc') for all couples of pairs, of the paired and of the shifted kind.

    With C = cos(w'Δ), P = C - k and t = s - s': E c²c'² of the shifted kind is that of the paired kind plus
    E P²/2 + E P'²/2 + 2 E PP' cos(w't) + 1/4 + k(2t)/8, for B = cos(w's + 2b) has a uniform phase.
    """
    d, e = (left[0] - left[1])[:, None, :], (right[0] - right[1])[None, :, :]
    t = (left[0] + left[1])[:, None, :] - (right[0] + right[1])[None, :, :]

    def k(*terms: Array) -> Array:
        difference = sum(terms[1:], terms[0])
        return kernel.at(difference.reshape(-1, difference.shape[-1])).reshape(difference.shape[:-1])

    kd, ke = k(d), k(e)
    squared_d, squared_e = 0.5 * (1.0 + k(2.0 * d)), 0.5 * (1.0 + k(2.0 * e))  # E C², E C'²
    product = 0.5 * (k(d, e) + k(d, -e))  # E CC'
    first = 0.5 * ke + 0.25 * (k(2.0 * d, e) + k(2.0 * d, -e))  # E C²C'
    second = 0.5 * kd + 0.25 * (k(d, 2.0 * e) + k(-d, 2.0 * e))  # E CC'²
    both = 0.5 * (squared_d + squared_e) - 0.25 + 0.125 * (k(2.0 * d, 2.0 * e) + k(2.0 * d, -2.0 * e))  # E C²C'²
    fourth = both - 2.0 * ke * first - 2.0 * kd * second + ke**2 * squared_d + kd**2 * squared_e
    fourth = fourth + 4.0 * kd * ke * product - 3.0 * kd**2 * ke**2
    covariance = product - kd * ke
    turned = 0.25 * (k(d, e, t) + k(d, e, -t) + k(d, -e, t) + k(d, -e, -t))  # E CC' cos(w't)
    turned = turned - 0.5 * ke * (k(d, t) + k(d, -t)) - 0.5 * kd * (k(e, t) + k(e, -t)) + kd * ke * k(t)
    spread = 0.5 * (squared_d - kd**2) + 0.5 * (squared_e - ke**2)
    shifted = fourth + spread + 2.0 * turned + 0.25 + 0.125 * k(2.0 * t)
    return [(fourth, covariance), (shifted, covariance + 0.5 * k(t))]

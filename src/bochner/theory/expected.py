"""The expected maximum error (Dudley's entropy integral), and how the maximum concentrates about it."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.integrate import quad

from .checks import Embedding, count, is_paired, known, one_of, positive, shift_invariant


@lru_cache(maxsize=1)
def dudley_integral() -> float:
    """J = ∫_0^{1/2} sqrt(log(1 + 2/v)) dv = 0.7796267."""
    return float(quad(lambda v: np.sqrt(np.log1p(2.0 / v)), 0.0, 0.5, epsabs=1e-13)[0])


def expected_max_error(
    kernel: Any, *, n_components: int, dim: int, diameter: float, embedding: Embedding = "paired"
) -> float:
    """Bound E sup |z(x)'z(y) - k(x, y)| over a ball of the given diameter l.

        paired:  48 sqrt(2) J sigma_p l sqrt(d/D);   shifted:  96 J sigma_p l sqrt(d/D) + 1/sqrt(2D)

    by symmetrisation and Dudley's integral J = 0.7796, sigma_p² = E||w||². It has the right order in D and constants
    that are vacuous at moderate widths: the trivial bound is 2. The published form, with the largest of the sampled
    frequencies in it, could not be derived again and is not given.

    Parameters
    ----------
    kernel : shift-invariant kernel
    n_components, dim : int
    diameter : float
    embedding : {"paired", "shifted"}, default="paired"

    Returns
    -------
    float
        Infinite where E||w||² is.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.expected_max_error(bo.Gaussian(), n_components=500, dim=1, diameter=6.0), 1)
    14.2
    """
    kernel, width, dim = shift_invariant(kernel), count(n_components, "n_components"), count(dim, "dim")
    spread = np.sqrt(kernel.frequency_second_moment(dim)) * positive(diameter, "diameter") * np.sqrt(dim / width)
    if is_paired(embedding):
        return float(48.0 * np.sqrt(2.0) * dudley_integral() * spread)
    return float(96.0 * dudley_integral() * spread + 1.0 / np.sqrt(2.0 * width))


def concentration_bound(
    *,
    excess: float,
    n_components: int,
    embedding: Embedding = "paired",
    method: str = "mcdiarmid",
    expected: float | None = None,
    supremum: float = 2.0,
) -> float:
    """Bound Pr(sup|f| >= E sup|f| + excess) for the error f of Fourier features with independent frequencies.

    - "mcdiarmid": exp(-D e²/4) paired, exp(-D e²/8) shifted; nothing else need be known.
    - "bousquet": exp(-D e² / (16 E + 2 sigma_w² + 8e/3)) paired, exp(-D e² / (12 E + 1 + sigma_w² + 2e)) shifted, with
      E = E sup|f| or anything above it. (The form in print has D in the denominator and does not improve with D.)

    Parameters
    ----------
    excess : float
    n_components : int
    embedding : {"paired", "shifted"}, default="paired"
    method : {"mcdiarmid", "bousquet"}, default="mcdiarmid"
    expected : float, default=None
        E sup|f|, for "bousquet".
    supremum : float, default=2.0
        sigma_w² = sup 2 Var cos(w'Δ); 2 holds for every kernel.

    Examples
    --------
    >>> import bochner as bo
    >>> round(bo.theory.concentration_bound(excess=0.1, n_components=500), 3)
    0.287
    """
    excess, width, paired = positive(excess, "excess"), count(n_components, "n_components"), is_paired(embedding)
    if one_of(method, ("mcdiarmid", "bousquet"), "method") == "mcdiarmid":
        return float(np.exp(-width * excess**2 / (4.0 if paired else 8.0)))
    mean = positive(known(expected, "expected", method), "expected")
    if paired:
        return float(np.exp(-width * excess**2 / (16.0 * mean + 2.0 * supremum + 8.0 * excess / 3.0)))
    return float(np.exp(-width * excess**2 / (12.0 * mean + 1.0 + supremum + 2.0 * excess)))

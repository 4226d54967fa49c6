"""Kernels that are mixtures of hat functions: the capability that random binning needs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from scipy.special import lambertw

from .base import Array, Kernel


class BinningKernel(Kernel):
    """k(Δ) = prod_j ∫ p_j(δ) (1 - |Δ_j|/δ)_+ dδ with a pitch law p(δ) = δ k''(δ) (Rahimi and Recht 2007).

    A grid of pitch δ and uniform shift puts x and y into one bin with probability (1 - |x - y|/δ)_+, so the
    indicator of a common bin is an unbiased Bernoulli estimate of k. The profile of each column must be convex and
    decreasing; kernels that are differentiable at 0 (Gaussian, Cauchy, Matern with nu > 1/2) have no pitch law.

    A subclass gives the quantile function of the law, so that one rule serves independent and stratified draws.
    """

    @abstractmethod
    def unit_pitches(self, uniforms: Array) -> Array:
        """Pitches at length scale 1 from uniform numbers inside the open unit interval, both of shape (n, dim): F^{-1}.

        F(δ) = 1 - k(δ) + δ k'(δ) is the distribution function of the pitch law.
        """

    def column_lengths(self, dim: int) -> Array | float:
        """What pitches of length scale 1 are multiplied by, one number for each column."""
        return 1.0

    def pitches(self, uniforms: Array) -> Array:
        """Pitches in the units of the columns."""
        return self.unit_pitches(uniforms) * self.column_lengths(uniforms.shape[1])

    @property
    def has_pitches(self) -> bool:
        """Whether the profile has a pitch law: known of most kernels, and looked at where a profile is the user's."""
        return True

    def sample_pitches(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """Pitches of n independent grids, shape (n, dim)."""
        return self.pitches(inside(rng.random((n, dim))))

    def stratified_pitches(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """Pitches of n grids that share out each column's law evenly, shape (n, dim).

        A Latin hypercube: the n pitches of a column lie in n equally likely intervals, one in each, in random order.
        Every grid by itself has the law of ``sample_pitches``, so estimates stay unbiased; the variance of a mean over
        grids is at most n / (n - 1) times that of independent ones (Owen 1997) and in practice smaller.
        """
        strata = rng.permuted(np.tile(np.arange(n)[:, None], dim), axis=0)
        return self.pitches(inside((strata + rng.random((n, dim))) / n))


def inside(uniforms: Array) -> Array:
    """Uniform numbers kept off the ends of the unit interval, where a pitch would be 0 or infinite."""
    return np.clip(uniforms, 2.0**-54, 1 - 2.0**-53)


def stretched_quantile(uniforms: Array, exponent: float) -> Array:
    """F^{-1}(u) for the profile exp(-δ^a): with t = δ^a, F = 1 - (1 + a t) e^{-t}, solved by Lambert's W.

    -(t + 1/a) = W_{-1}(-(1 - u) e^{-1/a} / a). For a = 1 this is the Gamma law of shape 2.
    """
    least, flat = 1.0 / exponent, 1.0 - exponent
    t = -np.real(lambertw(-(1.0 - uniforms) * least * np.exp(-least), k=-1)) - least
    # Near its branch point W loses digits: there F is (1 - a) t + (a - 1/2) t² up to t³, and Newton does the rest.
    small = 2.0 * uniforms / (flat + np.sqrt(flat**2 + 4.0 * (exponent - 0.5) * np.minimum(uniforms, 1e-4)))
    t = np.where(uniforms < 1e-4, small, t)
    for _ in range(2):
        error = -np.expm1(-t) - exponent * t * np.exp(-t) - uniforms
        t = t - np.where(uniforms < 1e-2, error / ((flat + exponent * t) * np.exp(-t)), 0.0)
    return t**least

"""Kernels that are mixtures of hat functions: the capability that random binning needs."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from .base import Array, Kernel


class BinningKernel(Kernel):
    """k(Δ) = prod_j ∫ p_j(δ) (1 - |Δ_j|/δ)_+ dδ with a pitch law p(δ) = δ k''(δ) (Rahimi and Recht 2007).

    A grid of pitch δ and uniform shift puts x and y into one bin with probability (1 - |x - y|/δ)_+, so the
    indicator of a common bin is an unbiased Bernoulli estimate of k. The profile of each column must be convex and
    decreasing; kernels that are differentiable at 0 (Gaussian, Cauchy, Matern with nu > 1/2) have no pitch law.
    """

    @abstractmethod
    def sample_pitches(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        """Pitches of n grids, shape (n, dim)."""

"""Weights of frequencies that fit the kernel between the rows at hand: smaller errors, at the price of a bias."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from ..kernels import ShiftInvariantKernel
from .design import Array
from .features import DenseFeatures
from .measure import dense_parts, sample_pairs

PAIRS = 1000  # of rows, between which weights are fitted
# Root mean square errors between new normal rows, Gaussian of length scale sqrt(d), 64 orthogonal frequencies, 20 draws
# with penalties 1, 10 and 100: d = 2 .0070 .0081 .0119, d = 5 .0266 .0267 .0290, d = 10 .0346 .0344 .0344. (Equal
# weights: .0331, .0383, .0403.) So half and double change little.
PENALTY = 10.0
PATIENCE = 3
LARGEST_DIM = 10  # beyond, 1000 pairs say nothing that the frequencies do not


class WeightedFeatures(DenseFeatures):
    """z(x) = inner(x), each column times a number of its own."""

    def __init__(self, inner: DenseFeatures, scales: Array) -> None:
        self.inner = inner
        self.scales = np.asarray(scales, dtype=inner.dtype)
        self.n_features_in = inner.n_features_in
        self.n_components = inner.n_components
        self.dtype = inner.dtype

    @property
    def output_dtype(self) -> np.dtype:
        return self.inner.output_dtype

    def write(self, X: Any, out: Array) -> None:
        self.inner.write(X, out)
        out *= self.scales


def fitted_weights(
    kernel: ShiftInvariantKernel, turns: Array, rows: Any, n_pairs: int, width: int, rng: np.random.Generator
) -> Array:
    """The a >= 0 that minimise sum over pairs of rows (sum_i a_i cos w_i'Δ - k(Δ))² + 10 sum_i (a_i - 2/D)².

    ``turns`` are all w / 2π, (dim, frequencies); those beyond the first ``n_pairs`` have the weight 1/D, D = width.
    """
    values, waves = [], []
    for x, y in dense_parts(sample_pairs(rows, PAIRS, rng)):
        values.append(kernel.at(x - y))
        waves.append(np.cos(2.0 * np.pi * ((x - y) @ turns)))
    table = np.concatenate(waves)
    target = np.concatenate(values) - table[:, n_pairs:].sum(axis=1) / width
    return smallest_squares(table[:, :n_pairs], target, PENALTY, 2.0 / width)


def smallest_squares(table: Array, target: Array, penalty: float, middle: float) -> Array:
    """The a >= 0 that minimise ||table a - target||² + penalty ||a - middle||²."""
    gram = table.T @ table + penalty * np.eye(table.shape[1])
    return pivoted(gram, table.T @ target + penalty * middle)


def pivoted(gram: Array, slope: Array) -> Array:
    """The a >= 0 that minimises a'Ga/2 - s'a: a >= 0, Ga - s >= 0, one of the two 0 (Judice and Pires 1994).

    Entries that break this change sides all at once, which takes a few factorisations; where their number has not
    fallen for PATIENCE steps only the last one changes side, which ends always.
    """
    n = len(slope)
    free, a, gradient = np.zeros(n, dtype=bool), np.zeros(n), -slope
    fewest, patience, rounding = n + 1, PATIENCE, 1e-12 * float(np.abs(slope).max(initial=0.0))
    while True:
        wrong = np.where(free, a < 0.0, gradient < -rounding)
        count = int(wrong.sum())
        if count == 0:
            return a
        if count < fewest:
            fewest, patience = count, PATIENCE
        elif patience > 0:
            patience -= 1
        else:
            wrong[: np.flatnonzero(wrong)[-1]] = False
        free ^= wrong
        a = np.zeros(n)
        if free.any():
            a[free] = cho_solve(cho_factor(gram[np.ix_(free, free)]), slope[free])
        gradient = gram @ a - slope

"""Which rows represent the data in a Nystroem approximation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg

from ..compute.cholesky import jittered_cholesky
from ..compute.row_hash import row_hash
from ..kernels import Kernel
from .design import Array

INDEFINITE = "The kernel is not positive definite at the landmarks: check it, or scale the data."
CANDIDATES = 5000  # rows among which k-means++ and leverage scores choose, at least (4 per landmark, if that is more)


def uniform(_: Kernel, rows: Any, n: int, rng: np.random.Generator) -> Any:
    """Different rows drawn uniformly without replacement; all of them, if they are fewer."""
    different = np.sort(np.unique(row_hash(rows), return_index=True)[1])
    return rows[np.sort(rng.choice(different, size=min(n, len(different)), replace=False))]


def kmeans_plus_plus(kernel: Kernel, rows: Any, n: int, rng: np.random.Generator) -> Any:
    """k-means++ seeding in the feature space of the kernel, where ||φ(x) - φ(c)||² = k(x,x) + k(c,c) - 2 k(x,c).

    Each landmark is drawn with probability proportional to the squared distance to the nearest one so far; once all
    rows coincide with landmarks, uniformly.
    """
    rows = _candidates(rows, n, rng)
    norms = kernel.diagonal(rows)
    chosen = [int(rng.integers(rows.shape[0]))]
    nearest = np.full(rows.shape[0], np.inf)
    for _ in range(n - 1):
        last = chosen[-1]
        apart = norms + norms[last] - 2.0 * kernel(rows, rows[last : last + 1])[:, 0]
        nearest = np.minimum(nearest, np.maximum(apart, 0.0))
        nearest[chosen] = 0.0
        chosen.append(_draw_one(nearest, chosen, rng))
    return rows[np.sort(chosen)]


def leverage(kernel: Kernel, rows: Any, n: int, rng: np.random.Generator) -> Any:
    """Rows drawn with probability proportional to approximate ridge leverage scores (Alaoui and Mahoney 2015).

    With S a uniform pilot sample of s out of N rows, w = N/s and λ the mean of what n/2 directions leave over,
    l_i = [k_ii - w k_iS (w K_SS + λ I)^{-1} k_Si] / λ: large for rows that the others do not represent.
    """
    rows = _candidates(rows, n, rng)
    total = rows.shape[0]
    pilot = uniform(kernel, rows, min(total, max(n, 100)), rng)
    weight = total / pilot.shape[0]
    gram = weight * kernel(pilot)
    eigenvalues = np.maximum(scipy.linalg.eigvalsh(gram), 0.0)
    tail = np.sort(eigenvalues)[: max(1, len(eigenvalues) - n // 2)].sum() / n
    ridge = max(tail, 1e-10 * eigenvalues.sum(), np.finfo(float).tiny)
    factor = jittered_cholesky(gram, ridge)
    if factor is None:
        raise ValueError(INDEFINITE)
    represented = scipy.linalg.solve_triangular(factor, np.sqrt(weight) * kernel(rows, pilot).T, lower=True)
    scores = np.clip((kernel.diagonal(rows) - np.square(represented).sum(axis=0)) / ridge, 1e-12, 1.0)
    return rows[np.sort(rng.choice(total, size=n, replace=False, p=scores / scores.sum()))]


def _candidates(rows: Any, n: int, rng: np.random.Generator) -> Any:
    limit = max(CANDIDATES, 4 * n)
    return rows if rows.shape[0] <= limit else rows[np.sort(rng.choice(rows.shape[0], size=limit, replace=False))]


def _draw_one(weights: Array, chosen: list[int], rng: np.random.Generator) -> int:
    total = weights.sum()
    if total > 0:
        return int(np.searchsorted(np.cumsum(weights), rng.random() * total, side="right").clip(0, len(weights) - 1))
    return int(rng.choice(np.setdiff1d(np.arange(len(weights)), chosen)))


LANDMARKS: dict[str, Callable[[Kernel, Any, int, np.random.Generator], Any]] = {
    "uniform": uniform,
    "kmeans++": kmeans_plus_plus,
    "leverage": leverage,
}

"""k-means: seeding on a sample, Lloyd's algorithm by passes over the rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..blocks import Block
from ..compute.threads import single_threaded_blas
from ..maps import DenseDesign
from ..statistics.clusters import ClusterSums
from ..statistics.embedding import row_squares

Array = np.ndarray
Pass = Callable[[ClusterSums], ClusterSums]  # takes all rows into the statistic


@dataclass(frozen=True)
class Clustering:
    """Centres (features, clusters), the inertia at them, and how they were found."""

    centres: Array
    inertia: float
    n_iter: int
    converged: bool


def lloyd(take: Pass, centres: Array, dtype: np.dtype, max_iter: int, tol: float) -> Clustering:
    """Assign every row to its nearest centre, move centres to the means, until they move no more.

    ``tol`` is relative to the mean squared distance of rows to their centres: the sum of squared shifts of the
    centres at which to stop. With tol = 0 the result is a fixed point: means and nearest centres agree.
    """
    seen = take(ClusterSums(centres, dtype))
    for iteration in range(1, max_iter + 1):
        moved = seen.means()
        shift = float(np.square(moved - centres).sum())
        spread = seen.inertia / max(float(seen.weights.sum()), np.finfo(np.float64).tiny)
        centres = moved
        seen = take(ClusterSums(centres, dtype))
        # A fixed point is reached up to the rounding of the sums.
        if shift <= max(tol, 1e-24) * spread or shift == 0.0:
            return Clustering(centres, seen.inertia, iteration, True)
    return Clustering(centres, seen.inertia, max_iter, False)


def seeds(values: Array, weight: Array, n_clusters: int, rng: np.random.Generator) -> Array:
    """k-means++ with several trials: rows as centres, each drawn in proportion to its squared distance to those before.

    Of 2 + log k candidates the one that lowers the inertia most is taken. Returns (features, clusters).
    """
    trials = 2 + int(np.log(n_clusters))
    squares = row_squares(values)
    chosen = [int(drawn(weight, 1, rng)[0])]
    closest = distances(values, squares, chosen)[:, 0]
    while len(chosen) < n_clusters:
        mass = weight * closest
        candidates = drawn(mass if mass.any() else weight, trials, rng)
        reach = np.minimum(closest[:, None], distances(values, squares, candidates.tolist()))
        best = int(np.argmin(weight @ reach))
        chosen.append(int(candidates[best]))
        closest = reach[:, best]
    return np.asarray(values[chosen], dtype=np.float64).T


def drawn(mass: Array, n: int, rng: np.random.Generator) -> Array:
    """Indices in proportion to mass, by inversion: copies of a row act as one row of their weight."""
    edges = np.cumsum(mass)
    return np.minimum(np.searchsorted(edges, rng.random(n) * edges[-1], side="right"), len(mass) - 1)


def distances(values: Array, squares: Array, chosen: list[int]) -> Array:
    """Squared distances of all rows to the chosen ones."""
    squared = squares[:, None] - 2 * (values @ values[chosen].T).astype(np.float64) + squares[chosen]
    squared[chosen, np.arange(len(chosen))] = 0.0
    return np.maximum(squared, 0.0)


def best_start(
    values: Array, weight: Array, n_clusters: int, n_init: int, max_iter: int, rng: np.random.Generator
) -> Array:
    """The centres of least inertia of ``n_init`` runs on a sample of rows."""
    block = Block(DenseDesign(values), None, weight)

    def take(sums: ClusterSums) -> ClusterSums:
        sums.update(block)
        return sums

    with single_threaded_blas():  # many small products
        runs = [
            lloyd(take, seeds(values, weight, n_clusters, rng), values.dtype, max_iter, 1e-4) for _ in range(n_init)
        ]
    return min(runs, key=lambda run: run.inertia).centres

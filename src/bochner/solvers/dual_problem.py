"""The linear system of kernel ridge regression with the kernel itself: a coefficient for each row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ..compute.threads import over_row_chunks

Array = np.ndarray
Values = Callable[[Array, Array], Array]  # kernel values of some rows and others

TILE = 1024  # rows whose kernel values with others are made at a time


@dataclass(frozen=True)
class DualSolution:
    """Coefficients of the rows, the passes that it took, and the residual that was met last, relative to y."""

    coefficients: Array
    n_iter: int
    gap: float
    converged: bool


@dataclass(frozen=True)
class DualProblem:
    """(K + alpha_t V^{-1}) a_t = y_t for the kernel matrix K of some rows, their weights v and each target t.

    This is kernel ridge regression: sum_i v_i (y_i - f(x_i))² + alpha ||f||² is least at f = sum_i a_i k(x_i, .).
    Shapes: rows (n, d), targets (n, targets), weight (n,), alphas (targets,).
    """

    values: Values
    rows: Array
    targets: Array
    weight: Array
    alphas: Array

    @property
    def penalties(self) -> Array:
        """What is added to the diagonal of K for each target."""
        return np.outer(1.0 / self.weight, self.alphas).astype(self.targets.dtype)

    def reordered(self, order: Array) -> DualProblem:
        """The same with its rows in another order."""
        return replace(self, rows=self.rows[order], targets=self.targets[order], weight=self.weight[order])


def kernel_product(
    values: Values, some: Array, rows: Array, coefficients: Array, threads: int, kept: int = 0
) -> tuple[Array, list[Array]]:
    """K(some, rows) A, tile by tile, and the kernel values of the first few tiles.

    It is added up in order: the same bits for any number of threads.
    """
    parts: list[Array] = [np.empty(0)] * -(-len(rows) // TILE)
    tiles = parts[:kept]

    def fill(start: int, stop: int) -> None:
        made = values(some, rows[start:stop])
        parts[start // TILE] = made @ coefficients[start:stop]
        if start // TILE < kept:
            tiles[start // TILE] = made

    over_row_chunks(fill, len(rows), TILE, threads)
    return np.sum(parts, axis=0), tiles

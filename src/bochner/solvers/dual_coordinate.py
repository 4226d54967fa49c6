"""Dual coordinate descent for losses of straight pieces: hinge, epsilon-insensitive, pinball.

The dual of F: minimise ||Z'b||²/2 - y'b + tube |b|_1 over C v lower <= b <= C v upper, sum b = 0, with the box of the
loss; the sum vanishes because the intercept is not penalised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ..blocks import Block
from ..compute.dual_sweeps import sweep_dense, sweep_sparse
from ..losses import PiecewiseLinear
from ..maps.codes import CodesDesign
from ..maps.design import Design, SparseDesign
from ..statistics.gradient import targets_and_weights
from .objective import Array, Objective, Solution

Blocks = Callable[[], Iterable[Block]]

SWEEPS_PER_CHECK = 5  # sweeps over rows that can move, between two sweeps over all of them and a look at the gap
AT_BOUND = 1e-3  # how far from moving, in units of the score, a row must be to be left out until the next full sweep


class BlockDual:
    """Dual variables of one block, for every output."""

    def __init__(self, block: Block, loss: PiecewiseLinear, penalty: float, start: Array | None) -> None:
        y, weight = targets_and_weights(block)
        self.targets = np.ascontiguousarray(y.T)
        self.lower, self.upper = (
            np.ascontiguousarray(np.broadcast_to(penalty * weight * bound, y.shape).T) for bound in loss.box(y)
        )
        self.dual = np.zeros(self.targets.shape) if start is None else np.clip(start, self.lower, self.upper)
        self.squares = row_squares(block.X)


def row_squares(design: Design) -> Array:
    """|z|² of each row."""
    rows = rows_of(design)
    if isinstance(rows, np.ndarray):
        return np.einsum("ij,ij->i", rows, rows).astype(np.float64)
    return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()


def rows_of(design: Design) -> Array:
    """The rows of a design as an array or in compressed form."""
    if isinstance(design, SparseDesign):
        return design.values
    return design.matrix() if isinstance(design, CodesDesign) else np.ascontiguousarray(design.dense())


class DualDescent:
    """Sweeps over blocks. The intercept is found by the method of multipliers: within a round it is drawn along by
    ``pull`` times the sum of the dual variables; after a round it keeps what it has moved, so that the sum goes to 0.
    """

    def __init__(self, objective: Objective, blocks: Blocks, loss: PiecewiseLinear, start: list[Array] | None) -> None:
        self.objective = objective
        self.blocks = blocks
        self.loss = loss
        self.generator = np.random.default_rng(0)  # the order of visits; the solution does not depend on it
        self.duals: list[BlockDual] = []
        self.parameters = objective.start()
        for index, block in enumerate(blocks()):
            mine = BlockDual(block, loss, objective.penalty, None if start is None else start[index])
            self.duals.append(mine)
            self.parameters[:-1] += block.X.adjoint(mine.dual.T.astype(objective.dtype))
        self.centre = np.zeros(objective.n_outputs)
        self.pull = 1.0 if objective.fit_intercept else 0.0

    def sweep(self, full: bool, threads: int) -> None:
        """Visit every row, or those that were not settled at a bound when last seen."""
        columns = [np.ascontiguousarray(column) for column in self.parameters[:-1].T]
        intercepts = self.parameters[-1]
        for block, mine in zip(self.blocks(), self.duals):
            rows = rows_of(block.X)
            scores = block.X.scores(self.parameters[:-1].astype(self.objective.dtype)) if not full else None
            orders = [self._order(mine, output, scores) for output in range(len(columns))]

            def visit(output: int, rows: Array = rows, mine: BlockDual = mine, orders: list[Array] = orders) -> None:
                order, column = orders[output], columns[output]
                intercepts[output] = _sweep(
                    rows, mine, output, self.loss.tube, self.pull, order, column, intercepts[output]
                )

            if len(columns) == 1 or threads == 1:
                for output in range(len(columns)):
                    visit(output)
            else:
                with ThreadPoolExecutor(threads) as pool:
                    list(pool.map(visit, range(len(columns))))
            self.parameters[:-1] = np.stack(columns, axis=1)

    def _order(self, mine: BlockDual, output: int, scores: Array | None) -> Array:
        n_rows = mine.targets.shape[1]
        if scores is None:
            return self.generator.permutation(n_rows)
        slope = scores[:, output] + self.parameters[-1, output] - mine.targets[output]
        dual, lower, upper = mine.dual[output], mine.lower[output], mine.upper[output]
        reach = self.loss.tube + AT_BOUND
        settled = ((dual <= lower) & (slope > reach)) | ((dual >= upper) & (slope < -reach))
        settled |= (dual == 0.0) & (np.abs(slope) < self.loss.tube - AT_BOUND)
        return self.generator.permutation(np.flatnonzero(~settled))

    def settle_intercept(self) -> Array:
        """Keep what the intercept has moved; returns the sums of the dual variables, which go to 0."""
        sums = np.sum([mine.dual.sum(axis=1) for mine in self.duals], axis=0)
        if self.pull:
            self.centre = self.centre + self.pull * sums
            self.parameters[-1] = self.centre + self.pull * sums
        return sums

    def dual_value(self, sums: Array) -> Array:
        """A lower bound of the smallest F, up to the intercept times the sums that should be 0."""
        gains = [(mine.targets * mine.dual - self.loss.tube * np.abs(mine.dual)).sum(axis=1) for mine in self.duals]
        return np.sum(gains, axis=0) - 0.5 * np.square(self.parameters[:-1]).sum(axis=0) - self.centre * sums


def _sweep(
    rows: Array,
    mine: BlockDual,
    output: int,
    epsilon: float,
    pull: float,
    order: Array,
    coefficients: Array,
    intercept: float,
) -> float:
    bounds = (mine.targets[output], mine.lower[output], mine.upper[output], epsilon, pull, order, mine.squares)
    state = (mine.dual[output], coefficients, intercept)
    if isinstance(rows, np.ndarray):
        return sweep_dense(rows, *bounds, *state)
    return sweep_sparse(rows.data, rows.indices, rows.indptr, *bounds, *state)


def dual_coordinate_descent(
    objective: Objective,
    blocks: Blocks,
    *,
    tol: float,
    max_iter: int,
    threads: int,
    start: list[Array] | None = None,
) -> tuple[Solution, list[Array]]:
    """Minimise F by exact minimisation over one dual variable after another, block by block.

    Blocks that do not fit in memory are made again for each sweep (block minimisation, Yu et al. 2010). Solved when
    the duality gap is at most tol times F. Also returns the dual variables of each block: a start for a nearby C.
    """
    loss = objective.loss.straight()
    if loss is None:
        name = type(objective.loss).__name__
        raise TypeError(f"Dual coordinate descent solves losses of straight pieces, not {name}: use Newton.")
    descent = DualDescent(objective, blocks, loss, start)
    n_iter = 0
    while True:
        for sweep in range(SWEEPS_PER_CHECK):
            descent.sweep(sweep == 0, threads)
        n_iter += SWEEPS_PER_CHECK
        sums = descent.settle_intercept()
        parameters = descent.parameters.copy()
        parameters[-1] = descent.centre
        here = objective.evaluate(parameters)
        gaps = here.value - descent.dual_value(sums) + np.abs(descent.centre * sums)
        gap = float((gaps / np.maximum(here.value, np.finfo(np.float64).tiny)).max())
        if gap <= tol or n_iter >= max_iter:
            return Solution(parameters, here.value, n_iter, gap, gap <= tol), [mine.dual for mine in descent.duals]

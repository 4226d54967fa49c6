"""Cheap approximations of the second derivative that conjugate gradients divide by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace

import numpy as np

from ..losses import Loss
from ..statistics.curvature import ActiveRows, ColumnCurvature
from .factors import Factor, factor_of
from .objective import Array, Evaluation, Objective

STALE_AFTER = 12  # products for one step of Newton after which an approximation is made anew
FEWEST = 1024  # rows of a sample, and one for each feature, at least
PER_PRODUCT = 512  # so many times n / D: its Gram matrix then costs no more than a few products with all n rows
FIRST_SHARE = 2  # the first sample, soon replaced, has one row in so many of that
GROWTH = 4  # of the sample, each time it was not good enough
NOISE = 0.3  # part of the weight of one row of the sample that is added to the identity
ALIKE = 1.2  # ratio of the curvature of two problems up to which the approximation of one serves the other


class Preconditioner(ABC):
    """Law: ``divide`` is linear, symmetric and positive definite in each output."""

    knows_intercept: bool  # whether it couples the intercept with the features

    @abstractmethod
    def serves(self, objective: Objective, here: Evaluation) -> bool:
        """Whether what was made before, perhaps of some of the rows, is good enough to begin with."""

    @abstractmethod
    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        """Approximate the second derivative at this point."""

    @abstractmethod
    def divide(self, residual: Array) -> Array:
        """The inverse of the approximation times a residual of shape (features + 1, outputs)."""

    @abstractmethod
    def judge(self, products: int) -> bool:
        """Learn how many products a step of Newton took; whether it is time to rebuild."""


@dataclass(frozen=True)
class Conditions:
    """What an approximation was made for: the loss, and C times the rows with curvature for each output."""

    loss: Loss
    strength: Array

    @classmethod
    def of(cls, objective: Objective, here: Evaluation) -> Conditions:
        return cls(objective.loss, objective.penalty * np.maximum(here.active, 1.0))

    def alike(self, other: Conditions | None) -> bool:
        """Whether what was made for one serves the other."""
        if other is None or self.loss is not other.loss:
            return False
        ratio = self.strength / other.strength
        return bool(ratio.max() <= ALIKE and ratio.min() >= 1.0 / ALIKE)


class Jacobi(Preconditioner):
    """The diagonal, in one pass: right for coded and sparse features, whose columns hardly overlap."""

    knows_intercept = False

    def __init__(self) -> None:
        self.made_for: Conditions | None = None

    def serves(self, objective: Objective, here: Evaluation) -> bool:
        return Conditions.of(objective, here).alike(self.made_for)

    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        self.made_for = Conditions.of(objective, here)
        seen = objective.run(ColumnCurvature(objective.loss, here.point))
        assert isinstance(seen, ColumnCurvature)
        self.diagonal = objective.penalty * seen.diagonal
        self.diagonal[:-1] += 1.0
        self.diagonal[-1] = np.maximum(self.diagonal[-1], 1e-10)
        self.inverse = np.divide(1.0, self.diagonal).astype(objective.dtype)

    def divide(self, residual: Array) -> Array:
        return residual * self.inverse

    def judge(self, products: int) -> bool:
        return products > STALE_AFTER


class SampledCholesky(Preconditioner):
    """μI + C times the curvature of a sample of the rows that have any, factored for each output.

    Where one factor for each output would take too much memory, one of the mean curvature serves all. The sample
    stands for the rows as in Falkon (Rudi, Carratino and Rosasco 2017): with m a few times D the condition number
    that is left is a small constant; where no more than m rows have curvature, it is 1. The sample has as
    many rows as cost little beside a pass, and grows where conjugate gradients take long. The intercept, which
    is not penalised, is here: that changes one eigenvalue, which conjugate gradients find in one step. No more than
    ``at_once`` rows are in memory: a larger sample takes more passes.

    A row of the sample stands for ``stride`` rows. Where no other row is like it, it counts ``stride`` times too much,
    and the rows that were left out count as nothing: with μ = 1 the eigenvalues that are left reach from 1/stride to
    stride. A part of the weight of one row in μ brings both ends closer, and hides nothing that a sample can know.
    """

    knows_intercept = True

    def __init__(
        self,
        n_features: int,
        most_rows: int,
        most_factors: int,
        threads: int,
        *,
        n_rows: int = 0,
        at_once: int = 1 << 20,
    ) -> None:
        self.n_rows = min(most_rows, max(FEWEST, n_features, PER_PRODUCT * n_rows // n_features))
        self.most_rows = most_rows
        self.most_factors = most_factors
        self.threads = threads
        self.at_once = at_once
        self.factors: list[Factor] = []
        self.made_for: Conditions | None = None

    def serves(self, objective: Objective, here: Evaluation) -> bool:
        return Conditions.of(objective, here).alike(self.made_for)

    def rebuild(self, objective: Objective, here: Evaluation) -> None:
        n_rows = self.n_rows if self.factors else self.n_rows // FIRST_SHARE
        outputs: list[int | None] = list(range(objective.n_outputs))
        if objective.n_outputs > self.most_factors:
            outputs = [None]
        self.factors = []
        for output in outputs:
            active = here.active.max() if output is None else here.active[output]
            stride = max(1, -(-int(active) // n_rows))
            rounds = max(1, -(-int(active) // (stride * self.at_once)))
            some = ActiveRows(objective.loss, here.point, output, stride, objective.penalty, rounds)
            gathers = (objective.gather(replace(some, part=part)) for part in range(rounds))
            self.factors.append(factor_of(gathers, rounds, NOISE * (1.0 - 1.0 / stride), self.threads))
        self.made_for = Conditions.of(objective, here)
        self.fit_intercept = objective.fit_intercept

    def divide(self, residual: Array) -> Array:
        out = np.empty_like(residual)
        for output in range(residual.shape[1]):
            factor = self.factors[output if len(self.factors) > 1 else 0]
            out[:, output] = factor.divide(residual[:, output])
        if not self.fit_intercept:
            out[-1] = 0.0
        return out

    def judge(self, products: int) -> bool:
        if products > STALE_AFTER:
            self.n_rows = min(self.most_rows, GROWTH * self.n_rows)
        return products > STALE_AFTER

"""Some of the rows, drawn by their content: the same ones in any order, any blocks, any number of hands."""

from __future__ import annotations

from typing import Self

import numpy as np

from ..blocks import Block
from .base import Array, Statistic
from .moments import Moments

EMPTY = np.iinfo(np.uint64).max


class RowSample(Statistic):
    """The designs of the ``capacity`` different rows with the smallest marks, and the range of all targets.

    Marks are numbers that depend on the content of a row as if by chance (``row_hash``), so that the rows with the
    smallest are a uniform sample without replacement of the different rows. Equal rows are one row with the sum of
    their weights; rows of weight 0 do not count.
    """

    def __init__(self, n_features: int, n_targets: int, capacity: int) -> None:
        self.n_features = n_features
        self.n_targets = n_targets
        self.capacity = capacity
        self.marks = np.full(capacity, EMPTY, dtype=np.uint64)
        self.values = np.zeros((capacity, n_features))
        self.targets = np.zeros((capacity, n_targets))
        self.weights = np.zeros(capacity)
        self.low = np.full(n_targets, np.inf)
        self.high = np.full(n_targets, -np.inf)

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(n_features, n_outputs, 20)]

    def zero(self) -> Self:
        return type(self)(self.n_features, self.n_targets, self.capacity)

    @property
    def nbytes(self) -> int:
        return 2 * self.values.nbytes

    def update(self, block: Block) -> None:
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        counted = weight > 0.0
        if not counted.any():
            return
        if block.hashes is None or block.y is None:
            raise ValueError("A sample of rows needs hashes and targets.")
        targets = np.asarray(block.y, dtype=np.float64)
        self.low = np.minimum(self.low, targets[counted].min(axis=0))
        self.high = np.maximum(self.high, targets[counted].max(axis=0))
        fresh = np.flatnonzero(counted & (block.hashes <= self.marks.max()))
        self._take(block.hashes[fresh], block.X.dense(), targets, weight[fresh], fresh)

    def merge(self, other: Self) -> None:
        self.low = np.minimum(self.low, other.low)
        self.high = np.maximum(self.high, other.high)
        held = other.marks != EMPTY
        self._take(other.marks[held], other.values, other.targets, other.weights[held], np.flatnonzero(held))

    def _take(self, marks: Array, values: Array, targets: Array, weights: Array, rows: Array) -> None:
        """Take in those of some rows whose marks are small enough; rows stay in the order of their marks."""
        if not len(marks):
            return
        held = self.n_held
        both, first, place = np.unique(
            np.concatenate([self.marks[:held], marks]), return_index=True, return_inverse=True
        )
        total = np.bincount(place, np.concatenate([self.weights[:held], weights]))[: self.capacity]
        kept = first[: self.capacity]
        old, fresh = np.flatnonzero(kept < held), np.flatnonzero(kept >= held)
        for mine, others in ((self.values, values), (self.targets, targets)):
            mine[old] = mine[kept[old]]
            mine[fresh] = others[rows[kept[fresh] - held]]
        self.marks[: len(kept)], self.weights[: len(kept)] = both[: self.capacity], total

    @property
    def n_held(self) -> int:
        """How many rows are kept."""
        return int(np.count_nonzero(self.marks != EMPTY))

    def rows(self) -> tuple[Array, Array, Array]:
        """Values, targets and weights of the rows kept."""
        held = self.n_held
        return self.values[:held], self.targets[:held], self.weights[:held]


class SampledMoments(Statistic):
    """Moments of all rows and a sample of them: what leave-one-out errors are found from."""

    def __init__(self, moments: Moments, sample: RowSample) -> None:
        self.moments = moments
        self.sample = sample

    @classmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        return [cls(Moments(n_features, n_outputs), RowSample(n_features, n_outputs, 20))]

    def zero(self) -> Self:
        return type(self)(self.moments.zero(), self.sample.zero())

    @property
    def n_rows(self) -> int:
        """Rows of weight > 0."""
        return self.moments.n_rows

    @property
    def nbytes(self) -> int:
        return self.moments.nbytes + self.sample.nbytes

    def update(self, block: Block) -> None:
        self.moments.update(block)
        self.sample.update(block)

    def merge(self, other: Self) -> None:
        self.moments.merge(other.moments)
        self.sample.merge(other.sample)

    def state(self) -> dict[str, Array]:
        both = {"moments": self.moments.state(), "sample": self.sample.state()}
        return {f"{name}.{key}": value for name, part in both.items() for key, value in part.items()}

    def restore(self, state: dict[str, Array]) -> None:
        for name, part in (("moments", self.moments), ("sample", self.sample)):
            mine = {key.removeprefix(f"{name}."): v for key, v in state.items() if key.startswith(f"{name}.")}
            part.restore(mine)

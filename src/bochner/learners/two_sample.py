"""Do two samples come from one distribution? The maximum mean discrepancy, in linear time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from ..blocks import Block, BlockSource, Part
from ..blocks.chained import ChainedBlocks
from ..compute.selection import random_subsets
from ..engines import Engine
from ..engines.local import as_engine
from ..maps.base import as_generator
from ..statistics.embedding import GroupSums
from .base import BLOCK_BYTES, default_map
from .functions import FeatureFunction
from .samples import (
    Array,
    ToFeatures,
    as_source,
    draw_features,
    p_value_in_words,
    permutation_p_value,
    rows_of,
)


@dataclass(frozen=True)
class TwoSampleResult:
    """What ``mmd_test`` found.

    Attributes
    ----------
    squared_mmd : ||mean z(X) - mean z(Y)||², the biased estimate (never negative)
    squared_mmd_unbiased : the U-statistic, with mean 0 under the null hypothesis
    p_value : by permutations; None if there were none
    witness : function from rows to z(x)'(mean z(X) - mean z(Y)), large where X has more mass than Y
    permuted : biased estimates of the permuted samples
    n_x, n_y : rows of each sample
    """

    squared_mmd: float
    squared_mmd_unbiased: float
    p_value: float | None
    n_x: int
    n_y: int
    witness: FeatureFunction = field(repr=False)
    permuted: Array = field(repr=False)

    def __str__(self) -> str:
        return (
            f"Two-sample test of {self.n_x} and {self.n_y} rows: MMD² = {self.squared_mmd:.4g} "
            f"(unbiased {self.squared_mmd_unbiased:.4g}), {p_value_in_words(self.p_value, len(self.permuted))}"
        )


def mmd_test(
    X: Any,
    Y: Any,
    feature_map: Any = None,
    *,
    n_permutations: int = 500,
    engine: Engine | int | None = None,
    random_state: Any = None,
) -> TwoSampleResult:
    """Test whether X and Y come from the same distribution, by the maximum mean discrepancy.

    MMD² = ||mean z(X) - mean z(Y)||². Under the null hypothesis every split of the pooled rows into samples of these
    sizes is equally likely, which gives a valid p-value (1 + number of splits that reach MMD²) / (1 + splits). The sums
    of z over all splits are one matrix product for each block of rows: time linear in the rows, memory one block and
    n_components x n_permutations.

    Parameters
    ----------
    X, Y : array, sparse matrix, DataFrame or BlockSource, with the same columns
    feature_map : feature map or scikit-learn transformer, default=None
        Fitted on rows of both samples. None: Fourier features of a Gaussian kernel with one length scale per column,
        256 to 2048 components.
    n_permutations : int, default=500
        0: the estimates only.
    engine, random_state : see KernelRidge

    Returns
    -------
    result : TwoSampleResult

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> result = bo.mmd_test(rng.normal(size=(300, 2)), rng.normal(0.5, 1, size=(200, 2)), random_state=0)
    >>> bool(result.p_value < 0.01), bool(result.witness([[-2.0, -2.0]])[0] > 0)
    (True, True)
    """
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, int | np.integer) or n_permutations < 0:
        raise ValueError(f"n_permutations must be a whole number of at least 0, but it is {n_permutations!r}.")
    engine = as_engine(engine)
    engine.check()
    samples = [as_source(rows, name, engine) for rows, name in ((X, "X"), (Y, "Y"))]
    pooled = ChainedBlocks(samples)
    rng = as_generator(random_state)
    features = draw_features(default_map(pooled.n_rows) if feature_map is None else feature_map, pooled, rng)
    row_bytes = features.row_bytes + 12 * (n_permutations + 2)
    block_rows = int(np.clip(min(BLOCK_BYTES, engine.memory_bytes // 8) // row_bytes, 256, 1 << 16))
    sides = [sample.rechunked(block_rows) for sample in samples]
    sizes = [np.array(engine.map(rows_of, side), dtype=np.int64) for side in sides]
    n, m = (int(size.sum()) for size in sizes)
    if min(n, m) < 2:
        raise ValueError(f"X has {n} row(s) and Y has {m}: a two-sample test needs at least 2 of each.")
    counts = split_counts(np.concatenate(sizes), n, n_permutations, rng)
    split = SplitBlocks(ChainedBlocks(sides), len(sizes[0]), counts, rng, features.dtype)
    sums = engine.fold(GroupSums(features.n_components, 2 + n_permutations), split.mapped(ToFeatures(features)))
    return result_of(sums, FeatureFunction(features, difference(sums)), float(np.finfo(features.dtype).eps))


def difference(sums: GroupSums) -> Array:
    """Mean z(X) - mean z(Y)."""
    return sums.totals[:, 0] / sums.counts[0] - sums.totals[:, 1] / sums.counts[1]


def result_of(sums: GroupSums, witness: FeatureFunction, precision: float) -> TwoSampleResult:
    """Estimates and p-value from sums over X, Y and the first half of every split.

    With T the sum over all rows and S over the half of size n: S/n - (T - S)/m. The observed split is computed the same
    way, so that a permuted split equal to it has the same value.
    """
    n, m = sums.counts[:2]
    total = sums.totals[:, 0] + sums.totals[:, 1]
    halves = np.delete(sums.totals, 1, axis=1)
    squared = np.square(halves * (1 / n + 1 / m) - (total / m)[:, None]).sum(axis=0)
    within = [
        (float(sums.totals[:, side] @ sums.totals[:, side]) - sums.squares[side]) / (count * (count - 1))
        for side, count in enumerate((n, m))
    ]
    between = float(sums.totals[:, 0] @ sums.totals[:, 1]) / (n * m)
    p_value = permutation_p_value(float(squared[0]), squared[1:], precision)
    unbiased = float(within[0] + within[1] - 2 * between)
    return TwoSampleResult(float(squared[0]), unbiased, p_value, int(n), int(m), witness, squared[1:])


def split_counts(sizes: Array, n: int, n_splits: int, rng: np.random.Generator) -> Array:
    """How many rows of each block go to the first half of each random split: shape (blocks, splits).

    Block after block the number is hypergeometric given what is left, which is the law of a uniformly random split.
    """
    counts = np.zeros((len(sizes), n_splits), dtype=np.int64)
    places, rows = np.full(n_splits, n, dtype=np.int64), int(sizes.sum())
    for block, size in enumerate(sizes.tolist()):
        if size > 0 and n_splits > 0:
            counts[block] = rng.hypergeometric(places, rows - places, size)
        places -= counts[block]
        rows -= size
    return counts


class SplitBlocks(BlockSource):
    """Pooled rows with indicators y: of X, of Y, and of the first half of every split.

    Each block has a generator of its own, so that the splits do not depend on threads.
    """

    def __init__(
        self, pooled: ChainedBlocks, first_parts: int, counts: Array, rng: np.random.Generator, dtype: np.dtype
    ) -> None:
        self.pooled = pooled
        seeds = rng.integers(2**63, size=len(counts))
        self._parts = [
            SplitPart(part, index < first_parts, counts[index], int(seeds[index]), dtype)
            for index, part in enumerate(pooled.parts())
        ]

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        pooled = ChainedBlocks.examples(X, y, folder)[0].rechunked(70)
        rows = [block.n_rows for block in pooled]
        counts = np.full((len(rows), 4), 10)
        return [cls(pooled, len(rows) // 2, counts, np.random.default_rng(0), X.dtype)]

    @property
    def n_columns(self) -> int:
        return self.pooled.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.pooled.n_rows

    def parts(self) -> list[Part]:
        return list(self._parts)

    def sample(self, n_rows: int | None = None) -> Block:
        return self.pooled.sample(n_rows)

    def rechunked(self, block_rows: int) -> BlockSource:
        return self  # the splits belong to these blocks


@dataclass(frozen=True)
class SplitPart(Part):
    """A part of X or of Y with the share of every split in it."""

    part: Part
    of_first: bool
    counts: Array
    seed: int
    dtype: np.dtype

    def __call__(self) -> Block:
        block = self.part()
        groups = np.empty((block.n_rows, 2 + len(self.counts)), dtype=self.dtype)
        groups[:, 0], groups[:, 1] = self.of_first, not self.of_first
        groups[:, 2:] = random_subsets(self.counts, block.n_rows, np.random.default_rng(self.seed), self.dtype)
        return Block(block.X, groups)

"""Are two sets of columns independent? The Hilbert-Schmidt independence criterion, in linear time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.preprocessing import FunctionTransformer

from ..blocks import ArrayBlocks, Block, BlockSource, Part
from ..blocks.paired import PairedBlocks
from ..blocks.validation import checked_rows
from ..engines import Engine
from ..engines.local import as_engine
from ..maps import Features, FourierFeatures, TransformerFeatures
from ..maps.base import as_generator
from ..maps.scoring import dense_features
from ..statistics.dependence import Pairing, PairSums
from .samples import Array, as_source, draw_features, p_value_in_words, permutation_p_value

N_COMPONENTS = 128  # of the default maps: a shuffle costs rows x the product of both widths
BLOCK_ROWS = 4096  # within which rows are shuffled


@dataclass(frozen=True)
class IndependenceResult:
    """What ``hsic_test`` found.

    Attributes
    ----------
    hsic : ||cross-covariance of the features||², the biased estimate (never negative)
    hsic_unbiased : the U-statistic, with mean 0 under the null hypothesis
    p_value : by permutations; None if there were none
    witness : function of (X, Y) rows to (z(x) - z̄)'C(t(y) - t̄), large where such pairs are more frequent than under
        independence
    permuted : biased estimates of the shuffled rows
    n_rows : number of rows
    """

    hsic: float
    hsic_unbiased: float
    p_value: float | None
    n_rows: int
    witness: PairWitness = field(repr=False)
    permuted: Array = field(repr=False)

    def __str__(self) -> str:
        return (
            f"Independence test of {self.n_rows} rows: HSIC = {self.hsic:.4g} (unbiased {self.hsic_unbiased:.4g}), "
            f"{p_value_in_words(self.p_value, len(self.permuted))}"
        )


@dataclass(frozen=True, eq=False, repr=False)
class PairWitness:
    """(x, y) -> (z(x) - z̄)'C(t(y) - t̄) with C the cross-covariance of the features."""

    left: Features
    right: Features
    left_mean: Array
    right_mean: Array
    covariance: Array

    def __call__(self, X: Any, Y: Any) -> Array:
        left, right = (
            dense_features(features, checked_rows(rows, accept_sparse="csr", dtype=features.dtype)) - mean
            for features, rows, mean in ((self.left, X, self.left_mean), (self.right, Y, self.right_mean))
        )
        return np.einsum("ij,ij->i", left @ self.covariance, right)


def hsic_test(
    X: Any,
    Y: Any,
    feature_map_x: Any = None,
    feature_map_y: Any = None,
    *,
    n_permutations: int = 200,
    engine: Engine | int | None = None,
    random_state: Any = None,
) -> IndependenceResult:
    """Test whether the rows of X and of Y are independent, by the Hilbert-Schmidt independence criterion.

    HSIC = ||1/n sum_i (z_i - z̄)(t_i - t̄)'||² with z the features of X and t those of Y. Under the null hypothesis
    shuffling the rows of Y changes nothing, which gives a valid p-value (1 + number of shuffles that reach HSIC) /
    (1 + shuffles). Time is linear in the rows; memory is one block and n_permutations times the product of both widths.

    Rows are shuffled within blocks of 4096: such shuffles are a group too, so the level is exact. Arrays are put in
    random order first. Sources are read in their order: if it follows X or Y, the test has less power.

    Parameters
    ----------
    X, Y : array, sparse matrix, DataFrame or BlockSource, with the same rows
        Sources must be cut into blocks at the same rows.
    feature_map_x, feature_map_y : feature map or scikit-learn transformer, default=None
        None: 128 Fourier features of a Gaussian kernel with one length scale per column.
    n_permutations : int, default=200
        0: the estimates only.
    engine, random_state : see KernelRidge

    Returns
    -------
    result : IndependenceResult

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(500, 1))
    >>> y = x**2 + rng.normal(size=(500, 1))  # uncorrelated, yet dependent
    >>> bool(bo.hsic_test(x, y, random_state=0).p_value < 0.01)
    True
    """
    if isinstance(n_permutations, bool) or not isinstance(n_permutations, int | np.integer) or n_permutations < 0:
        raise ValueError(f"n_permutations must be a whole number of at least 0, but it is {n_permutations!r}.")
    engine = as_engine(engine)
    engine.check()
    rng = as_generator(random_state)
    sides = [as_source(rows, name, engine) for rows, name in ((X, "X"), (Y, "Y"))]
    default = FourierFeatures(n_components=N_COMPONENTS)
    maps = [default if feature_map is None else feature_map for feature_map in (feature_map_x, feature_map_y)]
    left, right = (draw_features(feature_map, side, rng) for feature_map, side in zip(maps, sides))
    paired = PairedBlocks(*in_random_order(sides, rng)).rechunked(BLOCK_ROWS)
    shuffled = ShuffledBlocks(paired, left, right, int(n_permutations), rng)
    sums = engine.fold(PairSums(left.n_components, right.n_components, int(n_permutations)), shuffled)
    if sums.n_rows < 4:
        raise ValueError(f"X and Y have {sums.n_rows} row(s): an independence test needs at least 4.")
    values = sums.biased()
    precision = float(max(np.finfo(left.dtype).eps, np.finfo(right.dtype).eps))
    means = sums.left / sums.n_rows, sums.right / sums.n_rows
    witness = PairWitness(left, right, *means, sums.products[0] / sums.n_rows - np.outer(*means))
    p_value = permutation_p_value(float(values[0]), values[1:], precision)
    return IndependenceResult(float(values[0]), sums.unbiased(), p_value, sums.n_rows, witness, values[1:])


def in_random_order(sides: list[BlockSource], rng: np.random.Generator) -> list[BlockSource]:
    """Both sides in the same random order, where both are arrays."""
    left, right = sides
    if not (isinstance(left, ArrayBlocks) and isinstance(right, ArrayBlocks) and left.n_rows == right.n_rows):
        return sides
    order = rng.permutation(left.n_rows)
    return [ArrayBlocks(side.X[order]) for side in (left, right)]


class ShuffledBlocks(BlockSource):
    """Pairs of features with the orders in which each block is shuffled; a generator for each block."""

    def __init__(
        self, paired: PairedBlocks, left: Features, right: Features, n_shuffles: int, rng: np.random.Generator
    ) -> None:
        self.paired = paired
        parts = paired.parts()
        seeds = rng.integers(2**63, size=len(parts))
        self._parts = [ShuffledPart(part, left, right, n_shuffles, int(seed)) for part, seed in zip(parts, seeds)]

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        features = TransformerFeatures(FunctionTransformer().fit(X), X.shape[1], X[:1])
        targets = TransformerFeatures(FunctionTransformer().fit(y[:, None]), 1, y[:1, None])
        return [cls(one, features, targets, 4, np.random.default_rng(0)) for one in PairedBlocks.examples(X, y, folder)]

    @property
    def n_columns(self) -> int:
        return self.paired.n_columns

    @property
    def n_rows(self) -> int | None:
        return self.paired.n_rows

    def parts(self) -> list[Part]:
        return list(self._parts)

    def sample(self, n_rows: int | None = None) -> Block:
        return self.paired.sample(n_rows)

    def rechunked(self, block_rows: int) -> BlockSource:
        return self  # the orders belong to these blocks


@dataclass(frozen=True)
class ShuffledPart(Part):
    """A part of paired rows as features, with random orders of its rows."""

    part: Part
    left: Features
    right: Features
    n_shuffles: int
    seed: int

    def __call__(self) -> Block:
        block = self.part()
        rng = np.random.default_rng(self.seed)
        orders = np.tile(np.arange(block.n_rows, dtype=np.int32), (self.n_shuffles, 1))
        orders = rng.permuted(orders, axis=1)
        return Block(Pairing(dense_features(self.left, block.X), dense_features(self.right, block.y), orders))

"""What every kernel machine shares: rows to features, one path for arrays and streams, scores in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import Tags, assert_all_finite
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from ..blocks import ArrayBlocks, Block, BlockSource, MappedBlocks, bytes_of
from ..blocks.sample import SAMPLE_ROWS
from ..blocks.validation import validated
from ..compute.threads import over_row_chunks
from ..engines import Engine, ThreadEngine
from ..maps import FeatureMap, Features, FourierFeatures, TransformerFeatures
from ..maps.base import as_generator

Array = np.ndarray

BLOCK_BYTES = 32 << 20  # features of one block: large enough that a block's overhead vanishes, a few fit in memory


class KernelMachine(BaseEstimator, ABC):
    """A learner that is linear in features.

    ``fit(X, y)`` is ``fit_blocks(ArrayBlocks(X, y))``: there is no other path.
    """

    feature_map: Any
    engine: Engine | None
    n_jobs: int | None
    memory: int | str
    progress: bool
    random_state: Any

    @abstractmethod
    def _learn(self, source: BlockSource) -> None:
        """Learn from a source whose X and y have been checked; sets every fitted attribute but n_features_in_."""

    @abstractmethod
    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        """Validate training arrays the scikit-learn way and return them."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on arrays, sparse matrices or DataFrames.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
        y : array of shape (n_rows,) or (n_rows, n_targets)
        sample_weight : array of shape (n_rows,), default=None

        Returns
        -------
        self
        """
        self._learn(self._array_source(X, y, sample_weight, reset=True))
        return self

    def fit_blocks(self, source: BlockSource) -> Self:
        """Fit on a source of blocks: the same result as ``fit`` on the same rows, in bounded memory.

        Parameters
        ----------
        source : BlockSource

        Returns
        -------
        self
        """
        if not isinstance(source, BlockSource):
            raise TypeError(f"fit_blocks takes a BlockSource such as bo.ArrayBlocks, not {type(source).__name__}.")
        self.n_features_in_ = source.n_columns
        self._learn(source.mapped(CheckedRows(source.n_columns)))
        return self

    def _array_source(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> ArrayBlocks:
        memory = bytes_of(self.memory)
        X, y = self._checked_arrays(X, y, reset=reset)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
            if not sample_weight.any():
                raise ValueError("sample_weight is zero for every row: at least one row must count.")
        return ArrayBlocks(X, y, sample_weight, memory=memory)

    def _engine(self) -> Engine:
        return ThreadEngine(self.n_jobs, self.progress) if self.engine is None else self.engine

    def _draw_features(self, source: BlockSource) -> Features:
        """Fit a copy of the feature map on a sample of the source's rows."""
        feature_map = default_map(source.n_rows) if self.feature_map is None else clone(self.feature_map)
        if isinstance(feature_map, FeatureMap):
            if feature_map.random_state is None:
                feature_map.random_state = as_generator(self.random_state)
            rows = source.sample(SAMPLE_ROWS)
            self.feature_map_ = feature_map.fit_sample(rows.X, rows.weight)
            return feature_map.features_
        if not callable(getattr(feature_map, "transform", None)):
            raise TypeError(
                "feature_map must be a bochner feature map or a scikit-learn transformer, "
                f"not {type(feature_map).__name__}."
            )
        rows = source.sample(None).X
        self.feature_map_ = feature_map.fit(rows)
        return TransformerFeatures(feature_map, source.n_columns, rows[:1])

    def _through(self, source: BlockSource, features: Features) -> MappedBlocks:
        """The source as designs, in blocks whose features take a fixed amount of memory."""
        block_rows = max(256, min(BLOCK_BYTES, source.memory // 8) // max(1, features.row_bytes))
        return source.rechunked(int(min(block_rows, 1 << 16))).mapped(ToDesign(features))

    def _scores(self, X: Any, coefficients: Array, intercept: Array) -> Array:
        """Z c + b for new rows, chunk by chunk on threads; never the whole Z."""
        features = self.features_
        X = validated(self, X, accept_sparse="csr", dtype=features.dtype, order="C", reset=False)
        scores = np.empty((X.shape[0], coefficients.shape[1]), dtype=features.dtype)

        def fill(start: int, stop: int) -> None:
            scores[start:stop] = features.design(X[start:stop]).scores(coefficients)
            scores[start:stop] += intercept

        chunk = max(64, min(8192, (BLOCK_BYTES // 4) // max(1, features.row_bytes)))
        over_row_chunks(fill, X.shape[0], chunk, self.n_jobs)
        return scores

    def _check_fitted(self) -> None:
        check_is_fitted(self, "features_")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


@dataclass(frozen=True)
class ToDesign:
    """Rows to designs: the step that puts features between a source and a statistic."""

    features: Features

    def __call__(self, block: Block) -> Block:
        X = block.X
        if X.dtype != self.features.dtype:
            X = X.astype(self.features.dtype)
        return Block(self.features.design(X), block.y, block.weight)


@dataclass(frozen=True)
class CheckedRows:
    """Refuse blocks of the wrong width or with values that are not finite, naming what is wrong."""

    n_columns: int

    def __call__(self, block: Block) -> Block:
        if block.X.shape[1] != self.n_columns:
            raise ValueError(f"A block has {block.X.shape[1]} columns, but the first has {self.n_columns}.")
        X = block.X
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        assert_all_finite(X, input_name="X")
        if block.y is not None and block.y.dtype.kind == "f":
            assert_all_finite(block.y, input_name="y")
        if block.weight is not None:
            assert_all_finite(block.weight, input_name="sample_weight")
            if (block.weight < 0).any():
                raise ValueError("sample_weight has negative entries: weights must be at least 0.")
        return Block(X, block.y, block.weight)


def default_map(n_rows: int | None) -> FourierFeatures:
    """The map of ``feature_map=None``: Gaussian, one length scale per column from the data, width from the rows.

    About 8 sqrt(n) components: enough for the statistical error of n rows (Rudi and Rosasco 2017 show
    sqrt(n) log n suffices), between 256 and 2048.
    """
    rows = 100_000 if n_rows is None else n_rows
    return FourierFeatures(n_components=int(np.clip(64 * round(8 * np.sqrt(rows) / 64), 256, 2048)))

"""What every kernel machine shares: rows to features, one path for arrays and streams, scores in bounded memory."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from ..blocks import ArrayBlocks, Block, BlockSource, MappedBlocks
from ..blocks.base import FEW_LANES
from ..blocks.memory import BLOCK_BYTES
from ..blocks.validation import checked_finite, checked_targets, checked_weights, validated
from ..compute.row_hash import row_hash
from ..engines import Engine, ThreadEngine
from ..engines.local import as_engine
from ..kernels import Matern, SoftTails
from ..maps import FeatureMap, Features, FourierFeatures, NystroemFeatures
from ..maps.base import check_random_state
from ..maps.parameters import Composite
from ..maps.scoring import by_chunks, scores
from ..maps.suited import suited
from ..tables import TableEncoder
from ..undone import undone_on_failure
from .drawing import drawn
from .sizes import check_targets, check_weights
from .targets import Targets

Array = np.ndarray

FLAGS = ("fit_intercept", "fit_inverse_transform", "probability")
ENGINES = ("n_jobs", "memory", "progress")  # what was a parameter of learners, and is one of engines
PLAIN = (np.dtype(np.float32), np.dtype(np.float64))


class KernelMachine(Composite, ABC):
    """A learner that is linear in features.

    ``fit(X, y)`` is ``fit(ArrayBlocks(X, y))``: there is no other path.
    """

    feature_map: Any
    engine: Engine | int | None
    random_state: Any

    encoder_: TableEncoder | None = None
    _n_targets: int  # columns of coded targets, once there are rows
    _flat_targets: bool = False  # whether targets are a vector of numbers, without a table around them
    _running: Engine | None = None  # while a fit is under way

    @classmethod
    def examples(cls) -> list[Self]:
        """Instances that the contracts in tests look at."""
        return [cls()]

    @classmethod
    def instead(cls, name: str) -> str | None:
        if name in ENGINES:
            return f"an engine carries it, as in bo.{cls.__name__}(engine=bo.ThreadEngine(n_jobs=2, memory='1GB'))"
        return super().instead(name)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is read."""

    @abstractmethod
    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        """Validate training arrays the scikit-learn way and return them."""

    @abstractmethod
    def _learn(self, source: BlockSource) -> None:
        """Check the parameters, code the targets of a source that has been checked, and learn."""

    @abstractmethod
    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        """Learn from targets coded as a table with so many columns; sets every fitted attribute but the labels."""

    def _values(self, X: Any) -> Array:
        """Scores of new rows, of shape (n_rows, n_scores)."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit on rows in memory, or on a source of blocks: the same result, in bounded memory.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns), or a BlockSource
            The encodings of a source of tables are fitted in a first pass and kept as ``encoder_``: from then on
            ``predict`` takes tables with the raw columns.
        y : array of shape (n_rows,) or (n_rows, n_targets); None with a source, which brings its own
        sample_weight : array of shape (n_rows,), default=None; None with a source

        Returns
        -------
        self
        """
        with undone_on_failure(self), self._opened() as engine:
            self._check_shared()
            self._forget()
            self._learn(self._fresh_source(X, y, sample_weight, engine))
        return self

    def _can_go_on(self) -> bool:
        """Whether ``partial_fit`` has what it needs; says what to do where it has not."""
        return True

    def _forget(self) -> None:
        """Drop what ``partial_fit`` kept of rows."""
        for name in ("_rows", "_told"):
            self.__dict__.pop(name, None)

    def _more(self, X: Any, y: Any, sample_weight: Any, coding_of: Callable[[BlockSource, bool], Targets]) -> Self:
        """Take in more rows, whose targets are coded as the first call or this one says."""
        with undone_on_failure(self):
            self._check_shared()
            self._check_parameters()
            fresh = "features_" not in vars(self)
            source = (
                self._fresh_source(X, y, sample_weight, self._engine())
                if fresh
                else self._further_source(X, y, sample_weight)
            )
            coding = coding_of(source, fresh)
            coded = source.mapped(coding)
            next(iter(coded))  # an unknown label is refused before anything changes
            if fresh:
                self._n_targets = coding.n_columns
                self._begin(coded, coding.n_columns)
            self._absorb(coded)
        return self

    @abstractmethod
    def _begin(self, coded: BlockSource, n_columns: int) -> None:
        """Start from nothing, before the first rows are taken in."""

    @abstractmethod
    def _absorb(self, coded: BlockSource) -> None:
        """Take in rows whose targets are coded; more may follow."""

    def _fresh_source(self, X: Any, y: Any, sample_weight: Any, engine: Engine) -> BlockSource:
        """The first rows, or all: they decide on columns and encodings."""
        if isinstance(X, BlockSource):
            return self._block_source(X, y, sample_weight, engine)
        self.encoder_ = None
        return self._array_source(X, y, sample_weight, reset=True)

    def _further_source(self, X: Any, y: Any, sample_weight: Any) -> BlockSource:
        """More rows of the same columns."""
        if not isinstance(X, BlockSource):
            return self._array_source(X, y, sample_weight, reset=False)
        refuse_others(X, y, sample_weight)
        source = X if self.encoder_ is None else X.encoded_by(self.encoder_)
        return source.mapped(CheckedRows(self.n_features_in_))

    def _block_source(self, source: BlockSource, y: Any, sample_weight: Any, engine: Engine) -> BlockSource:
        """A source as it was given, its encodings fitted, its blocks checked as they come."""
        refuse_others(source, y, sample_weight)
        prepared = source.prepared(engine.fold, engine.run)
        self.encoder_ = prepared.encoder
        self.n_features_in_ = prepared.n_columns
        return prepared.mapped(CheckedRows(prepared.n_columns))

    @contextmanager
    def _opened(self) -> Iterator[Engine]:
        """The engine while one fit is under way."""
        with as_engine(self.engine).opened(self._what_decides) as engine:
            self._running = engine
            try:
                yield engine
            finally:
                self.__dict__.pop("_running", None)

    def _array_source(self, X: Any, y: Any, sample_weight: Any, *, reset: bool) -> ArrayBlocks:
        X, y = self._checked_arrays(self._encoded(X), y, reset=reset)
        if sample_weight is not None:
            sample_weight = checked_weights(sample_weight, X)
            check_weights(sample_weight, whole=reset)
        if is_regressor(self):
            check_targets(y, X.dtype, whole=reset)
        return ArrayBlocks(X, y, sample_weight)

    def _what_decides(self) -> Mapping[str, Any]:
        """The parameters on which the result depends, with a seed by which features are drawn again."""
        require_seed(self.random_state, self.feature_map)
        decides = {name: value for name, value in self.get_params(deep=False).items() if name != "engine"}
        return {"class": type(self).__name__, **decides}

    def _encoded(self, X: Any) -> Any:
        """X, or the columns that the model's encoder makes of it where the model was fitted on tables."""
        return X if self.encoder_ is None else self.encoder_.transform(X)

    def _check_shared(self) -> None:
        """Refuse parameters of the wrong kind among those that all machines have."""
        self.refuse_collections()
        check_random_state(getattr(self, "random_state", None))  # not all have one
        for name in FLAGS:
            value = getattr(self, name, False)
            if not isinstance(value, bool | np.bool_):
                raise ValueError(f"{name} must be True or False, not {value!r}.")

    def _engine(self) -> Engine:
        return as_engine(self.engine) if self._running is None else self._running

    def _new_map(self, source: BlockSource) -> Any:
        """A feature map to be fitted: the library's choice, a copy of what was given, or what suits a kernel given."""
        if self.feature_map is None:
            return self._default_map(source.n_rows)
        return clone(suited(self.feature_map, default_width(source.n_rows)))

    def _draw_features(self, source: BlockSource) -> Features:
        """Fit a copy of the feature map on a sample of the source's rows."""
        self.feature_map_, features = drawn(self._new_map(source), source, self.random_state)
        return features

    def _default_map(self, n_rows: int | None) -> FeatureMap:
        """The map of ``feature_map=None``."""
        return default_map(n_rows)

    def _through(self, source: BlockSource, features: Features, block_bytes: int = BLOCK_BYTES) -> MappedBlocks:
        """The source as designs, in blocks whose features take a fixed amount of memory, at most ``block_bytes``."""
        most_rows = max(64, block_bytes // max(1, features.row_bytes))
        block_rows = min(features.block_rows(self._engine().memory_bytes), most_rows)
        n_blocks = None
        if source.n_rows is not None:
            n_blocks = max(1, -(-source.n_rows // block_rows))
            if n_blocks > FEW_LANES:
                n_blocks += -n_blocks % FEW_LANES
            block_rows = max(1, -(-source.n_rows // n_blocks))  # equal blocks, and equally many for each lane
        threads = spare_threads(self._engine(), n_blocks)
        return source.rechunked(block_rows).mapped(self._step(features.on_threads(threads)))

    def _step(self, features: Features) -> Callable[[Block], Block]:
        """What makes designs of rows."""
        return ToDesign(features)

    def _scores(self, X: Any, coefficients: Array, intercept: Any) -> Array:
        """Z c + b for new rows."""
        features, n_jobs = self.features_, self._engine().n_jobs
        return self._of_rows(X, lambda rows: scores(features, rows, coefficients, intercept, n_jobs))

    def _row_values(self, X: Any, n_outputs: int, values_of: Callable[[Any], Array]) -> Array:
        """What ``values_of`` makes of the features (an array or sparse matrix) of new rows."""
        features, n_jobs = self.features_, self._engine().n_jobs
        return self._of_rows(
            X, lambda rows: by_chunks(features, rows, n_outputs, lambda some: values_of(features(some)), n_jobs)
        )

    def _of_rows(self, X: Any, values_of: Callable[[Any], Array]) -> Array:
        """What ``values_of`` makes of checked rows in the features' precision; of a source block after block."""
        if isinstance(X, BlockSource):
            source = X if self.encoder_ is None else X.encoded_by(self.encoder_)
            blocks = source.mapped(CheckedRows(self.n_features_in_))
            return np.concatenate([values_of(block.X.astype(self._row_dtype, copy=False)) for block in blocks])
        return values_of(self._checked_rows(X))

    @property
    def _row_dtype(self) -> np.dtype:
        """The precision of new rows."""
        return self.features_.dtype

    def _checked_rows(self, X: Any) -> Any:
        """New rows, checked, in the features' precision."""
        dtype = self._row_dtype
        rows = X.astype(dtype, copy=False) if self._is_plain(X) else None
        if rows is not None and np.isfinite(rows.sum()):  # a finite sum has no term that is not finite
            return rows
        return validated(self, self._encoded(X), accept_sparse="csr", dtype=dtype, order="C", reset=False)

    def _is_plain(self, X: Any) -> bool:
        """Whether X is what validation would return if it is finite: a single row must not wait for more than that."""
        return (
            type(X) is np.ndarray
            and X.ndim == 2
            and X.dtype in PLAIN
            and X.shape[0] > 0
            and X.shape[1] == self.n_features_in_
            and X.flags.c_contiguous
            and self.encoder_ is None
            and "feature_names_in_" not in self.__dict__
        )

    def _check_fitted(self) -> None:
        if "features_" not in self.__dict__:
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
class ToHashedDesign:
    """Rows to designs, each with the number that its content has, with or without targets: to draw rows by it."""

    features: Features
    with_targets: bool = True

    def __call__(self, block: Block) -> Block:
        made = ToDesign(self.features)(block)
        return replace(made, hashes=row_hash(block.X, block.y if self.with_targets else None))


@dataclass(frozen=True)
class CheckedRows:
    """Refuse blocks of the wrong width or with values that are not finite, naming what is wrong."""

    n_columns: int

    def __call__(self, block: Block) -> Block:
        if block.X.shape[1] != self.n_columns:
            raise ValueError(f"A block has {block.X.shape[1]} columns, but the first has {self.n_columns}.")
        X = block.X
        if X.dtype.kind not in "biufO":
            raise ValueError("In a block, X holds dates, words or complex numbers: give real numbers, or an encoder.")
        if X.dtype not in (np.float32, np.float64):
            X = X.astype(np.float64)
        checked_finite(X, "X")
        checked_targets(block.y, numeric=False)
        if block.y is not None and block.y.dtype.kind == "f":
            checked_finite(block.y, "y")
            check_targets(block.y, X.dtype, whole=False)
        if block.weight is not None:
            checked_finite(block.weight, "sample_weight")
            check_weights(block.weight, whole=False)
            if (block.weight < 0).any():
                raise ValueError("sample_weight has negative entries: weights must be at least 0.")
        return Block(X, block.y, block.weight)


def goes_on(machine: KernelMachine) -> bool:
    """Whether ``partial_fit`` can be called; scikit-learn shows the method only then."""
    return machine._can_go_on()


def refuse_others(source: BlockSource, y: Any, sample_weight: Any) -> None:
    """A source brings its own targets and weights."""
    if y is not None or sample_weight is not None:
        raise ValueError(
            f"{type(source).__name__} brings its own targets and weights: give them to the source, not to fit."
        )


def spare_threads(engine: Engine, n_blocks: int | None) -> int:
    """Threads that the work on each of so many blocks may start: what an engine of threads would leave idle."""
    if n_blocks is None or not isinstance(engine, ThreadEngine):
        return 1
    return max(1, engine.threads // max(1, n_blocks))


def require_seed(random_state: Any, feature_map: Any) -> None:
    """Refuse random states that a second call could not repeat."""
    own = feature_map.random_state if isinstance(feature_map, FeatureMap) else None
    used = random_state if own is None else own
    if not isinstance(used, int | np.integer):
        raise ValueError("A checkpoint needs features that a resumed fit draws again: give an integer as random_state.")


def default_width(n_rows: int | None) -> int:
    """About 8 sqrt(n) components, between 256 and 2048.

    That is enough for the statistical error of n rows: Rudi and Rosasco (2017) show that sqrt(n) log n suffices.
    """
    rows = 100_000 if n_rows is None else n_rows
    return int(np.clip(64 * round(8 * np.sqrt(rows) / 64), 256, 2048))


def default_map(n_rows: int | None) -> FourierFeatures:
    """Fourier features of a Gaussian kernel, one length scale per column from the data, width from the rows."""
    return FourierFeatures(n_components=default_width(n_rows))


def landmark_map(n_rows: int | None) -> NystroemFeatures:
    """Nystroem features of a Matern kernel of columns with soft tails: for raw tables.

    They are functions of the distances to rows of the data, so that far from all rows they vanish and predictions go
    back to the mean, where Fourier features go on at full size.
    """
    return NystroemFeatures(SoftTails(Matern("auto", nu=2.5)), n_components=default_width(n_rows))

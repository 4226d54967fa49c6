"""Kernel ridge regression and classification at the cost of a linear model."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from ..blocks import Block, BlockSource
from ..blocks.memory import DEFAULT_MEMORY
from ..engines import Engine
from ..solvers import RidgeSolution, solve_ridge
from ..statistics import Moments
from .base import Array, KernelMachine
from .classes import Signs, checked_classes, class_factors, find_classes


class RidgeMachine(KernelMachine):
    """What ridge regression and classification share: moments in, coefficients out."""

    alpha: float | str
    fit_intercept: bool

    def _check_alpha(self) -> None:
        if isinstance(self.alpha, str):
            if self.alpha != "gcv":
                raise ValueError(f"alpha must be a number >= 0 or 'gcv', not {self.alpha!r}.")
        elif not (isinstance(self.alpha, Real) and np.isfinite(self.alpha) and self.alpha >= 0):
            raise ValueError(f"alpha must be a number >= 0 or 'gcv', but it is {self.alpha!r}.")

    def _begin(self, coded: BlockSource, n_targets: int) -> None:
        """Draw the features and start from empty moments."""
        features = self._draw_features(coded)
        self.features_ = features
        self.statistic_ = Moments(features.n_components, n_targets)

    def _absorb(self, coded: BlockSource) -> None:
        """Take the rows of a source of coded targets into the moments."""
        seen = self._engine().fold(self.statistic_, self._through(coded, self.features_))
        seen.merge(self.statistic_)
        self.statistic_ = seen
        self._solution: RidgeSolution | None = None

    def _solved(self) -> RidgeSolution:
        """Solve on demand: a stream of partial_fit calls pays for one solution, not for one each."""
        self._check_fitted()
        if self._solution is None:
            self._solution = solve_ridge(self.statistic_, self.alpha, self.fit_intercept)
        return self._solution

    @property
    def coef_(self) -> Array:
        """Coefficients of the features: (n_components,), or (n_targets, n_components) where targets are a table."""
        coefficients = self._solved().coefficients.T
        return coefficients[0] if self._flat() else coefficients

    @property
    def intercept_(self) -> Array | float:
        """Value at z = 0, one for each target."""
        intercept = self._solved().intercept
        return float(intercept[0]) if self._flat() else intercept

    @property
    def alpha_(self) -> float:
        """The regularisation used."""
        return self._solved().alpha

    @property
    def gcv_path_(self) -> tuple[Array, Array]:
        """The alphas tried and the GCV score of each; only where alpha="gcv"."""
        solution = self._solved()
        if solution.gcv_alphas is None or solution.gcv_scores is None:
            raise AttributeError("gcv_path_ exists only where alpha='gcv'.")
        return solution.gcv_alphas, solution.gcv_scores

    @abstractmethod
    def _flat(self) -> bool:
        """Whether the targets were one column without a table around it."""

    def _values(self, X: Any) -> Array:
        solution = self._solved()
        dtype = self.features_.dtype
        return self._scores(X, solution.coefficients.astype(dtype), solution.intercept.astype(dtype))


class KernelRidge(MultiOutputMixin, RegressorMixin, RidgeMachine):
    """Kernel ridge regression: minimise sum_i v_i ||y_i - W'z(x_i) - b||² + alpha ||W||².

    With w = (Z'Z + alpha I)^{-1} Z'y = Z'(ZZ' + alpha I)^{-1} y this is kernel ridge regression with the kernel
    z(x)'z(y), in one pass over the rows and memory D² whatever their number. Learning is exact: ``partial_fit`` on
    pieces gives the solution of ``fit`` on the whole.

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    alpha : float or "gcv", default="gcv"
        "gcv" minimises generalised cross-validation over five values a decade, with no further pass over the rows.
        0 gives the least-squares solution of least norm.
    fit_intercept : bool, default=True
    engine : Engine, default=None
        None: threads.
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.
    memory : int or str, default="2GB"
        What statistics and blocks may take.
    progress : bool, default=False
        Show a progress bar where standard error is a terminal.
    random_state : int, Generator or None, default=None
        Used where the feature map has none of its own.

    Attributes
    ----------
    coef_, intercept_, alpha_ : the solution
    gcv_path_ : (alphas, scores) where alpha="gcv"
    feature_map_ : the fitted feature map
    statistic_ : the moments that were kept of the rows

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(1000, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1])
    >>> model = bo.KernelRidge(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.99)
    True
    """

    def __init__(
        self,
        feature_map: Any = None,
        alpha: float | str = "gcv",
        *,
        fit_intercept: bool = True,
        engine: Engine | None = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.engine = engine
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.random_state = random_state

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        return validate_data(
            self,
            X,
            y,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            multi_output=True,
            y_numeric=True,
            order="C",
            reset=reset,
        )

    def _learn(self, source: BlockSource) -> None:
        self._check_alpha()
        first = source.parts()[0]()
        self._flat_targets = target_shape(first) is None
        coded = source.mapped(AsColumns(target_shape(first)))
        self._begin(coded, target_shape(first) or 1)
        self._absorb(coded)
        self._solved()

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Take in more rows: the same solution as fitting all rows at once. The first call draws the features."""
        self._check_alpha()
        fresh = "statistic_" not in self.__dict__
        source = self._array_source(X, y, sample_weight, reset=fresh)
        shape = target_shape(source.parts()[0]())
        coded = source.mapped(AsColumns(shape))
        if fresh:
            self._flat_targets = shape is None
            self._begin(coded, shape or 1)
        elif (shape or 1) != self.statistic_.n_targets:
            raise ValueError(f"y has {shape or 1} target(s), but the model was begun with {self.statistic_.n_targets}.")
        self._absorb(coded)
        return self

    def predict(self, X: Any) -> Array:
        """Predicted targets, of shape (n_rows,) or (n_rows, n_targets)."""
        values = self._values(X)
        return values[:, 0] if self._flat_targets else values

    def _flat(self) -> bool:
        return self._flat_targets


class KernelRidgeClassifier(ClassifierMixin, RidgeMachine):
    """Kernel ridge classification: ridge regression on targets +1 and -1, one against the rest, in one pass.

    Parameters
    ----------
    feature_map, alpha, fit_intercept, engine, n_jobs, memory, progress, random_state : see KernelRidge
    class_weight : dict, "balanced" or None, default=None

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_, intercept_, alpha_, gcv_path_, feature_map_, statistic_ : see KernelRidge

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> model = bo.KernelRidgeClassifier(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.95)
    True
    """

    def __init__(
        self,
        feature_map: Any = None,
        alpha: float | str = "gcv",
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        engine: Engine | None = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.engine = engine
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.random_state = random_state

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_classification_targets(y)
        return X, y

    def _learn(self, source: BlockSource) -> None:
        self._check_alpha()
        classes, counts = find_classes(source, self._engine())
        coded = source.mapped(Signs(classes, class_factors(self.class_weight, classes, counts)))
        self._begin(coded, n_columns(classes))
        self.classes_ = classes
        self._absorb(coded)
        self._solved()

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows: the same solution as fitting all rows at once.

        The first call draws the features and must know all ``classes`` (default: those in its y).
        """
        self._check_alpha()
        if isinstance(self.class_weight, str):
            raise ValueError("class_weight='balanced' needs all rows at once: give the weights as a dict.")
        fresh = "statistic_" not in self.__dict__
        source = self._array_source(X, y, sample_weight, reset=fresh)
        known = checked_classes(np.unique(np.asarray(y if classes is None else classes))) if fresh else self.classes_
        coded = source.mapped(Signs(known, class_factors(self.class_weight, known, np.ones(len(known)))))
        coded.parts()[0]()  # an unknown label is refused before anything changes
        if fresh:
            self._begin(coded, n_columns(known))
            self.classes_ = known
        self._absorb(coded)
        return self

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

    def _flat(self) -> bool:
        return False


@dataclass(frozen=True)
class AsColumns:
    """Targets as a float64 table with a known number of columns (None: they came without a table around them)."""

    n_targets: int | None

    def __call__(self, block: Block) -> Block:
        if block.y is None:
            return block
        y = np.asarray(block.y, dtype=np.float64)
        return Block(block.X, y.reshape(block.n_rows, -1), block.weight)


def target_shape(block: Block) -> int | None:
    """Number of target columns, or None for targets that are a plain vector."""
    if block.y is None:
        raise ValueError("The source has no targets y: regression needs them.")
    return None if np.ndim(block.y) == 1 else np.shape(block.y)[1]


def n_columns(classes: Array) -> int:
    """Columns that code this many classes."""
    return 1 if len(classes) == 2 else len(classes)

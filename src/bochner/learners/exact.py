"""Kernel ridge regression and classification with the kernel itself, in the memory that is given."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import asdict, dataclass
from numbers import Real
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import eigh
from sklearn.base import ClassifierMixin, MultiOutputMixin, RegressorMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets

from ..blocks import BlockSource
from ..blocks.memory import DEFAULT_MEMORY, bytes_of
from ..blocks.validation import validated
from ..compute.threads import thread_count
from ..engines import Engine
from ..kernels import Gaussian, Kernel, Projected
from ..kernels.length_scale import robust_scales
from ..maps.base import as_generator, checked_count
from ..maps.nystroem import KernelValues
from ..maps.projected import ProjectedFeatures, through
from ..solvers.dual import DIRECT, solve_dual
from ..solvers.dual_problem import DualProblem, DualSolution, Values, kernel_product
from .base import Array, KernelMachine
from .classes import Signs, class_factors, find_classes
from .ridge import AsColumns, n_columns, target_shape

ALPHAS = (1e-4, 1e-3, 1e-2, 1e-1, 1.0, 10.0)  # relative to the mean of k(x, x)
CHOOSING, JUDGED = 3_900, 0.5  # rows that choose alpha, and the share of them that judges
PREDICTED = 2048  # rows at a time
FEW_VALUES = 1 << 24  # of the kernel, for which there is no hurry
REPRESENTATIVE = 20_000  # rows from which words among the kernel's parameters become numbers


class ExactMachine(KernelMachine):
    """f(x) = b + sum_i a_i k(x_i, x) over all rows seen: a kernel machine without a feature map."""

    feature_map = None
    kernel: Kernel | None
    alpha: float | str
    tol: float
    max_iter: int

    def _check_parameters(self) -> None:
        if not (self.kernel is None or isinstance(self.kernel, Kernel)):
            raise TypeError(f"kernel must be a bochner kernel such as bo.Gaussian(), not {type(self.kernel).__name__}.")
        number = isinstance(self.alpha, Real) and np.isfinite(self.alpha) and self.alpha >= 0
        if not (number or self.alpha == "auto"):
            raise ValueError(f"alpha must be a number >= 0 or 'auto', not {self.alpha!r}.")
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _fit_rows(self, coded: BlockSource) -> None:
        """Learn from all rows of a source of coded targets."""
        blocks = list(coded)
        counts = [block.n_rows for block in blocks]
        X = joined([block.X.toarray() if sp.issparse(block.X) else block.X for block in blocks])
        y = joined([block.y for block in blocks])
        weight = np.concatenate([np.ones(n) if b.weight is None else b.weight for n, b in zip(counts, blocks)])
        counted = weight > 0.0
        if not counted.any():
            raise ValueError("The weights of all rows are 0: there is nothing to learn from.")
        if not counted.all():
            X, y, weight = X[counted], y[counted], weight[counted]
        some = coded.sample(REPRESENTATIVE)
        plain = Gaussian(robust_scales(some.X, some.weight)) if self.kernel is None else self.kernel
        kernel = plain.resolve(some.X, some.weight)
        features = kernel_values(kernel, X)
        inner = behind_projections(features)
        limits = Limits(self.tol, self.max_iter, thread_count(self.n_jobs), bytes_of(self.memory))
        problem = Centred(inner, X.dtype, y, weight, as_generator(self.random_state), limits)
        self.kernel_ = kernel
        self.alpha_ = problem.chosen_alpha() if self.alpha == "auto" else float(self.alpha)
        found = problem.solved(np.arange(len(X)), self.alpha_)
        self.n_iter_ = found.n_iter
        self._coefficients, self._intercept = found.coefficients, problem.mean
        self.features_ = features
        if not found.converged:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} passes that met residuals of "
                f"{found.gap:.1e} of the targets, above tol={self.tol:.1e}: raise max_iter, tol or alpha.",
                ConvergenceWarning,
                stacklevel=5,
            )

    def _values(self, X: Any) -> Array:
        """Scores of new rows, tile by tile; many in the precision of the training rows, few in double precision."""
        self._check_fitted()
        features, coefficients = self.features_, self._coefficients
        dtype = coefficients.dtype
        X = validated(self, self._encoded(X), accept_sparse="csr", dtype=[dtype], order="C", reset=False)
        rows = projected_rows(features, X.toarray() if sp.issparse(X) else X)
        inner = behind_projections(features)
        if len(rows) * len(coefficients) <= FEW_VALUES:
            rows, coefficients = rows.astype(np.float64), coefficients.astype(np.float64)
        values = values_of(inner.kernel, coefficients.dtype)
        out = np.empty((len(rows), coefficients.shape[1]), dtype=dtype)
        for start in range(0, len(rows), PREDICTED):
            some = rows[start : start + PREDICTED]
            product = kernel_product(values, some, inner.landmarks, coefficients, thread_count(self.n_jobs))
            out[start : start + PREDICTED] = product[0]
        return out + self._intercept.astype(dtype)

    @property
    def dual_coef_(self) -> Array:
        """The coefficient of each row for each target, shape (n_rows, n_targets); rows of weight 0 are left out."""
        self._check_fitted()
        return self._coefficients

    @property
    def intercept_(self) -> Array:
        """What is added: the weighted mean of the targets."""
        self._check_fitted()
        return self._intercept

    @abstractmethod
    def _learn(self, source: BlockSource) -> None:
        """Code the targets and fit."""


@dataclass(frozen=True)
class Limits:
    """When a solver ends, and what it may use."""

    tol: float
    max_iter: int
    threads: int
    memory: int


class Centred:
    """Rows with targets less their weighted mean, solved for some rows and alphas."""

    def __init__(
        self, inner: KernelValues, dtype: np.dtype, y: Array, weight: Array, rng: np.random.Generator, limits: Limits
    ) -> None:
        self.values, self.rows = values_of(inner.kernel, dtype), inner.landmarks
        self.weight, self.rng, self.limits = weight, rng, limits
        self.mean = weight @ y / weight.sum()
        self.targets = (y - self.mean).astype(dtype)
        self.size = float(np.average(inner.kernel.diagonal(self.rows), weights=weight))

    def solved(self, some: Array, alphas: Any) -> DualSolution:
        """Solutions for some rows; for several alphas the targets are repeated, alpha by alpha."""
        alphas = np.atleast_1d(np.asarray(alphas, dtype=np.float64))
        targets = np.tile(self.targets[some], len(alphas))
        repeated = np.repeat(alphas, self.targets.shape[1])
        problem = DualProblem(self.values, self.rows[some], targets, self.weight[some], repeated)
        return solve_dual(problem, rng=self.rng, **asdict(self.limits))

    def chosen_alpha(self) -> float:
        """For few rows the alpha of least generalised cross-validation; for more that of least error on held-out rows.

        Alpha is a variance of noise, which does not depend on the number of rows: some of them tell.
        """
        alphas = self.size * np.array(ALPHAS)
        if len(self.rows) <= DIRECT:
            return self._by_gcv(alphas)
        order = self.rng.permutation(len(self.rows))[:CHOOSING]
        n_judged = max(1, int(JUDGED * len(order)))
        judged, training = order[:n_judged], order[n_judged:]
        found = self.solved(training, alphas).coefficients
        predicted, _ = kernel_product(self.values, self.rows[judged], self.rows[training], found, self.limits.threads)
        missed = np.square(predicted - np.tile(self.targets[judged], len(alphas)))
        errors = (self.weight[judged] @ missed).reshape(len(alphas), -1).sum(axis=1)
        return float(alphas[errors.argmin()])

    def _by_gcv(self, alphas: Array) -> float:
        """N sum v r² / (N - tr H)² for N = sum v.

        V^{1/2} r = alpha (S + alpha I)^{-1} V^{1/2} y with S = V^{1/2} K V^{1/2}, whose eigenvalues serve all alphas.
        H takes y to f; the mean, which was taken off before, counts one more.
        """
        roots = np.sqrt(self.weight)
        values, vectors = eigh(np.outer(roots, roots) * self.values(self.rows, self.rows), check_finite=False)
        values = np.maximum(values, 0.0)
        along = np.square(vectors.T @ (roots[:, None] * self.targets)).sum(axis=1)
        total = float(self.weight.sum())
        scores = []
        for alpha in alphas:
            left = alpha / (values + alpha)
            freedom = max(total - 1.0 - float((1.0 - left).sum()), 1e-6 * total)
            scores.append(total * float(np.square(left) @ along) / freedom**2)
        return float(alphas[int(np.argmin(scores))])


def joined(parts: list[Any]) -> Array:
    """Arrays one after the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def values_of(kernel: Kernel, dtype: np.dtype) -> Values:
    """How kernel values are made in this precision."""
    return kernel.single if dtype == np.float32 else kernel


def kernel_values(kernel: Kernel, X: Array) -> KernelValues | ProjectedFeatures:
    """k(x_i, x) for all rows as features, rows that a metric changes stored as it sees them."""
    if isinstance(kernel, Projected):
        matrix = np.asarray(kernel.matrix)
        made = through(matrix, kernel_values(kernel.kernel, X @ matrix.T.astype(X.dtype)))
        assert isinstance(made, ProjectedFeatures)
        return made
    return KernelValues(kernel, np.ascontiguousarray(X), X.dtype)


def behind_projections(features: Any) -> KernelValues:
    """The kernel values behind all projections."""
    return behind_projections(features.inner) if isinstance(features, ProjectedFeatures) else features


def projected_rows(features: Any, X: Array) -> Array:
    """Rows as the kernel behind all projections sees them."""
    if not isinstance(features, ProjectedFeatures):
        return X
    return projected_rows(features.inner, X @ features.matrix.T.astype(X.dtype))


class ExactKernelRidge(MultiOutputMixin, RegressorMixin, ExactMachine):
    """Kernel ridge regression with the kernel itself: minimise sum_i v_i (y_i - b - f(x_i))² + alpha ||f||².

    f = sum_i a_i k(x_i, .) with (K + alpha V^{-1}) a = y - b, b the weighted mean of the targets. Where half of the
    matrix K fits ``memory`` it is kept, and the system solved by conjugate gradients with a Nystroem preconditioner (in
    single precision 2 GB are enough for 27,000 rows). Where it does not, it is never stored: stochastic steps on
    batches of rows, preconditioned by the leading eigenvectors of a sample (EigenPro, Ma and Belkin 2019), come near
    the solution in a few passes of n² kernel values each. For some ten thousand rows of which every one counts; beyond,
    time grows with their square, and feature maps are the way. Up to 2,000 rows the solution is exact.

    Parameters
    ----------
    kernel : Kernel, default=None
        None: Gaussian, one length scale per column, as in KernelRidge.
    alpha : float or "auto", default="auto"
        "auto": the best of 1e-4 to 10 times the mean of k(x, x), by generalised cross-validation up to 2,000 rows, by
        the error on held-out rows beyond.
    tol : float, default=1e-2
        Passes end when one has met residuals of at most this share of the targets; conjugate gradients, when their last
        two steps changed the predictions by less than this share.
    max_iter : int, default=20
        Most passes; sixteen times as many products with values that are kept.
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.
    memory : int or str, default="2GB"
        What kernel values may take.
    engine, progress : as in KernelRidge
        They serve ``fit_blocks`` reading its source, whose rows are then kept in memory.
    random_state : int, Generator or None, default=None
        Which rows precondition, and the order of the batches.

    Attributes
    ----------
    kernel_ : the kernel with its length scales as numbers
    dual_coef_, intercept_, alpha_, n_iter_ : the solution

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(1000, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1])
    >>> model = bo.ExactKernelRidge(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.999)
    True
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        alpha: float | str = "auto",
        *,
        tol: float = 1e-2,
        max_iter: int = 20,
        engine: Engine | None = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.random_state = random_state

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        types = [np.float64, np.float32]
        return validated(
            self, X, y, accept_sparse="csr", dtype=types, multi_output=True, y_numeric=True, order="C", reset=reset
        )

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        shape = target_shape(source.sample(1))
        self._fit_rows(source.mapped(AsColumns(shape)))
        self._flat_targets = shape is None

    def predict(self, X: Any) -> Array:
        """Predicted targets, of shape (n_rows,) or (n_rows, n_targets)."""
        values = self._values(X)
        return values[:, 0] if self._flat_targets else values


class ExactKernelRidgeClassifier(ClassifierMixin, ExactMachine):
    """Classification by ExactKernelRidge on targets +1 and -1, one against the rest.

    Parameters
    ----------
    kernel, alpha, tol, max_iter : see ExactKernelRidge
    class_weight : dict, "balanced" or None, default=None
    engine, n_jobs, memory, progress, random_state : see ExactKernelRidge

    Attributes
    ----------
    classes_ : the labels, sorted
    kernel_, dual_coef_, intercept_, alpha_, n_iter_ : see ExactKernelRidge

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> model = bo.ExactKernelRidgeClassifier(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.95)
    True
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        alpha: float | str = "auto",
        *,
        tol: float = 1e-2,
        max_iter: int = 20,
        class_weight: Any = None,
        engine: Engine | None = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.class_weight = class_weight
        self.engine = engine
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.random_state = random_state

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        X, y = validated(self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", reset=reset)
        check_classification_targets(y)
        return X, y

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        classes, counts = find_classes(source, self._engine())
        coded = source.mapped(Signs(classes, class_factors(self.class_weight, classes, counts)))
        self._fit_rows(coded)
        self.classes_ = classes

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two, one column per class for more."""
        values = self._values(X)
        return values[:, 0] if n_columns(self.classes_) == 1 else values

    def predict(self, X: Any) -> Array:
        """Predicted labels."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]

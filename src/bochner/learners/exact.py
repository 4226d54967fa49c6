"""Kernel ridge regression and classification with the kernel itself, in the memory that is given."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from typing import Any, Literal

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from ..blocks import BlockSource
from ..compute.numbers import is_number
from ..engines import Engine
from ..kernels import Kernel
from ..maps.base import as_generator, checked_count
from ..maps.changed_rows import behind_changes
from ..solvers.dual import DIRECT, dual_bytes, keeps_kernel
from ..solvers.kept_kernel import kept_bytes, landmark_work
from ..statistics.held_out import misclassified, squared_error
from .base import Array
from .classification import Classification
from .exact_machine import ExactMachine, all_rows, kernel_values
from .exact_problem import Centred, Limits
from .regression import Regression

INTERCEPTS = ("mean", "none", "free")


class ExactRidge(ExactMachine):
    """Least squares with a penalty alpha ||f||²: a coefficient for every row seen."""

    alpha: float | str
    tol: float
    max_iter: int
    intercept: str

    _range: tuple[Array, Array] | None = None
    _held_out_error: float | None = None

    def _check_parameters(self) -> None:
        self._check_kernel()
        if self.intercept not in INTERCEPTS:
            raise ValueError(f"intercept must be 'mean', 'none' or 'free', not {self.intercept!r}.")
        automatic = isinstance(self.alpha, str) and self.alpha == "auto"
        if not (automatic or (is_number(self.alpha) and self.alpha >= 0)):
            raise ValueError(f"alpha must be a number >= 0 or 'auto', not {self.alpha!r}.")
        if not (is_number(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _learn_coded(self, coded: BlockSource, n_columns: int) -> None:
        X, y, weight = all_rows(coded, self._engine().memory_bytes)
        counted = weight > 0.0
        if not counted.any():
            raise ValueError("The weights of all rows are 0: there is nothing to learn from.")
        if not counted.all():
            X, y, weight = X[counted], y[counted], weight[counted]
        kernel = self._resolved(coded)
        features = kernel_values(kernel, X)
        inner = behind_changes(features)
        limits = Limits(self.tol, self.max_iter, self._engine().threads, self._engine().memory_bytes)
        problem = Centred(inner, X.dtype, y, weight, self.intercept, as_generator(self.random_state), limits)
        self.kernel_ = kernel
        self._range = self._held_out_error = None
        if self.alpha == "auto":
            self.alpha_, self._held_out_error = problem.chosen_alpha(self._row_error)
            self._range = problem.low, problem.high
        else:
            self.alpha_ = float(self.alpha)
        found, self._intercept = problem.with_intercept(self.alpha_)
        self.n_iter_ = found.n_iter
        self._coefficients = found.coefficients
        self.features_ = features
        if not found.converged:
            warnings.warn(
                f"{type(self).__name__} stopped after max_iter={self.max_iter} passes that met residuals of "
                f"{found.gap:.1e} of the targets, above tol={self.tol:.1e}: raise max_iter, tol or alpha.",
                ConvergenceWarning,
                stacklevel=4,
            )

    def kernel_bytes(self, n_rows: int, dtype: np.dtype) -> int:
        memory, threads = self._engine().memory_bytes, self._engine().threads
        choosing = min(n_rows, DIRECT) if self.alpha == "auto" else 0
        return max(dual_bytes(rows, dtype, memory, threads) for rows in (n_rows, choosing))

    def memory_for_fewer(self, n_rows: int, dtype: np.dtype) -> int:
        return kept_bytes(n_rows, dtype) if self._keeps_kernel(n_rows, dtype) else 1

    def preconditioner_work(self, n_rows: int, fewer: int, dtype: np.dtype) -> float:
        if not self._keeps_kernel(n_rows, dtype):
            return 0.0
        judging = landmark_work(fewer - fewer // 5) if self.alpha == "auto" else 0.0  # a fifth is left out to judge
        return landmark_work(fewer) + judging

    def _keeps_kernel(self, n_rows: int, dtype: np.dtype) -> bool:
        return keeps_kernel(n_rows, dtype, self._engine().memory_bytes)

    @property
    def dual_coef_(self) -> Array:
        """The coefficient of each row for each target, shape (n_rows, n_targets); rows of weight 0 are left out."""
        self._check_fitted()
        return self._coefficients

    @property
    def intercept_(self) -> Array:
        """What is added, b, one for each target."""
        self._check_fitted()
        return self._intercept

    @property
    def held_out_error_(self) -> float:
        """Mean error of rows left out, at the alpha chosen: squared, or the share of wrong labels."""
        self._check_fitted()
        if self._held_out_error is None:
            raise AttributeError("held_out_error_ exists only where alpha='auto' was chosen by rows left out.")
        return self._held_out_error

    @property
    def range_(self) -> tuple[Array, Array] | None:
        """Least and greatest target seen, between which predictions are kept; None where alpha was given."""
        self._check_fitted()
        return self._range

    @staticmethod
    @abstractmethod
    def _row_error(y: Array, scores: Array) -> Array:
        """The error of each row that ``held_out_error_`` is the mean of."""

    @property
    def norm_(self) -> Array:
        """||f|| = sqrt(a'Ka) in the kernel's space, for each target; found anew at each call, from n² kernel values."""
        self._check_fitted()
        inner = behind_changes(self.features_)
        coefficients = self._coefficients.astype(np.float64)
        values = self._products(inner.landmarks.astype(np.float64), coefficients)
        return np.sqrt(np.maximum(np.einsum("ij,ij->j", coefficients, values), 0.0))


class ExactKernelRidge(ExactRidge, Regression):
    """Kernel ridge regression with the kernel itself: minimise sum_i v_i (y_i - b - f(x_i))² + alpha ||f||².

    f = sum_i a_i k(x_i, .) with (K + alpha V^{-1}) a = y - b. Where half of the matrix K fits the memory of the engine,
    it is kept, and the system solved by conjugate gradients with a Nystroem preconditioner (in single precision 2 GB
    are enough for 27,000 rows). Where it does not, it is never stored: stochastic steps on batches of rows,
    preconditioned by the leading eigenvectors of a sample (EigenPro, Ma and Belkin 2019), come near the solution in a
    few passes of n² kernel values each. For some ten thousand rows of which every one counts; beyond, time grows with
    their square, and feature maps are the way. Up to 2,000 rows the solution is exact.

    Parameters
    ----------
    kernel : Kernel, default=None
        None: made for raw tables, as in KernelRidge: Matern (nu = 5/2) with one length scale per column, of columns
        with soft tails (``bo.SoftTails``).
    alpha : float or "auto", default="auto"
        "auto": up to 2,000 rows the best of 1e-6 to 10 times the mean of k(x, x) by leave-one-out error, beyond the
        best of 1e-4 to 10 times by the error on held-out rows. Predictions are then kept in the range of the targets
        seen.
    tol : float, default=1e-2
        Passes end when one has met residuals of at most this share of the targets; conjugate gradients, when their last
        two steps changed the predictions by less than this share.
    max_iter : int, default=20
        Most passes; sixteen times as many products with values that are kept.
    intercept : {"mean", "none", "free"}, default="mean"
        Three different machines: b is the weighted mean of the targets; b = 0; or b is free of the penalty, as in
        KernelRidge: b = 1'(K + alpha V^{-1})^{-1} y / 1'(K + alpha V^{-1})^{-1} 1. "auto" chooses alpha for "free" as
        for "mean".
    engine : Engine, int or None, default=None
        As in KernelRidge; its memory is what kernel values may take, beside the rows, which are kept.
    random_state : int, Generator or None, default=None
        Which rows precondition, and the order of the batches.

    Attributes
    ----------
    kernel_ : the kernel with its length scales as numbers
    dual_coef_, intercept_, alpha_, n_iter_ : the solution
    norm_ : sqrt(a'Ka), the norm of f in the kernel's space, for each target
    held_out_error_ : mean squared error of rows left out (of a fifth of them beyond 2,000), where alpha="auto"
    range_ : least and greatest target, between which predictions are kept, where alpha="auto"

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(1000, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1])
    >>> model = bo.ExactKernelRidge(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.999)
    True
    >>> X, y = [[0.0], [1.0], [2.5]], [1.0, -1.0, 2.0]
    >>> model = bo.ExactKernelRidge(bo.Gaussian(1.0), 0.5, intercept="none").fit(X, y)
    >>> model.predict([[0.7]]).round(8), model.norm_.round(6)
    (array([-0.16378337]), array([1.664134]))
    """

    def __init__(
        self,
        kernel: Kernel | None = None,
        alpha: float | str = "auto",
        *,
        tol: float = 1e-2,
        max_iter: int = 20,
        intercept: Literal["mean", "none", "free"] = "mean",
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.intercept = intercept
        self.engine = engine
        self.random_state = random_state

    @staticmethod
    def _row_error(y: Array, scores: Array) -> Array:
        return squared_error(y, scores) / y.shape[1]


class ExactKernelRidgeClassifier(ExactRidge, Classification):
    """Classification by ExactKernelRidge on targets +1 and -1, one against the rest.

    Parameters
    ----------
    kernel, alpha, tol, max_iter, intercept : see ExactKernelRidge
    class_weight : dict, "balanced" or None, default=None
    engine, random_state : see ExactKernelRidge

    Attributes
    ----------
    classes_ : the labels, sorted
    held_out_error_ : share of wrong labels among rows left out, where alpha="auto"
    kernel_, dual_coef_, intercept_, alpha_, n_iter_, norm_ : see ExactKernelRidge

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
        intercept: Literal["mean", "none", "free"] = "mean",
        class_weight: Any = None,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kernel = kernel
        self.alpha = alpha
        self.tol = tol
        self.max_iter = max_iter
        self.intercept = intercept
        self.class_weight = class_weight
        self.engine = engine
        self.random_state = random_state

    @staticmethod
    def _row_error(y: Array, scores: Array) -> Array:
        return misclassified(y, scores)

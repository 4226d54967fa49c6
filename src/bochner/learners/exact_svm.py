"""Support vector classification with the kernel itself."""

from __future__ import annotations

from itertools import combinations
from typing import Any, Literal

import numpy as np
from sklearn.svm import SVC

from ..blocks import BlockSource
from ..compute.numbers import is_number
from ..compute.threads import over_row_chunks
from ..engines import Engine
from ..kernels import Kernel
from ..maps.base import checked_count
from ..maps.changed_rows import behind_changes
from ..maps.nystroem import KernelValues
from ..solvers.dual_problem import TILE
from .base import Array
from .classification import Classification
from .exact_machine import ExactMachine, all_rows, kernel_values
from .targets import Places, labels_of

SHAPES = ("ovr", "ovo")
LIBSVM_CACHE = 200 << 20  # bytes of rows of the matrix in single precision


class ExactKernelSVC(ExactMachine, Classification):
    """Support vector classification with the kernel: minimise ||f||²/2 + C sum_i v_i max(0, 1 - y_i (f(x_i) + b)).

    f = sum_i y_i a_i k(x_i, .), where the dual variables a maximise sum_i a_i - sum_ij a_i a_j y_i y_j k(x_i, x_j) / 2
    with 0 <= a_i <= C v_i and sum_i y_i a_i = 0. Rows with a_i > 0 are the support vectors, and prediction costs a
    kernel value for each of them. More than two classes are told one against one, and the votes counted. The dual is
    solved by LIBSVM (scikit-learn's ``SVC``) on kernel values made here, n² of them in double precision: 10,000 rows
    take 0.8 GB. For more rows ``KernelSVC(loss="hinge")`` solves the same problem in features.

    Parameters
    ----------
    kernel : Kernel, default=None
        None: Matern (nu = 5/2) with one length scale per column, of columns with soft tails, as in KernelRidge.
    C : float, default=1.0
    class_weight : dict, "balanced" or None, default=None
        C of a class is C times its weight.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        What ``decision_function`` gives for more than two classes: votes for each class with ties broken by the scores,
        or the score of each pair of classes, positive for the first of them.
    tol : float, default=1e-8
        How far scores may be from the optimality conditions. At large C scikit-learn's 1e-3 is several times as fast.
    max_iter : int, default=-1
        Most steps of the solver for each pair of classes; -1: no limit.
    engine : Engine, int or None, default=None
        As in KernelRidge; its memory is what kernel values may take, beside the rows, which are kept.

    Attributes
    ----------
    classes_ : the labels, sorted
    kernel_ : the kernel with its length scales as numbers
    support_ : places of the support vectors among the rows, class by class
    n_support_ : number of support vectors of each class
    dual_coef_ : y_i a_i of the support vectors, of shape (n_classes - 1, n_support_vectors): for one of class c, row j
        is from the machine of c and the j-th of the other classes
    intercept_ : b, one for each pair of classes
    n_iter_ : steps of the solver, for each pair of classes

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.5]]), np.array([-1, 1, 1, -1])
    >>> model = bo.ExactKernelSVC(bo.Gaussian(1.0), C=2.0).fit(X, y)
    >>> model.dual_coef_.round(4), model.intercept_.round(4)
    (array([[-1.876 , -0.8946,  2.    ,  0.7706]]), array([-0.4394]))
    >>> model.decision_function([[0.7]]).round(4)
    array([0.3175])
    """

    random_state = 0  # nothing is drawn

    def __init__(
        self,
        kernel: Kernel | None = None,
        C: float = 1.0,
        *,
        class_weight: Any = None,
        decision_function_shape: Literal["ovr", "ovo"] = "ovr",
        tol: float = 1e-8,
        max_iter: int = -1,
        engine: Engine | int | None = None,
    ) -> None:
        self.kernel = kernel
        self.C = C
        self.class_weight = class_weight
        self.decision_function_shape = decision_function_shape
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine

    def _check_parameters(self) -> None:
        self._check_kernel()
        for name, value in (("C", self.C), ("tol", self.tol)):
            if not (is_number(value) and value > 0):
                raise ValueError(f"{name} must be a number > 0, but it is {value!r}.")
        if self.max_iter != -1:
            checked_count(self.max_iter, "max_iter")
        if self.decision_function_shape not in SHAPES:
            raise ValueError(f"decision_function_shape must be 'ovr' or 'ovo', not {self.decision_function_shape!r}.")

    def _coding(self, classes: Array, factors: Array | None) -> Places:
        return Places(classes, factors)

    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        X, places, weight = all_rows(source, self._engine().memory_bytes)
        counted = np.flatnonzero(weight > 0.0)
        X, weight = X[counted], weight[counted]
        present, codes = np.unique(places[counted, 0].astype(np.intp), return_inverse=True)
        kernel = self._resolved(source)
        steps = min(int(self.max_iter), 2**31 - 1)
        machine = SVC(C=float(self.C), kernel="precomputed", tol=float(self.tol), max_iter=steps)
        machine.fit(self._gram(behind_changes(kernel_values(kernel, X))), codes, weight)
        known = self.classes_ if self._told is None else self._told
        self.classes_, self.kernel_ = known[present], kernel
        self.features_ = kernel_values(kernel, X[machine.support_])
        self.support_, self.n_support_ = counted[machine.support_], machine.n_support_
        self.n_iter_ = machine.n_iter_
        self._coefficients = by_pair(machine.dual_coef_, self.n_support_).astype(X.dtype)
        self._intercept = machine.intercept_

    def kernel_bytes(self, n_rows: int, dtype: np.dtype) -> int:
        self._check_fits(n_rows)
        return 8 * n_rows**2 + min(LIBSVM_CACHE, 4 * n_rows**2)

    def _check_fits(self, n_rows: int) -> None:
        if 8 * n_rows**2 > self._engine().memory_bytes:
            raise ValueError(
                f"The kernel matrix of {n_rows} rows takes {8e-9 * n_rows**2:.1f} GB, more than the "
                "memory of the engine: allow more, or take KernelSVC, which needs no such matrix."
            )

    def _gram(self, inner: KernelValues) -> Array:
        """The kernel matrix of the rows, if it fits the memory."""
        n_rows = inner.n_components
        self._check_fits(n_rows)
        gram = np.empty((n_rows, n_rows))

        def fill(start: int, stop: int) -> None:
            gram[start:stop] = inner.kernel(inner.landmarks[start:stop], inner.landmarks)

        over_row_chunks(fill, n_rows, TILE, self._engine().threads)
        return gram

    @property
    def dual_coef_(self) -> Array:
        """y_i a_i of the support vectors, shape (n_classes - 1, n_support_vectors)."""
        self._check_fitted()
        return by_class(self._coefficients, self.n_support_)

    @property
    def intercept_(self) -> Array:
        """What is added, for each pair of classes."""
        self._check_fitted()
        return self._intercept

    def decision_function(self, X: Any) -> Array:
        """Scores: positive for the second class of two; for more see ``decision_function_shape``."""
        values = self._values(X)
        if len(self.classes_) == 2:
            return values[:, 0]
        return values if self.decision_function_shape == "ovo" else votes(values, len(self.classes_))

    def predict(self, X: Any) -> Array:
        """Predicted labels: of the most votes, ties broken by the scores."""
        values = self._values(X)
        n_classes = len(self.classes_)
        return labels_of(self.classes_, values if n_classes == 2 else votes(values, n_classes))


def class_pairs(n_classes: int) -> tuple[Array, Array]:
    """First and second class of each pair, in the order of the machines."""
    first, second = np.array(list(combinations(range(n_classes), 2))).T
    return first, second


def votes(scores: Array, n_classes: int) -> Array:
    """Votes of the machines of two classes each, and less than half a vote for how sure they are."""
    first, second = np.eye(n_classes, dtype=scores.dtype)[np.stack(class_pairs(n_classes))]
    sure = scores @ (first - second)
    won = (scores >= 0).astype(scores.dtype)
    return won @ first + (1 - won) @ second + sure / (3 * (np.abs(sure) + 1))


def by_pair(dual: Array, n_support: Array) -> Array:
    """LIBSVM's table of coefficients as one column for each pair of classes, 0 for support vectors of others."""
    of_class = np.repeat(np.arange(len(n_support)), n_support)
    columns = []
    for first, second in zip(*class_pairs(len(n_support))):
        columns.append(np.where(of_class == first, dual[second - 1], np.where(of_class == second, dual[first], 0.0)))
    return np.stack(columns, axis=1)


def by_class(coefficients: Array, n_support: Array) -> Array:
    """The inverse of ``by_pair``."""
    of_class = np.repeat(np.arange(len(n_support)), n_support)
    dual = np.zeros((len(n_support) - 1, len(of_class)), dtype=coefficients.dtype)
    for pair, (first, second) in enumerate(zip(*class_pairs(len(n_support)))):
        dual[second - 1, of_class == first] = coefficients[of_class == first, pair]
        dual[first, of_class == second] = coefficients[of_class == second, pair]
    return dual

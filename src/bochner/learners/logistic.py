"""Kernel logistic regression: probabilities from a likelihood."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import expit, softmax

from ..blocks import BlockSource
from ..engines import Engine
from ..losses import Logistic, Multinomial
from .base import Array
from .classification import Classification
from .penalised import PenalisedMachine
from .targets import Indicators


class KernelLogisticRegression(PenalisedMachine, Classification):
    """Logistic regression in features: minimise ||W||²/2 - C sum_i v_i log P(y_i | x_i).

    Two classes: P(y = second | x) = 1 / (1 + exp(-s)), s = w'z(x) + b. More: the softmax of one score for each class,
    true multinomial. As scikit-learn's ``LogisticRegression`` on the features z(x); the intercepts are not penalised.

    Parameters
    ----------
    feature_map, fit_intercept, class_weight, tol, max_iter : see KernelSVC
    C : float or "auto", default=1.0
        "auto" chooses by the log likelihood of held-out rows, along the same path as KernelSVC.
    solver : {"auto", "newton", "newton-cg", "majorised"}, default="auto"
        "newton" and "majorised" are for two classes only; the latter takes cheap steps with one curvature matrix, on
        dense features.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    classes_, coef_, intercept_, C_, C_path_, n_iter_, objective_, feature_map_ : see KernelSVC

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> model = bo.KernelLogisticRegression(random_state=0).fit(X[:800], y[:800])
    >>> model.predict_proba(X[800:]).shape
    (200, 2)
    """

    def __init__(
        self,
        feature_map: Any = None,
        C: float | str = 1.0,
        *,
        fit_intercept: bool = True,
        class_weight: Any = None,
        solver: Literal["auto", "newton", "newton-cg", "majorised"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 100,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.C = C
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.random_state = random_state

    def _coding(self, classes: Array, factors: Array | None) -> Indicators:
        return Indicators(classes, factors)

    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        if n_columns == 1:
            self._minimise(self._passes(source), Logistic(), _binary_cost, 1)
        else:
            self._minimise(self._passes(source), Multinomial(), _multinomial_cost, n_columns)

    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, of shape (n_rows, n_classes)."""
        scores = self._values(X)
        if scores.shape[1] > 1:
            return softmax(scores, axis=1)
        return np.hstack([expit(-scores), expit(scores)])

    def predict_log_proba(self, X: Any) -> Array:
        """Logarithm of the probability of each class."""
        scores = self._values(X)
        if scores.shape[1] > 1:
            largest = scores.max(axis=1, keepdims=True)
            return scores - largest - np.log(np.exp(scores - largest).sum(axis=1, keepdims=True))
        return -np.hstack([np.logaddexp(0, scores), np.logaddexp(0, -scores)])


def _binary_cost(y: Array, scores: Array) -> Array:
    return Logistic().value(y, scores)[:, 0]


def _multinomial_cost(y: Array, scores: Array) -> Array:
    return Multinomial().value(y, scores)[:, 0]

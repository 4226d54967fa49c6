"""Support vector classification at the cost of a linear model."""

from __future__ import annotations

from functools import partial
from typing import Any, Literal

import numpy as np
from sklearn.utils.metaestimators import available_if

from ..blocks import BlockSource
from ..engines import Engine
from ..losses import Hinge, Loss, SquaredHinge
from ..solvers.objective import Solution
from ..statistics.held_out import misclassified
from .base import Array
from .calibration import ScoredRows, Sigmoids, fit_sigmoids
from .classification import Classification
from .minimisers import minimiser_for
from .passes import Passes
from .path import margin_folds
from .penalised import ROUGH, PenalisedMachine

LOSSES: dict[str, Loss] = {"squared_hinge": SquaredHinge(), "hinge": Hinge()}


def _calibrated(machine: Any) -> bool:
    if not machine.probability:
        raise AttributeError("predict_proba exists only where probability=True.")
    return True


class KernelSVC(PenalisedMachine, Classification):
    """Support vector classification: minimise ||w||²/2 + C sum_i v_i l(y_i, w'z(x_i) + b), one class against the rest.

    With l = max(0, 1 - y s)² or max(0, 1 - y s) and y = ±1 this is the support vector machine with the kernel
    z(x)'z(y), at a cost linear in the rows; all classes are solved in the same passes, on features that are kept in
    memory as far as the engine allows. The intercept is not penalised.

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    C : float or "auto", default=1.0
        "auto" tries powers of ten between 0.01 and 10^4 from 1 on, and those of sqrt(10) beside the best, each solution
        the start of the next, and takes the one of least error on held-out rows (five folds below 10,000 rows, one from
        there on).
    loss : {"squared_hinge", "hinge"}, default="squared_hinge"
        Both are solved by Newton's method, "hinge" through losses that are smoothed less and less until the duality gap
        is small.
    fit_intercept : bool, default=True
    class_weight : dict, "balanced" or None, default=None
        C of a class is C times its weight.
    probability : bool, default=False
        Fit Platt's sigmoids on scores of held-out rows, for ``predict_proba``.
    solver : {"auto", "newton", "newton-cg", "majorised", "dual"}, default="auto"
        "newton" needs a matrix n_components x n_components for each class; "newton-cg" passes over the features only;
        "majorised" takes steps with one curvature matrix for all classes, factored once: many classes cost hardly more
        than one, few steps (max_iter=32) predict as well, the last digits take long; for dense features and the squared
        hinge. "dual" is dual coordinate descent, for the hinge only: fast for small C.
    tol : float, default=1e-4
        Stop when the estimated (F - min F) / F is at most this.
    max_iter : int, default=100
        Steps of Newton's method for each smooth problem, or tens of sweeps of dual coordinate descent.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    classes_ : the labels, sorted
    coef_, intercept_ : the solution
    C_ : the C used
    C_path_ : (values, held-out errors) where C="auto"
    n_iter_ : steps taken
    objective_ : the minimum reached, summed over classes
    feature_map_ : the fitted feature map

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(1000, 2))
    >>> y = np.where((X**2).sum(axis=1) < 1.4, "inside", "outside")
    >>> model = bo.KernelSVC(random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.95)
    True
    """

    def __init__(
        self,
        feature_map: Any = None,
        C: float | str = 1.0,
        *,
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        fit_intercept: bool = True,
        class_weight: Any = None,
        probability: bool = False,
        solver: Literal["auto", "newton", "newton-cg", "majorised", "dual"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 100,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.C = C
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.probability = probability
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.random_state = random_state

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {sorted(LOSSES)}, not {self.loss!r}.")

    def _learn_coded(self, source: BlockSource, n_columns: int) -> None:
        passes = self._passes(source)
        solution = self._minimise(passes, LOSSES[self.loss], misclassified, n_columns)
        if self.probability:
            self._sigmoids = self._calibrate(passes, solution)

    def _calibrate(self, passes: Passes, solution: Solution) -> Sigmoids:
        """Sigmoids on the scores of rows held out, from models started at the solution for all rows."""
        loss, n_outputs = LOSSES[self.loss], solution.parameters.shape[1]
        tol = max(ROUGH, self.tol)
        rough = partial(minimiser_for, self.solver, loss=loss, n_outputs=n_outputs, tol=tol, max_iter=self.max_iter)
        targets, scores, weights = [], [], []
        for fold in margin_folds(passes, loss, misclassified, n_outputs, self.fit_intercept, rough):
            point = fold.objective.point(fold.solve(1.0 / self.C_, solution.parameters))
            inside = fold.inside
            for y, score, weight in inside.engine.map(ScoredRows(point), inside.source):
                targets.append(y)
                scores.append(score)
                weights.append(weight)
        return fit_sigmoids(np.concatenate(targets), np.concatenate(scores), np.concatenate(weights))

    @available_if(_calibrated)
    def predict_proba(self, X: Any) -> Array:
        """Probability of each class, of shape (n_rows, n_classes); only where probability=True."""
        values = self._values(X)
        return self._sigmoids.probabilities(values).astype(self.features_.dtype)

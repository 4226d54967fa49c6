"""Novelty detection: a one-class support vector machine in feature space."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.exceptions import ConvergenceWarning

from ..blocks import BlockSource
from ..blocks.memory import DEFAULT_MEMORY
from ..engines import Engine
from ..maps import Features
from ..maps.base import checked_count
from ..solvers.one_class import one_class
from .base import Array
from .passes import Passes
from .samples import dense_features
from .unsupervised import UnsupervisedMachine, require_rows, without_targets

START_ROWS = 2000  # whose scores tell where to begin


class OneClassSVM(OutlierMixin, UnsupervisedMachine):
    """One-class support vector machine: minimise 1/2 ||w||² - ρ + 1/(νN) sum_i v_i max(0, ρ - w'z(x_i)) over w and ρ.

    The half-space w'z >= ρ holds all but about a share ν of the rows: at most a share ν of them is outside, and at most
    1 - ν strictly inside. Solved in the primal by Newton's method on a rounded hinge, until the gap between primal and
    dual value is at most ``tol`` times the value: memory D², time linear in the rows.

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    nu : float, default=0.5
        Greater than 0, at most 1.
    tol : float, default=1e-4
        Relative duality gap.
    max_iter : int, default=200
    engine, n_jobs, memory, progress, random_state : see KernelRidge

    Attributes
    ----------
    coef_ : w, shape (n_features_of_the_map,); it is 1 / (ν N) times that of scikit-learn's OneClassSVM
    offset_ : ρ
    objective_, gap_ : the primal value and how much lower the best one can be at most
    n_iter_ : passes that were steps
    feature_map_ : the fitted feature map

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(500, 2))
    >>> model = bo.OneClassSVM(nu=0.1, random_state=0).fit(X)
    >>> model.predict([[0.0, 0.0], [6.0, 6.0]])
    array([ 1, -1])
    """

    features_: Features
    coef_: Array
    offset_: float

    def __init__(
        self,
        feature_map: Any = None,
        nu: float = 0.5,
        *,
        tol: float = 1e-4,
        max_iter: int = 200,
        engine: Engine | None = None,
        n_jobs: int | None = None,
        memory: int | str = DEFAULT_MEMORY,
        progress: bool = False,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.n_jobs = n_jobs
        self.memory = memory
        self.progress = progress
        self.random_state = random_state

    def score_samples(self, X: Any) -> Array:
        """w'z(x): the larger, the more like the rows seen in fit."""
        self._check_fitted()
        dtype = self.features_.dtype
        return self._scores(X, self.coef_[:, None].astype(dtype), np.zeros(1, dtype=dtype))[:, 0]

    def decision_function(self, X: Any) -> Array:
        """w'z(x) - ρ: negative for novelties."""
        return self.score_samples(X) - self.features_.dtype.type(self.offset_)

    def predict(self, X: Any) -> Array:
        """+1 for rows like those seen in fit, -1 for novelties."""
        return np.where(self.decision_function(X) >= 0, 1, -1)

    def _learn(self, source: BlockSource) -> None:
        if isinstance(self.nu, bool) or not isinstance(self.nu, Real) or not 0 < float(self.nu) <= 1:
            raise ValueError(f"nu must be greater than 0 and at most 1, but it is {self.nu!r}.")
        if not (isinstance(self.tol, Real) and 0 < float(self.tol) < np.inf):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        max_iter, nu = checked_count(self.max_iter, "max_iter"), float(self.nu)
        rows = source.mapped(without_targets)
        features = self._draw_features(rows)
        passes = Passes.cached(self._engine(), self._through(rows, features), features)
        mean, offset, width = start_of(rows, features, nu)
        found = one_class(passes.run, mean, offset, width, nu, features.dtype, max_iter, float(self.tol))
        if not found.converged:
            gap = (found.primal - found.dual) / abs(found.dual)
            warnings.warn(
                f"OneClassSVM stopped after {max_iter} iterations at a relative duality gap of {gap:.1e}: "
                "increase max_iter or tol.",
                ConvergenceWarning,
                stacklevel=3,
            )
        self.features_ = features
        self.coef_, self.offset_ = found.coefficients, found.offset
        self.objective_, self.gap_ = found.primal, found.primal - found.dual
        self.n_iter_ = found.n_iter


def start_of(source: BlockSource, features: Features, nu: float) -> tuple[Array, float, float]:
    """From a sample: the mean of z (the solution for ν = 1), the ν-quantile of its scores, and their spread."""
    rows = source.sample(START_ROWS)
    weight = np.ones(rows.n_rows) if rows.weight is None else np.asarray(rows.weight, dtype=np.float64)
    require_rows(float(weight.sum()))
    values = dense_features(features, rows.X)
    mean = weight @ values.astype(np.float64) / weight.sum()
    scores = values.astype(np.float64) @ mean
    order = np.argsort(scores, kind="stable")
    reached = np.cumsum(weight[order])
    offset = float(scores[order][min(np.searchsorted(reached, nu * reached[-1]), len(order) - 1)])
    centre = weight @ scores / weight.sum()
    spread = float(np.sqrt(weight @ (scores - centre) ** 2 / weight.sum()))
    return mean, offset, max(spread, 1e-3 * abs(float(centre)), np.finfo(np.float64).tiny ** 0.5)

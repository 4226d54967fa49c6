"""Novelty detection: a one-class support vector machine in feature space."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import OutlierMixin
from sklearn.exceptions import ConvergenceWarning

from ..blocks import Block, BlockSource
from ..compute.numbers import is_number
from ..engines import Engine
from ..maps import Features
from ..maps.base import checked_count
from ..maps.scoring import dense_features
from ..solvers.one_class import Boundary, one_class, primal_value
from ..statistics.band import BandSums
from .base import Array
from .keeping import Keeping
from .passes import Passes
from .unsupervised import UnsupervisedMachine, require_rows

START_ROWS = 2000  # whose scores tell where to begin
ROUNDING = 32.0  # times the precision of sum_j |c_j z_j|: scores of a row among others were up to 29 apart, on all maps


class OneClassSVM(OutlierMixin, Keeping, UnsupervisedMachine):
    """One-class support vector machine: minimise 1/2 ||w||² - ρ + 1/(νN) sum_i v_i max(0, ρ - w'z(x_i)) over w and ρ.

    The half-space w'z >= ρ holds all but about a share ν of the rows: at most a share ν of them is outside, and at most
    1 - ν strictly inside. Solved in the primal by Newton's method on a rounded hinge, until the gap between primal and
    dual value is at most ``tol`` times the value: memory D², time linear in the rows. For the w found, ρ is the best
    there is, the ν-quantile of the scores w'z: at most a share ν of the rows is marked, and less only where scores are
    equal up to rounding.

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: Fourier features of a Gaussian kernel with one length scale per column, 256 to 2048 components.
    nu : float, default=0.5
        Greater than 0, at most 1.
    tol : float, default=1e-4
        Relative duality gap.
    max_iter : int, default=200
    engine, random_state : see KernelRidge

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
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.nu = nu
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
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

    def _check_parameters(self) -> None:
        if not (is_number(self.nu) and 0 < self.nu <= 1):
            raise ValueError(f"nu must be greater than 0 and at most 1, but it is {self.nu!r}.")
        if not (is_number(self.tol) and self.tol > 0):
            raise ValueError(f"tol must be a number greater than 0, but it is {self.tol!r}.")
        checked_count(self.max_iter, "max_iter")

    def _learn_coded(self, rows: BlockSource, n_columns: int) -> None:
        max_iter, nu = int(self.max_iter), float(self.nu)
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
                stacklevel=4,
            )
        offset = best_offset(passes, found, nu)
        seen = passes.run(BandSums(found.coefficients, offset, found.width, features.dtype))
        assert isinstance(seen, BandSums)
        self.features_ = features
        self.coef_, self.offset_ = found.coefficients, offset
        self.objective_ = primal_value(seen, nu)
        self.gap_ = self.objective_ - found.dual
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


def best_offset(passes: Passes, found: Boundary, nu: float) -> float:
    """The ρ that minimises -ρ + 1/(νN) sum v max(0, ρ - s) for the scores s = w'z: their ν-quantile.

    It is the largest ρ with sum of v over s < ρ at most νN. The rounded hinge has the rows that hold the boundary, of
    multipliers between 0 and their bound, all on the outer side, in the last band below its ρ: that is where the
    quantile is, and only scores from there are gathered. What rounding may do to a score is taken off, so that rows at
    the quantile stay inside.
    """
    ends = (found.offset - 2.0 * found.width, found.offset + found.width), (-np.inf, np.inf)
    for low, high in ends:
        step = ScoresBetween(passes.features, found.coefficients, low, high)
        total, below, scores, weight, size = together(passes.engine.map(step, passes.designs.source))
        order = np.argsort(scores, kind="stable")
        reached = below + np.cumsum(weight[order])
        place = int(np.searchsorted(reached, nu * total * (1.0 + 1e-12), side="right"))
        if below <= nu * total and place < len(order):
            return float(scores[order[place]]) - ROUNDING * size
    return float(scores.max()) - ROUNDING * size  # ν = 1: all rows but those of the largest score are outside


def together(parts: list[tuple[float, float, Array, Array, float]]) -> tuple[float, float, Array, Array, float]:
    """What was found in all blocks."""
    totals, below, scores, weights, sizes = zip(*parts)
    return sum(totals), sum(below), np.concatenate(scores), np.concatenate(weights), max(sizes)


@dataclass(frozen=True)
class ScoresBetween:
    """Of a block: the weight of all rows and of those below, scores and weights between, and the size of rounding.

    The scores are made as ``predict`` makes them, so that they round alike.
    """

    features: Features
    coefficients: Array
    low: float
    high: float

    def __call__(self, block: Block) -> tuple[float, float, Array, Array, float]:
        if block.n_rows == 0:
            return 0.0, 0.0, np.zeros(0), np.zeros(0), 0.0
        dtype = self.features.dtype
        X = block.X if block.X.dtype == dtype else block.X.astype(dtype)
        features, coefficients = self.features.folded(self.coefficients[:, None].astype(dtype))
        scores = features.scores(X, coefficients)[:, 0].astype(np.float64)
        weight = np.ones(block.n_rows) if block.weight is None else np.asarray(block.weight, dtype=np.float64)
        kept = np.flatnonzero((scores >= self.low) & (scores < self.high) & (weight > 0))
        size = float((abs(features(X[kept])) @ np.abs(coefficients)).max()) if kept.size else 0.0
        below = float(weight[scores < self.low].sum())
        return float(weight.sum()), below, scores[kept], weight[kept], float(np.finfo(coefficients.dtype).eps) * size

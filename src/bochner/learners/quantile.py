"""Kernel quantile regression: the median, or what a share of the targets stays below."""

from __future__ import annotations

from typing import Any, Literal, Self

from ..compute.numbers import is_number
from ..engines import Engine
from ..losses import Pinball
from ..solvers.smoothing import Total
from .penalised_regression import PenalisedRegression


class KernelQuantileRegressor(PenalisedRegression):
    """Quantile regression: minimise ||w||²/2 + C sum_i v_i l(y_i, w'z(x_i) + b).

    With r = y - s the loss l is q r above the prediction and (q - 1) r below it. Its mean is least where s is the
    quantile q of y given x, so that a share q of new targets lies below the prediction; q = 1/2 is the median, which
    outlying targets hardly move. In features of a kernel this is kernel quantile regression (Takeuchi et al. 2006) at a
    cost linear in the rows. The intercept is not penalised, so that a share q of the rows seen lies below the
    prediction, but for those that lie on it.

    Parameters
    ----------
    feature_map, fit_intercept, tol, max_iter : see KernelSVC
    quantile : float, default=0.5
        Between 0 and 1.
    C : float or "auto", default="auto"
        "auto" chooses by the loss of held-out rows, along the same path as KernelSVC, in units of the spread of y.
    solver : {"auto", "newton", "newton-cg", "dual"}, default="auto"
        Newton's method solves losses that are smoothed less and less, until the duality gap is small; "dual" is dual
        coordinate descent.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    coef_, intercept_, C_, C_path_, n_iter_, objective_, feature_map_ : see KernelSVC

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> rng = np.random.default_rng(0)
    >>> X = rng.uniform(-3, 3, size=(2000, 1))
    >>> y = np.sin(X[:, 0]) + 0.3 * np.abs(X[:, 0]) * rng.normal(size=2000)
    >>> high = bo.KernelQuantileRegressor(quantile=0.9, random_state=0).fit(X[:1000], y[:1000])
    >>> bool(abs((y[1000:] <= high.predict(X[1000:])).mean() - 0.9) < 0.03)
    True
    """

    def __init__(
        self,
        feature_map: Any = None,
        quantile: float = 0.5,
        C: float | str = "auto",
        *,
        fit_intercept: bool = True,
        solver: Literal["auto", "newton", "newton-cg", "dual"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 100,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.quantile = quantile
        self.C = C
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(C=1.0)]

    def _loss(self, unit: float = 1.0) -> Pinball:
        if not (is_number(self.quantile) and 0.0 < self.quantile < 1.0):
            raise ValueError(f"quantile must be a number between 0 and 1, but it is {self.quantile!r}.")
        return Pinball(float(self.quantile))

    def _error(self) -> Total:
        return Total(self._loss())

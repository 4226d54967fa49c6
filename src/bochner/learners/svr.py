"""Support vector regression at the cost of a linear model."""

from __future__ import annotations

from typing import Any, Literal

from ..compute.numbers import is_number
from ..engines import Engine
from ..losses import EpsilonInsensitive, Huber, Loss, SquaredEpsilonInsensitive
from ..statistics.held_out import Error, squared_error
from .penalised_regression import PenalisedRegression

LOSSES: dict[str, type[EpsilonInsensitive | SquaredEpsilonInsensitive | Huber]] = {
    "epsilon_insensitive": EpsilonInsensitive,
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive,
    "huber": Huber,
}


OF_THE_SPREAD = 0.1  # of y: what scikit-learn's 0.1 is for targets of variance 1


class KernelSVR(PenalisedRegression):
    """Support vector regression: minimise ||w||²/2 + C sum_i v_i l(y_i, w'z(x_i) + b), each target on its own.

    With r = y - s the losses are max(0, |r| - epsilon), its square, and Huber's: r²/2 up to |r| = epsilon, then
    epsilon |r| - epsilon²/2. The intercept is not penalised.

    Parameters
    ----------
    feature_map, fit_intercept, solver, tol, max_iter : see KernelSVC
    C : float or "auto", default=1.0
        "auto" chooses by the squared error of held-out rows, along the same path as KernelSVC (for
        "epsilon_insensitive" in units of the spread of y, so that another unit of y leads to the same predictions).
    epsilon : float or "auto", default="auto"
        In units of y; "auto": a tenth of the standard deviation of y, so that another unit of y changes nothing. For
        "huber" it must be positive.
    loss : {"squared_epsilon_insensitive", "epsilon_insensitive", "huber"}, default="squared_epsilon_insensitive"
        All are solved by Newton's method, "epsilon_insensitive" through smoothed losses, or by solver="dual".
    engine, random_state : see KernelRidge

    Attributes
    ----------
    coef_, intercept_, C_, C_path_, n_iter_, objective_, feature_map_ : see KernelSVC

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(1000, 2))
    >>> y = np.sin(X[:, 0]) * np.cos(X[:, 1])
    >>> model = bo.KernelSVR(C=1e4, epsilon=0.01, random_state=0).fit(X[:800], y[:800])
    >>> bool(model.score(X[800:], y[800:]) > 0.99)
    True
    """

    def __init__(
        self,
        feature_map: Any = None,
        C: float | str = 1.0,
        *,
        epsilon: float | str = "auto",
        loss: Literal["squared_epsilon_insensitive", "epsilon_insensitive", "huber"] = "squared_epsilon_insensitive",
        fit_intercept: bool = True,
        solver: Literal["auto", "newton", "newton-cg", "dual"] = "auto",
        tol: float = 1e-4,
        max_iter: int = 100,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.C = C
        self.epsilon = epsilon
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.engine = engine
        self.random_state = random_state

    def _loss(self, unit: float = 1.0) -> Loss:
        if self.loss not in LOSSES:
            raise ValueError(f"loss must be one of {sorted(LOSSES)}, not {self.loss!r}.")
        if isinstance(self.epsilon, str) and self.epsilon == "auto":
            return LOSSES[self.loss](OF_THE_SPREAD)
        lowest_is_fine = self.loss != "huber"
        if not (is_number(self.epsilon) and (self.epsilon > 0 or (lowest_is_fine and self.epsilon == 0))):
            bound = ">= 0" if lowest_is_fine else "> 0"
            raise ValueError(
                f"epsilon must be 'auto' or a number {bound} for loss={self.loss!r}, but it is {self.epsilon!r}."
            )
        return LOSSES[self.loss](float(self.epsilon) / unit)

    def _error(self) -> Error:
        return squared_error

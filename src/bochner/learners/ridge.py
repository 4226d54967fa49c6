"""Kernel ridge regression and classification at the cost of a linear model."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy.special import ndtri

from ..blocks.validation import validated
from ..engines import Engine
from ..maps import BinningFeatures
from ..statistics.held_out import misclassified, squared_error
from .base import Array
from .classification import Classification
from .regression import Regression
from .ridge_machine import RidgeMachine

Solver = Literal["auto", "cholesky", "cg", "sgd"]


class KernelRidge(RidgeMachine, Regression):
    """Kernel ridge regression: minimise sum_i v_i ||y_i - W'z(x_i) - b||² + alpha ||W||².

    With w = (Z'Z + alpha I)^{-1} Z'y = Z'(ZZ' + alpha I)^{-1} y this is kernel ridge regression with the kernel
    z(x)'z(y). "cholesky" takes one pass over the rows and memory D² whatever their number; "cg" some ten passes and
    memory D, with the features of the rows kept in between where memory allows. ``partial_fit`` on pieces gives the
    solution of ``fit`` on the whole ("sgd" apart, which is one pass of averaged stochastic gradient descent).

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: made for raw tables. Nystroem features, 256 to 2048, of a Matern kernel (nu = 5/2) with one length scale
        per column, of columns with soft tails (``bo.SoftTails``; sparse rows are left as they are).
    alpha : float, "auto" or "gcv", default="auto"
        "auto" takes the alpha of least leave-one-out error, over five values a decade and up to 2048 rows drawn by
        their content, with no further pass over the rows; predictions are then kept in the range of the targets seen.
        Of errors too near to each other to be told apart the largest alpha wins. "gcv" minimises generalised
        cross-validation, which cannot see outlying rows that decide their own prediction, and keeps no range.
        With "cg" both stand for the error on held-out tenths of the rows, along a path of alphas with warm starts; with
        "sgd" for 0, since a single pass does not overfit. A number is used as given; 0 gives the least-squares solution
        of least norm, which interpolates where the rank of the features is the number of rows: "cholesky" by singular
        values of the features where these fit a quarter of memory (else by the eigenvalues of their moments, half as
        precise), those that rounding hides left out; "cg" by LSQR up to ``tol``.
    solver : {"auto", "cholesky", "cg", "sgd"}, default="auto"
        "auto" is "cholesky" for dense features up to 4096 of them, and else "cg": conjugate gradients, preconditioned
        by the diagonal for binned and sparse features and by a Gram matrix of sampled rows for dense ones. "sgd" takes
        rows in the order in which they come, which should be random.
    tol : float, default=0.02
        "cg" stops where its last two steps changed the predictions by less than this share.
    max_iter : int, default=200
        Most iterations of "cg".
    fit_intercept : bool, default=True
    engine : Engine, int or None, default=None
        Who passes over the rows, and with how much memory: ``bo.ThreadEngine(n_jobs, memory="2GB", progress=True)``,
        ``bo.DaskEngine()``, or ``bo.CheckpointEngine(folder)``, whose fits can be resumed. A number: so many threads;
        None: as many as BLAS would use, with 2 GB.
    random_state : int, Generator or None, default=None
        Used where the feature map has none of its own.

    Attributes
    ----------
    coef_, intercept_, alpha_ : the solution
    path_ : (alphas, errors) where alpha is a word
    held_out_error_ : mean squared error of rows left out, where alpha was chosen by them
    range_ : least and greatest target, between which predictions are kept, where alpha="auto"
    n_iter_ : iterations made, 1 for "cholesky"
    rank_ : directions of the features that were used, where alpha=0 and the solver is "cholesky"
    solver_ : the solver that was used
    feature_map_ : the fitted feature map
    statistic_ : what was kept of the rows ("cholesky"): their moments, and a sample of them where alpha="auto"

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
        alpha: float | str = "auto",
        *,
        solver: Solver = "auto",
        tol: float = 2e-2,
        max_iter: int = 200,
        fit_intercept: bool = True,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.engine = engine
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        binned = BinningFeatures(n_grids=20, random_state=0)
        return [cls(), cls(binned, alpha=0.1, tol=1e-12, max_iter=2000)]

    def leave_one_out(self, X: Any, y: Any, sample_weight: Any = None) -> Array:
        """Residuals y - f(x) of the rows that the model was fitted on, each predicted without itself.

        In closed form, for alpha as it is: r_i / (1 - v_i h_i) with the leverage h of each row; "cholesky" only.

        Parameters
        ----------
        X, y, sample_weight : the rows, targets and weights given to fit

        Returns
        -------
        residuals : array of the shape of y
        """
        leverages = self._leverages()
        source = self._array_source(X, y, sample_weight, reset=False)
        residual = np.asarray(source.y, dtype=np.float64).reshape(source.n_rows, -1) - self._values(X)
        weight = 1.0 if source.weight is None else source.weight
        left = residual / (1.0 - weight * self._leverage_of(leverages, source.X))[:, None]
        return left[:, 0] if self._flat_targets else left

    def predict_interval(self, X: Any, coverage: float = 0.9) -> tuple[Array, Array]:
        """Lower and upper ends of intervals that hold a new target with this probability, noise being normal.

        f(x) ± q sigma sqrt(1 + h(x)) with sigma² = RSS / (n - tr H) and h the leverage; "cholesky" only.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
        coverage : float between 0 and 1, default=0.9

        Returns
        -------
        lower, upper : arrays of the shape of ``predict(X)``
        """
        if not 0.0 < coverage < 1.0:
            raise ValueError(f"coverage must be between 0 and 1, but it is {coverage!r}.")
        leverages = self._leverages()
        values = self._values(X).astype(np.float64)
        rows = validated(self, self._encoded(X), accept_sparse="csr", dtype=self.features_.dtype, reset=False)
        spread = np.sqrt(np.outer(1.0 + self._leverage_of(leverages, rows), leverages.noise))
        half = float(ndtri(0.5 + 0.5 * coverage)) * spread
        ends = values - half, values + half
        return (ends[0][:, 0], ends[1][:, 0]) if self._flat_targets else ends

    @staticmethod
    def _row_error(y: Array, scores: Array) -> Array:
        return squared_error(y, scores) / y.shape[1]


class KernelRidgeClassifier(RidgeMachine, Classification):
    """Kernel ridge classification: ridge regression on targets +1 and -1, one against the rest, in one pass.

    Parameters
    ----------
    feature_map, alpha, solver, tol, max_iter, fit_intercept : see KernelRidge
    engine, random_state : see KernelRidge
    class_weight : dict, "balanced" or None, default=None

    Attributes
    ----------
    classes_ : the labels, sorted
    held_out_error_ : share of rows left out that are given a wrong label, where alpha was chosen by them
    coef_, intercept_, alpha_, path_, n_iter_, solver_, feature_map_, statistic_ : see KernelRidge

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
        alpha: float | str = "auto",
        *,
        solver: Solver = "auto",
        tol: float = 2e-2,
        max_iter: int = 200,
        fit_intercept: bool = True,
        class_weight: Any = None,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.alpha = alpha
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.engine = engine
        self.random_state = random_state

    @classmethod
    def examples(cls) -> list[Self]:
        binned = BinningFeatures(n_grids=20, random_state=0)
        return [cls(), cls(binned, alpha=0.1, tol=1e-12, max_iter=2000)]

    @staticmethod
    def _row_error(y: Array, scores: Array) -> Array:
        return misclassified(y, scores)

"""Gaussian process regression in feature space: mean, variance, evidence and sample paths without an n x n object."""

from __future__ import annotations

import warnings
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.exceptions import ConvergenceWarning

from ..blocks import Block, BlockSource
from ..blocks.validation import validated
from ..engines import Engine
from ..kernels import Gaussian, SoftTails
from ..maps import FeatureMap, Features, FourierFeatures
from ..maps.base import as_generator, checked_count
from ..scales.fixed_draws import LearnedFactors, fourier_terms, learned_factors, length_scales, with_factors
from ..solvers.evidence import EvidenceSpectrum, Posterior, posterior
from ..statistics import Moments
from .base import Array, KernelMachine, default_width
from .functions import FeatureFunction
from .ridge_rows import target_range
from .targets import Targets

LEAST_FREE = 0.1  # of the feature space: the most that variances are made larger is ten times
# Components by default. R2 of 381 rows at 256, 1024, 2048: optdigits .714 .783 .779, spambase .716 .726 .728.
LEAST_WIDTH = 1024
STARVED = 0.19  # of the feature space pinned by the rows: far from them the deviation is 10 % too small


class GaussianProcessRegressor(RegressorMixin, KernelMachine):
    """Gaussian process regression: y = ȳ + f(x) + e with f ~ GP(0, a² k), e ~ N(0, s²) and k(x, y) ≈ z(x)'z(y).

    In feature space, with A = a² Z'Z + s² I: the mean is ȳ + a² z'A^{-1}Z'(y - ȳ), the variance of f is
    s² a² z'A^{-1}z, and the log evidence follows from log|a² ZZ' + s² I| = (n - M) log s² + log|A|. All of it
    comes from the moments of one pass over the rows, with memory D² whatever their number; ``partial_fit`` is exact.

    Parameters
    ----------
    feature_map : feature map or scikit-learn transformer, default=None
        None: made for raw tables. Fourier features, 1024 to 2048, of a Gaussian kernel with one length scale per
        column, of columns with soft tails (``bo.SoftTails``). The mean is then kept in the range of the targets seen,
        and variances are divided by 1 - degrees_of_freedom_ / n_components, so that far from the rows they are a² as
        they should be.
    noise : float, default=None
        Standard deviation s of the noise, in the units of y. None: that of greatest evidence, at least 1e-3 a.
    amplitude : float, default=None
        Standard deviation a of f before any data, in the units of y. None: that of greatest evidence, of any size
        beside a noise that is given.
    optimize : bool or "auto", default="auto"
        Whether to learn one length scale per column by maximum evidence (L-BFGS with exact gradients, the random draw
        held fixed, on a subsample of rows), starting from those of the feature map. "auto": where the map is
        Fourier features whose length scales are not given as numbers. Noise and amplitude are always found on all rows.
    optimize_rows : int, default=2000
        Rows of the subsample on which length scales are learned.
    max_iter : int, default=100
        Most iterations for the length scales.
    engine, random_state : see KernelRidge

    Attributes
    ----------
    noise_, amplitude_ : the standard deviations used
    coef_ : posterior mean of the coefficients of the features, shape (n_components,)
    intercept_ : ȳ
    log_marginal_likelihood_ : log evidence of the rows
    degrees_of_freedom_ : tr K(K + s² I)^{-1}
    feature_map_ : the fitted feature map; its ``kernel_`` has the learned length scales
    n_iter_ : iterations for the length scales
    statistic_ : the moments that were kept of the rows

    Warns
    -----
    UserWarning
        If the ``n_components`` of a map that was given are too small for honest variances. Far from the data z(x) has
        no preferred direction, so the variance there is a² (1 - degrees_of_freedom_ / n_components), where the exact
        process has a². The warning comes where the deviation is 10 % too small or more (variance starvation).

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).uniform(-3, 3, size=(500, 1))
    >>> y = np.sin(2 * X[:, 0]) + 0.1 * np.random.default_rng(1).normal(size=500)
    >>> model = bo.GaussianProcessRegressor(random_state=0).fit(X, y)
    >>> mean, std = model.predict([[0.0], [30.0]], return_std=True)
    >>> bool(std[0] < 0.05), bool(std[1] > 0.5)
    (True, True)
    """

    _range: tuple[float, float] | None = None

    def __init__(
        self,
        feature_map: Any = None,
        noise: float | None = None,
        amplitude: float | None = None,
        optimize: bool | str = "auto",
        *,
        optimize_rows: int = 2000,
        max_iter: int = 100,
        engine: Engine | int | None = None,
        random_state: Any = None,
    ) -> None:
        self.feature_map = feature_map
        self.noise = noise
        self.amplitude = amplitude
        self.optimize = optimize
        self.optimize_rows = optimize_rows
        self.max_iter = max_iter
        self.engine = engine
        self.random_state = random_state

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Take in more rows: the same posterior as fitting all rows at once with the same features.

        The first call draws the features and, where they are learned, learns the length scales from its rows.
        """
        return self._more(X, y, sample_weight, one_target)

    def predict(self, X: Any, return_std: bool = False, return_cov: bool = False, *, with_noise: bool = False) -> Any:
        """Posterior mean, and with it the standard deviation of each row or the covariance of all rows, where asked.

        Parameters
        ----------
        X : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
        return_std, return_cov : bool, default=False
            At most one of them.
        with_noise : bool, default=False
            False: the law of f(x). True: that of new observations, whose variance is larger by s².

        Returns
        -------
        mean : array of shape (n_rows,)
        std : array of shape (n_rows,), only with return_std=True
        cov : array of shape (n_rows, n_rows), only with return_cov=True
        """
        if return_std and return_cov:
            raise ValueError("return_std and return_cov are both True: ask for one, the diagonal of cov is std².")
        solution = self._solved()
        dtype = self.features_.dtype
        mean = self._scores(X, solution.coefficients[:, None].astype(dtype), dtype.type(self.intercept_))[:, 0]
        if self.range_ is not None:
            np.clip(mean, *self.range_, out=mean)
        noise = dtype.type(solution.noise**2 if with_noise else 0.0)
        if return_cov:
            root = self._root()
            spread = self._row_values(X, root.shape[1], lambda features: features @ root)
            return mean, spread @ spread.T + noise * np.eye(len(mean), dtype=dtype)
        if return_std:
            return mean, np.sqrt(self._variance(X) + noise)
        return mean

    def sample_paths(self, n_paths: int = 1, random_state: Any = None) -> FeatureFunction:
        """Draw functions from the posterior: f(x) = ȳ + z(x)'w with w from its Gaussian law.

        Returns
        -------
        paths : function from rows (n_rows, n_columns) to values (n_rows, n_paths), the same functions at every call
        """
        return FeatureFunction(self.features_, self._drawn(n_paths, "n_paths", random_state), self.intercept_)

    def sample_y(self, X: Any, n_samples: int = 1, random_state: Any = 0) -> Array:
        """Values at new rows of functions drawn from the posterior, of shape (n_rows, n_samples).

        Their law has the mean and the covariance of ``predict(X, return_cov=True)``, without a range.
        """
        drawn = self._drawn(n_samples, "n_samples", random_state)
        dtype = self.features_.dtype
        return self._scores(X, drawn.astype(dtype), dtype.type(self.intercept_))

    def _drawn(self, n_functions: int, name: str, random_state: Any) -> Array:
        """Coefficients of functions drawn from the posterior, one in each column."""
        solution = self._solved()
        n_functions = checked_count(n_functions, name)
        deviates = as_generator(random_state).standard_normal((self.features_.n_components, n_functions))
        return solution.coefficients[:, None] + self._root(np.float64) @ deviates

    def log_marginal_likelihood(self, noise: float | None = None, amplitude: float | None = None) -> float:
        """Log evidence of all rows seen, at another noise or amplitude if they are given; costs O(D)."""
        solution = self._solved()
        noise = solution.noise if noise is None else positive(noise, "noise")
        amplitude = solution.amplitude if amplitude is None else positive(amplitude, "amplitude")
        return self._spectrum.log_marginal_likelihood(noise, amplitude)

    @property
    def noise_(self) -> float:
        """Standard deviation of the noise."""
        return self._solved().noise

    @property
    def amplitude_(self) -> float:
        """Standard deviation of the function before any data."""
        return self._solved().amplitude

    @property
    def coef_(self) -> Array:
        """Posterior mean of the coefficients."""
        return self._solved().coefficients

    @property
    def intercept_(self) -> float:
        """Mean of the targets."""
        self._check_fitted()
        return float(self.statistic_.target_mean[0])

    @property
    def range_(self) -> tuple[float, float] | None:
        """Least and greatest target seen, between which the mean is kept; None where a feature map was given."""
        self._check_fitted()
        return self._range

    @property
    def log_marginal_likelihood_(self) -> float:
        """Log evidence at the noise and amplitude used."""
        return self._solved().log_marginal_likelihood

    @property
    def degrees_of_freedom_(self) -> float:
        """Directions of the feature space that the rows determine."""
        return self._solved().degrees_of_freedom

    def _checked_arrays(self, X: Any, y: Any, *, reset: bool) -> tuple[Any, Any]:
        floats = [np.float64, np.float32]
        return validated(self, X, y, accept_sparse="csr", dtype=floats, y_numeric=True, order="C", reset=reset)

    def _check_parameters(self) -> None:
        for name, value in (("noise", self.noise), ("amplitude", self.amplitude)):
            if value is not None:
                positive(value, name)
        if not (isinstance(self.optimize, bool) or self.optimize == "auto"):
            raise ValueError(f"optimize must be True, False or 'auto', not {self.optimize!r}.")
        checked_count(self.optimize_rows, "optimize_rows")
        checked_count(self.max_iter, "max_iter")

    def _given(self) -> tuple[float | None, float | None]:
        """Noise and amplitude as floats; None where they are learned."""
        noise, amplitude = (None if value is None else float(value) for value in (self.noise, self.amplitude))
        return noise, amplitude

    def _default_map(self, n_rows: int | None) -> FourierFeatures:
        return FourierFeatures(SoftTails(Gaussian("auto")), max(LEAST_WIDTH, default_width(n_rows)))

    def _learn(self, source: BlockSource) -> None:
        self._check_parameters()
        self._learn_coded(source.mapped(OneTarget()), 1)

    def _learn_coded(self, coded: BlockSource, n_columns: int) -> None:
        self._begin(coded, n_columns)
        self._absorb(coded)
        self._solved()

    def _begin(self, source: BlockSource, n_columns: int) -> None:
        """Draw the features, learn the length scales, start from empty moments."""
        self.n_iter_, self._range = 0, None
        feature_map = self._new_map(source)
        if isinstance(feature_map, FeatureMap):
            rows = source.sample(feature_map.sample_rows)
            pin_draw(feature_map, self.random_state)
            feature_map.fit_sample(rows.X, rows.weight, rows.y)
            if self._learns(feature_map):
                learned = self._learned(source, feature_map.features_)
                self.n_iter_ = learned.n_iter
                kernel = with_factors(feature_map.kernel_, learned.factors)
                feature_map.set_params(kernel=kernel).fit_sample(rows.X, rows.weight, rows.y)
            self.feature_map_ = feature_map
            self.features_ = feature_map.features_
        elif self.optimize is True:
            raise ValueError(CANNOT_LEARN.format(type(feature_map).__name__))
        else:
            self.features_ = self._draw_features(source)
        self.statistic_ = Moments(self.features_.n_components, 1)

    def _learns(self, feature_map: FeatureMap) -> bool:
        """Whether length scales are to be learned; refuses where they must be and cannot."""
        able = bool(fourier_terms(feature_map.features_) and length_scales(feature_map.kernel_))
        if self.optimize == "auto":
            given = {} if feature_map.kernel is None else length_scales(feature_map.kernel)
            return able and all(isinstance(value, str) for value in given.values())
        if self.optimize and not able:
            raise ValueError(CANNOT_LEARN.format(type(feature_map).__name__))
        return bool(self.optimize)

    def _learned(self, source: BlockSource, features: Features) -> LearnedFactors:
        learned = learned_factors(features, source.sample(self.optimize_rows), *self._given(), self.max_iter)
        if not learned.converged:
            warnings.warn(
                f"The length scales did not converge in {learned.n_iter} iterations: increase max_iter, "
                "or give the kernel length scales nearer to the data's.",
                ConvergenceWarning,
                stacklevel=4,
            )
        return learned

    def _absorb(self, source: BlockSource) -> None:
        if self.feature_map is None:
            low, high = self._range or (np.inf, -np.inf)
            lows, highs = zip(*self._engine().map(target_range, source))
            self._range = float(np.min(lows, initial=low)), float(np.max(highs, initial=high))
        seen = self._engine().fold(self.statistic_, self._through(source, self.features_))
        seen.merge(self.statistic_)
        if not seen.total_weight > 0:
            raise ValueError("No row counts: the source is empty or every sample_weight is 0.")
        self.statistic_ = seen
        self._solution: Posterior | None = None

    def _solved(self) -> Posterior:
        """Solve on demand: a stream of partial_fit calls pays for one solution, not for one each."""
        self._check_fitted()
        if self._solution is None:
            self._spectrum = EvidenceSpectrum.of(self.statistic_)
            noise, amplitude = self._spectrum.maximise(*self._given())
            self._solution = posterior(self._spectrum, noise, amplitude)
            if self.feature_map is not None:
                warn_if_starved(self._solution.degrees_of_freedom, self.features_.n_components)
        return self._solution

    def _root(self, dtype: Any = None) -> Array:
        """R with var f(x) = ||R'z(x)||²: the root of the covariance of w.

        By default the width is ours, and what the rows pin of the feature space is made up for.
        """
        solution = self._solved()
        pinned = solution.degrees_of_freedom / self.features_.n_components if self.feature_map is None else 0.0
        root = solution.root / np.sqrt(max(1.0 - pinned, LEAST_FREE))
        return root.astype(self.features_.dtype if dtype is None else dtype)

    def _variance(self, X: Any) -> Array:
        """||R'z(x)||² chunk by chunk on threads."""
        root = self._root()

        def squares(features: Any) -> Array:
            rotated = features @ root
            return np.einsum("ij,ij->i", rotated, rotated)[:, None]

        return self._row_values(X, 1, squares)[:, 0]


CANNOT_LEARN = (
    "optimize=True needs Fourier features of kernels with a length_scale, and {} has none that can be learned: "
    "use bo.FourierFeatures, or optimize=False."
)


def warn_if_starved(freedom: float, n_components: int) -> None:
    """One sentence where the rows pin so much of the feature space that variances far from them are too small."""
    pinned = freedom / n_components
    if pinned > STARVED:
        kept = np.sqrt(max(0.0, 1.0 - pinned))
        warnings.warn(
            f"n_components={n_components} is too small for honest variances: the rows determine {freedom:.0f} "
            f"directions of the feature space, so that far from the data the standard deviation is only "
            f"{kept:.2f} of what it should be; use about {int(np.ceil(freedom / 0.1))} components.",
            UserWarning,
            stacklevel=5,
        )


def positive(value: Any, name: str) -> float:
    """A number greater than 0 whose square is one too, or one clear sentence."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 1e-140 < float(value) < 1e140:
        raise ValueError(f"{name} must be a finite number greater than 0, or None to learn it, but it is {value!r}.")
    return float(value)


def pin_draw(feature_map: FeatureMap, random_state: Any) -> None:
    """Give the map a whole number as random_state, so that it draws the same again for other length scales."""
    own = feature_map.random_state
    if not isinstance(own, int | np.integer):
        rng = as_generator(random_state if own is None else own)
        feature_map.random_state = int(rng.integers(2**32))


def one_target(_source: BlockSource, _fresh: bool) -> Targets:
    """How targets are coded."""
    return OneTarget()


class OneTarget(Targets):
    """The target as a float64 table of one column."""

    @property
    def n_columns(self) -> int:
        return 1

    def __call__(self, block: Block) -> Block:
        if block.y is None:
            raise ValueError("The source has no targets y: regression needs them.")
        if np.ndim(block.y) > 1 and np.shape(block.y)[1] != 1:
            raise ValueError("y has several columns: a Gaussian process takes one target, so fit one model for each.")
        return Block(block.X, np.asarray(block.y, dtype=np.float64).reshape(block.n_rows, 1), block.weight)

"""Explicit features of additive kernels of histograms (Vedaldi and Zisserman 2012)."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar
from sklearn.utils import Tags

from ..compute.numbers import is_number
from ..compute.trigonometry import cosine_sine
from ..kernels import Kernel
from ..kernels.additive import AdditiveChi2
from ..kernels.homogeneous import HomogeneousKernel, refuse_entries
from .base import checked_count
from .design import Array, DenseDesign, Design, SparseDesign
from .features import DenseFeatures
from .kernel_map import KernelMap
from .layout import Layout

FARTHEST = 8.0  # |log(y/x)| up to which the interval of a signature without a published one is tuned


@lru_cache(maxsize=1)
def quadrature() -> tuple[Array, Array]:
    """Gauss-Legendre nodes and weights; an eigenvalue problem, so not at import."""
    return np.polynomial.legendre.leggauss(512)


class AdditiveFunction(DenseFeatures):
    """z(x) = for each column j: sqrt(c_0) x_j^a, then sqrt(2 c_i) x_j^a {cos, sin}(l_ij log x_j); 0 where x_j = 0.

    Columns of the output: all columns for the constant, then all for cos(l_1 log x), all for sin(l_1 log x), ...
    A zero entry gives zeros only, so sparse rows have sparse features.
    """

    def __init__(
        self,
        constant: float,
        weights: Array,
        frequencies: Array,
        n_features_in: int,
        dtype: np.dtype,
        exponent: float,
    ) -> None:
        self.exponent = exponent
        self.constant = constant
        self.weights = weights
        self.frequencies = frequencies  # shape (n_waves, n_features_in)
        self.n_features_in = n_features_in
        self.n_components = ((constant > 0) + 2 * len(weights)) * n_features_in
        self.dtype = dtype
        self.turns = (frequencies / (2.0 * np.pi)).astype(dtype)

    def write(self, X: Any, out: Array) -> None:
        if sp.issparse(X):
            out[:] = self._sparse(X).toarray()
            return
        self._fill(X, self.turns, out)

    def _fill(self, X: Array, turns: Array, out: Array) -> None:
        """The features of a dense table whose columns have the given frequencies."""
        refuse_entries(X, self.exponent)
        dim = X.shape[1]
        logarithms, roots = np.log(np.where(X > 0, X, 1.0)), self._powers(X)
        start = 0
        if self.constant > 0:
            np.multiply(roots, self.dtype.type(np.sqrt(self.constant)), out=out[:, :dim])
            start = dim
        for weight, row in zip(self.weights, turns):
            cosine, sine = out[:, start : start + dim], out[:, start + dim : start + 2 * dim]
            cosine_sine(logarithms * row, float(np.sqrt(2.0 * weight)), cosine, sine)
            cosine *= roots
            sine *= roots
            start += 2 * dim

    def _sparse(self, X: Any) -> sp.csr_array:
        """The same for sparse rows: each stored entry becomes one entry in each group of columns."""
        refuse_entries(X, self.exponent)
        X = sp.csr_array(X)
        groups = self.n_components // self.n_features_in
        values = np.empty((X.nnz, groups), dtype=self.dtype)
        if X.nnz:
            self._fill_entries(X.data, X.indices, values)
        offsets = np.arange(groups, dtype=np.int64) * self.n_features_in
        columns = (X.indices[:, None] + offsets).ravel()
        indptr = X.indptr.astype(np.int64) * groups
        result = sp.csr_array((values.ravel(), columns, indptr), shape=(X.shape[0], self.n_components))
        result.sort_indices()
        return result

    def _fill_entries(self, data: Array, columns: Array, values: Array) -> None:
        refuse_entries(data, self.exponent)
        logarithms, roots = np.log(np.where(data > 0, data, 1.0)), self._powers(data)
        start = 0
        if self.constant > 0:
            values[:, 0] = roots * self.dtype.type(np.sqrt(self.constant))
            start = 1
        turns = np.ascontiguousarray((logarithms * self.turns[:, columns]).T)
        waves = np.empty((2, *turns.shape), dtype=self.dtype)
        cosine_sine(turns, 1.0, waves[0], waves[1])
        scales = roots[:, None] * np.sqrt(2.0 * self.weights).astype(self.dtype)
        values[:, start::2], values[:, start + 1 :: 2] = waves[0] * scales, waves[1] * scales

    def layout(self, sparse_rows: bool = False) -> Layout:
        return Layout.SPARSE if sparse_rows else Layout.DENSE

    def _powers(self, entries: Array) -> Array:
        """x^a."""
        return np.sqrt(entries) if self.exponent == 0.5 else entries ** self.dtype.type(self.exponent)

    def __call__(self, X: Any) -> Any:
        if sp.issparse(X):
            return self._sparse(X)
        out = np.empty((X.shape[0], self.n_components), dtype=self.dtype)
        self.write(X, out)
        return out

    def design(self, X: Any) -> Design:
        return SparseDesign(self(X)) if sp.issparse(X) else DenseDesign(self(X))


class AdditiveFeatures(KernelMap):
    """Features of additive homogeneous kernels of non-negative columns: chi-squared, intersection, Jensen-Shannon.

    With k(x, y) = sum_j (x_j y_j)^a K(log(y_j / x_j)) and K(o) = ∫ κ(l) cos(o l) dl, each column becomes
    2 ``order`` + 1 columns sqrt(c_0) x^a, sqrt(2 c_i) x^a cos(i L log x), sqrt(2 c_i) x^a sin(i L log x), i = 1..order:
    the Fourier series of K on one period 2π/L. That is deterministic, with an error that falls fast with ``order``
    (``bo.theory.additive_error``). Sampling κ at random instead is unbiased, with 2 ``order`` columns each and variance
    sum_j (x_j y_j)^{2a} [(1 + K(2o))/2 - K(o)²] / order. Zero entries map to zeros: sparse data stay sparse. Hellinger
    is exact with one column each.

    Parameters
    ----------
    kernel : HomogeneousKernel, default=None
        ``AdditiveChi2``, ``Intersection``, ``JensenShannon``, ``Hellinger``, ``Homogeneous`` of any signature, sums and
        scalings. None: AdditiveChi2.
    order : int, default=2
        Number of frequencies besides 0. In scikit-learn's terms sample_steps - 1 (so 0 is allowed unless random).
    sampling : {"regular", "random"}, default="regular"
    window : {"rectangular", "uniform"}, default="rectangular"
        Of regular sampling: c_i from the signature cut to one period, or L κ(i L), the spectrum itself.
    interval : float, default=None
        Distance L of regular samples; None: the published choice for the kernel, the window and the order; for other
        signatures that of least error over ratios from e^-8 to e^8.
        ``window="uniform"`` with scikit-learn's sample_interval (0.8, 0.5, 0.4 for sample_steps 1, 2, 3) gives the
        features of its AdditiveChi2Sampler.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
    features_ : AdditiveFunction
        The frozen function from rows to features.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).dirichlet(np.ones(5), size=50)
    >>> Z = bo.AdditiveFeatures(bo.AdditiveChi2(), order=3).fit_transform(X)
    >>> Z.shape, bool(abs(Z @ Z.T - bo.AdditiveChi2()(X)).max() < 0.01)
    ((50, 35), True)
    """

    offers: ClassVar[str] = "an additive kernel (AdditiveChi2, Intersection, JensenShannon, Hellinger, Homogeneous)"
    bias: ClassVar[str] = "a Fourier series that is cut off, where sampling is regular"
    width: ClassVar[str] = "order"

    def __init__(
        self,
        kernel: Kernel | None = None,
        order: int = 2,
        *,
        sampling: Literal["regular", "random"] = "regular",
        window: Literal["rectangular", "uniform"] = "rectangular",
        interval: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.order = order
        self.sampling = sampling
        self.window = window
        self.interval = interval
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [cls(order=3), cls(window="uniform"), cls(order=4, sampling="random")]

    def draws(self, kernel: Kernel) -> bool:
        return isinstance(kernel, HomogeneousKernel)

    def _default_kernel(self) -> Kernel:
        return AdditiveChi2()

    def _n_draws(self) -> int:
        """Every term of a sum gets its own ``order``, so there is nothing to share out; a number above any sum's."""
        return 1 << 20

    def draw(
        self, kernel: HomogeneousKernel, rows: Any, n_components: int, rng: np.random.Generator
    ) -> AdditiveFunction:
        order = self._checked_order()
        exponent, dim, dtype = kernel.checked_exponent(), rows.shape[1], rows.dtype
        refuse_entries(rows, exponent)
        if np.isinf(kernel.spectrum_at(np.zeros(1))).all():
            return AdditiveFunction(1.0, np.empty(0), np.empty((0, dim)), dim, dtype, exponent)
        if self.sampling == "random":
            frequencies = kernel.sample_spectrum(order * dim, rng).reshape(order, dim)
            return AdditiveFunction(0.0, np.full(order, 0.5 / order), frequencies, dim, dtype, exponent)
        interval = self._checked_interval(kernel, order)
        weights = series_weights(kernel, interval, order, self.window)
        frequencies = np.repeat(interval * np.arange(1, order + 1)[:, None], dim, axis=1)
        return AdditiveFunction(float(weights[0]), weights[1:], frequencies, dim, dtype, exponent)

    def _checked_order(self) -> int:
        if self.sampling not in ("regular", "random"):
            raise ValueError(f"sampling must be 'regular' or 'random', not {self.sampling!r}.")
        if self.window not in ("rectangular", "uniform"):
            raise ValueError(f"window must be 'rectangular' or 'uniform', not {self.window!r}.")
        if self.sampling == "regular" and not isinstance(self.order, bool) and self.order == 0:
            return 0
        return checked_count(self.order, "order")

    def _checked_interval(self, kernel: HomogeneousKernel, order: int) -> float:
        if self.interval is None:
            period = kernel.period(order, self.window)
            return best_interval(kernel, order, self.window) if period is None else 2.0 * np.pi / max(1.0, period)
        if not (is_number(self.interval) and self.interval > 0):
            raise ValueError(f"interval must be a finite number greater than 0, but it is {self.interval}.")
        return float(self.interval)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


def best_interval(kernel: HomogeneousKernel, order: int, window: str) -> float:
    """The distance of samples at which the largest error of the signature over |o| <= FARTHEST is least."""
    o = np.linspace(0.0, FARTHEST, 401)
    exact = kernel.signature_at(o)

    def error(log_interval: float) -> float:
        interval = float(np.exp(log_interval))
        weights = series_weights(kernel, interval, order, window)
        weights[1:] *= 2.0
        return float(np.abs(np.cos(np.outer(o, interval * np.arange(order + 1))) @ weights - exact).max())

    tried = np.linspace(np.log(0.02), np.log(8.0), 120)
    best = tried[int(np.argmin([error(one) for one in tried]))]
    step = tried[1] - tried[0]
    return float(np.exp(minimize_scalar(error, bounds=(best - step, best + step), method="bounded").x))


def series_weights(kernel: HomogeneousKernel, interval: float, order: int, window: str) -> Array:
    """c_0, ..., c_order with K(o) ~ c_0 + 2 sum_i c_i cos(i L o).

    "uniform": c_i = L κ(i L). "rectangular": c_i = (1/T) ∫ K(o) cos(i L o) do over one period T = 2π/L; a negative one
    would be no kernel and is set to 0.
    """
    frequencies = interval * np.arange(order + 1)
    if window == "uniform":
        return interval * kernel.spectrum_at(frequencies)
    nodes, weights = quadrature()
    half = np.pi / interval
    o = 0.5 * half * (nodes + 1.0)
    values = np.cos(np.outer(frequencies, o)) @ (weights * kernel.signature_at(o))
    return np.maximum(0.5 * values, 0.0)

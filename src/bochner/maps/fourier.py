"""Random Fourier features in real and complex embeddings."""

from __future__ import annotations

from typing import Any, ClassVar, Literal, Self

import numpy as np

from ..compute.trigonometry import cosine_sine, shifted_cosine
from ..kernels import Kernel, RadialKernel, ShiftInvariantKernel
from .amplified import amplified
from .directions import DRAWS, RADIAL_DIRECTIONS, not_radial
from .features import Array, DenseFeatures
from .frequency_weights import LARGEST_DIM, WeightedFeatures, fitted_weights
from .kernel_map import KernelMap
from .projections import Projection

EMBEDDINGS = ("paired", "shifted", "complex")
TILE_BYTES = 1 << 20  # turns of one tile of rows stay in cache between the product and the cosines


class FourierFunction(DenseFeatures):
    """z(x) = sqrt(2/D) [cos w_i'x, sin w_i'x for the pairs; cos(w_i'x + b_i) for the shifted], columns in that order.

    Each pair contributes (2/D) cos w'(x-y), each shifted cosine a term of mean (1/D) k(x-y), so any mixture with
    2 pairs + shifted = D is unbiased: an odd D is pairs and one shifted cosine.
    """

    def __init__(
        self, projection: Projection, phases: Array, n_pairs: int, n_features_in: int, dtype: np.dtype
    ) -> None:
        self.projection = projection
        self.phases = np.asarray(phases, dtype=dtype)
        self.n_pairs = n_pairs
        self.n_features_in = n_features_in
        self.n_components = 2 * n_pairs + len(phases)
        self.dtype = dtype

    def write(self, X: Any, out: Array) -> None:
        pairs, total = self.n_pairs, self.n_components
        scale = float(np.sqrt(2.0 / total))
        n_frequencies = self.projection.n_frequencies
        tile = max(1, min(X.shape[0], max(16, TILE_BYTES // (n_frequencies * self.dtype.itemsize))))
        scratch = np.empty((tile, n_frequencies), dtype=self.dtype)
        for start in range(0, X.shape[0], tile):
            stop = min(start + tile, X.shape[0])
            turns = scratch[: stop - start]
            self.projection.write(X[start:stop], turns)
            if pairs:
                cosine_sine(turns[:, :pairs], scale, out[start:stop, :pairs], out[start:stop, pairs : 2 * pairs])
            if pairs < n_frequencies:
                shifted_cosine(turns[:, pairs:], self.phases, scale, out[start:stop, 2 * pairs :])


class ComplexFourierFunction(DenseFeatures):
    """z(x) = m^{-1/2} exp(i w_j'x), j <= m: the paired features of m frequencies as complex numbers."""

    def __init__(self, projection: Projection, n_features_in: int, dtype: np.dtype) -> None:
        self.pairs = FourierFunction(projection, np.empty(0), projection.n_frequencies, n_features_in, dtype)
        self.n_features_in = n_features_in
        self.n_components = projection.n_frequencies
        self.dtype = dtype

    @property
    def output_dtype(self) -> np.dtype:
        return np.result_type(self.dtype, np.complex64)

    def write(self, X: Any, out: Array) -> None:
        tile = max(16, TILE_BYTES // self.pairs.row_bytes)
        for start in range(0, X.shape[0], tile):
            pairs = self.pairs(X[start : start + tile])
            out.real[start : start + tile], out.imag[start : start + tile] = np.split(pairs, 2, axis=1)


class FourierFeatures(KernelMap):
    """Random Fourier features: E z(x)'z(y) = k(x - y) for any shift-invariant kernel (Bochner).

    With D = ``n_components`` and frequencies w from the kernel's spectrum, "paired" is
    z(x) = sqrt(2/D) [cos w_i'x, sin w_i'x], i <= D/2, with variance [1 + k(2Δ) - 2k(Δ)²] / D and no error at Δ = 0;
    "shifted" is z(x) = sqrt(2/D) cos(w_i'x + b_i), i <= D, b uniform, with variance [1 + k(2Δ)/2 - k(Δ)²] / D.
    Paired is better wherever k(2Δ) <= 2k(Δ)²: everywhere for the Gaussian and the Laplace kernel.
    "complex" is z(x) = D^{-1/2} exp(i w_i'x), i <= D, for which k(x - y) = E z(x) conj(z(y))': its real part is the
    paired estimate of as many frequencies, its imaginary part has mean 0.

    Two kernels are shift-invariant but for a factor. A composition f(k) of a shift-invariant kernel k has f(1) times
    the features of f(k)/f(1), whose frequencies are sums of N inner ones, N of the law a_n / f(1); exp(<x, y>) has
    exp(||x||²/2) times those of the Gaussian.

    Parameters
    ----------
    kernel : Kernel, default=None
        A shift-invariant kernel, a composition of such, ExponentialDot, or sums, products and scalings. None: Gaussian
        with one length scale per column, the column's standard deviation times the median distance of standardised
        rows.
    n_components : int, default=None
        Number of output columns, at least 1; odd numbers are paired but for one shifted cosine. None: 256, or what
        ``eps`` needs.
    embedding : {"paired", "shifted", "complex"}, default="paired"
        "complex" gives ``n_components`` complex columns. Learners take real ones: paired features are the same machine.
    directions : {"auto", "orthogonal", "iid", "hadamard", "fastfood", "sobol", "halton"}, default="auto"
        "auto" is "orthogonal" for radial kernels and "iid" for others. "hadamard" costs O(D log d) and is the fastest
        from about 256 columns on. Its directions are not exactly uniform: their mean would be wrong by .11 (d = 2) and
        .06 (d = 4) at 1.5 length scales, by .48 and .23 at 5. So it draws orthogonal blocks, which are exact, up to 32
        columns; beyond, its bias is below .002. All others are unbiased.
    weights : {"equal", "fitted"}, default="equal"
        "fitted": frequencies have weights a_i >= 0, which minimise sum (sum_i a_i cos w_i'Δ - k)² + 10 sum (a_i - 1/m)²
        over 1000 pairs of rows, z(x) = sqrt(a_i) [cos w_i'x, sin w_i'x]. For kernel values between rows like those of
        fit, of at most 10 columns: root mean square errors with m = 64 frequencies fall from .033 to .008 (d = 2), .038
        to .027 (d = 5), .040 to .034 (d = 10), and ``eps=0.02`` takes 72 columns in place of 443 (d = 2), 213 in place
        of 579 (d = 5). No longer unbiased, and no help to learners.
    eps : float in (0, 1), default=None
        A tolerance in place of ``n_components``: the root mean square error of z(x)'z(y) over random pairs of different
        rows, measured in fit. The width grows until it is met.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its length scales as numbers.
    features_ : FourierFunction
        The frozen function from rows to features.
    n_components_ : int
        Number of output columns.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> features = bo.FourierFeatures(bo.Gaussian(2.0), n_components=4096, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(abs(Z @ Z.T - bo.Gaussian(2.0)(X)).max() < 0.05)
    True
    """

    folds_columns: ClassVar[bool] = True
    offers: ClassVar[str] = (
        "a shift-invariant kernel (Gaussian, Laplace, Cauchy, Matern, RationalQuadratic, ...), a composition of such, "
        "or ExponentialDot"
    )

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_components: int | None = None,
        *,
        embedding: Literal["paired", "shifted", "complex"] = "paired",
        directions: str = "auto",
        weights: Literal["equal", "fitted"] = "equal",
        eps: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.embedding = embedding
        self.directions = directions
        self.weights = weights
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(n_components=129),
            cls(n_components=129, embedding="shifted"),
            cls(n_components=64, embedding="complex", directions="iid"),
            *(cls(n_components=129, directions=directions) for directions in DRAWS),
        ]

    def draws(self, kernel: Kernel) -> bool:
        invariant = kernel.shift_invariant()
        if invariant is None:
            return False
        return isinstance(invariant, RadialKernel) or self.directions not in RADIAL_DIRECTIONS

    def refusal(self, kernel: Kernel, whole: Kernel | None = None) -> str:
        if kernel.shift_invariant() is not None:
            return not_radial(kernel, self.directions)
        return super().refusal(kernel, whole)

    def draw(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> DenseFeatures:
        invariant = kernel.shift_invariant()
        if not isinstance(invariant, ShiftInvariantKernel):
            raise ValueError(self.refusal(kernel))
        return amplified(kernel, self._waves(invariant, rows, n_components, rng))

    def _waves(
        self, kernel: ShiftInvariantKernel, rows: Any, n_components: int, rng: np.random.Generator
    ) -> DenseFeatures:
        if self.embedding not in EMBEDDINGS:
            raise ValueError(f"embedding must be 'paired', 'shifted' or 'complex', not {self.embedding!r}.")
        directions = self.directions
        if directions == "auto":
            directions = "orthogonal" if isinstance(kernel, RadialKernel) else "iid"
        if directions not in DRAWS:
            raise ValueError(f"directions must be 'auto' or one of {sorted(DRAWS)}, not {self.directions!r}.")
        n_pairs = n_components // 2 if self.embedding == "paired" else 0
        n_shifted = n_components - 2 * n_pairs
        dim = rows.shape[1]
        projection, phases = DRAWS[directions](kernel, dim, n_pairs + n_shifted, rng, rows.dtype)
        self._check_weights(dim)
        if self.embedding == "complex":
            return ComplexFourierFunction(projection, dim, rows.dtype)
        features = FourierFunction(projection, phases[n_pairs:], n_pairs, dim, rows.dtype)
        if self.weights == "equal" or n_pairs == 0:
            return features
        found = fitted_weights(kernel, projection.weights(), rows, n_pairs, n_components, rng)
        scales = np.sqrt(0.5 * n_components * found)
        return WeightedFeatures(features, np.concatenate([scales, scales, np.ones(n_shifted)]))

    def _check_weights(self, dim: int) -> None:
        if self.weights not in ("equal", "fitted"):
            raise ValueError(f"weights must be 'equal' or 'fitted', not {self.weights!r}.")
        if self.weights == "fitted" and self.embedding != "paired":
            raise ValueError(f"weights='fitted' need embedding='paired', not {self.embedding!r}.")
        if self.weights == "fitted" and dim > LARGEST_DIM:
            raise ValueError(
                f"weights='fitted' gain nothing beyond {LARGEST_DIM} columns, and the data have {dim}: use 'equal'."
            )

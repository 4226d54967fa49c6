"""Nystroem features: any kernel, represented by its values at landmark rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Literal, Self

import numpy as np
import scipy.linalg

from ..compute.cholesky import jittered_cholesky
from ..kernels import Kernel
from ..kernels.base import refuse_overflow
from .changed_rows import behind_all, peeled
from .design import Array
from .features import DenseFeatures, Features
from .kernel_map import KernelMap
from .landmarks import INDEFINITE, LANDMARKS

TILE_BYTES = 1 << 22  # kernel values of one tile of rows
PANEL = 256  # columns of a triangular matrix that are multiplied at a time
CUT_OFF = 1e-10
NEGLIGIBLE = 1e-6  # root mean square error of the features of a row, whose norm is about 1, that float32 may make


class KernelValues(DenseFeatures):
    """k(L, x) for landmarks L, made in float64 whatever the rows are: what it is multiplied by may be large."""

    def __init__(self, kernel: Kernel, landmarks: Any, dtype: Any = np.float64) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        self.n_features_in = landmarks.shape[1]
        self.n_components = landmarks.shape[0]
        self.dtype = np.dtype(dtype)

    @property
    def row_dtype(self) -> np.dtype:
        return np.dtype(np.float64)

    def tiles(self, X: Any) -> Iterator[tuple[slice, Array]]:
        """Ranges of rows and their kernel values, few enough to stay in the cache."""
        size = max(16, TILE_BYTES // (8 * self.n_components))
        for start in range(0, X.shape[0], size):
            rows = slice(start, start + size)
            yield rows, self.kernel(X[rows], self.landmarks)

    def write(self, X: Any, out: Array) -> None:
        for rows, values in self.tiles(X):
            out[rows] = values

    def scores(self, X: Any, coefficients: Array) -> Array:
        """Tile by tile: values that are multiplied while they are in the cache need not be kept."""
        out = np.empty((X.shape[0], coefficients.shape[1]))
        for rows, values in self.tiles(X):
            np.matmul(values, coefficients, out=out[rows])
        return out


class NystroemFunction(DenseFeatures):
    """z(x) = W'k(L, x) for landmarks L, with W W' = K_LL^{-1} up to 1e-10.

    For rows of float32 the weights W are float32 too where that is harmless, else float64. Independent
    errors of u |k| in the values k(L, x) become an error of root mean square u ||k|| ||W||_F / sqrt(m) in z(x), where
    ||k|| is about ||K_LL||_F / sqrt(m) for a row like the landmarks.
    """

    def __init__(self, kernel: Kernel, landmarks: Any, dtype: np.dtype) -> None:
        self.kernel = kernel
        self.landmarks = landmarks
        gram = kernel(landmarks)
        weights = inverse_root(gram)
        rounding = np.linalg.norm(gram) * np.linalg.norm(weights) / len(gram) * 0.5 * np.finfo(dtype).eps
        self.weights = weights.astype(dtype) if rounding < NEGLIGIBLE else weights
        self.n_features_in = landmarks.shape[1]
        self.n_components = landmarks.shape[0]
        self.dtype = dtype

    @property
    def row_dtype(self) -> np.dtype:
        return np.dtype(np.float64)

    def write(self, X: Any, out: Array) -> None:
        for rows, values in KernelValues(self.kernel, self.landmarks).tiles(X):
            values = values.astype(self.weights.dtype, copy=False)
            for start in range(0, self.n_components, PANEL):  # below the diagonal W is 0
                stop = min(start + PANEL, self.n_components)
                out[rows, start:stop] = values[:, :stop] @ self.weights[:stop, start:stop]

    def unwhitened(self) -> tuple[Features, Array | None]:
        return KernelValues(self.kernel, self.landmarks), self.weights.astype(np.float64, copy=False)

    def folded(self, coefficients: Array) -> tuple[Features, Array]:
        return KernelValues(self.kernel, self.landmarks), self.weights.astype(np.float64, copy=False) @ coefficients


class NystroemFeatures(KernelMap):
    """Nystroem features: z(x)'z(y) = k(x, L) K_LL^+ k(L, y), exact where x or y is a landmark.

    The data choose the features, so that they represent the rows they were fitted on better than random features of the
    same number where the kernel matrix has a fast falling spectrum; the estimate is not unbiased, and transform costs a
    kernel evaluation for each landmark and a product with a full matrix, O(d D + D²) a row.

    Parameters
    ----------
    kernel : Kernel, default=None
        Any kernel. None: Gaussian with one length scale per column, found from the data.
    n_components : int, default=None
        Number of landmarks and of output columns; as many as there are different rows, if they are fewer. None: 256, or
        what ``eps`` needs.
    landmarks : {"uniform", "kmeans++", "leverage"}, default="uniform"
        Rows drawn uniformly; by k-means++ in the kernel's own feature space; by approximate ridge leverage scores.
    eps : float in (0, 1), default=None
        A tolerance in place of ``n_components``: the root mean square error of z(x)'z(y) over random pairs of different
        rows, relative to the mean of k(x, x), measured in fit. The width grows until it is met.
    random_state : int, Generator or None, default=None
    n_jobs : int, default=None
        Threads; None means as many as BLAS would use.

    Attributes
    ----------
    kernel_ : Kernel
        The kernel with its parameters as numbers.
    features_ : Features
        The frozen function from rows to features: a NystroemFunction, behind the kernel's length scales.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> features = bo.NystroemFeatures(bo.Gaussian(2.0), n_components=60, random_state=0).fit(X)
    >>> Z = features.transform(X)
    >>> bool(abs(Z @ Z.T - bo.Gaussian(2.0)(X)).max() < 0.05)
    True
    """

    offers: ClassVar[str] = "any kernel"
    bias: ClassVar[str] = "k - z'z is positive semi-definite, and 0 where one of two rows is a landmark"

    def __init__(
        self,
        kernel: Kernel | None = None,
        n_components: int | None = None,
        *,
        landmarks: Literal["uniform", "kmeans++", "leverage"] = "uniform",
        eps: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.n_components = n_components
        self.landmarks = landmarks
        self.eps = eps
        self.random_state = random_state
        self.n_jobs = n_jobs

    @classmethod
    def examples(cls) -> list[Self]:
        return [
            cls(n_components=20),
            cls(n_components=20, landmarks="kmeans++"),
            cls(n_components=20, landmarks="leverage"),
        ]

    def draws(self, kernel: Kernel) -> bool:
        return True

    def draw(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> NystroemFunction:
        return NystroemFunction(kernel, self._chosen(kernel, rows, n_components, rng), rows.dtype)

    def _draw_term(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Features:
        """Landmarks of changed rows keep the precision that rows are changed in."""
        changes, inner, seen = peeled(kernel, rows)
        landmarks = self._chosen(inner, seen, n_components, rng)
        return behind_all(changes, NystroemFunction(inner, landmarks, rows.dtype))

    def _chosen(self, kernel: Kernel, rows: Any, n_components: int, rng: np.random.Generator) -> Any:
        if self.landmarks not in LANDMARKS:
            raise ValueError(f"landmarks must be one of {', '.join(map(repr, LANDMARKS))}, not {self.landmarks!r}.")
        refuse_overflow(kernel, rows)
        return LANDMARKS[self.landmarks](kernel, rows, min(n_components, rows.shape[0]), rng)


def inverse_root(gram: Array) -> Array:
    """Upper triangular W with W W' = (K + δ I)^{-1} for a positive semi-definite K, δ = 1e-10 of its norm.

    δ changes the kernel by no more than that, and keeps the rounding of kernel values from growing by more than
    δ^{-1/2} where landmarks are equal or dependent. It is more only where rounding made K indefinite by more.
    """
    if not np.isfinite(gram).all():
        raise ValueError("The kernel is not finite at some landmarks: scale the data or the kernel down.")
    norm = float(np.abs(gram).sum(axis=1).max())
    if norm == 0.0:
        return np.zeros_like(gram)
    raised = 0.5 * (gram + gram.T)
    factor = jittered_cholesky(raised, CUT_OFF * norm)
    if factor is None:
        raise ValueError(INDEFINITE)
    inverse, _ = scipy.linalg.lapack.dtrtri(factor, lower=1, overwrite_c=1)
    return np.ascontiguousarray(np.tril(inverse).T)

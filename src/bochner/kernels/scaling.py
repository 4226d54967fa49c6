"""What lies between rows and a kernel of length scale 1: x -> A (x - o)."""

from __future__ import annotations

from abc import abstractmethod
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from .changed_rows import Change

Array = np.ndarray

MIDDLE_ROWS = 64  # whose mean is near enough to the middle of all
NO_TABLE = "matrix must be a table of finite numbers, a row for each direction."


class Scaling(Change):
    """x -> A (x - o): rows as a kernel of length scale 1 sees them.

    A kernel of differences does not see the origin o: a row in the middle of the data. What is left is as small as the
    data are wide, so that x'y and single precision lose digits to the spread of the rows only, not to their distance
    from 0. It is 0 (None) where nothing is known of the rows, and for sparse rows, which stay sparse under ``Columns``.
    """

    origin: Array | None = None

    @abstractmethod
    def linear(self, delta: Array, dtype: Any = np.float64) -> Array:
        """A Δ for dense rows of differences."""

    @abstractmethod
    def _sparse(self, X: Any) -> Any:
        """A x for sparse rows."""

    @abstractmethod
    def _at(self, origin: Array | None) -> Self:
        """The same A with another origin."""

    @abstractmethod
    def frequencies(self, unit: Array) -> Array:
        """W = A'v for rows of frequencies v of the unit kernel: cos(w'Δ) = cos(v'AΔ)."""

    @abstractmethod
    def unit_frequencies(self, frequencies: Array) -> tuple[Array, float]:
        """V with w = A'v, and what the density of v is multiplied by to be that of w: 1 / |det A|."""

    @abstractmethod
    def times(self, factor: float) -> Self:
        """Another scaling whose lengths are so many times as long: A divided by the factor."""

    @abstractmethod
    def trace(self) -> float:
        """Tr A'A: E||A'v||² over E||v||² / n_directions."""

    @abstractmethod
    def stretch(self) -> float:
        """The largest ||A Δ|| / ||Δ||."""

    @abstractmethod
    def steepness(self) -> Array:
        """||A e_j|| for each column j: how far a step of 1 in it goes."""

    def __call__(self, X: Any, dtype: Any = np.float64) -> Any:
        check_columns(X, self.n_columns)
        if sp.issparse(X):
            if self.origin is None:
                return self._sparse(X).astype(dtype, copy=False)
            X = X.toarray()
        origin = 0.0 if self.origin is None else self.origin
        return self.linear(np.subtract(X, origin, dtype=np.float64), dtype)

    def around(self, rows: Any) -> Self:
        return self._at(None if sp.issparse(rows) else middle_row(rows))


class Columns(Scaling):
    """x_j -> (x_j - o_j) / l_j: one length scale for each column; a column of infinite length scale is ignored."""

    def __init__(self, scales: Array, origin: Array | None = None) -> None:
        self.scales = scales
        self.origin = origin

    @property
    def n_columns(self) -> int:
        return len(self.scales)

    @property
    def n_directions(self) -> int:
        return len(self.scales)

    @property
    def keeps_sparse(self) -> bool:
        return self.origin is None

    def linear(self, delta: Array, dtype: Any = np.float64) -> Array:
        if (self.scales != 1.0).any():
            delta = delta / self.scales
        return delta.astype(dtype, copy=False)

    def _sparse(self, X: Any) -> Any:
        return (X @ sp.diags(1.0 / self.scales)).tocsr()

    def _at(self, origin: Array | None) -> Columns:
        return Columns(np.array(self.scales), origin)

    def frequencies(self, unit: Array) -> Array:
        return unit / self.scales

    def unit_frequencies(self, frequencies: Array) -> tuple[Array, float]:
        return frequencies * self.scales, float(np.prod(self.scales))

    def times(self, factor: float) -> Columns:
        return Columns(self.scales * factor, self.origin)

    def trace(self) -> float:
        return float(np.sum(self.scales**-2.0))

    def stretch(self) -> float:
        return 1.0 / float(self.scales.min())

    def steepness(self) -> Array:
        return 1.0 / self.scales


class Metric(Scaling):
    """A matrix A in the place of length scales: distances are sqrt(Δ'MΔ) with M = A'A.

    Length scales stretch columns; a matrix also turns them, so that directions across columns can matter more than any
    column does. It multiplies where length scales divide: ``Metric(np.diag(1 / l))`` is the vector l, and
    ``Gaussian(Metric(A))(X, Y)`` is ``Gaussian(1.0)(X @ A.T, Y @ A.T)``.

    Parameters
    ----------
    matrix : array of shape (n_directions, n_columns)
        A. ``bo.learn_metric`` finds one from data.
    origin : array of shape (n_columns,), default=None
        Subtracted from rows first, which changes no distance; a fit puts it in the middle of the rows.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.Gaussian(bo.Metric([[1.0, 1.0]]))  # sees the sum of two columns only
    >>> kernel([[0.0, 0.0]], [[1.0, -1.0], [1.0, 0.0]]).round(4)
    array([[1.    , 0.6065]])
    """

    def __init__(self, matrix: Any, origin: Any = None) -> None:
        try:
            self.matrix = np.array(matrix, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(NO_TABLE) from None
        if self.matrix.ndim != 2 or not self.matrix.size or not np.isfinite(self.matrix).all():
            raise ValueError(NO_TABLE)
        self.origin = None if origin is None else np.array(origin, dtype=np.float64)

    def __repr__(self) -> str:
        return f"Metric({np.array2string(self.matrix, threshold=8, precision=4, separator=', ')})".replace("\n", "")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Metric) and np.array_equal(self.matrix, other.matrix)

    def __hash__(self) -> int:
        return hash((self.matrix.shape, self.matrix.tobytes()))

    @property
    def n_columns(self) -> int:
        return self.matrix.shape[1]

    @property
    def n_directions(self) -> int:
        return self.matrix.shape[0]

    def linear(self, delta: Array, dtype: Any = np.float64) -> Array:
        return np.ascontiguousarray(delta.astype(dtype, copy=False) @ self.matrix.T.astype(dtype, copy=False))

    def _sparse(self, X: Any) -> Any:
        return np.ascontiguousarray(X @ self.matrix.T)

    def _at(self, origin: Array | None) -> Metric:
        return Metric(self.matrix, origin)

    def frequencies(self, unit: Array) -> Array:
        return unit @ self.matrix

    def unit_frequencies(self, frequencies: Array) -> tuple[Array, float]:
        rank = np.linalg.matrix_rank(self.matrix)
        if not self.n_directions == self.n_columns == rank:
            raise ValueError(
                f"The frequencies under a Metric have a density only where its matrix is square and invertible, and it "
                f"has shape {self.matrix.shape} and rank {rank}."
            )
        return np.linalg.solve(self.matrix.T, frequencies.T).T, 1.0 / abs(float(np.linalg.det(self.matrix)))

    def times(self, factor: float) -> Metric:
        return Metric(self.matrix / factor, self.origin)

    def divided(self, factors: Array) -> Metric:
        """Each direction divided by a factor of its own."""
        return Metric(self.matrix / np.asarray(factors)[:, None], self.origin)

    def trace(self) -> float:
        return float(np.square(self.matrix).sum())

    def stretch(self) -> float:
        return float(np.linalg.norm(self.matrix, 2))

    def steepness(self) -> Array:
        return np.linalg.norm(self.matrix, axis=0)


LengthScale = float | Array | list[float] | str | Metric


def scaling_of(length_scale: LengthScale, dim: int) -> Scaling:
    """The scaling that a length scale means for rows of so many columns, checked."""
    if not isinstance(length_scale, Metric):
        return Columns(column_scales(length_scale, dim))
    if length_scale.n_columns != dim:
        raise ValueError(f"matrix has {length_scale.n_columns} columns but the data have {dim}: give one each.")
    return length_scale


def column_scales(length_scale: LengthScale, dim: int) -> Array:
    """Length scale of each of ``dim`` columns, checked: finite (or infinite: column ignored) and positive."""
    if isinstance(length_scale, str):
        raise ValueError(
            f"length_scale={length_scale!r} is resolved from data: fit a feature map with this kernel, "
            "call kernel.resolve(X) first, or give a number."
        )
    if isinstance(length_scale, Metric):
        raise ValueError("This formula is for one length scale per column, and the kernel has a bo.Metric.")
    given = np.asarray(length_scale)
    if given.dtype.kind not in "iuf":
        raise ValueError(
            "length_scale must be a number, one per column, 'median', 'std', 'auto' or a bo.Metric, "
            f"not {length_scale!r}."
        )
    scales = given.astype(np.float64)
    if scales.ndim == 2:
        raise ValueError(
            f"length_scale has shape {scales.shape}: a matrix multiplies rows where length scales divide columns, so "
            "give it as bo.Metric(matrix)."
        )
    if scales.ndim > 1 or (scales.ndim == 1 and scales.shape[0] not in (1, dim)):
        raise ValueError(
            f"length_scale has shape {scales.shape} but the data have {dim} columns: "
            "give one number, or one number per column."
        )
    if not (scales > 0).all():
        raise ValueError(f"length_scale must be greater than 0, but it is {length_scale}.")
    return np.broadcast_to(scales, (dim,))


def stretched(length_scale: LengthScale, factors: Any) -> LengthScale:
    """A length scale multiplied by a factor, or by one for each column (for each direction of a metric)."""
    if isinstance(length_scale, Metric):
        return length_scale.times(float(factors)) if np.ndim(factors) == 0 else length_scale.divided(factors)
    if np.ndim(factors) == 0:
        if isinstance(length_scale, str):
            column_scales(length_scale, 1)
        return np.asarray(length_scale, dtype=np.float64)[()] * factors
    return column_scales(length_scale, len(factors)) * factors


def checked_gamma(gamma: Any) -> float:
    """The gamma of other libraries, a number > 0, or one clear sentence."""
    if isinstance(gamma, bool) or not isinstance(gamma, Real) or not 0.0 < float(gamma) < np.inf:
        raise ValueError(f"gamma must be a finite number greater than 0, but it is {gamma!r}.")
    return float(gamma)


def check_columns(X: Any, n_columns: int) -> None:
    """Refuse rows of another width."""
    if X.ndim != 2 or X.shape[1] != n_columns:
        raise ValueError(f"The kernel is for {n_columns} columns but the data have shape {X.shape}.")


def middle_row(rows: Array) -> Array:
    """A row in the middle of dense rows: the mean of some of them, in float64."""
    some = rows[:: max(1, len(rows) // MIDDLE_ROWS)]
    with np.errstate(over="ignore", invalid="ignore"):
        mean = some.sum(axis=0, dtype=np.float64) / max(1, len(some))
    return np.where(np.isfinite(mean), mean, 0.0)

"""Any kernel of rows whose heavy tails are made tame."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from ..compute.tails import centre_and_spread, soft_tails
from .base import Array, Kernel, checked_kernel
from .changed_rows import Change, ChangedRows
from .length_words import counted_rows

TAILS_ROWS = 4096  # evenly spread rows that tell medians and quartiles: to 2 % of a standard deviation


class SoftColumns(Change):
    """c(x)_j = 2 asinh((x_j - centre_j) / (2 spread_j)), made in double precision whatever the rows are."""

    def __init__(self, centre: Array, spread: Array) -> None:
        self.centre = centre
        self.spread = spread

    @property
    def n_columns(self) -> int:
        return len(self.centre)

    @property
    def n_directions(self) -> int:
        return len(self.centre)

    def __call__(self, X: Any, dtype: Any = np.float64) -> Array:
        X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != len(self.centre):
            raise ValueError(
                f"centre has {len(self.centre)} entries but the data have shape {X.shape}: give one a column."
            )
        return np.ascontiguousarray(soft_tails(X, self.centre, self.spread), dtype=dtype)

    def stretch(self) -> float:
        """At the centre, where the slope of 2 asinh(u / 2) is 1."""
        return 1.0 / float(self.spread.min())


class SoftTails(ChangedRows):
    """k(x, y) = kernel(c(x), c(y)) with c(x)_j = 2 asinh((x_j - centre_j) / (2 spread_j)) in every column.

    Near the centre a column is seen in units of its spread, far out through a logarithm: a value that lies a thousand
    spreads away, or a wild one, no longer decides all distances between rows. Nothing has to be standardised before,
    and rows far from 0 lose no digits.

    Parameters
    ----------
    kernel : Kernel
    centre, spread : arrays of shape (n_columns,), default=None
        None: the median of each column, and the distance between its quartiles over 1.349 (where they are equal, the
        median of |x - centre| over the rows that differ from it), found from the data in a fit. Sparse rows are then
        left as they are: a zero must stay a zero.

    Examples
    --------
    >>> import bochner as bo
    >>> kernel = bo.SoftTails(bo.Gaussian(1.0), centre=[0.0], spread=[1.0])
    >>> kernel([[0.0]], [[0.1], [1.0], [1000.0]]).round(3)
    array([[0.995, 0.629, 0.   ]])
    """

    def __init__(self, kernel: Kernel, centre: Any = None, spread: Any = None) -> None:
        self.kernel = kernel
        self.centre = centre
        self.spread = spread

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        from .gaussian import Gaussian
        from .matern import Matern
        from .polynomial import Polynomial

        centre, spread = np.linspace(0.1, -0.2, dim), np.geomspace(0.5, 2.0, dim)
        return [cls(Matern(1.3), centre, spread), cls(Gaussian(1.0) + Polynomial(2) * 0.5, centre, spread)]

    def change(self) -> SoftColumns:
        return SoftColumns(*self.checked_columns())

    def checked_columns(self) -> tuple[Array, Array]:
        """Centre and spread of every column as numbers."""
        checked_kernel(self.kernel)
        if self.centre is None or self.spread is None:
            raise ValueError(
                "The centre and spread of SoftTails are found from data: fit a feature map or a learner with this "
                "kernel, or call kernel.resolve(X) first."
            )
        centre, spread = np.asarray(self.centre, dtype=np.float64), np.asarray(self.spread, dtype=np.float64)
        if centre.ndim != 1 or centre.shape != spread.shape or not np.isfinite(centre).all() or not (spread > 0).all():
            raise ValueError("centre must be finite and spread greater than 0, with one entry for each column.")
        return centre, spread

    def with_kernel(self, kernel: Kernel) -> SoftTails:
        return SoftTails(kernel, self.centre, self.spread)

    def resolve(self, rows: Any, weight: Array | None = None) -> Kernel:
        checked_kernel(self.kernel)
        if self.centre is not None and self.spread is not None:
            return self.with_kernel(self.kernel.resolve(self.change()(rows), weight))
        if sp.issparse(rows):
            return self.kernel.resolve(rows, weight)
        some, counts = counted_rows(rows, weight)
        step = max(1, -(-len(some) // TAILS_ROWS))
        centre, spread = centre_and_spread(np.asarray(some[::step], dtype=np.float64), counts[::step])
        return SoftTails(self.kernel, centre, spread).resolve(rows, weight)

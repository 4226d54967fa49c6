"""The largest error of one map over all pairs of given rows, and its law over redraws of the map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from ..blocks.validation import validated
from ..kernels import Kernel
from ..maps import FeatureMap, Features
from ..maps.base import as_generator
from .intervals import Array

TILE = 1024  # rows whose kernel values with as many others are held at a time
KEPT_BYTES = 256 << 20  # kernel values that are kept from one redraw to the next


@dataclass(frozen=True)
class MaximumError:
    """What ``bo.max_error`` found.

    Attributes
    ----------
    value : the largest |z(x)'z(y) - k(x, y)| over the pairs
    pair : the numbers of the rows where it is met, of x in X and y in Y
    mean_absolute : the mean of |z(x)'z(y) - k(x, y)| over the pairs
    redraws : the largest error of each redraw of the map, of shape (n_redraws,)
    eps : the tolerance that was asked for, or None
    """

    value: float
    pair: tuple[int, int]
    mean_absolute: float
    eps: float | None
    redraws: Array = field(repr=False)

    @property
    def mean(self) -> float:
        """The mean of the largest error over redraws."""
        return float(self._drawn().mean())

    @property
    def standard_error(self) -> float:
        """The standard error of ``mean``."""
        return float(self._drawn().std(ddof=1) / np.sqrt(len(self.redraws)))

    @property
    def approximate(self) -> bool:
        """Whether this map is eps-approximate on these pairs: no error is above eps."""
        return self.value <= self._tolerance()

    @property
    def failures(self) -> float:
        """The share of redraws that are not eps-approximate: an estimate of Pr(largest error > eps)."""
        return float((self._drawn() > self._tolerance()).mean())

    def _drawn(self) -> Array:
        if len(self.redraws) < 2:
            raise ValueError("The law of the largest error is known from redraws only: give n_redraws of 2 or more.")
        return self.redraws

    def _tolerance(self) -> float:
        if self.eps is None:
            raise ValueError("Whether a map is approximate depends on the tolerance: give eps.")
        return self.eps


def max_error(
    feature_map: FeatureMap,
    X: Any,
    Y: Any = None,
    *,
    n_redraws: int = 0,
    eps: float | None = None,
    random_state: Any = 0,
) -> MaximumError:
    """Find the largest |z(x)'z(y) - k(x, y)| over all pairs of rows x of X and y of Y.

    A map is eps-approximate on a set if no error there is larger than eps (Kar and Karnick 2012, Definition 1). Take a
    grid of the set as rows; the largest error over a set is at least the one over the grid.

    Parameters
    ----------
    feature_map : FeatureMap
        Fitted; it is not changed.
    X, Y : array, sparse matrix or DataFrame of shape (n_rows, n_columns)
        Y = None: all pairs of rows of X, each with itself too.
    n_redraws : int, default=0
        Independent draws of the map, of the same kernel and width, whose largest errors are also taken.
    eps : float, default=None
        A tolerance > 0.
    random_state : int, Generator or None, default=0
        Of the redraws.

    Returns
    -------
    MaximumError

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> grid = np.linspace(-3.0, 3.0, 61)[:, None]
    >>> features = bo.FourierFeatures(bo.Gaussian(1.0), 500, directions="iid", random_state=0).fit(grid)
    >>> found = bo.max_error(features, grid, n_redraws=50, eps=0.1)
    >>> found.approximate
    True
    >>> 0.06 < found.mean < 0.08
    True
    """
    if not isinstance(feature_map, FeatureMap):
        raise TypeError(
            f"max_error takes a fitted bochner feature map, not {type(feature_map).__name__}: "
            "it has no kernel to compare with."
        )
    check_is_fitted(feature_map, "features_")
    if isinstance(n_redraws, bool) or not (isinstance(n_redraws, int | np.integer) and n_redraws >= 0):
        raise ValueError(f"n_redraws must be a whole number of at least 0, but it is {n_redraws!r}.")
    if eps is not None and not (np.isfinite(eps) and eps > 0):
        raise ValueError(f"eps must be a number greater than 0, but it is {eps!r}.")
    X, Y = checked_rows(feature_map, X), None if Y is None else checked_rows(feature_map, Y)
    values = ExactValues(feature_map.kernel_, X, Y)
    value, pair, mean = values.errors(feature_map.features_)
    seeds = as_generator(random_state).integers(1 << 62, size=n_redraws)
    redraws = np.array([values.errors(feature_map.redrawn(X, int(seed)).features_)[0] for seed in seeds])
    return MaximumError(value, pair, mean, None if eps is None else float(eps), redraws)


def checked_rows(feature_map: FeatureMap, rows: Any) -> Any:
    """Rows as the map sees them."""
    return validated(feature_map, rows, accept_sparse="csr", dtype=feature_map.features_.dtype, order="C", reset=False)


class ExactValues:
    """Kernel values of all pairs of rows, tile by tile, kept where they are few."""

    def __init__(self, kernel: Kernel, X: Any, Y: Any) -> None:
        self.kernel, self.symmetric = kernel, Y is None
        self.left, self.right = X, X if Y is None else Y
        kept = 8 * self.left.shape[0] * self.right.shape[0] <= KEPT_BYTES
        self.tiles = list(self._tiles()) if kept else None

    def _tiles(self) -> Iterator[tuple[int, int, Array]]:
        for i in range(0, self.left.shape[0], TILE):
            for j in range(i if self.symmetric else 0, self.right.shape[0], TILE):
                yield i, j, self.kernel(self.left[i : i + TILE], self.right[j : j + TILE])

    def errors(self, features: Features) -> tuple[float, tuple[int, int], float]:
        """The largest error, where it is, and the mean of all."""
        left = features(self.left)
        right = left if self.symmetric else features(self.right)
        worst, pair, total = -1.0, (0, 0), 0.0
        for i, j, exact in self._tiles() if self.tiles is None else self.tiles:
            error = np.abs(product(left[i : i + TILE], right[j : j + TILE]) - exact)
            total += float(error.sum()) * (2 if self.symmetric and j > i else 1)
            place = int(error.argmax())
            if error.flat[place] > worst:
                worst, pair = float(error.flat[place]), (i + place // error.shape[1], j + place % error.shape[1])
        return worst, pair, total / (left.shape[0] * right.shape[0])


def product(left: Any, right: Any) -> Array:
    """Z_X Z_Y^*, in double precision."""
    if sp.issparse(left):
        return (left.astype(np.float64) @ right.astype(np.float64).T).toarray()
    precise = np.result_type(left.dtype, np.float64)
    return left.astype(precise, copy=False) @ right.astype(precise, copy=False).conj().T

"""A kernel from draws of its frequencies: Bochner's theorem read from right to left."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from numbers import Real
from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from .base import Array
from .gaussian import Gaussian
from .shift_invariant import ShiftInvariantKernel

Sampler = Callable[[int, int, np.random.Generator], Array]
Value = Callable[[Array], Array]

DRAWS = 1 << 14  # frequencies whose mean stands for the kernel where its values are not given
TILE_BYTES = 32 << 20  # differences, or waves, that are held at a time


def normal_frequencies(dim: int, n: int, rng: np.random.Generator) -> Array:
    """The frequencies of the Gaussian kernel of length scale 1."""
    return rng.normal(size=(n, dim))


class Spectral(ShiftInvariantKernel):
    """k(Δ) = E cos(w'Δ) for frequencies w from any sampler: every law of w is the spectrum of a kernel (Bochner).

    Parameters
    ----------
    sampler : callable
        ``sampler(dim, n, rng)`` gives n independent frequencies, an array of shape (n, dim).
    value : callable, default=None
        k as a function of differences, of shape (n, dim), if it is known. None: the mean of cos(w'Δ) over 16,384
        draws, the same ones in every call; its standard error, at most .0055, is given by ``standard_error``.
    second_moment : float or callable of dim, default=None
        E||w||², which bounds of ``bo.theory`` need; np.inf where it is infinite.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> kernel = bo.Spectral(lambda dim, n, rng: rng.normal(size=(n, dim)))  # the Gaussian, by its frequencies
    >>> bool(abs(kernel([[0.0]], [[1.0]])[0, 0] - np.exp(-0.5)) < 5 * kernel.standard_error([1.0])[0])
    True
    """

    def __init__(self, sampler: Sampler, value: Value | None = None, second_moment: Any = None) -> None:
        self.sampler = sampler
        self.value = value
        self.second_moment = second_moment

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(normal_frequencies, value=Gaussian(1.0).at, second_moment=float)]

    def sample_frequencies(self, dim: int, n: int, rng: np.random.Generator) -> Array:
        return checked_draws(self._checked_sampler(), dim, n, rng)

    def n_uniforms(self, dim: int) -> int:
        raise ValueError("A sampler has no quantile functions, which quasi-random points need: use directions='iid'.")

    def frequencies(self, uniforms: Array, dim: int) -> Array:
        raise ValueError("A sampler has no quantile functions, which quasi-random points need: use directions='iid'.")

    def frequency_second_moment(self, dim: int) -> float:
        moment = self.second_moment(dim) if callable(self.second_moment) else self.second_moment
        if isinstance(moment, bool) or not (isinstance(moment, Real) and float(moment) >= 0):
            raise ValueError(
                f"second_moment must be E||w||² >= 0, a number or a function of the dimension, not {moment!r}: "
                "give it to bo.Spectral, np.inf where it is infinite."
            )
        return float(moment)

    def rowwise(self, X: Array, Y: Array) -> Array:
        delta = np.asarray(X, dtype=np.float64) - np.asarray(Y, dtype=np.float64)
        if self.value is not None:
            return checked_values(self.value, delta)
        return self._over_waves(delta, lambda waves: np.cos(waves).mean(axis=1))

    def standard_error(self, delta: Any) -> Array:
        """Standard error of k(Δ) for rows of differences Δ, shape (n,); 0 where ``value`` is given."""
        delta = np.atleast_2d(np.asarray(delta, dtype=np.float64))
        if self.value is not None:
            return np.zeros(len(delta))
        return self._over_waves(delta, lambda waves: np.cos(waves).std(axis=1)) / np.sqrt(DRAWS)

    def __call__(self, X: Any, Y: Any = None) -> Array:
        X = dense(X)
        Y = X if Y is None else dense(Y)
        values = np.empty((len(X), len(Y)))
        if self.value is not None:
            for rows in tiles(len(X), 8 * len(Y) * X.shape[1]):
                delta = X[rows, None, :] - Y[None, :, :]
                values[rows] = checked_values(self.value, delta.reshape(-1, X.shape[1])).reshape(-1, len(Y))
            return values
        frequencies = self._kept(X.shape[1])
        values[:] = 0.0
        for some in tiles(DRAWS, 16 * (len(X) + len(Y))):
            left, right = X @ frequencies[some].T, Y @ frequencies[some].T
            values += np.cos(left) @ np.cos(right).T + np.sin(left) @ np.sin(right).T
        return values / DRAWS

    def _checked_sampler(self) -> Sampler:
        if not callable(self.sampler):
            raise TypeError(
                f"sampler must be a function of dimension, number and generator, not {type(self.sampler).__name__}."
            )
        return self.sampler

    def _kept(self, dim: int) -> Array:
        return kept_draws(self._checked_sampler(), dim)

    def _over_waves(self, delta: Array, summary: Callable[[Array], Array]) -> Array:
        frequencies = self._kept(delta.shape[1])
        parts = [summary(delta[rows] @ frequencies.T) for rows in tiles(len(delta), 16 * DRAWS)]
        return np.concatenate(parts) if parts else np.empty(0)


@lru_cache(maxsize=8)
def kept_draws(sampler: Sampler, dim: int) -> Array:
    """The draws whose mean stands for the kernel: the same ones for the same sampler."""
    return checked_draws(sampler, dim, DRAWS, np.random.default_rng(0))


def checked_draws(sampler: Sampler, dim: int, n: int, rng: np.random.Generator) -> Array:
    """Frequencies from a sampler of the user's."""
    drawn = np.asarray(sampler(dim, n, rng), dtype=np.float64)
    if drawn.shape != (n, dim) or not np.isfinite(drawn).all():
        raise ValueError(
            f"sampler({dim}, {n}, rng) must give a finite array of shape {(n, dim)}, but what it gave has shape "
            f"{drawn.shape}{'' if np.isfinite(drawn).all() else ' and entries that are not finite'}."
        )
    return drawn


def checked_values(value: Value, delta: Array) -> Array:
    """Kernel values from a function of the user's."""
    found = np.asarray(value(delta), dtype=np.float64)
    if found.shape != (len(delta),):
        raise ValueError(
            f"A kernel as a function of differences must be vectorised: for shape {delta.shape} it must give "
            f"{(len(delta),)}, but it gave {found.shape}."
        )
    return found


def tiles(count: int, item_bytes: int) -> Iterator[slice]:
    """Ranges that cover so many items, each of moderate memory."""
    step = max(1, TILE_BYTES // max(1, item_bytes))
    return (slice(start, min(start + step, count)) for start in range(0, count, step))


def dense(X: Any) -> Array:
    """Rows as a dense table of doubles."""
    X = np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)
    if X.ndim != 2:
        raise ValueError(f"A kernel needs a table of rows and columns, but it was given {X.ndim} dimension(s).")
    return X

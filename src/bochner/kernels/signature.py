"""Homogeneous kernels of any signature."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Self

import numpy as np

from .base import Array
from .homogeneous import HomogeneousKernel
from .shift_invariant import open_uniform
from .spectrum import RadialSpectrum, checked_spectrum

Function = Callable[[Array], Array]


def normal_signature(log_ratio: Array) -> Array:
    """exp(-o²/2), whose spectrum is the normal density."""
    return np.exp(-0.5 * np.square(log_ratio))


class Homogeneous(HomogeneousKernel):
    """k(x, y) = sum_j (x_j y_j)^a K(log y_j - log x_j) for entries >= 0 and any signature K, even, with K(0) = 1.

    It is positive definite if and only if K is on the line, so the law κ of K's frequencies decides; where it is not
    given it is found numerically, and a K without one is refused.

    Parameters
    ----------
    signature : callable
        K as a vectorised function of o = log(y/x).
    exponent : float, default=0.5
        A, at least 0: with 1/2 the kernel of an entry is that entry, k(x, x) = sum_j x_j. With 0 entries must be > 0.
    spectrum : callable, default=None
        The density κ(l) with K(o) = integral of κ(l) cos(o l) dl.
    quantile : callable, default=None
        The quantile function of l, from uniform numbers.

    Examples
    --------
    >>> import numpy as np, bochner as bo
    >>> kernel = bo.Homogeneous(lambda o: np.exp(-(o**2) / 2), exponent=0.25)
    >>> kernel([[0.3]], [[0.8]]).round(10)
    array([[0.43266475]])
    """

    def __init__(
        self,
        signature: Function,
        *,
        exponent: float = 0.5,
        spectrum: Function | None = None,
        quantile: Function | None = None,
    ) -> None:
        self.signature = signature
        self.exponent = exponent
        self.spectrum = spectrum
        self.quantile = quantile

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(normal_signature, exponent=0.75)]

    def of_degree_one(self, x: Array, y: Array) -> Array:
        x, y = np.broadcast_arrays(x, y)
        both = (x > 0) & (y > 0)
        values = np.zeros(x.shape)
        values[both] = np.sqrt(x[both] * y[both]) * self.signature_at(np.log(y[both] / x[both]))
        return values

    def signature_at(self, log_ratio: Array) -> Array:
        log_ratio = np.asarray(log_ratio, dtype=np.float64)
        values = np.asarray(self.signature(log_ratio), dtype=np.float64)
        if values.shape != log_ratio.shape:
            raise ValueError(
                f"The signature must be vectorised: for an array of shape {log_ratio.shape} it returned {values.shape}."
            )
        return values

    def spectrum_at(self, frequency: Array) -> Array:
        if self.spectrum is not None:
            return np.asarray(self.spectrum(np.asarray(frequency, dtype=np.float64)), dtype=np.float64)
        return law_of(self.signature).density(np.abs(frequency))

    def sample_spectrum(self, n: int, rng: np.random.Generator) -> Array:
        if self.quantile is not None:
            return np.asarray(self.quantile(open_uniform(rng, (n,))), dtype=np.float64)
        return rng.choice([-1.0, 1.0], size=n) * law_of(self.signature).quantile(open_uniform(rng, (n,)))


@lru_cache(maxsize=32)
def law_of(signature: Function) -> RadialSpectrum:
    """The law of |l|, found once: a function, unlike a kernel, does not change."""
    return checked_spectrum(signature, 1)

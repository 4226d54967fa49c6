"""The exponential dot-product kernel."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy.special import gammaln

from .base import Array
from .dot_product import DotProductKernel, checked_positive, mean_square_norm, with_parameter
from .gaussian import Gaussian


class ExponentialDot(DotProductKernel):
    """k(x, y) = exp(<x, y> / sigma²), with a_n = 1 / (sigma^{2n} n!).

    Since it is exp(||x||² / 2 sigma²) exp(||y||² / 2 sigma²) exp(-||x - y||² / 2 sigma²), Fourier features of the
    Gaussian serve it too: with D of them, each pair of rows has the variance k² e^{r²} (1 - e^{-r²})² / D,
    r = ||x - y|| / sigma. That beats random Maclaurin features between rows that are long and close.

    Parameters
    ----------
    sigma : float or "norm", default=1.0
        Greater than 0. "norm" is resolved at fit: the root mean square norm of the rows.

    Examples
    --------
    >>> import bochner as bo
    >>> bo.ExponentialDot(sigma=2.0)([[1.0, 1.0]], [[2.0, 2.0]]).round(4)
    array([[2.7183]])
    """

    def __init__(self, sigma: float | Literal["norm"] = 1.0) -> None:
        self.sigma = sigma

    @classmethod
    def examples(cls, dim: int = 3) -> list[Self]:
        return [cls(0.8)]

    @property
    def radius(self) -> float:
        return np.inf

    def checked_sigma(self) -> float:
        """Sigma, or one clear sentence."""
        return checked_positive(self.sigma, "sigma")

    def shift_invariant(self) -> Gaussian:
        return Gaussian(self.checked_sigma())

    def profile(self, t: Array) -> Array:
        return np.exp(np.asarray(t) / self.checked_sigma() ** 2)

    def coefficients(self, n_terms: int) -> Array:
        powers = np.arange(n_terms)
        with np.errstate(over="ignore"):
            return np.exp(-2.0 * powers * np.log(self.checked_sigma()) - gammaln(powers + 1.0))

    def resolve(self, rows: Any, weight: Array | None = None) -> ExponentialDot:
        return with_parameter(self, sigma=np.sqrt(mean_square_norm(rows, weight))) if self.sigma == "norm" else self

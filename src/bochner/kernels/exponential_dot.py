"""The exponential dot-product kernel."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.special import gammaln

from .base import Array
from .dot_product import DotProductKernel, checked_positive, mean_square_norm, with_parameter


class ExponentialDot(DotProductKernel):
    """k(x, y) = exp(<x, y> / sigma²), with a_n = 1 / (sigma^{2n} n!).

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

    @property
    def radius(self) -> float:
        return np.inf

    def profile(self, t: Array) -> Array:
        return np.exp(np.asarray(t) / checked_positive(self.sigma, "sigma") ** 2)

    def coefficients(self, n_terms: int) -> Array:
        powers = np.arange(n_terms)
        with np.errstate(over="ignore"):
            return np.exp(-2.0 * powers * np.log(checked_positive(self.sigma, "sigma")) - gammaln(powers + 1.0))

    def resolve(self, rows: Any, weight: Array | None = None) -> ExponentialDot:
        return with_parameter(self, sigma=np.sqrt(mean_square_norm(rows, weight))) if self.sigma == "norm" else self

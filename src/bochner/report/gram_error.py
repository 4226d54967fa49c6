"""The error of a whole Gram matrix: in spectral norm, and in the norm that decides about ridge regression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..compute.threads import single_threaded_blas
from ..kernels import Kernel
from ..maps import Features
from .redraws import finite

Array = np.ndarray
GRAM_BYTES = 128 << 20


@dataclass(frozen=True)
class GramSample:
    """Some rows, their exact Gram matrix K, and (K + aI)^{-1/2}."""

    rows: Any
    exact: Array
    whitening: Array
    ridge: float
    size: float  # spectral norm of K

    @classmethod
    def of(
        cls, kernel: Kernel, rows: Any, n_rows: int, n_components: int, alpha: float | None, total: int
    ) -> GramSample:
        """Evenly spaced rows, as many as asked for and as fit in memory with their features.

        ``alpha`` is the regularisation for all ``total`` rows; their share is what a sample of them gets. None is one
        thousandth of the mean of k(x, x) for each row.
        """
        count = max(2, min(rows.shape[0], n_rows, GRAM_BYTES // (8 * n_components)))
        some = rows[np.linspace(0, rows.shape[0] - 1, count).astype(int)]
        exact = finite(kernel(some), f"Values of the kernel {type(kernel).__name__}")
        ridge = 1e-3 * float(np.trace(exact)) if alpha is None else alpha * count / total
        with single_threaded_blas():
            values, vectors = np.linalg.eigh(exact)
        whitening = vectors / np.sqrt(np.maximum(values, 0.0) + ridge) @ vectors.T
        return cls(some, exact, whitening, ridge, float(np.abs(values).max()))

    def errors(self, features: Features) -> tuple[float, float]:
        """(||K - ZZ'||, ||(K + aI)^{-1/2} (K - ZZ') (K + aI)^{-1/2}||), spectral norms.

        If the second is below 1 by a margin, ridge regression with the features is as good as with the kernel, up to a
        factor: (1 - error)(K + aI) <= ZZ' + aI <= (1 + error)(K + aI).
        """
        with single_threaded_blas():  # threads cost more than they bring on a few hundred rows
            Z = features(self.rows)
            product = (Z @ Z.T).toarray() if sp.issparse(Z) else Z.astype(np.float64) @ Z.T.astype(np.float64)
            difference = self.exact - product
            relative = self.whitening @ difference @ self.whitening
            return _norm(difference), _norm(0.5 * (relative + relative.T))


def _norm(symmetric: Array) -> float:
    return float(np.abs(np.linalg.eigvalsh(symmetric)).max())

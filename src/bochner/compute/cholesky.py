"""Cholesky factors of matrices that rounding may have made indefinite."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor

Array = np.ndarray

STEPS = (1.0, 10.0, 100.0, 1e3, 1e5)  # times the least jitter that are tried


def jittered_cholesky(matrix: Array, least: float) -> Array | None:
    """Lower factor of A + δI for the first δ among 1, 10, 100, 1e3 and 1e5 times the least that gives one, or None.

    The matrix is changed; above the diagonal the factor has no meaning.

    Examples
    --------
    >>> import numpy as np
    >>> np.tril(jittered_cholesky(np.array([[4.0, 2.0], [2.0, 1.0 - 1e-9]]), 1e-8)).round(3)
    array([[2., 0.],
           [1., 0.]])
    """
    size, added = len(matrix), 0.0
    for step in STEPS:
        matrix.flat[:: size + 1] += step * least - added
        added = step * least
        try:
            factor = cho_factor(matrix, lower=True, check_finite=False)[0]
        except LinAlgError:
            continue
        if np.isfinite(factor).all():
            return factor
    return None

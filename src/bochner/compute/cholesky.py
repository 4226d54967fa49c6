"""Cholesky factors of matrices that rounding may have made indefinite: the one place where jitter is added."""

from __future__ import annotations

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, eigh, qr

Array = np.ndarray

STEPS = (1.0, 10.0, 100.0, 1e3, 1e5)  # times the least jitter that are tried


def lower_factor(matrix: Array, least: float) -> Array:
    """Lower factor of A, or of the nearest that has one: there is one for every finite matrix.

    Of A itself where it is positive definite; else of A + δI with the first δ that does, among 1, 10, 100, 1e3 and 1e5
    times the least; else of A with its eigenvalues raised to the last δ, and to rounding: A = V diag(s) V' and
    diag(s)^{1/2} V' = QR give A = R'R. Of the matrix, which stays as it is, the lower triangle is read, and above the
    diagonal the factor has no meaning: ``scipy.linalg.cho_solve((factor, True), ...)`` takes it as it is.

    Examples
    --------
    >>> import numpy as np
    >>> factor = np.tril(lower_factor(np.array([[4.0, 2.0], [2.0, 1.0 - 1e-9]]), 1e-8))
    >>> (factor @ factor.T).round(6)
    array([[4., 2.],
           [2., 1.]])
    """
    factor = plain_cholesky(matrix)
    if factor is None and least > 0.0:
        factor = jittered_cholesky(matrix.copy(), least)
    return from_eigenvalues(matrix, STEPS[-1] * least) if factor is None else factor


def plain_cholesky(matrix: Array) -> Array | None:
    """Lower factor of A, or None where it has none; above the diagonal it has no meaning."""
    try:
        factor = cho_factor(matrix, lower=True, check_finite=False)[0]
    except LinAlgError:
        return None
    return factor if np.isfinite(factor).all() else None


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
        factor = plain_cholesky(matrix)
        if factor is not None:
            return factor
    return None


def from_eigenvalues(matrix: Array, floor: float) -> Array:
    """Lower factor of V max(s, floor) V' for A = V diag(s) V'; the floor is at least what rounding adds to s."""
    if not np.isfinite(np.tril(matrix)).all():
        raise ValueError("The matrix to be factored has entries that are not finite: scale the columns down.")
    values, vectors = eigh(matrix, lower=True, check_finite=False)
    numbers = np.finfo(values.dtype)
    raised = np.maximum(values, max(floor, len(values) * numbers.eps * np.abs(values).max(), numbers.tiny))
    upper = qr((vectors * np.sqrt(raised)).T, mode="r", check_finite=False)[0]
    return (upper * np.where(np.diagonal(upper) < 0.0, -1.0, 1.0)[:, None]).T

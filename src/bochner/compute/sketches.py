"""Count sketches: each column of a row is added, with a sign, to one of a few buckets."""

from typing import Any

import scipy.sparse as sp
from numpy.typing import NDArray

from bochner.compute.rows import check_rows, flat_rows

from .compiled import compiled


def count_sketch(X: Any, buckets: NDArray, signs: NDArray, out: NDArray) -> None:
    """Fill out (rows, n_buckets) with out[i, b] = sum of signs[j] X[i, j] over the columns j of bucket b.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n, d)
        float32 or float64; a dense one with contiguous rows.
    buckets : ndarray of int64 of shape (d,)
        Bucket of each column, from 0 to n_buckets - 1.
    signs : ndarray of shape (d,)
        Factor of each column (1 or -1, or a sign times a scale), of the dtype of X.
    out : ndarray of shape (n, n_buckets)
        Of the dtype of X, with contiguous rows; overwritten.

    Examples
    --------
    >>> import numpy as np
    >>> out = np.empty((1, 2))
    >>> count_sketch(np.array([[1.0, 2.0, 5.0]]), np.array([0, 1, 0]), np.array([1.0, -1.0, -1.0]), out)
    >>> out
    array([[-4., -2.]])
    """
    n_rows, n_columns = X.shape
    check_rows("out", out, (n_rows, out.shape[1]), X.dtype)
    if buckets.shape != (n_columns,) or signs.shape != (n_columns,) or signs.dtype != X.dtype:
        raise ValueError(f"A sketch of {n_columns} columns needs as many buckets and signs of {X.dtype}.")
    if n_columns and not 0 <= buckets.min() <= buckets.max() < out.shape[1]:
        raise ValueError(f"The buckets of a sketch must lie between 0 and {out.shape[1] - 1}.")
    out[:] = 0.0
    if sp.issparse(X):
        _sketch_sparse(X.indptr, X.indices, X.data, buckets, signs, *flat_rows(out))
    elif X.size:
        check_rows("X", X, X.shape, X.dtype)
        _sketch_dense(*flat_rows(X), X.shape, buckets, signs, *flat_rows(out))


@compiled()
def _sketch_dense(values, values_step, shape, buckets, signs, out, step):  # type: ignore[no-untyped-def]
    for i in range(shape[0]):
        for j in range(shape[1]):
            out[i * step + buckets[j]] += signs[j] * values[i * values_step + j]


@compiled()
def _sketch_sparse(indptr, indices, data, buckets, signs, out, step):  # type: ignore[no-untyped-def]
    for i in range(len(indptr) - 1):
        for place in range(indptr[i], indptr[i + 1]):
            j = indices[place]
            out[i * step + buckets[j]] += signs[j] * data[place]

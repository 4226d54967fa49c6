"""Orthonormal directions, uniform on the sphere, in blocks that cost no more memory than the directions themselves."""

from __future__ import annotations

import numpy as np
from scipy.linalg import qr

Array = np.ndarray

MOST_WORK = 1 << 33  # products d m b of one draw: one to two seconds of one core, measured at d = m = 2048 and d = 1e5
STACKED = 1 << 16  # entries up to which blocks are factored many at a time


def block_size(dim: int, n: int) -> int:
    """How many of n directions in ``dim`` columns are orthogonal to each other: min(d, n) where that is cheap.

    Factoring n / b blocks of b directions takes about d n b products. Where b = min(d, n) is beyond ``MOST_WORK``
    blocks are smaller: every direction stays uniform, so nothing becomes biased, and fewer pairs are orthogonal.

    Examples
    --------
    >>> block_size(3, 100), block_size(100, 64), block_size(20_000, 10_000)
    (3, 64, 42)
    """
    return max(1, min(dim, n, MOST_WORK // (dim * n)))


def haar_rows(dim: int, n: int, rng: np.random.Generator) -> Array:
    """Unit rows (n, dim), each block of ``block_size`` of them the first rows of a Haar distributed orthogonal matrix.

    The factor Q of a Gaussian matrix with d rows and b columns, with the signs of R's diagonal moved into Q (without
    that its law is not uniform). The directions are made where the Gaussian numbers are: no d x d matrix.
    """
    rows, size = rng.standard_normal((n, dim)), block_size(dim, n)
    step = size * max(1, STACKED // (size * dim))
    whole = n - n % size
    for start in range(0, whole, step):
        stop = min(start + step, whole)
        _orthonormalise(rows[start:stop].reshape(-1, size, dim))
    if whole < n:
        _orthonormalise(rows[whole:].reshape(1, n - whole, dim))
    return rows


def _orthonormalise(blocks: Array) -> None:
    """The rows of each block made orthonormal, in place."""
    if len(blocks) == 1:  # of any size: LAPACK in the memory of the block itself
        q, r = qr(blocks[0].T, mode="economic", overwrite_a=True, check_finite=False)
        np.multiply(q.T, np.sign(np.diagonal(r))[:, None], out=blocks[0])
    else:
        q, r = np.linalg.qr(np.swapaxes(blocks, 1, 2))
        q *= np.sign(np.diagonal(r, axis1=1, axis2=2))[:, None, :]
        blocks[:] = np.swapaxes(q, 1, 2)

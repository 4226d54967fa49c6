"""The vector work of conjugate gradients for several right-hand sides, fused so that memory is read once.

Vectors have shape (length, outputs). Sums are in float64, chunk by chunk in order: the same bits for any number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np

Array = np.ndarray

CHUNK = 1 << 17  # numbers per chunk of a sum


@numba.njit(nogil=True, cache=True)
def _dots(left, right, out) -> None:  # type: ignore[no-untyped-def]
    for i in range(left.shape[0]):
        for k in range(left.shape[1]):
            out[k] += np.float64(left[i, k]) * np.float64(right[i, k])


@numba.njit(nogil=True, cache=True)
def _step(solution, residual, direction, product, length) -> None:  # type: ignore[no-untyped-def]
    for i in range(solution.shape[0]):
        for k in range(solution.shape[1]):
            solution[i, k] += length[k] * direction[i, k]
            residual[i, k] -= length[k] * product[i, k]


@numba.njit(nogil=True, cache=True)
def _turn(direction, divided, share) -> None:  # type: ignore[no-untyped-def]
    for i in range(direction.shape[0]):
        for k in range(direction.shape[1]):
            direction[i, k] = divided[i, k] + share[k] * direction[i, k]


@numba.njit(nogil=True, cache=True)
def _regularise(product, direction, alpha, mean, share) -> None:  # type: ignore[no-untyped-def]
    for i in range(product.shape[0]):
        for k in range(product.shape[1]):
            product[i, k] += alpha * direction[i, k] - share[k] * mean[i]


class Vectors:
    """Fused operations on vectors of one length, on threads."""

    def __init__(self, length: int, n_outputs: int, threads: int = 1) -> None:
        rows = max(1, CHUNK // n_outputs)
        self.chunks = [slice(start, min(start + rows, length)) for start in range(0, length, rows)]
        self.n_outputs = n_outputs
        self.threads = min(threads, len(self.chunks))

    def _each(self, task: Callable[[slice], object]) -> list[object]:
        if self.threads <= 1:
            return [task(chunk) for chunk in self.chunks]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(task, self.chunks))

    def dots(self, left: Array, right: Array) -> Array:
        """Left' right of each output."""
        partial = np.zeros((len(self.chunks), self.n_outputs))
        self._each(lambda chunk: _dots(left[chunk], right[chunk], partial[chunk.start // len_of(self.chunks)]))
        return partial.sum(axis=0)

    def step(self, solution: Array, residual: Array, direction: Array, product: Array, length: Array) -> None:
        """Solution += length * direction; residual -= length * product."""
        length = length.astype(solution.dtype)
        self._each(lambda c: _step(solution[c], residual[c], direction[c], product[c], length))

    def turn(self, direction: Array, divided: Array, share: Array) -> None:
        """Direction = divided + share * direction."""
        share = share.astype(direction.dtype)
        self._each(lambda c: _turn(direction[c], divided[c], share))

    def regularise(self, product: Array, direction: Array, alpha: float, mean: Array, share: Array) -> None:
        """Product += alpha * direction - mean share'."""
        share, scalar = share.astype(product.dtype), product.dtype.type(alpha)
        self._each(lambda c: _regularise(product[c], direction[c], scalar, mean[c], share))


def len_of(chunks: list[slice]) -> int:
    """Length of every chunk but perhaps the last."""
    return max(1, chunks[0].stop - chunks[0].start)

"""The vector work of conjugate gradients for several right-hand sides, fused so that memory is seldom read.

Vectors have shape (length, outputs). Sums are in float64, chunk by chunk in order: the same bits for any number of
threads.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from .compiled import compiled

Array = np.ndarray

CHUNK = 1 << 17  # numbers per chunk of a sum


def _compiled(function):  # type: ignore[no-untyped-def]
    """Compile a loop whose sums may be taken in any order: what lets the processor make several terms at once."""
    return compiled(fastmath={"reassoc", "contract", "nsz"})(function)


@_compiled
def _dot(left, right, out) -> None:  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(left.shape[0]):
        total += np.float64(left[i]) * np.float64(right[i])
    out[0] += total


@_compiled
def _flat_step(solution, residual, direction, image, length) -> None:  # type: ignore[no-untyped-def]
    for i in range(solution.shape[0]):
        solution[i] += length * direction[i]
        residual[i] -= length * image[i]


@_compiled
def _flat_turn(direction, divided, share) -> None:  # type: ignore[no-untyped-def]
    for i in range(direction.shape[0]):
        direction[i] = divided[i] + share * direction[i]


@_compiled
def _flat_shifted_step(  # type: ignore[no-untyped-def]
    solution, residual, direction, image, length, alpha, mean, share, inverse, out
) -> None:
    total = 0.0
    for i in range(solution.shape[0]):
        p = direction[i]
        solution[i] += length * p
        r = residual[i] - length * (image[i] + alpha * p - share * mean[i])
        residual[i] = r
        total += np.float64(r) * np.float64(r) * np.float64(inverse[i])
    out[0] += total


@_compiled
def _flat_divided_turn(direction, residual, inverse, share, out) -> None:  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(direction.shape[0]):
        p = inverse[i] * residual[i] + share * direction[i]
        direction[i] = p
        total += np.float64(p) * np.float64(p)
    out[0] += total


@compiled()
def _dots(left, right, out) -> None:  # type: ignore[no-untyped-def]
    for i in range(left.shape[0]):
        for k in range(left.shape[1]):
            out[k] += np.float64(left[i, k]) * np.float64(right[i, k])


@compiled()
def _step(solution, residual, direction, image, length) -> None:  # type: ignore[no-untyped-def]
    for i in range(solution.shape[0]):
        for k in range(solution.shape[1]):
            solution[i, k] += length[k] * direction[i, k]
            residual[i, k] -= length[k] * image[i, k]


@compiled()
def _turn(direction, divided, share) -> None:  # type: ignore[no-untyped-def]
    for i in range(direction.shape[0]):
        for k in range(direction.shape[1]):
            direction[i, k] = divided[i, k] + share[k] * direction[i, k]


@compiled()
def _add_shifted(image, direction, alpha, mean, share) -> None:  # type: ignore[no-untyped-def]
    for i in range(image.shape[0]):
        for k in range(image.shape[1]):
            image[i, k] += alpha * direction[i, k] - share[k] * mean[i]


@compiled()
def _shifted_step(  # type: ignore[no-untyped-def]
    solution, residual, direction, image, length, alpha, mean, share, inverse, out
) -> None:
    for i in range(solution.shape[0]):
        for k in range(solution.shape[1]):
            p = direction[i, k]
            solution[i, k] += length[k] * p
            r = residual[i, k] - length[k] * (image[i, k] + alpha * p - share[k] * mean[i])
            residual[i, k] = r
            out[k] += np.float64(r) * np.float64(r) * inverse[i]


@compiled()
def _divided_turn(direction, residual, inverse, share, out) -> None:  # type: ignore[no-untyped-def]
    for i in range(direction.shape[0]):
        for k in range(direction.shape[1]):
            p = inverse[i] * residual[i, k] + share[k] * direction[i, k]
            direction[i, k] = p
            out[k] += np.float64(p) * np.float64(p)


class Vectors:
    """Fused operations on vectors of one shape, on threads."""

    def __init__(self, length: int, n_outputs: int, threads: int = 1) -> None:
        rows = max(1, CHUNK // n_outputs)
        self.chunks = [slice(start, min(start + rows, length)) for start in range(0, length, rows)]
        self.n_outputs = n_outputs
        self.flat = n_outputs == 1  # one column has loops of its own, several times as fast
        self.threads = min(threads, len(self.chunks))

    def _each(self, task: Callable[[slice], object]) -> None:
        if self.threads <= 1:
            for chunk in self.chunks:
                task(chunk)
            return
        with ThreadPoolExecutor(self.threads) as pool:
            list(pool.map(task, self.chunks))

    def _sum(self, task: Callable[[slice, Array], object]) -> Array:
        """Add up what ``task`` puts into an array for each chunk."""
        partial = {chunk.start: np.zeros(self.n_outputs) for chunk in self.chunks}
        self._each(lambda chunk: task(chunk, partial[chunk.start]))
        return np.sum([partial[chunk.start] for chunk in self.chunks], axis=0)

    def dots(self, left: Array, right: Array) -> Array:
        """Left' right of each output."""
        if self.flat:
            one, other = left[:, 0], right[:, 0]
            return self._sum(lambda c, out: _dot(one[c], other[c], out))
        return self._sum(lambda c, out: _dots(left[c], right[c], out))

    def step(self, solution: Array, residual: Array, direction: Array, image: Array, length: Array) -> None:
        """Solution += length * direction; residual -= length * image."""
        length = length.astype(solution.dtype)
        if self.flat:
            flat = (solution[:, 0], residual[:, 0], direction[:, 0], image[:, 0])
            self._each(lambda c: _flat_step(*(vector[c] for vector in flat), length[0]))
            return
        self._each(lambda c: _step(solution[c], residual[c], direction[c], image[c], length))

    def turn(self, direction: Array, divided: Array, share: Array) -> None:
        """Direction = divided + share * direction."""
        share = share.astype(direction.dtype)
        if self.flat:
            one, other = direction[:, 0], divided[:, 0]
            self._each(lambda c: _flat_turn(one[c], other[c], share[0]))
            return
        self._each(lambda c: _turn(direction[c], divided[c], share))

    def add_shifted(self, image: Array, direction: Array, alpha: float, mean: Array, share: Array) -> None:
        """Image += alpha * direction - mean share'."""
        share, scalar = share.astype(image.dtype), image.dtype.type(alpha)
        self._each(lambda c: _add_shifted(image[c], direction[c], scalar, mean[c], share))

    def shifted_step(
        self,
        vectors: tuple[Array, Array, Array, Array],
        length: Array,
        alpha: float,
        mean: Array,
        share: Array,
        inverse: Array,
    ) -> Array:
        """``step`` with image + alpha * direction - mean share' for the image; returns r'(inverse r).

        vectors = (solution, residual, direction, image)
        """
        solution, residual, direction, image = vectors
        dtype = solution.dtype
        length, share, scalar = length.astype(dtype), share.astype(dtype), dtype.type(alpha)
        if self.flat:
            flat = (solution[:, 0], residual[:, 0], direction[:, 0], image[:, 0])
            return self._sum(
                lambda c, out: _flat_shifted_step(
                    *(vector[c] for vector in flat), length[0], scalar, mean[c], share[0], inverse[c], out
                )
            )
        return self._sum(
            lambda c, out: _shifted_step(
                solution[c], residual[c], direction[c], image[c], length, scalar, mean[c], share, inverse[c], out
            )
        )

    def divided_turn(self, direction: Array, residual: Array, inverse: Array, share: Array) -> Array:
        """Direction = inverse * residual + share * direction; returns its square."""
        share = share.astype(direction.dtype)
        if self.flat:
            one, other = direction[:, 0], residual[:, 0]
            return self._sum(lambda c, out: _flat_divided_turn(one[c], other[c], inverse[c], share[0], out))
        return self._sum(lambda c, out: _divided_turn(direction[c], residual[c], inverse[c], share, out))

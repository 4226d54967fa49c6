"""Conjugate gradients for symmetric positive definite systems with several right-hand sides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..compute.krylov import Vectors

Array = np.ndarray
Product = Callable[[Array], Array]


class LinearSystem(ABC):
    """A X = B with X of shape (length, outputs), and an approximation M of A to divide by.

    Law: A and M are symmetric and positive definite. The steps are separate methods so that a system whose structure is
    known can fuse them; ``begin`` comes first, then ``image``, ``advance`` and ``turn`` in turn.
    """

    right_side: Array
    vectors: Vectors

    @abstractmethod
    def residual(self, solution: Array) -> Array:
        """B - A X."""

    @abstractmethod
    def begin(self, residual: Array) -> tuple[Array, Array]:
        """The first direction M^{-1}R, and the size R'M^{-1}R of each output."""

    @abstractmethod
    def image(self, direction: Array) -> tuple[Array, Array]:
        """What ``advance`` needs of A P, and the bend P'AP of each output."""

    @abstractmethod
    def advance(self, solution: Array, residual: Array, direction: Array, image: Array, length: Array) -> Array:
        """X += length P; R -= length AP; the new size."""

    @abstractmethod
    def turn(self, direction: Array, residual: Array, share: Array) -> None:
        """P = M^{-1}R + share P."""


class GeneralSystem(LinearSystem):
    """A system known by two functions, X -> AX and X -> M^{-1}X."""

    def __init__(self, product: Product, divide: Product, right_side: Array, threads: int = 1) -> None:
        self.product = product
        self.divide = divide
        self.right_side = right_side
        self.vectors = Vectors(right_side.shape[0], right_side.shape[1], threads)

    def residual(self, solution: Array) -> Array:
        return self.right_side - self.product(solution)

    def begin(self, residual: Array) -> tuple[Array, Array]:
        self.divided = self.divide(residual)
        return self.divided.copy(), self.vectors.dots(residual, self.divided)

    def image(self, direction: Array) -> tuple[Array, Array]:
        image = self.product(direction)
        return image, self.vectors.dots(direction, image)

    def advance(self, solution: Array, residual: Array, direction: Array, image: Array, length: Array) -> Array:
        self.vectors.step(solution, residual, direction, image, length)
        self.divided = self.divide(residual)
        return self.vectors.dots(residual, self.divided)

    def turn(self, direction: Array, residual: Array, share: Array) -> None:
        self.vectors.turn(direction, self.divided, share)


@dataclass(frozen=True)
class KrylovSolution:
    """The solution, the products it took, and the error that was left as the last two steps show it."""

    solution: Array
    n_iter: int
    gap: float
    converged: bool


def conjugate_gradients(
    system: LinearSystem, *, start: Array | None = None, tol: float, max_iter: int
) -> KrylovSolution:
    """Solve a system, every output in the same products.

    A step of length a along p lowers the energy error ||x - x*||_A² = (x - x*)'A(x - x*) by exactly a r'M^{-1}r, which
    is what is known of the error that is left (Hestenes and Stiefel; Strakos and Tichy). An output is solved when both
    of its last two steps lowered it by at most tol² ||x*||_A². For ridge regression this is the norm of fitted values
    and penalty together: tol is the relative error of the predictions. Below the rounding of the vectors it has no
    meaning, so there it is raised to ten times their precision.
    """
    right_side = system.right_side
    tol = max(tol, 10.0 * float(np.finfo(right_side.dtype).eps))
    if start is None:
        solution, residual = np.zeros_like(right_side), right_side.copy()
        energy = np.zeros(right_side.shape[1])
    else:
        solution, residual = start.copy(), system.residual(start)
        dots = system.vectors.dots
        energy = np.maximum(dots(right_side, start) + dots(residual, start), 0.0)
    direction, size = system.begin(residual)
    before = np.full(right_side.shape[1], np.inf)
    gap = np.where(size > 0.0, np.inf, 0.0)
    n_iter = 0
    while (gap > tol).any() and n_iter < max_iter:
        image, bend = system.image(direction)
        going = (gap > tol) & (bend > 0.0)  # a solved output stands still, and so does one that rounding stopped
        if not going.any():
            break
        length = np.where(going, size / np.where(going, bend, 1.0), 0.0)
        new_size = system.advance(solution, residual, direction, image, length)
        system.turn(direction, residual, np.where(going, new_size / np.where(going, size, 1.0), 0.0))
        lowered = length * size
        energy += lowered
        step_gap = np.sqrt(lowered / np.where(energy > 0.0, energy, 1.0))
        gap = np.where(going, np.where(new_size > 0.0, np.maximum(step_gap, before), 0.0), gap)
        before, size = np.where(going, step_gap, before), np.where(going, new_size, size)
        n_iter += 1
    return KrylovSolution(solution, n_iter, float(gap.max(initial=0.0)), bool((gap <= tol).all()))

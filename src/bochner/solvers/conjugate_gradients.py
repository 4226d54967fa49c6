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
    """A system known by two functions, X -> AX and X -> M^{-1}X; ``coupled`` where all outputs are one problem."""

    def __init__(
        self, product: Product, divide: Product, right_side: Array, threads: int = 1, *, coupled: bool = False
    ) -> None:
        self.product = product
        self.divide = divide
        self.right_side = right_side
        self.coupled = coupled
        self.vectors = Vectors(right_side.shape[0], right_side.shape[1], threads)

    def dots(self, left: Array, right: Array) -> Array:
        """Left' right of each output, or of all outputs together, once for each."""
        products = self.vectors.dots(left, right)
        return np.full_like(products, products.sum()) if self.coupled else products

    def residual(self, solution: Array) -> Array:
        return self.right_side - self.product(solution)

    def begin(self, residual: Array) -> tuple[Array, Array]:
        self.divided = self.divide(residual)
        return self.divided.copy(), self.dots(residual, self.divided)

    def image(self, direction: Array) -> tuple[Array, Array]:
        image = self.product(direction)
        return image, self.dots(direction, image)

    def advance(self, solution: Array, residual: Array, direction: Array, image: Array, length: Array) -> Array:
        self.vectors.step(solution, residual, direction, image, length)
        self.divided = self.divide(residual)
        return self.dots(residual, self.divided)

    def turn(self, direction: Array, residual: Array, share: Array) -> None:
        self.vectors.turn(direction, self.divided, share)


class Stop(ABC):
    """When an output is solved, and how much is left of its error by this measure."""

    gap: Array

    @abstractmethod
    def begin(self, size: Array, dtype: np.dtype) -> Array:
        """Which outputs are open, from R'M^{-1}R at the start and the precision of the vectors."""

    @abstractmethod
    def after(self, size: Array, lowered: Array, energy: Array, moved: Array) -> Array:
        """Which are open after a step that lowered the energy of the error of the outputs that moved."""


class LittleMoved(Stop):
    """Both of the last two steps lowered the energy ||x - x*||_A² by at most tol² ||x*||_A².

    For ridge regression this is the norm of fitted values and penalty together: tol is the relative error of the
    predictions. Below the rounding of the vectors it has no meaning: there it is ten times their precision.
    """

    def __init__(self, tol: float) -> None:
        self.tol = tol

    def begin(self, size: Array, dtype: np.dtype) -> Array:
        self.tol = max(self.tol, 10.0 * float(np.finfo(dtype).eps))
        self.before = np.full(len(size), np.inf)
        self.gap = np.where(size > 0.0, np.inf, 0.0)
        return self.gap > self.tol

    def after(self, size: Array, lowered: Array, energy: Array, moved: Array) -> Array:
        step = np.sqrt(lowered / np.where(energy > 0.0, energy, 1.0))
        self.gap = np.where(moved, np.where(size > 0.0, np.maximum(step, self.before), 0.0), self.gap)
        self.before = np.where(moved, step, self.before)
        return self.gap > self.tol


class SmallResidual(Stop):
    """R'M^{-1}R is at most share² of what it was, or at most ``enough``, whichever is more."""

    def __init__(self, share: float, enough: Array | float) -> None:
        self.share, self.enough = share, enough

    def begin(self, size: Array, dtype: np.dtype) -> Array:
        self.target = np.maximum(self.share**2 * size, self.enough)
        return self._open(size)

    def after(self, size: Array, lowered: Array, energy: Array, moved: Array) -> Array:
        return self._open(size)

    def _open(self, size: Array) -> Array:
        self.gap = np.where(size > self.target, size, 0.0)
        return size > self.target


@dataclass(frozen=True)
class KrylovSolution:
    """The solution, the products it took, and what was left of the error.

    ``energy`` is x'Ax of what was added to the start, for each output, and ``promised`` what M shows of it at first.
    """

    solution: Array
    n_iter: int
    gap: float
    converged: bool
    energy: Array
    promised: Array


def conjugate_gradients(
    system: LinearSystem, *, start: Array | None = None, stop: Stop, max_iter: int
) -> KrylovSolution:
    """Solve a system, every output in the same products.

    A step of length a along p lowers the energy error ||x - x*||_A² = (x - x*)'A(x - x*) by exactly a r'M^{-1}r, which
    is what is known of the error that is left (Hestenes and Stiefel; Strakos and Tichy). A solved output stands still,
    and so does one that rounding stopped.
    """
    right_side = system.right_side
    if start is None:
        solution, residual = np.zeros_like(right_side), right_side.copy()
        energy = np.zeros(right_side.shape[1])
    else:
        solution, residual = start.copy(), system.residual(start)
        dots = system.vectors.dots
        energy = np.maximum(dots(right_side, start) + dots(residual, start), 0.0)
    direction, size = system.begin(residual)
    promised = size
    going = stop.begin(size, right_side.dtype)
    n_iter = 0
    while going.any() and n_iter < max_iter:
        image, bend = system.image(direction)
        moving = going & (bend > 0.0)
        if not moving.any():
            break
        length = np.where(moving, size / np.where(moving, bend, 1.0), 0.0)
        new_size = system.advance(solution, residual, direction, image, length)
        system.turn(direction, residual, np.where(moving, new_size / np.where(moving, size, 1.0), 0.0))
        lowered = length * size
        energy += lowered
        size = np.where(moving, new_size, size)
        going = stop.after(size, lowered, energy, moving)
        n_iter += 1
    return KrylovSolution(solution, n_iter, float(stop.gap.max(initial=0.0)), not going.any(), energy, promised)

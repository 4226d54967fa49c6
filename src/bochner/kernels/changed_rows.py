"""Kernels that see rows through a function: k(x, y) = kernel(c(x), c(y))."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

from .base import Array, Kernel, Term


class ChangedRows(Kernel, ABC):
    """k(x, y) = kernel(c(x), c(y)): positive definite whatever c is.

    Features of k at x are those of the kernel at c(x), whatever the map.
    """

    kernel: Kernel

    @abstractmethod
    def change(self, X: Any) -> Array:
        """c(x) for every row."""

    @abstractmethod
    def around(self, kernel: Kernel) -> Self:
        """Another kernel that sees rows through the same function."""

    def __call__(self, X: Any, Y: Any = None) -> Array:
        return self.kernel(self.change(X), None if Y is None else self.change(Y))

    def single(self, X: Any, Y: Any) -> Array:
        return self.kernel.single(self.change(X), self.change(Y))

    def rowwise(self, X: Array, Y: Array) -> Array:
        return self.kernel.rowwise(self.change(X), self.change(Y))

    def diagonal(self, X: Any) -> Array:
        return self.kernel.diagonal(self.change(X))

    def terms(self) -> list[Term]:
        return [(weight, self.around(term)) for weight, term in self.kernel.terms()]


def unchanged(kernel: Kernel) -> Kernel:
    """The kernel behind all changes of rows."""
    return unchanged(kernel.kernel) if isinstance(kernel, ChangedRows) else kernel


def behind(kernel: Kernel, X: Any) -> tuple[Any, Any]:
    """The kernel behind all changes of rows, and the rows as it sees them."""
    return behind(kernel.kernel, kernel.change(X)) if isinstance(kernel, ChangedRows) else (kernel, X)

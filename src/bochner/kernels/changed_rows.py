"""Functions of rows that kernels begin with: k(x, y) = kernel(c(x), c(y))."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Self

import numpy as np

from .base import Array, Kernel, Term


class Change(ABC):
    """A frozen function of rows c(x), which fills a dense array or leaves sparse rows sparse."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Columns of the rows it takes."""

    @property
    @abstractmethod
    def n_directions(self) -> int:
        """Columns of the rows it gives."""

    @abstractmethod
    def __call__(self, X: Any, dtype: Any = np.float64) -> Any:
        """c(x) for every row, in this precision."""

    @property
    def keeps_sparse(self) -> bool:
        """Whether sparse rows stay sparse."""
        return False

    @abstractmethod
    def stretch(self) -> float:
        """The largest ||c(x) - c(y)|| / ||x - y||."""

    def around(self, rows: Any) -> Self:
        """The same function, up to a constant that the kernel behind it does not see, made for rows like these."""
        return self


class ChangedRows(Kernel, ABC):
    """k(x, y) = kernel(c(x), c(y)): positive definite whatever c is.

    Features of k at x are those of the kernel at c(x), whatever the map.
    """

    kernel: Kernel

    @abstractmethod
    def change(self) -> Change:
        """The function c."""

    @abstractmethod
    def with_kernel(self, kernel: Kernel) -> Self:
        """Another kernel that sees rows through the same function."""

    def split(self, dim: int) -> tuple[Change, Kernel]:
        return self.change(), self.kernel

    def __call__(self, X: Any, Y: Any = None) -> Array:
        change = self.change()
        return self.kernel(change(X), None if Y is None else change(Y))

    def single(self, X: Any, Y: Any) -> Array:
        change = self.change()
        return self.kernel.single(change(X), change(Y))

    def rowwise(self, X: Array, Y: Array) -> Array:
        change = self.change()
        return self.kernel.rowwise(change(X), change(Y))

    def diagonal(self, X: Any) -> Array:
        return self.kernel.diagonal(self.change()(X))

    def terms(self) -> list[Term]:
        return [(weight, self.with_kernel(term)) for weight, term in self.kernel.terms()]


def unchanged(kernel: Kernel) -> Kernel:
    """The kernel behind all functions of rows but its own length scales."""
    return unchanged(kernel.kernel) if isinstance(kernel, ChangedRows) else kernel

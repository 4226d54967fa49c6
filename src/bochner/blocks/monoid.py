"""What can be gathered from blocks in any number of hands: zero, update, merge."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from .base import Block


class Monoid(ABC):
    """Laws: ``zero()`` is neutral for ``merge``; merge is associative up to rounding; updating with two blocks in turn
    equals merging what each gives; the size does not depend on the number of rows.
    """

    @abstractmethod
    def zero(self) -> Self:
        """An empty one of the same kind and size."""

    @abstractmethod
    def update(self, block: Block) -> None:
        """Take in one block."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Take in what another has seen."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of one, counting what an update needs beside it."""

    def state(self) -> dict[str, np.ndarray]:
        """What has been gathered, as arrays: the attributes that are arrays or numbers."""
        return {
            name: np.array(value)
            for name, value in vars(self).items()
            if isinstance(value, np.ndarray | bool | int | float)
        }

    def restore(self, state: dict[str, np.ndarray]) -> None:
        """Take up what ``state`` gave, on a ``zero()`` of the same kind."""
        mine = self.state()
        if mine.keys() != state.keys() or any(mine[name].shape != state[name].shape for name in mine):
            raise ValueError(f"The stored state does not belong to a {type(self).__name__} of this size.")
        for name, value in state.items():
            setattr(self, name, value if isinstance(getattr(self, name), np.ndarray) else value.item())

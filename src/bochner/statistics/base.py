"""What is kept of rows: a monoid, so that streaming, threads, Dask and partial_fit are one code path."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Self

import numpy as np

from ..blocks import Block

Array = np.ndarray


class Statistic(ABC):
    """Laws: ``zero()`` is neutral for ``merge``; merge is associative up to rounding; updating with two blocks in turn
    equals merging the statistics of each; the size does not depend on the number of rows.
    """

    @abstractmethod
    def zero(self) -> Self:
        """An empty statistic of the same kind and size."""

    @abstractmethod
    def update(self, block: Block) -> None:
        """Take in one block (whose X is a design)."""

    @abstractmethod
    def merge(self, other: Self) -> None:
        """Take in what another statistic has seen."""

    @property
    @abstractmethod
    def nbytes(self) -> int:
        """Memory of one statistic, counting what an update needs beside it."""

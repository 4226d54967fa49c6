"""What is kept of rows: a monoid, so that streaming, threads, Dask and partial_fit are one code path."""

from __future__ import annotations

from abc import abstractmethod
from typing import Self

import numpy as np

from ..blocks import Block, Monoid

Array = np.ndarray


class Statistic(Monoid):
    """Laws: ``zero()`` is neutral for ``merge``; merge is associative up to rounding; updating with two blocks in turn
    equals merging the statistics of each; the size does not depend on the number of rows.
    """

    @classmethod
    @abstractmethod
    def examples(cls, n_features: int, n_outputs: int) -> list[Self]:
        """Instances for designs of so many columns and so many targets: the contracts in tests look at these."""

    @abstractmethod
    def update(self, block: Block) -> None:
        """Take in one block (whose X is a design)."""

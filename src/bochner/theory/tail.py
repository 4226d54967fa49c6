"""The shape that all these bounds share: a probability of at most factor * exp(-rate * n_components)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Tail:
    """Pr(error >= eps) <= exp(log_factor - rate * D), D real output columns.

    The factor is kept as a logarithm: in a hundred dimensions it overflows.
    """

    log_factor: float
    rate: float

    def at(self, n_components: int) -> float:
        """The bound at this width; above 1 it says nothing."""
        with np.errstate(over="ignore"):
            return float(np.exp(self.log_factor - self.rate * n_components))

    def components(self, delta: float) -> float:
        """The width, a real number, at which the bound is delta."""
        return (self.log_factor - float(np.log(delta))) / self.rate


VOID = Tail(np.inf, 0.0)

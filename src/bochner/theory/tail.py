"""The shape that all these bounds share: a probability of at most factor * exp(-rate * n_components)."""

from __future__ import annotations

from collections.abc import Callable
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


def constant(tail: Tail) -> Callable[[float], Tail]:
    """The same tail at every width."""

    def at(_: float) -> Tail:
        return tail

    return at


def smallest_width(tails: Callable[[float], Tail], delta: float) -> float:
    """The width at which a bound is delta: a real number, or the smallest whole one where the factor falls with it.

    With c(D) the width that the tail of width D asks for, a falling function, c(inf) is too few and c(c(inf)) enough.
    """
    limit = tails(np.inf)
    if np.isinf(limit.log_factor):
        return np.inf
    few = max(1, int(np.ceil(limit.components(delta))))
    if tails(few) == limit:
        return limit.components(delta)
    enough = max(few, int(np.ceil(tails(few).components(delta))))
    while few < enough:
        middle = (few + enough) // 2
        few, enough = (few, middle) if tails(middle).components(delta) <= middle else (middle + 1, enough)
    return float(few)

"""Kernels that know how a random scalar feature of theirs is drawn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np

from .base import Array, Kernel

Scalars = Callable[[Any], Array]


class ScalarKernel(Kernel):
    """k(x, y) = E W(x) W(y) for a random function W that the kernel can draw: all that compositions f(k) need.

    A subclass writes ``sample_scalars`` beside the kernel itself, and ``MaclaurinFeatures`` serve f(k) by products of
    fresh W (Kar and Karnick). That E W(x) W(y) is k(x, y) is the subclass's word, which fit checks on pairs of rows.
    """

    @abstractmethod
    def sample_scalars(self, rows: Any, n: int, rng: np.random.Generator) -> Scalars:
        """N independent W for data like these rows: a function from rows to an array of shape (n_rows, n)."""

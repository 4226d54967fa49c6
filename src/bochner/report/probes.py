"""One draw of one map, timed and scored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone

from ..compute.threads import single_threaded_blas
from ..maps import KernelMap
from .redraws import PairSample

TIMED_ROWS, TIMED_ENTRIES = 2048, 1 << 20  # few enough rows of a wide map that new memory does not fill the clock
WARM_UP_ROWS, WARM_UP_WIDTH = 64, 16
PRODUCTS = 60  # with the features that thirty steps of conjugate gradients take, as ridge regression on bins does

_LOADED: set[tuple[str, str]] = set()  # kinds of maps whose compiled code this process has loaded, by dtype


@dataclass(frozen=True)
class Measurement:
    """A draw: mean square error over the pairs, seconds for all rows, and what it took to find out.

    ``seconds`` are those of mapping and, where it was asked for, of learning. ``drawing`` is the part of the cost that
    made the map, the rest applied it.
    """

    square: float
    seconds: float
    drawing: float
    cost: float


class Probe(ABC):
    """Measures draws of maps."""

    @abstractmethod
    def __call__(self, feature_map: KernelMap, width: int, draw: int) -> Measurement:
        """Measure one draw of this width."""

    @abstractmethod
    def is_loaded(self, feature_map: KernelMap) -> bool:
        """Whether the compiled code of such maps is in memory."""

    @abstractmethod
    def warm_up(self, feature_map: KernelMap) -> None:
        """Load (the first time ever: compile) what such maps run, which no measurement should contain."""


@dataclass(frozen=True)
class TimedProbe(Probe):
    """Draws maps for the same rows and pairs, takes their error over the pairs and times them on some rows."""

    rows: Any
    n_rows: int  # of the whole data
    sample: PairSample
    seed: int
    learning: bool  # whether seconds are those of mapping and learning, or of mapping alone
    clock: Callable[[], float]

    def __call__(self, feature_map: KernelMap, width: int, draw: int) -> Measurement:
        some = self.rows[: max(64, min(TIMED_ROWS, TIMED_ENTRIES // width))]
        begin = self.clock()
        fitted = self._drawn(feature_map, self.rows, width, draw)
        drawn = self.clock()
        square = float(np.mean(self.sample.errors(fitted.features_) ** 2))
        scored = self.clock()
        Z = fitted.transform(some)
        mapped = self.clock()
        learned = self._learning_seconds(Z) if self.learning else 0.0
        seconds = drawn - begin + (mapped - scored) * self.n_rows / some.shape[0] + learned
        return Measurement(square, seconds, drawn - begin, self.clock() - begin)

    def _learning_seconds(self, Z: Any) -> float:
        """Seconds of ridge regression on the features of all rows.

        Of dense ones: their moments Z'Z, n D² operations, and a factorisation of D³/3 at the same rate. Of sparse
        ones: products with Z and Z'.
        """
        n_rows, width = Z.shape
        with single_threaded_blas():
            begin = self.clock()
            if not sp.issparse(Z):
                np.matmul(Z.T, Z)
                return (self.clock() - begin) * (self.n_rows + width / 3.0) / n_rows
            np.asarray(Z.T @ (Z @ np.ones(width)))
            return (self.clock() - begin) * 0.5 * PRODUCTS * self.n_rows / n_rows

    def is_loaded(self, feature_map: KernelMap) -> bool:
        return self._kind(feature_map) in _LOADED

    def warm_up(self, feature_map: KernelMap) -> None:
        if not self.is_loaded(feature_map):
            some = self.rows[:WARM_UP_ROWS]
            self._drawn(feature_map, some, WARM_UP_WIDTH, 0).transform(some)
            _LOADED.add(self._kind(feature_map))

    def _drawn(self, feature_map: KernelMap, rows: Any, width: int, draw: int) -> KernelMap:
        again = clone(feature_map).set_params(
            random_state=np.random.default_rng([self.seed, width, draw]), **{feature_map.width: width}
        )
        with single_threaded_blas():  # so that the time of a small factorisation is not that of waking threads
            return again.fit_sample(rows)

    def _kind(self, feature_map: KernelMap) -> tuple[str, str]:
        plain = {name: value for name, value in feature_map.get_params(deep=False).items() if isinstance(value, str)}
        return f"{type(feature_map).__name__} {plain}", str(self.rows.dtype)

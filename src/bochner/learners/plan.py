"""Time and memory of a fit, forecast from a short calibration on this machine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..blocks import bytes_of
from ..blocks.memory import block_budget, most_threads
from ..compute.threads import thread_count
from ..maps import FeatureMap, FourierFeatures
from .base import Array, KernelMachine
from .ridge import KernelRidge

LEAST_SECONDS = 0.15  # of processor time of a fit that is told from noise
OVERHEAD = 1.1  # of several threads over one
CALIBRATION_WIDTH = 512  # components at most, so that a calibration stays short
FEW_ROWS = 2048
STATES = 3  # matrices D x D of doubles that a solver holds at once, beside the statistic


@dataclass(frozen=True)
class Plan:
    """What a fit will take.

    Attributes
    ----------
    seconds : float
        Time of the fit, rows in memory.
    memory : int
        Bytes beside the interpreter and the rows.
    rows_per_second : float
        Throughput once the constant part is paid.
    state_bytes : int
        Size of the statistic: what Dask merges, and what a checkpoint writes.
    """

    seconds: float
    memory: int
    rows_per_second: float
    state_bytes: int

    def __str__(self) -> str:
        amount, unit = (self.memory / 1e9, "GB") if self.memory > 1e9 else (self.memory / 1e6, "MB")
        return f"{self.seconds:.3g} s, {amount:.3g} {unit}, {self.rows_per_second:.3g} rows per second"


def plan(n_rows: int, dim: int, n_components: int, learner: KernelMachine | None = None) -> Plan:
    """Forecast the time and memory of ``learner.fit`` on n_rows x dim rows with so many components.

    The learner is fitted on two small samples of noise at a width w of at most 512. With T(n, w) = c + n r, the slope
    r is the cost of a row and c that of the solution; from w to D the first grows as a part linear in the width (the
    features) and one quadratic (Z'Z), told apart by a second width, and the second as D³.

    Parameters
    ----------
    n_rows, dim, n_components : int
        The data, and the width of the feature map.
    learner : estimator, default=KernelRidge()
        Its feature map is used with ``n_components`` as given. The forecast counts on as many passes as the
        calibration takes: it is good for learners of one pass, and a guess for those that iterate.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import bochner as bo
    >>> forecast = bo.plan(1_000_000, 20, 512)
    >>> forecast.state_bytes
    3145728
    """
    for name, value in (("n_rows", n_rows), ("dim", dim), ("n_components", n_components)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, but it is {value}.")
    learner = KernelRidge() if learner is None else learner
    width = min(n_components, CALIBRATION_WIDTH)
    calibration = Calibration(learner, dim)
    constant, per_row = calibration.line(width)
    if width < n_components:
        _, narrow = calibration.line(width // 2)
        per_row = _grown(narrow, per_row, n_components / width)
        constant *= (n_components / width) ** 3
    memory = bytes_of(learner.memory)
    state = 12 * n_components**2
    threads = min(thread_count(learner.n_jobs), most_threads(memory, state, 0))
    block = min(block_budget(memory), 8 * n_components * -(-n_rows // threads))
    rows = block * dim // n_components
    taken = threads * (2 * block + rows + state) + STATES * 8 * n_components**2  # a block, centred once more
    return Plan(constant + per_row * n_rows, int(taken), 1.0 / per_row, state)


def _grown(half: float, whole: float, factor: float) -> float:
    """Cost of a row at ``factor`` times the width, from its costs a w/2 + b w²/4 at half and a w + b w² at whole."""
    quadratic = min(max(2.0 * (whole - 2.0 * half), 0.0), whole)
    return (whole - quadratic) * factor + quadratic * factor**2


class Calibration:
    """Times fits of a learner on noise."""

    def __init__(self, learner: KernelMachine, dim: int) -> None:
        self.learner = learner
        self.rng = np.random.default_rng(0)
        self.dim = dim

    def line(self, width: int) -> tuple[float, float]:
        """Seconds of a fit at this width as constant + slope * rows, were the machine ours alone.

        Rows are increased until their number is what costs. On a busy machine wall time tells little, so that the
        slope is at most what the processor time, shared out to threads, can explain.
        """
        few, many = FEW_ROWS, FEW_ROWS * 4
        self._times(few, width)  # compiles and loads
        low = self._times(few, width)
        while (high := self._times(many, width))[1] < 1.5 * low[1] + LEAST_SECONDS:
            low, many = high, many * 4
        few = many // 4
        low = np.minimum(low, self._times(few, width))
        wall, processor = np.maximum(high - low, 1e-9) / (many - few)
        slope = float(min(wall, OVERHEAD * processor / thread_count(self.learner.n_jobs)))
        return max(float(low.min()) - slope * few, 0.0), slope

    def _times(self, n_rows: int, width: int) -> Array:
        """Wall time and processor time of a fit."""
        X = self.rng.normal(size=(n_rows, self.dim))
        y = np.sign(X[:, 0] + 0.1 * self.rng.normal(size=n_rows))
        learner = clone(self.learner).set_params(feature_map=with_width(self.learner.feature_map, width))
        start = np.array([time.perf_counter(), time.process_time()])
        learner.fit(X, y)
        return np.array([time.perf_counter(), time.process_time()]) - start


def with_width(feature_map: Any, width: int) -> FeatureMap:
    """A copy of the feature map (None: Fourier features) of this width."""
    if feature_map is None:
        return FourierFeatures(n_components=width, random_state=0)
    return clone(feature_map).set_params(n_components=width)

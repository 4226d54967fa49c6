"""Time and memory of a fit, forecast from a short calibration on this machine."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from ..blocks.memory import block_budget, most_threads
from ..engines import ThreadEngine
from ..engines.timed import TimedEngine
from ..maps import FourierFeatures
from ..maps.base import checked_count
from ..maps.suited import suited
from .base import Array, KernelMachine
from .costs import FitModel, Machine, PassModel
from .exact_machine import ExactMachine
from .exact_plan import exact_seconds
from .ridge import KernelRidge
from .ridge_machine import RidgeMachine
from .ridge_rows import MOST_DENSE
from .small_fit import as_for, noise, timed_fit

CALIBRATION_WIDTH = 1024  # components at most: beyond, costs grow by powers of the width
FIRST_WIDTH = 64
MOST_WAITING = 3.0  # times the processor's time: more than that is other work on the machine
CALIBRATION_BYTES = 32 << 20  # of designs for each thread: more than caches hold
FEWEST_ROWS, MOST_ROWS = 8192, 65536
ROWS_PER_COMPONENT = 16  # or a sample of one row in eight, where learners begin, is a harder problem than it will be
ENOUGH_SECONDS = 0.8  # of calibration after which no fit is repeated
REPEATS = 5
READERS = ("sgd", "dual")  # solvers that read the rows themselves
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
        Throughput once the constant part is paid; of a machine with the kernel itself, for so many rows.
    state_bytes : int
        Size of the statistic: what Dask merges, and what a checkpoint writes; 0 where there is none.
    """

    seconds: float
    memory: int
    rows_per_second: float
    state_bytes: int

    def __str__(self) -> str:
        amount, unit = (self.memory / 1e9, "GB") if self.memory > 1e9 else (self.memory / 1e6, "MB")
        return f"{self.seconds:.3g} s, {amount:.3g} {unit}, {self.rows_per_second:.3g} rows per second"


def plan(
    n_rows: int,
    dim: int,
    n_components: int | None = None,
    learner: KernelMachine | None = None,
    *,
    dtype: Any = np.float64,
) -> Plan:
    """Forecast the time and memory of ``learner.fit`` on n_rows x dim rows with so many components.

    The learner is fitted a few times on a few thousand rows of noise by an engine that times the pieces of each pass:
    rows to features, update of the statistic, merge. What is left of the time of the fit is the solution. Pieces that
    go by rows are multiplied by the rows, the others by the lanes; from a width of 1024 on they grow by the powers of
    the width that a fit at half of it shows. C and alpha are changed so that the small problem takes as many passes as
    the large one would.

    A machine with the kernel itself has no components. Its memory is that of the kernel values it keeps, half of n²
    where they fit its memory; its time grows by n² (two fits tell the rate) and by what its preconditioner takes.

    Parameters
    ----------
    n_rows, dim : int
        The data.
    n_components : int, default=None
        The width of the feature map; to be left out for ``ExactKernelRidge`` and its like.
    learner : estimator, default=KernelRidge()
        Its feature map is used with ``n_components`` as given. A learner that iterates may need more or fewer passes
        on other data than on the noise.
    dtype : float64 or float32, default=float64
        Precision of the rows.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import bochner as bo
    >>> forecast = bo.plan(1_000_000, 20, 512)
    >>> forecast.state_bytes
    19922944
    >>> bo.plan(1000, 20, learner=bo.ExactKernelRidge(alpha=1.0)).memory
    32000000
    """
    if not (learner is None or isinstance(learner, KernelMachine)):
        raise TypeError(f"learner must be one of the library's, not {type(learner).__name__}.")
    learner, dtype = clone(KernelRidge() if learner is None else learner), np.dtype(dtype)
    width = checked_width(learner, n_components)
    for name, value in (("n_rows", n_rows), ("dim", dim), ("n_components", width)):
        checked_count(value, name)
    if isinstance(learner, ExactMachine):
        memory = learner.kernel_bytes(n_rows, dtype)  # or says why there is none
        seconds = exact_seconds(learner, n_rows, dim, dtype)
        return Plan(seconds, memory, n_rows / seconds, 0)
    return features_plan(learner, n_rows, dim, width, dtype)


def checked_width(learner: KernelMachine, n_components: int | None) -> int:
    """The width of the feature map, where there is one; 1 for machines with the kernel itself."""
    exact = isinstance(learner, ExactMachine)
    if exact and n_components is not None:
        raise ValueError(f"{type(learner).__name__} has no features: leave n_components out.")
    if not exact and n_components is None:
        raise ValueError(f"Give n_components, the width of the feature map of {type(learner).__name__}.")
    return 1 if n_components is None else n_components


def features_plan(learner: KernelMachine, n_rows: int, dim: int, n_components: int, dtype: np.dtype) -> Plan:
    """The forecast for a learner that is linear in features."""
    if isinstance(learner, RidgeMachine) and learner.solver == "auto" and n_components > MOST_DENSE:
        learner.set_params(solver="cg")  # as it would choose at that width
    machine = Machine(learner._engine().threads, learner._engine().memory_bytes)
    calibration = Calibration(learner, dim, n_rows, dtype)
    width = min(n_components, CALIBRATION_WIDTH) if calibration.dense else n_components
    model = calibration.model(width)
    if width < n_components:
        model = model.widened(calibration.model(width // 2), n_components / width)
    seconds = model.seconds(n_rows, machine)
    slope = (model.seconds(3 * n_rows, machine) - seconds) / (2 * n_rows)
    memory = peak_bytes(model, n_rows, dim * dtype.itemsize, n_components, machine)
    return Plan(seconds, memory, 1.0 / max(slope, 1e-12), round(model.state_bytes))


def peak_bytes(model: FitModel, n_rows: int, raw_bytes: int, n_components: int, machine: Machine) -> int:
    """Memory of the blocks and states of all threads, of what the solver holds, and of designs that are kept."""
    state = int(model.state_bytes)
    threads = min(machine.threads, most_threads(machine.memory, state, 0))
    largest = max((one.block_rows for one in model.passes), default=1) * model.row_bytes
    block = min(block_budget(machine.memory), largest, model.row_bytes * -(-n_rows // threads))
    rows = block * raw_bytes / model.row_bytes
    solver = STATES * min(8 * n_components**2, 2 * state // 3)
    working = threads * (2 * block + rows + state) + solver  # a block, centred once more
    return int(working + model.kept_bytes(n_rows, machine.memory))


class Calibration:
    """Times fits of a learner on noise."""

    def __init__(self, learner: KernelMachine, dim: int, n_rows: int, dtype: Any = np.float64) -> None:
        self.learner = learner
        self.dtype = dtype
        self.threads = learner._engine().threads
        self.dim = dim
        self.n_rows = n_rows
        first = self.fit(min(n_rows, FEWEST_ROWS // 16), FIRST_WIDTH)  # loads, and compiles what was never compiled
        self.dense = first.row_bytes >= 4 * FIRST_WIDTH

    def model(self, width: int) -> FitModel:
        """What a fit at this width is made of: the best of several timings of each piece.

        Two at least: the first touches memory that the process never had, for which the system may take its time.
        """
        wanted = max(self.threads * CALIBRATION_BYTES // (8 * width), ROWS_PER_COMPONENT * width)
        wanted = int(np.clip(wanted, FEWEST_ROWS, MOST_ROWS))
        n_rows = int(min(self.n_rows, wanted))
        start = time.perf_counter()
        best = self.fit(n_rows, width)
        for repeat in range(1, REPEATS):
            if repeat > 1 and time.perf_counter() - start > ENOUGH_SECONDS:
                break
            best = best.least(self.fit(n_rows, width))
        slope = 0.0
        if self.learner.get_params(deep=False).get("solver") in READERS and n_rows >= 8:
            few = self.fit(n_rows // 4, width)
            slope = max(0.0, best.solving - few.solving) / (n_rows - n_rows // 4)
        passes = self.together(best, n_rows)
        return FitModel(passes, max(0.0, best.solving - slope * n_rows), slope, best.row_bytes)

    def together(self, best: TimedFit, n_rows: int) -> tuple[PassModel, ...]:
        """Passes as long as they were on the clock: threads share memory and wait for each other."""
        machine = Machine(self.threads, self.learner._engine().memory_bytes)
        modelled = sum(one.seconds(n_rows, machine, one.reading) for one in best.passes)
        factor = float(np.clip(best.wall / modelled, 1.0, MOST_WAITING)) if modelled > 0.0 else 1.0
        return tuple(one.slower(factor) for one in best.passes)

    def fit(self, n_rows: int, width: int) -> TimedFit:
        """Time one fit."""
        X, y = noise(max(4, n_rows), self.dim, self.dtype)
        own = self.learner._engine()
        engine = TimedEngine(ThreadEngine(own.n_jobs, own.memory))
        learner = as_for(self.learner, self.n_rows / len(X))
        learner.set_params(feature_map=with_width(self.learner.feature_map, width), engine=engine)
        taken = timed_fit(learner, X, y)
        passes = tuple(PassModel.of(cost, len(X)) for cost in engine.passes)
        return TimedFit(passes, taken - (engine.wall, engine.processor), engine.wall, learner.features_.row_bytes)


@dataclass(frozen=True)
class TimedFit:
    """Passes of one fit, the time beside them (wall and processor) and in them, and the size of a row's design."""

    passes: tuple[PassModel, ...]
    beside: Array
    wall: float
    row_bytes: int

    @property
    def solving(self) -> float:
        """Seconds beside the passes, were the machine ours alone."""
        return max(0.0, float(self.beside.min()))

    def least(self, other: TimedFit) -> TimedFit:
        """The better of two timings, piece by piece."""
        if len(self.passes) != len(other.passes):
            return min(self, other, key=lambda one: one.solving)
        passes = tuple(mine.least(theirs) for mine, theirs in zip(self.passes, other.passes))
        return TimedFit(passes, np.minimum(self.beside, other.beside), min(self.wall, other.wall), self.row_bytes)


def with_width(feature_map: Any, width: int) -> Any:
    """A copy of the feature map (None: Fourier features) of this width, or of its own where it cannot be set."""
    if feature_map is None:
        return FourierFeatures(n_components=width, random_state=0)
    copied = clone(suited(feature_map, width))
    return copied.set_params(n_components=width) if "n_components" in copied.get_params(deep=False) else copied

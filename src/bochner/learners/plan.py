"""Time and memory of a fit, forecast from a short calibration on this machine."""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from sklearn.base import clone

from ..blocks import bytes_of
from ..blocks.memory import block_budget, most_threads
from ..compute.threads import thread_count
from ..engines import ThreadEngine
from ..engines.timed import TimedEngine
from ..maps import FourierFeatures
from .base import Array, KernelMachine
from .costs import FitModel, Machine, PassModel
from .ridge import KernelRidge
from .ridge_machine import RidgeMachine
from .ridge_rows import MOST_DENSE

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

    The learner is fitted a few times on a few thousand rows of noise, in float64, by an engine that times the pieces
    of each pass: rows to features, update of the statistic, merge. What is left of the time of the fit is the
    solution. Pieces that go by rows are multiplied by the rows, the others by the lanes; from a width of 1024 on they
    grow by the powers of the width that a fit at half of it shows. C and alpha are changed so that the small problem
    takes as many passes as the large one would.

    Parameters
    ----------
    n_rows, dim, n_components : int
        The data, and the width of the feature map.
    learner : estimator, default=KernelRidge()
        Its feature map is used with ``n_components`` as given. A learner that iterates may need more or fewer passes
        on other data than on the noise.

    Returns
    -------
    Plan

    Examples
    --------
    >>> import bochner as bo
    >>> forecast = bo.plan(1_000_000, 20, 512)
    >>> forecast.state_bytes
    19922944
    """
    for name, value in (("n_rows", n_rows), ("dim", dim), ("n_components", n_components)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, but it is {value}.")
    learner = clone(KernelRidge() if learner is None else learner)
    if isinstance(learner, RidgeMachine) and learner.solver == "auto" and n_components > MOST_DENSE:
        learner.set_params(solver="cg")  # as it would choose at that width
    machine = Machine(thread_count(learner.n_jobs), bytes_of(learner.memory))
    calibration = Calibration(learner, dim, n_rows)
    width = min(n_components, CALIBRATION_WIDTH) if calibration.dense else n_components
    model = calibration.model(width)
    if width < n_components:
        model = model.widened(calibration.model(width // 2), n_components / width)
    seconds = model.seconds(n_rows, machine)
    slope = (model.seconds(3 * n_rows, machine) - seconds) / (2 * n_rows)
    memory = peak_bytes(model, n_rows, dim, n_components, machine)
    return Plan(seconds, memory, 1.0 / max(slope, 1e-12), round(model.state_bytes))


def peak_bytes(model: FitModel, n_rows: int, dim: int, n_components: int, machine: Machine) -> int:
    """Memory of the blocks and states of all threads, of what the solver holds, and of designs that are kept."""
    state = int(model.state_bytes)
    threads = min(machine.threads, most_threads(machine.memory, state, 0))
    largest = max((one.block_rows for one in model.passes), default=1) * model.row_bytes
    block = min(block_budget(machine.memory), largest, model.row_bytes * -(-n_rows // threads))
    rows = block * dim * 8 / model.row_bytes
    solver = STATES * min(8 * n_components**2, 2 * state // 3)
    working = threads * (2 * block + rows + state) + solver  # a block, centred once more
    return int(working + model.kept_bytes(n_rows, machine.memory))


class Calibration:
    """Times fits of a learner on noise."""

    def __init__(self, learner: KernelMachine, dim: int, n_rows: int) -> None:
        self.learner = learner
        self.threads = thread_count(learner.n_jobs)
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
        machine = Machine(self.threads, bytes_of(self.learner.memory))
        modelled = sum(one.seconds(n_rows, machine, one.reading) for one in best.passes)
        factor = float(np.clip(best.wall / modelled, 1.0, MOST_WAITING)) if modelled > 0.0 else 1.0
        return tuple(one.slower(factor) for one in best.passes)

    def fit(self, n_rows: int, width: int) -> TimedFit:
        """Time one fit."""
        X, y = noise(max(4, n_rows), self.dim)
        engine = TimedEngine(ThreadEngine(self.learner.n_jobs))
        learner = as_for(self.learner, self.n_rows / len(X))
        learner.set_params(feature_map=with_width(self.learner.feature_map, width), engine=engine)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            start = np.array([time.perf_counter(), time.process_time()])
            learner.fit(X, y)
            taken = np.array([time.perf_counter(), time.process_time()]) - start
        passes = tuple(PassModel.of(cost, len(X)) for cost in engine.passes)
        return TimedFit(passes, taken - (engine.wall, engine.processor), engine.wall, learner.features_.row_bytes)


def noise(n_rows: int, dim: int) -> tuple[Array, Array]:
    """Rows, not negative and of variance 1, and signs that can be learned in part, both among them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, np.sqrt(12.0), size=(n_rows, dim))
    y = np.sign(np.sin(2.0 * X[:, 0]) + X[:, -1] - np.sqrt(3.0) + rng.normal(size=n_rows))
    y[:2] = 1.0, -1.0
    return X, y


def as_for(learner: KernelMachine, times: float) -> KernelMachine:
    """The learner whose problem on some rows is as hard as that of ``learner`` on so many times as many.

    The penalty counts against the sum over rows: C grows with the number of rows left out, alpha shrinks.
    """
    parameters = learner.get_params(deep=False)
    changed = {}
    if isinstance(parameters.get("C"), Real):
        changed["C"] = parameters["C"] * times
    if isinstance(parameters.get("alpha"), Real):
        changed["alpha"] = parameters["alpha"] / times
    return clone(learner).set_params(**changed)


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
    copied = clone(feature_map)
    return copied.set_params(n_components=width) if "n_components" in copied.get_params(deep=False) else copied

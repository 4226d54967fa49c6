"""Time and memory of a fit with the kernel itself: both grow by the square of the number of rows."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from ..compute.threads import single_threaded_blas
from ..compute.triangle import Triangle
from ..engines import ThreadEngine
from ..solvers.kept_kernel import Landmarks
from .exact_machine import ExactMachine
from .small_fit import noise, timed_fit

ROWS = 7800  # of the larger of two timed fits; half of them are as many as choose alpha, and not solved directly
REPEATS, ENOUGH_SECONDS = 3, 0.5  # fits of one size, and seconds after which none is repeated
LANDMARKS, COLUMNS = 512, 4096  # of the timed preconditioner


@dataclass(frozen=True)
class Growth:
    """t(n) = constant + square n² + landmark W(n), W the multiplications that make the preconditioner."""

    constant: float
    square: float
    landmark: float

    @classmethod
    def through(cls, small: tuple[int, float, float], large: tuple[int, float, float], landmark: float) -> Growth:
        """From two fits, each (n, seconds, W), and the time of one multiplication of W."""
        (few, short, less), (many, long, more) = small, large
        short, long = (max(t - landmark * work, 0.0) for t, work in ((short, less), (long, more)))
        square = max(long - short, 0.0) / (many**2 - few**2) or long / many**2
        return cls(max(long - square * many**2, 0.0), square, landmark)

    def seconds(self, n_rows: int, work: float) -> float:
        """Time of a fit of so many rows whose preconditioner takes so many multiplications."""
        return self.constant + self.square * n_rows**2 + self.landmark * work


def exact_seconds(learner: ExactMachine, n_rows: int, dim: int, dtype: np.dtype) -> float:
    """Forecast of the time of a fit: that of few rows is measured, of many it is what two smaller fits grow to."""
    _least_seconds(learner, n_rows, min(n_rows, 300), dim, dtype)  # loads, and compiles what was never compiled
    if n_rows <= ROWS:
        return _least_seconds(learner, n_rows, n_rows, dim, dtype)
    fits: list[tuple[int, float, float]] = []
    for fewer in (ROWS // 2, ROWS):
        taken = _least_seconds(learner, n_rows, fewer, dim, dtype)
        fits.append((fewer, taken, learner.preconditioner_work(n_rows, fewer, dtype)))
    work = learner.preconditioner_work(n_rows, n_rows, dtype)
    rate = landmark_seconds(dtype, learner._engine().threads) if work else 0.0
    return Growth.through(fits[0], fits[1], rate).seconds(n_rows, work)


def _least_seconds(learner: ExactMachine, n_rows: int, fewer: int, dim: int, dtype: np.dtype) -> float:
    X, y = noise(max(4, fewer), dim, dtype)
    memory = learner.memory_for_fewer(n_rows, dtype)
    alike = clone(learner).set_params(engine=ThreadEngine(learner._engine().n_jobs, memory))
    best, start = np.inf, time.perf_counter()
    for _ in range(REPEATS):
        best = min(best, float(timed_fit(alike, X, y).min()))
        if time.perf_counter() - start > ENOUGH_SECONDS:
            break
    return best


def landmark_seconds(dtype: np.dtype, threads: int) -> float:
    """Seconds for each of the q² n multiplications by which q landmarks make a preconditioner for n rows."""

    def make(here: slice, there: slice) -> np.ndarray:
        return np.asarray(np.equal.outer(np.arange(COLUMNS)[here], np.arange(COLUMNS)[there]), dtype=dtype)

    kernel = Triangle(make, COLUMNS, threads)
    best = np.inf
    for _ in range(2):
        start = np.array([time.perf_counter(), time.process_time()])
        with single_threaded_blas():
            Landmarks(kernel, LANDMARKS, np.ones(1, dtype=dtype))
        taken = np.array([time.perf_counter(), time.process_time()]) - start
        best = min(best, float(taken.min()))
    return best / (LANDMARKS**2 * COLUMNS)

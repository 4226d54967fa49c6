"""Four machines on the same generated rows, and one fit of one of them in a process of its own."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge as SklearnRidge
from sklearn.svm import SVC

from ....kernels import Gaussian
from ....learners import KernelRidge, KernelSVC
from ....maps import FourierFeatures
from ...stopwatch import Stopwatch

Array = np.ndarray

DIM, NOISE, CUT = 5, 0.3, 0.6
KERNEL, WIDTH = Gaussian(2.0), 1024
GAMMA = 0.5 / 2.0**2  # the same kernel, as scikit-learn writes it
ALPHA, C = 0.1, 1.0
NEW_ROWS, WARM_UP = 10_000, 300
CHUNK = 100_000  # rows made at once: making them must not take more memory than they do
STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class TimedMachine:
    """A learner, exact or linear in features, and what its errors are called."""

    exact: bool
    task: str
    make: Callable[[], Any]


def _ridge() -> KernelRidge:
    return KernelRidge(FourierFeatures(KERNEL, WIDTH, random_state=0), ALPHA)


def _svm() -> KernelSVC:
    return KernelSVC(FourierFeatures(KERNEL, WIDTH, random_state=0), C)


def _exact_ridge() -> SklearnRidge:
    return SklearnRidge(alpha=ALPHA, kernel="rbf", gamma=GAMMA)


def _exact_svm() -> SVC:
    return SVC(C=C, gamma=GAMMA)


MACHINES = {
    "scikit-learn's KernelRidge": TimedMachine(True, "regression", _exact_ridge),
    "bochner's KernelRidge": TimedMachine(False, "regression", _ridge),
    "scikit-learn's SVC": TimedMachine(True, "classification", _exact_svm),
    "bochner's KernelSVC": TimedMachine(False, "classification", _svm),
}


def generated(n_rows: int, seed: int = 0) -> tuple[Array, Array]:
    """Rows and a smooth function of them with noise, in single precision; of few rows, the first of many."""
    rng, noise = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
    X, y = np.empty((n_rows, DIM), dtype=np.float32), np.empty(n_rows, dtype=np.float32)
    for start in range(0, n_rows, CHUNK):
        rows = rng.normal(size=(min(CHUNK, n_rows - start), DIM))
        smooth = np.sin(rows[:, 0] + rows[:, 1]) + 0.5 * rows[:, 2] * rows[:, 3] + np.cos(rows[:, 4])
        X[start : start + len(rows)] = rows
        y[start : start + len(rows)] = smooth + NOISE * noise.normal(size=len(rows))
    return X, y


def targets(task: str, y: Array) -> Array:
    """What a machine learns: the function with its noise, or whether it is above a level."""
    return y if task == "regression" else (y > CUT).astype(int)


def error(task: str, y: Array, predicted: Array) -> float:
    """Root mean squared error of a regression, per cent of wrong labels of a classification."""
    return float(
        100.0 * np.mean(predicted != y) if task == "classification" else np.sqrt(np.mean((predicted - y) ** 2))
    )


@dataclass(frozen=True)
class Fit:
    """What one fit took, and the error on new rows."""

    n_rows: int
    seconds: float
    megabytes: float  # at the peak, beyond the process with its libraries and rows
    error: float


def measured(name: str, sizes: Sequence[int]) -> list[Fit]:
    """One fit after the other in a new process, smallest first; a process that is killed is an error, not a wait."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(_fits, name, sorted(sizes)).result()


def _fits(name: str, sizes: Sequence[int]) -> list[Fit]:
    machine = MACHINES[name]
    few = generated(WARM_UP)
    machine.make().fit(few[0], targets(machine.task, few[1])).predict(few[0])  # loads and compiles
    return [_fit(machine, n_rows) for n_rows in sizes]


def _fit(machine: TimedMachine, n_rows: int) -> Fit:
    X, y = generated(n_rows)
    y = targets(machine.task, y)
    X_new, y_new = generated(NEW_ROWS, seed=1)
    before, watch = _fresh_peak(), Stopwatch()
    model = machine.make().fit(X, y)
    seconds, after = watch.seconds(), peak_bytes()
    wrong = error(machine.task, targets(machine.task, y_new), model.predict(X_new))
    return Fit(n_rows, seconds, (after - before) / 1e6, wrong)


def _fresh_peak() -> int:
    """The peak so far, where the system allows it set back to what the process takes now."""
    if CLEAR.exists():
        CLEAR.write_text("5")
    return peak_bytes()


def peak_bytes() -> int:
    """The largest resident memory that this process had."""
    if STATUS.exists():
        lines = STATUS.read_text().splitlines()
        return next(1024 * int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
    if sys.platform == "win32":
        raise OSError("The experiment scaling reads peaks of memory as Linux and macOS tell them: run it there.")
    import resource

    return int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)

"""The three machines of the poster: the exact kernel by LIBSVM, random features and H0/1 with a linear machine."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.multiclass import OneVsOneClassifier
from sklearn.svm import SVC

from ....compute.threads import single_threaded_blas
from ....kernels import ExponentialDot, Polynomial
from ....kernels.power_series import PowerSeriesKernel
from ....learners import KernelSVC
from ....maps import MaclaurinFeatures
from .poster import WIDTHS
from .sets import Rows
from .settings import DEGREE, SCALES, C

PUBLISHED_MAP: dict[str, Any] = {"degrees": "geometric", "allocation": "independent", "p": 2.0}
BETTER_MAP: dict[str, Any] = {
    "degrees": "optimal",
    "allocation": "stratified",
}  # of least variance, see MaclaurinFeatures
TOLERANCE = 1e-2  # LIBLINEAR's own
WARM_UP_ROWS = 500


def kernel_of(name: str, kernel: str) -> PowerSeriesKernel:
    """(1 + λ <x, y>)^10 or exp(<x, y>); rows have length 1, and λ is 1 but on Nursery."""
    return Polynomial(DEGREE, scale=SCALES.get(name, 1.0)) if kernel == "polynomial" else ExponentialDot(1.0)


def exact(name: str, kernel: str, penalty: float) -> SVC:
    """LIBSVM with a kernel of its own; for rows of length 1 exp(<x, y>) = e exp(-||x - y||²/2)."""
    if kernel == "polynomial":
        scale = SCALES.get(name, 1.0)
        return SVC(C=penalty, kernel="poly", degree=DEGREE, gamma=scale, coef0=1.0)
    return SVC(C=penalty * math.e, kernel="rbf", gamma=0.5)


def linear(
    name: str,
    kernel: str,
    machine: str,
    dim: int,
    penalty: float,
    seed: int,
    draw: dict[str, Any] | None = None,
    one_vs_one: bool | None = None,
) -> Any:
    """Random features, or H0/1, and a linear support vector machine.

    The map is the published one; on Nursery, unless another is given, the better one, one class against one.
    """
    nursery = name == "nursery"
    draw = (BETTER_MAP if nursery else PUBLISHED_MAP) if draw is None else draw
    width, h01 = WIDTHS[name][machine], machine == "h01"
    drawn = MaclaurinFeatures(
        kernel_of(name, kernel), width + (dim + 1) * h01, h01=h01, random_state=seed, n_jobs=1, **draw
    )
    model = KernelSVC(drawn, penalty, tol=TOLERANCE, engine=1)
    return OneVsOneClassifier(model) if (nursery if one_vs_one is None else one_vs_one) else model


@dataclass(frozen=True)
class MachineRun:
    """What one machine did on one set: accuracy in %, seconds of one processor, number of support vectors."""

    accuracy: float
    training: float
    test: float
    support: int | None = None


def run(rows: Rows, model: Any) -> MachineRun:
    """Fit a machine and test it, both timed."""
    predicted: list[Any] = []
    training = seconds(lambda: model.fit(rows.X, rows.y))
    test = seconds(lambda: predicted.append(model.predict(rows.X_test)))
    return MachineRun(percent(predicted[0] == rows.y_test), training, test)


def run_exact(rows: Rows, kernel: str, penalty: float) -> MachineRun:
    """The exact machine, with the number of its support vectors."""
    model = exact(rows.name, kernel, penalty)
    return replace(run(rows, model), support=int(model.n_support_.sum()))


def run_linear(rows: Rows, make: Callable[[int], Any], n_draws: int) -> list[MachineRun]:
    """One fit for each draw of features, after one on few rows: the first call of all compiles."""
    make(n_draws).fit(rows.X[:WARM_UP_ROWS], rows.y[:WARM_UP_ROWS])
    return [run(rows, make(seed)) for seed in range(n_draws)]


def features(rows: Rows, kernel: str, machine: str, n_draws: int, **other: Any) -> list[MachineRun]:
    """Random features or H0/1 with the C that was found, for so many draws."""
    penalty, dim = C[rows.name, kernel, machine], rows.X.shape[1]
    return run_linear(rows, lambda seed: linear(rows.name, kernel, machine, dim, penalty, seed, **other), n_draws)


def percent(right: Any) -> float:
    """How many of a hundred are right."""
    return 100.0 * float(np.mean(right))


def seconds(work: Callable[[], Any]) -> float:
    """Time of the processor for a piece of work, on one thread: other work on the machine does not count."""
    with single_threaded_blas():
        start = time.process_time()
        work()
        return time.process_time() - start

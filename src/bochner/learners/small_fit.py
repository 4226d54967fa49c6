"""A fit of few rows that is as hard as one of many: what forecasts are made from."""

from __future__ import annotations

import time
import warnings
from numbers import Real
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone

from .base import Array, KernelMachine

Learner = TypeVar("Learner", bound=KernelMachine)


def noise(n_rows: int, dim: int, dtype: Any = np.float64) -> tuple[Array, Array]:
    """Rows, not negative and of variance 1, and signs that can be learned in part, both among them."""
    rng = np.random.default_rng(0)
    X = rng.uniform(0.0, np.sqrt(12.0), size=(n_rows, dim))
    y = np.sign(np.sin(2.0 * X[:, 0]) + X[:, -1] - np.sqrt(3.0) + rng.normal(size=n_rows))
    y[:2] = 1.0, -1.0
    return X.astype(dtype), y


def as_for(learner: Learner, times: float) -> Learner:
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


def timed_fit(learner: KernelMachine, X: Array, y: Array) -> Array:
    """Seconds of a fit without its warnings, on the clock and of the processor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = np.array([time.perf_counter(), time.process_time()])
        learner.fit(X, y)
        return np.array([time.perf_counter(), time.process_time()]) - start

"""One cell of the table: length scales and regularisation from training rows, then a fit on all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from sklearn.base import clone

from ....kernels import Gaussian, Laplace
from ....maps import BinningFeatures, FourierFeatures
from ....scales import learn_length_scales
from ...stopwatch import Stopwatch
from .tasks import LEARNED, PaperTask

HELD_OUT = 0.2
FAMILIES = {"Gaussian": Gaussian, "Laplace": Laplace}
KERNEL_OF = {"Fourier": "Gaussian", "binning": "Laplace"}


@dataclass(frozen=True)
class Cell:
    """What was measured, with the settings that were chosen."""

    set: str
    method: str
    scales: str
    width: int | None
    rows: int
    error: float
    training: float
    testing: float
    multiple: float
    penalty: float | str
    held_out: float

    def row(self) -> tuple[Any, ...]:
        """As a row of the table."""
        return tuple(vars(self).values())


COLUMNS = (
    "set",
    "method",
    "length scales",
    "D or P",
    "rows",
    "error, %",
    "training, seconds",
    "test, seconds",
    "multiple of the first guess",
    "penalty",
    "held-out error, %",
)


def cells(task: PaperTask) -> Iterator[tuple[str, Callable[[], list[Cell]]]]:
    """The work of one set, part by part: a label, and what does it."""
    guesses: dict[tuple[str, str], Any] = {}
    for method, scales in task.tried:
        yield f"{task.name}, {method}", lambda method=method, scales=scales: _of(task, method, scales, guesses)  # type: ignore[misc]


def _of(task: PaperTask, method: str, scales: str, guesses: dict[tuple[str, str], Any]) -> list[Cell]:
    kernel = KERNEL_OF.get(method, method.removeprefix("exact "))
    if (kernel, scales) not in guesses:
        guesses[kernel, scales] = first_guess(FAMILIES[kernel], scales, task)
    guess = guesses[kernel, scales]
    exact = method.startswith("exact")
    n_rows = task.exact_rows if exact else len(task.y)
    found, chosen = [], None
    for width in (None,) if exact else task.widths[method]:
        if chosen is None or method not in task.tuned_at:
            chosen = tuned(task, method, guess, task.tried[method, scales], task.tuned_at.get(method, width))
        multiple, penalty, held_out = chosen
        model = machine(task, method, width, with_scale(guess, multiple), penalty)
        watch = Stopwatch()
        model.fit(task.X[:n_rows], task.y[:n_rows])
        training, watch = watch.seconds(), Stopwatch()
        error = task.error(model, task.X_test, task.y_test)
        times = (training, watch.seconds())
        found.append(
            Cell(task.name, method, scales, width, min(n_rows, len(task.y)), error, *times, multiple, penalty, held_out)
        )
    return found


def first_guess(family: Any, scales: str, task: PaperTask) -> Any:
    """A kernel with the median distance of training rows as length scale, or with one learned for every column."""
    if scales == LEARNED:
        return learn_length_scales(family(), task.X, task.y, n_rows=task.sample, random_state=0)
    return family("median").resolve(task.X)


def with_scale(kernel: Any, multiple: float) -> Any:
    """The kernel with its length scales times a number."""
    return clone(kernel).set_params(length_scale=multiple * np.asarray(kernel.length_scale, dtype=float))


def machine(task: PaperTask, method: str, width: int | None, kernel: Any, penalty: float | str) -> Any:
    """What learns: linear in random features, or with the kernel itself."""
    if width is None:
        return task.exact(kernel)
    if method == "Fourier":
        return task.learner(method, FourierFeatures(kernel, width, random_state=0), penalty)
    return task.learner(method, BinningFeatures(kernel, width, random_state=0, **task.options(width)), penalty)


def tuned(
    task: PaperTask, method: str, guess: Any, tried: tuple[float, ...], width: int | None
) -> tuple[float, float | str, float]:
    """The multiple of the length scales and the penalty with the least error on a fifth of the training rows."""
    order = np.random.default_rng(1).permutation(len(task.y))[: task.tuning_rows.get(method.split()[0])]
    held = round(HELD_OUT * len(order))
    new, rows = order[:held], order[held:]
    errors = {}
    for multiple, penalty in product(tried, task.penalties.get(method, ("auto",))):
        model = machine(task, method, width, with_scale(guess, multiple), penalty)
        errors[multiple, penalty] = task.error(model.fit(task.X[rows], task.y[rows]), task.X[new], task.y[new])
    best = min(errors, key=lambda settings: errors[settings])
    return *best, errors[best]

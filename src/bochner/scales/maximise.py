"""The greatest evidence over length scales, noise and amplitude at once, of exact kernels and of fixed draws alike."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.linalg import LinAlgError
from scipy.optimize import minimize

from ..compute.threads import single_threaded_blas

Array = np.ndarray
# Value and gradient at log length scales of the columns, log s² and log a².
Evidence = Callable[[Array, float, float], tuple[float, Array]]

FURTHEST = np.log(1e3)  # a column whose length scale is 1000 times the first guess no longer counts
TOO_FAR = 1e10  # the loss where rounding leaves no evidence


@dataclass(frozen=True)
class Box:
    """Between which variances of targets of variance 1 the noise and the amplitude are looked for."""

    noises: tuple[float, float]
    amplitudes: tuple[float, float]


@dataclass(frozen=True)
class Maximum:
    """Log length scales, noise and amplitude (as variances), and the log evidence of one number."""

    log_scales: Array
    noise: float
    amplitude: float
    value: float
    n_iter: int
    converged: bool


def never() -> bool:
    """Nothing asks to stop."""
    return False


def maximise(
    evidence: Evidence,
    start: Array,
    groups: Array,
    size: float,
    box: Box,
    *,
    max_iter: int,
    gain: float,
    noise: float = 0.1,
    amplitude: float = 1.0,
    stop: Callable[[], bool] = never,
) -> Maximum:
    """Maximise the evidence of ``size`` numbers over log length scales, noise and amplitude, by L-BFGS.

    There is one length scale for each group of columns, and ``groups`` has the place of each column's in ``start``. It
    ends where a step gains less than ``gain`` of the evidence, or early, with the best place so far, when ``stop``
    says so.
    """
    known = len(start)

    def loss(place: Array) -> tuple[float, Array]:
        try:
            value, slope = evidence(place[groups], *place[known:].tolist())
        except LinAlgError:  # rounding made A indefinite: too far, the line search steps back
            return TOO_FAR, np.zeros(known + 2)
        together = np.r_[np.bincount(groups, slope[: len(groups)], minlength=known), slope[len(groups) :]]
        return -value / size, -together / size

    def interrupt(_place: Array) -> None:
        if stop():
            raise StopIteration

    bounds = [(middle - FURTHEST, middle + FURTHEST) for middle in start]
    bounds += [tuple(np.log(box.noises)), tuple(np.log(box.amplitudes))]
    first = np.r_[start, np.log(noise), np.log(amplitude)]
    options = {"maxiter": max_iter, "ftol": gain, "gtol": 1e-5}
    # Threads of BLAS gain nothing on matrices this small, and cost much where other work fills the cores.
    with single_threaded_blas():
        found = minimize(loss, first, jac=True, method="L-BFGS-B", bounds=bounds, options=options, callback=interrupt)
    place = found.x
    noise, amplitude = (float(value) for value in np.exp(place[known:]))
    return Maximum(place[:known], noise, amplitude, -float(found.fun), int(found.nit), bool(found.status != 1))

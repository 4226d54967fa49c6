"""The maps that could serve a kernel, and the time and error of each at growing widths."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from ..compute.threads import single_threaded_blas
from ..kernels import Kernel
from ..maps import (
    AdditiveFeatures,
    BinningFeatures,
    FeatureMap,
    FourierFeatures,
    MaclaurinFeatures,
    NystroemFeatures,
    TensorSketch,
)
from ..maps.directions import DRAWS
from .redraws import Sample

RUNGS = (16, 64, 256, 1024, 4096)
DRAWS_PER_RUNG = 3
TIMED_ROWS = 2048
LARGEST_WIDTH = 1 << 17
AVERAGES = 0.5  # the error of an average of independent terms falls as width^-1/2
QUASI_RANDOM = ("sobol", "halton")
BELIEVED = (0.3, 2.0)  # exponents that are believed of other maps beyond their rungs


def candidates(kernel: Kernel) -> dict[str, FeatureMap]:
    """Every map and every kind of directions, by name; those that cannot serve the kernel refuse it when fitted."""
    found: dict[str, FeatureMap] = {
        f"FourierFeatures, {directions}": FourierFeatures(kernel, directions=directions) for directions in DRAWS
    }
    found["FourierFeatures, iid, shifted"] = FourierFeatures(kernel, embedding="shifted", directions="iid")
    found["BinningFeatures"] = BinningFeatures(kernel)
    found["MaclaurinFeatures"] = MaclaurinFeatures(kernel, degrees="optimal")
    found["MaclaurinFeatures, h01"] = MaclaurinFeatures(kernel, degrees="optimal", h01=True)
    found["TensorSketch"] = TensorSketch(kernel)
    found["AdditiveFeatures, random"] = AdditiveFeatures(kernel, sampling="random")
    found["NystroemFeatures"] = NystroemFeatures(kernel)
    return found


@dataclass
class Ladder:
    """One candidate, climbed rung by rung: seconds to map all rows, and root mean square error, at each width."""

    name: str
    feature_map: FeatureMap
    n_rows: int
    size: float  # mean of k(x, x), to which errors are relative
    widths: list[int] = field(default_factory=list)
    components: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    cost: float = 0.0  # seconds that the last rung took to measure

    def climb(self, width: int, rows: Any, sample: Sample, seed: int) -> None:
        """Measure at one width: mean square error over some draws, best time of them."""
        begin = time.perf_counter()
        some = rows[:TIMED_ROWS]
        squares, times = [], []
        for draw in range(DRAWS_PER_RUNG):
            fitted = clone(self.feature_map).set_params(
                random_state=np.random.default_rng([seed, width, draw]), **{self.feature_map.width: width}
            )
            start = time.perf_counter()
            with single_threaded_blas():  # so that the time of a small factorisation is not that of waking threads
                fitted.fit_sample(rows)
            drawn = time.perf_counter() - start
            squares.append(float(np.mean(sample.errors(fitted.features_) ** 2)))
            start = time.perf_counter()
            fitted.transform(some)
            times.append(drawn + (time.perf_counter() - start) * self.n_rows / some.shape[0])
        self.widths.append(width)
        self.components.append(fitted.n_components_)
        self.seconds.append(min(times))
        self.errors.append(float(np.sqrt(np.mean(squares))) / self.size)
        self.cost = time.perf_counter() - begin

    def width_for_error(self, error: float) -> float:
        """The width at which the error is this small: by the power law of averages, or along the rungs."""
        if self._averages():
            return float((self._constant() / error) ** (1.0 / AVERAGES))
        falling = np.minimum.accumulate(self._positive())
        if error >= falling[0]:
            return self.widths[0]  # how the error grows below the lowest rung is not known
        if error <= falling[-1]:
            return float(self.widths[-1] * (falling[-1] / error) ** (1.0 / self._last_exponent()))
        return float(np.exp(np.interp(-np.log(error), -np.log(falling), np.log(self.widths))))

    def error_at(self, width: float) -> float:
        """The error at a width: by the power law of averages, or along the rungs."""
        if self._averages():
            return float(self._constant() * width**-AVERAGES)
        inside = np.clip(width, self.widths[0], self.widths[-1])
        error = float(np.exp(np.interp(np.log(inside), np.log(self.widths), np.log(self._positive()))))
        beyond = max(1.0, width / self.widths[-1])
        below = max(1.0, self.widths[0] / width)
        return error * beyond ** -self._last_exponent() * below ** BELIEVED[1]

    def width_for_time(self, seconds: float) -> float:
        """The width that takes so long: between rungs by interpolation, outside in proportion."""
        rising = self._rising()
        if rising[0] < seconds < rising[-1]:
            return float(np.exp(np.interp(np.log(seconds), np.log(rising), np.log(self.widths))))
        end = 0 if seconds <= rising[0] else -1
        return self.widths[end] * seconds / rising[end]

    def time_at(self, width: float) -> float:
        """Seconds to map all rows at a width: between rungs by interpolation, outside in proportion."""
        rising = self._rising()
        if self.widths[0] < width < self.widths[-1]:
            return float(np.exp(np.interp(np.log(width), np.log(self.widths), np.log(rising))))
        end = 0 if width <= self.widths[0] else -1
        return rising[end] * width / self.widths[end]

    def _rising(self) -> list[float]:
        """Seconds made increasing with the width, which timing noise may prevent; never flat, so that it inverts."""
        return list(np.maximum.accumulate(self.seconds) * (1.0 + 1e-6 * np.arange(len(self.seconds))))

    def _averages(self) -> bool:
        """Whether the map is an average of independent terms."""
        quasi_random = isinstance(self.feature_map, FourierFeatures) and self.feature_map.directions in QUASI_RANDOM
        return not (quasi_random or isinstance(self.feature_map, NystroemFeatures))

    def _constant(self) -> float:
        """The c of error ~ c width^-1/2 through the middle of the rungs."""
        return float(np.exp(np.mean(np.log(self._positive()) + AVERAGES * np.log(self.widths))))

    def _last_exponent(self) -> float:
        """The s of error ~ width^-s over the last two rungs, by which it is carried on."""
        if len(self.widths) < 2:
            return AVERAGES
        errors, widths = np.log(self._positive()[-2:]), np.log(self.widths[-2:])
        return float(np.clip(-(errors[1] - errors[0]) / (widths[1] - widths[0]), *BELIEVED))

    def _positive(self) -> list[float]:
        return list(np.maximum(self.errors, 1e-300))


def climb_all(
    kernel: Kernel, rows: Any, n_rows: int, n_pairs: int, seconds: float, seed: int
) -> tuple[list[Ladder], dict[str, str]]:
    """Measure every candidate that serves the kernel, all on low rungs before any on a high one, within the time."""
    deadline = time.perf_counter() + seconds
    sample = Sample.of(kernel, rows, n_pairs, seed)
    size = float(np.mean(kernel.diagonal(rows[:1000])))
    ladders: list[Ladder] = []
    skipped: dict[str, str] = {}
    for name, feature_map in candidates(kernel).items():
        if ladders and time.perf_counter() > deadline - 0.3 * seconds:
            skipped[name] = "no time was left to try it"
            continue
        ladder = Ladder(name, feature_map, n_rows, size)
        try:
            ladder.climb(RUNGS[0], rows, sample, seed)
        except ValueError as refusal:
            skipped[name] = str(refusal)
        else:
            ladders.append(ladder)
    if not ladders:
        raise ValueError(f"No map serves the kernel {type(kernel).__name__}: {' '.join(skipped.values())}")
    for width in RUNGS[1:]:
        for ladder in ladders:
            if time.perf_counter() + width / ladder.widths[-1] * ladder.cost < deadline:
                ladder.climb(width, rows, sample, seed)
    return ladders, skipped

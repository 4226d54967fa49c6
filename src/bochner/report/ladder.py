"""The time and the error of one map at growing widths, and what they say of other widths."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..maps import FourierFeatures, KernelMap, NystroemFeatures
from .probes import Measurement, Probe

AVERAGES = 0.5  # the error of an average of independent terms falls as width^-1/2
QUASI_RANDOM = ("sobol", "halton")
BELIEVED = (0.3, 2.0)  # exponents that are believed of other maps beyond their rungs
GROWTH = (1.0, 3.0)  # powers of the width that are believed of times: mapping is linear, factorisations are cubic
MARGIN = 1.25  # a wider map may leave a cache that the narrower one fitted into


@dataclass
class Rung:
    """What some draws of a map of one width took and missed."""

    width: int
    draws: list[Measurement] = field(default_factory=list)


@dataclass
class Ladder:
    """One candidate, climbed rung by rung: seconds to map all rows, and root mean square error, at each width."""

    name: str
    feature_map: KernelMap
    size: float  # mean of k(x, x), to which errors are relative
    probe: Probe
    rungs: list[Rung] = field(default_factory=list)

    def step(self, width: int, draw: int) -> None:
        """Measure one more draw at this width, which is the last one or a new one."""
        measured = self.probe(self.feature_map, width, draw)
        if not self.rungs or self.rungs[-1].width != width:
            self.rungs.append(Rung(width))
        self.rungs[-1].draws.append(measured)

    def estimate(self, width: int) -> float:
        """Seconds that the next step at this width will take, by the last rung.

        Drawing grows with the width, but the eigenvectors of Nystroem's landmarks with its cube; the rest as the
        seconds do.
        """
        last = self.rungs[-1]
        if last.width == width:
            return max(draw.cost for draw in last.draws)
        ratio = width / last.width
        drawing = ratio**3 if isinstance(self.feature_map, NystroemFeatures) else ratio
        others = ratio ** self._growth()
        return MARGIN * max(draw.drawing * drawing + (draw.cost - draw.drawing) * others for draw in last.draws)

    @property
    def widths(self) -> list[int]:
        """The widths measured."""
        return [rung.width for rung in self.rungs]

    @property
    def seconds(self) -> list[float]:
        """Best time of the draws of each rung."""
        return [min(draw.seconds for draw in rung.draws) for rung in self.rungs]

    @property
    def errors(self) -> list[float]:
        """Root mean square error over the draws of each rung."""
        return [float(np.sqrt(np.mean([draw.square for draw in rung.draws]))) / self.size for rung in self.rungs]

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
        """The width that takes so long: along the rungs, below them in proportion, beyond by the last power."""
        rising = self._rising()
        if seconds <= rising[0]:
            return self.widths[0] * seconds / rising[0]
        if seconds >= rising[-1]:
            return float(self.widths[-1] * (seconds / rising[-1]) ** (1.0 / self._growth()))
        return float(np.exp(np.interp(np.log(seconds), np.log(rising), np.log(self.widths))))

    def time_at(self, width: float) -> float:
        """Seconds for all rows at a width: along the rungs, below them in proportion, beyond by the last power."""
        rising = self._rising()
        if width <= self.widths[0]:
            return rising[0] * width / self.widths[0]
        if width >= self.widths[-1]:
            return float(rising[-1] * (width / self.widths[-1]) ** self._growth())
        return float(np.exp(np.interp(np.log(width), np.log(self.widths), np.log(rising))))

    def _growth(self) -> float:
        """The power of the width by which seconds grew over the last two rungs."""
        if len(self.widths) < 2:
            return GROWTH[0]
        seconds, widths = np.log(self._rising()[-2:]), np.log(self.widths[-2:])
        return float(np.clip((seconds[1] - seconds[0]) / (widths[1] - widths[0]), *GROWTH))

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

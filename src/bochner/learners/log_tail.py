"""Targets with one long tail: a logarithm that is undone in prediction."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import skew

Array = np.ndarray

SKEWED = 1.0  # skewness from which a transformation is tried
BEYOND = 1.0  # how far predictions may go beyond the largest target, in units of the logarithm


@dataclass(frozen=True)
class LogTail:
    """u = log(1 + sign (y - origin) / unit), with origin the end without a tail and unit its distance to the median."""

    origin: float
    unit: float
    sign: float
    largest: float

    def forward(self, y: Array) -> Array:
        """Targets to what is learned."""
        return np.log1p(np.maximum(self.sign * (y - self.origin) / self.unit, 0.0))

    @property
    def ends(self) -> tuple[float, float]:
        """What predictions are kept between before they are undone."""
        return -BEYOND, self.largest + BEYOND

    def inverse(self, u: Array) -> Array:
        """What is predicted to targets; not far beyond those that were seen, for an exponential forgives nothing."""
        within = np.clip(np.asarray(u, dtype=np.float64), *self.ends)
        return self.origin + self.sign * self.unit * np.expm1(within)


def log_tail(y: Array) -> LogTail | None:
    """The transformation to try, None for targets that are not skewed."""
    if len(y) < 20 or not np.ptp(y) > 0:
        return None
    skewness = float(skew(y))
    if not abs(skewness) > SKEWED:
        return None
    sign = 1.0 if skewness > 0 else -1.0
    origin = float(y.min() if sign > 0 else y.max())
    unit = abs(float(np.median(y)) - origin)
    if not unit > 0:
        return None
    tail = LogTail(origin, unit, sign, 0.0)
    return LogTail(origin, unit, sign, float(tail.forward(y).max()))

"""The error at several widths: how it falls, and what width a smaller one needs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..maps import FeatureMap
from .intervals import Array, Estimate, middle_of_draws
from .predictions import Prediction, predict
from .redraws import PairSample, Redraws


@dataclass(frozen=True)
class Convergence:
    """Root mean square error against width.

    ``widths`` are values of the map's width parameter (components, or grids of random binning), ``components`` the
    output columns. ``measured`` is the error of the middle draw, ``averaged`` the root of the mean square over all
    draws, and ``predicted`` what theory says of the latter, None where it is silent.
    """

    parameter: str
    widths: tuple[int, ...]
    components: tuple[int, ...]
    measured: tuple[Estimate, ...]
    averaged: tuple[float, ...]
    predicted: tuple[float | None, ...]

    def exponent(self) -> float:
        """The fitted s of error ~ width^-s; 1/2 for averages of independent terms."""
        if len(self.widths) < 2:
            return 0.5
        error = np.maximum(self.averaged, 1e-300)
        return -float(np.polyfit(np.log(self.widths), np.log(error), 1)[0])

    def width_for(self, error: float) -> float:
        """The width at which the error of the largest width, carried on with the fitted exponent, is ``error``."""
        return float(self.widths[-1] * (self.averaged[-1] / error) ** (1.0 / self.exponent()))


def measure_convergence(redraws: Redraws, sample: PairSample, errors: Array, confidence: float) -> Convergence:
    """Measure at an eighth, a quarter and a half of the width; the full width has been measured already (errors)."""
    widths = sorted({max(2, redraws.width // share) for share in (8, 4, 2)} - {redraws.width})
    widths = [width for width in widths if width < redraws.width]
    n_draws = max(3, min(10, len(errors) // 2))
    components, measured, averaged, predicted = [], [], [], []
    for level, width in enumerate(widths):
        maps = [redraws.fitted(1000 * (level + 1) + draw, width) for draw in range(n_draws)]
        components.append(maps[0].n_components_)
        squares = np.array([np.mean(sample.errors(m.features_) ** 2) for m in maps])
        measured.append(middle_of_draws(np.sqrt(squares), confidence))
        averaged.append(float(np.sqrt(squares.mean())))
        predicted.append(_predicted(maps[0], redraws, sample))
    last, squares = redraws.fitted(0), np.mean(errors**2, axis=1)
    return Convergence(
        redraws.feature_map.width,
        (*widths, redraws.width),
        (*components, last.n_components_),
        (*measured, middle_of_draws(np.sqrt(squares), confidence)),
        (*averaged, float(np.sqrt(squares.mean()))),
        (*predicted, _predicted(last, redraws, sample)),
    )


def _predicted(fitted: FeatureMap, redraws: Redraws, sample: PairSample) -> float | None:
    found = predict(fitted, redraws.rows, sample.pairs)
    return float(np.sqrt(found.mean_square)) if isinstance(found, Prediction) else None

"""The width that a tolerance needs: by measurement carried on, and by each bound that applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import ShiftInvariantKernel
from ..maps import FourierFeatures
from ..theory import components_needed, enclosing_diameter
from .convergence import Convergence
from .predictions import NoPrediction, Prediction
from .redraws import Redraws


@dataclass(frozen=True)
class WidthNeeded:
    """Widths for a tolerance.

    ``by_measurement`` is in the map's width parameter and for the root mean square error, None where the error does not
    fall with the width; ``by_bound`` names each bound and its output columns, for the largest error, with probability
    1 - delta and independent frequencies.
    """

    eps: float
    parameter: str
    by_measurement: int | None
    by_bound: dict[str, int]


def width_needed(
    convergence: Convergence,
    prediction: Prediction | NoPrediction,
    redraws: Redraws,
    eps: float,
    size: float,
    delta: float,
    diameter: float | str | None,
    X: Any,
) -> WidthNeeded:
    """Carry the measured error on to eps * size, and invert the bounds.

    A map that theory knows to be unbiased has exponent 1/2; of others the fitted one is used, and where that is under
    0.1 the error is at its floor.
    """
    unbiased = isinstance(prediction, Prediction) and not prediction.bias.any()
    exponent = 0.5 if unbiased else convergence.exponent()
    measured = None
    if exponent >= 0.1:
        measured = int(np.ceil(convergence.width_for(eps * size, exponent)))
    return WidthNeeded(eps, redraws.feature_map.width, measured, _bounds(redraws, eps, delta, diameter, X))


def _bounds(redraws: Redraws, eps: float, delta: float, diameter: float | str | None, X: Any) -> dict[str, int]:
    kernel, feature_map = redraws.kernel, redraws.feature_map
    if not (isinstance(feature_map, FourierFeatures) and isinstance(kernel, ShiftInvariantKernel)):
        return {}
    given: dict[str, Any] = {"eps": eps, "delta": delta, "embedding": feature_map.embedding}
    found = {
        "one pair (sub-gaussian)": components_needed(kernel, method="sub-gaussian", **given),
        f"all {X.shape[0]} rows (union)": components_needed(kernel, method="points", n_points=X.shape[0], **given),
    }
    if diameter is None:
        return found
    if isinstance(diameter, str):
        if diameter != "data":
            raise ValueError(f"diameter must be a number, 'data' or None, not {diameter!r}.")
        diameter = enclosing_diameter(X)
    dim = redraws.rows.shape[1]
    method = "sutherland-schneider" if np.isfinite(kernel.frequency_second_moment(dim)) else "holder"
    found[f"diameter {diameter:.4g} ({method})"] = components_needed(
        kernel, dim=dim, diameter=diameter, method=method, rigorous=True, **given
    )
    return found

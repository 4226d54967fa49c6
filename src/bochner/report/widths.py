"""The width that a tolerance needs: by measurement carried on, and by each bound that applies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..kernels import ScaledKernel, ShiftInvariantKernel
from ..maps import FourierFeatures
from ..theory import components_needed, enclosing_diameter
from .convergence import Convergence
from .predictions import NoPrediction, Prediction
from .redraws import Redraws
from .seen import behind_tails


@dataclass(frozen=True)
class WidthNeeded:
    """Widths for a tolerance.

    ``by_measurement`` is in the map's width parameter and for the root mean square error over draws, None where the
    error does not fall with the width; ``by_bound`` names each bound and its output columns, for the largest error,
    with probability 1 - delta and independent frequencies.
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

    Where theory knows the bias of a map, the variance that is left falls as 1/width and the bias stays. Of other maps
    the exponent is fitted, and where that is under 0.1 the error is at its floor.
    """
    measured: int | None = None
    if isinstance(prediction, Prediction):
        floor = float(np.mean(prediction.bias**2))
        excess, allowed = convergence.averaged[-1] ** 2 - floor, (eps * size) ** 2 - floor
        if allowed > 0:
            measured = max(1, int(np.ceil(convergence.widths[-1] * max(excess, 0.0) / allowed)))
    elif len(convergence.widths) > 1 and convergence.exponent() >= 0.1:
        measured = int(np.ceil(convergence.width_for(eps * size)))
    return WidthNeeded(eps, redraws.feature_map.width, measured, _bounds(redraws, eps, delta, diameter, X))


def _bounds(redraws: Redraws, eps: float, delta: float, diameter: float | str | None, X: Any) -> dict[str, int]:
    feature_map = redraws.feature_map
    kernel, X, stretch = behind_tails(redraws.kernel, X)
    if not (isinstance(feature_map, FourierFeatures) and isinstance(kernel, ShiftInvariantKernel)):
        return {}
    given: dict[str, Any] = {"eps": eps, "delta": delta, "embedding": feature_map.embedding}
    found = {
        "one pair (sub-gaussian)": components_needed(kernel, method="sub-gaussian", **given),
        f"all {X.shape[0]} rows (union)": components_needed(kernel, method="points", n_points=X.shape[0], **given),
    }
    if diameter is None:
        return found
    dim = X.shape[1]
    method = "sutherland-schneider" if np.isfinite(kernel.frequency_second_moment(dim)) else "holder"
    name = "ball around the rows" if isinstance(diameter, str) else f"diameter {diameter:.4g}"
    if isinstance(diameter, str):
        kernel, diameter = _around_rows(kernel, X, diameter)
    else:
        diameter *= stretch
    found[f"{name} ({method})"] = components_needed(
        kernel, dim=dim, diameter=diameter, method=method, rigorous=True, **given
    )
    return found


def _around_rows(kernel: ShiftInvariantKernel, X: Any, word: str) -> tuple[ShiftInvariantKernel, float]:
    """The diameter of the rows, in units of the length scales where the kernel has some: columns may differ."""
    if word != "data":
        raise ValueError(f"diameter must be a number, 'data' or None, not {word!r}.")
    if isinstance(kernel, ScaledKernel):
        scaling, unit = kernel.split(X.shape[1])
        return unit, enclosing_diameter(scaling.around(X)(X))
    return kernel, enclosing_diameter(X)

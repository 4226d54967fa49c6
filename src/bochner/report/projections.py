"""Features of k(Ax, Ay) are judged as those of k at projected rows."""

from __future__ import annotations

import numpy as np

from ..kernels import Kernel, Projected
from ..kernels.projected import behind, unprojected
from ..maps import Features
from ..maps.measure import Pairs
from ..maps.projected import ProjectedCodes, ProjectedFeatures


def projected_pairs(kernel: Kernel, pairs: Pairs) -> Pairs:
    """The pairs as the kernel behind all projections sees them."""
    return Pairs(behind(kernel, pairs.left)[1], behind(kernel, pairs.right)[1])


def features_behind(features: Features) -> Features:
    """The features that are evaluated at projected rows."""
    return features_behind(features.inner) if isinstance(features, ProjectedFeatures | ProjectedCodes) else features


def longest_stretch(kernel: Kernel) -> float:
    """The largest ||A d|| / ||d||, which no diameter grows by more than: 1 without a projection."""
    if not isinstance(kernel, Projected):
        return 1.0
    return float(np.linalg.norm(np.asarray(kernel.matrix, dtype=np.float64), 2)) * longest_stretch(kernel.kernel)


def name_of(kernel: Kernel | None) -> str:
    """How a report calls a kernel."""
    if isinstance(kernel, Projected):
        return f"{type(unprojected(kernel)).__name__} of projected rows"
    return type(kernel).__name__

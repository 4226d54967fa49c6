"""Features of k(c(x), c(y)) are judged as those of k at changed rows."""

from __future__ import annotations

import numpy as np

from ..kernels import Kernel, Projected, SoftTails
from ..kernels.changed_rows import ChangedRows, behind, unchanged
from ..maps.measure import Pairs


def projected_pairs(kernel: Kernel, pairs: Pairs) -> Pairs:
    """The pairs as the kernel behind all changes of rows sees them."""
    return Pairs(behind(kernel, pairs.left)[1], behind(kernel, pairs.right)[1])


def longest_stretch(kernel: Kernel) -> float:
    """The largest ||c(x) - c(y)|| / ||x - y||, which no diameter grows by more than: 1 without a change of rows."""
    if isinstance(kernel, SoftTails):  # the slope of 2 asinh(u / 2) is at most 1
        return float(1.0 / kernel.checked_columns()[1].min()) * longest_stretch(kernel.kernel)
    if not isinstance(kernel, Projected):
        return 1.0
    return float(np.linalg.norm(np.asarray(kernel.matrix, dtype=np.float64), 2)) * longest_stretch(kernel.kernel)


def name_of(kernel: Kernel | None) -> str:
    """How a report calls a kernel."""
    if isinstance(kernel, ChangedRows):
        how = "projected rows" if isinstance(kernel, Projected) else "rows with soft tails"
        return f"{type(unchanged(kernel)).__name__} of {how}"
    return type(kernel).__name__

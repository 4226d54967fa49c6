"""Features of k(c(x), c(y)) are judged as those of k at changed rows."""

from __future__ import annotations

from typing import Any

from ..kernels import Kernel, Metric, ScaledKernel
from ..kernels.changed_rows import ChangedRows, unchanged
from ..maps.measure import Pairs


def behind_tails(kernel: Kernel, X: Any) -> tuple[Kernel, Any, float]:
    """The kernel behind all changes of rows but length scales, the rows as it sees them, how far these stretch.

    A metric counts as a change: it may leave fewer directions than there are columns.
    """
    stretch = 1.0
    while isinstance(kernel, ChangedRows) or has_metric(kernel):
        change, kernel = kernel.split(X.shape[1])  # type: ignore[misc]
        X, stretch = change(X), stretch * change.stretch()
    return kernel, X, stretch


def seen_pairs(kernel: Kernel, rows: Any, pairs: Pairs) -> tuple[Kernel, Any, Pairs]:
    """The kernel of length scale 1 behind all changes, and rows and pairs as it sees them, from a common origin."""
    while (parts := kernel.split(rows.shape[1])) is not None:
        change, inner = parts
        change = change.around(rows)
        rows, pairs = change(rows), Pairs(change(pairs.left), change(pairs.right))
        last, kernel = isinstance(kernel, ScaledKernel), inner
        if last:
            break
    return kernel, rows, pairs


def has_metric(kernel: Kernel) -> bool:
    """Whether a matrix stands in the place of length scales."""
    return isinstance(kernel, ScaledKernel) and isinstance(kernel.length_scale, Metric)


def name_of(kernel: Kernel | None) -> str:
    """How a report calls a kernel."""
    if kernel is None:
        return "None"
    inner = unchanged(kernel)
    name = type(inner).__name__ + (" in a metric" if has_metric(inner) else "")
    return f"{name} of rows with soft tails" if isinstance(kernel, ChangedRows) else name

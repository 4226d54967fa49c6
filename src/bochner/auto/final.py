"""The width of the final model."""

from __future__ import annotations

from collections.abc import Sequence

from .families import Exact
from .trial import Trial

NARROWER = 0.85
FRESH = 4e-9  # seconds for a byte of memory that was not used before, on a virtual machine that was given none to spare


def final_width(best: Trial, trials: Sequence[Trial], n_rows: int, seconds: float, memory: int) -> int:
    """The family's widest, or less until the fit is expected to end in time and its features fit the memory."""
    family = best.candidate.family
    width = family.final_width(n_rows)
    if isinstance(family, Exact):
        return width
    kind = family, best.candidate.loss
    alike = [t for t in trials if t.rung >= best.rung and (t.candidate.family, t.candidate.loss) == kind]
    fastest = min(t.seconds / family.work(t.n_rows, t.width) for t in (best, *alike))
    rate = fastest if family.dense else 2.0 * fastest  # conjugate gradients go on for longer than in the search

    def fits(width: int) -> bool:
        expected = rate * family.work(n_rows, width) + FRESH * family.touched(n_rows, width)
        return expected < 0.8 * seconds and (family.dense or 2 * width * n_rows <= memory // 4)

    while width > best.width and not fits(width):
        width = max(best.width, int(NARROWER * width))
    return width

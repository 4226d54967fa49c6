"""The width of the final model."""

from __future__ import annotations

from collections.abc import Sequence

from .trial import Trial

NARROWER = 0.85


def final_width(best: Trial, trials: Sequence[Trial], n_rows: int, seconds: float, memory: int) -> int:
    """The family's widest, or less until the fit is expected to end in time and its features fit the memory."""
    family = best.candidate.family
    width = family.final_width(n_rows)
    kind = family, best.candidate.loss
    alike = [t for t in trials if t.rung >= best.rung and (t.candidate.family, t.candidate.loss) == kind]
    fastest = min(t.seconds / family.work(t.n_rows, t.width) for t in (best, *alike))
    slower = 1.0 if family.dense else 2.0  # conjugate gradients go on for longer than in the search
    rate = slower * fastest  # the first fits of a size also pay for fresh memory
    while width > best.width and (
        rate * family.work(n_rows, width) > 0.7 * seconds or (not family.dense and 2 * width * n_rows > memory // 4)
    ):
        width = max(best.width, int(NARROWER * width))
    return width

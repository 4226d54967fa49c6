"""The width of the final model."""

from __future__ import annotations

from .trial import Trial


def final_width(best: Trial, n_rows: int, seconds: float, memory: int) -> int:
    """The family's widest, halved until the fit is expected to end in time and its features fit the memory."""
    family = best.candidate.family
    width = family.final_width(n_rows)
    slower = 1.0 if family.dense else 2.0  # conjugate gradients go on for longer than in the search
    rate = slower * best.seconds / family.work(best.n_rows, best.width)
    while width > best.width and (
        rate * family.work(n_rows, width) > 0.8 * seconds or (not family.dense and 2 * width * n_rows > memory // 4)
    ):
        width = max(best.width, width // 2)
    return width

"""What was tried, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from ..report.frames import frame
from .trial import Trial

COLUMNS = ("map", "kernel", "scales", "factor", "loss", "rows", "width", "score", "alpha", "seconds")


@dataclass(frozen=True)
class Leaderboard:
    """A table of trials: those on most rows and widest first, the best of them first. ``to_frame()`` for pandas."""

    records: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, trials: Sequence[Trial]) -> Leaderboard:
        """The table of these trials."""
        order = sorted(trials, key=lambda trial: (-trial.rung, trial.loss))
        return cls(tuple(_record(trial) for trial in order))

    def to_frame(self) -> Any:
        """A pandas DataFrame."""
        return frame(list(self.records))

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __getitem__(self, place: int) -> dict[str, Any]:
        return self.records[place]

    def __str__(self) -> str:
        rows = [COLUMNS, *(tuple(_shown(record[name]) for name in COLUMNS) for record in self.records)]
        widths = [max(len(row[i]) for row in rows) for i in range(len(COLUMNS))]
        return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def _record(trial: Trial) -> dict[str, Any]:
    candidate = trial.candidate
    values = (
        candidate.family.name,
        candidate.kernel_name,
        candidate.scales,
        candidate.factor,
        candidate.loss,
        trial.n_rows,
        trial.width,
        trial.score,
        trial.alpha,
        trial.seconds,
    )
    return dict(zip(COLUMNS, values))


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)

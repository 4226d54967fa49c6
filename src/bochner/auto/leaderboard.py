"""What was tried, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..report.frames import frame
from ..report.page.markup import table
from .trial import Failure, Trial

COLUMNS = ("map", "kernel", "scales", "factor", "loss", "rows", "width", "score", "alpha", "seconds", "failed")


@dataclass(frozen=True)
class Leaderboard:
    """A table of trials: those on most rows and widest first, the best of them first. ``to_frame()`` for pandas.

    Trials that failed come last, with a score of minus infinity and the reason in the column ``failed``.
    """

    records: tuple[dict[str, Any], ...]

    @classmethod
    def of(cls, trials: Sequence[Trial], failures: Sequence[Failure] = ()) -> Leaderboard:
        """The table of these trials."""
        order = sorted(trials, key=lambda trial: (-trial.rung, trial.loss))
        failed = [_record(failure, -np.inf, None, failure.reason) for failure in failures]
        return cls((*(_record(trial, trial.score, trial.alpha, "") for trial in order), *failed))

    def to_frame(self) -> Any:
        """A pandas DataFrame."""
        return frame(list(self.records))

    def _repr_html_(self) -> str:
        """As notebooks show it."""
        rows = [["" if record[name] is None else record[name] for name in COLUMNS] for record in self.records]
        return table("What was tried, best first", COLUMNS, rows)

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


def _record(trial: Trial | Failure, score: float, alpha: float | None, failed: str) -> dict[str, Any]:
    candidate = trial.candidate
    values = (
        candidate.family.name,
        candidate.kernel_name,
        candidate.scales,
        candidate.factor,
        candidate.loss,
        trial.n_rows,
        trial.width,
        score,
        alpha,
        trial.seconds,
        failed,
    )
    return dict(zip(COLUMNS, values))


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)

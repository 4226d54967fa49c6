"""Time and memory against the number of rows, drawn."""

from __future__ import annotations

from typing import Any

from ...result import Table
from ...style import DOTTED, LOOKS, legend_below

PANELS = {"regression": "ridge regression", "classification": "support vector machine"}
TIMES = {60.0: "a minute", 3600.0: "an hour", 86_400.0: "a day"}
SIZES = {16.0: "16 GB, a laptop"}


def draw_time(figure: Any, table: Table) -> None:
    """Seconds of a fit."""
    _draw(figure, table, "seconds", 1.0, "time of a fit (seconds)", TIMES)


def draw_memory(figure: Any, table: Table) -> None:
    """Memory at the peak."""
    _draw(figure, table, "megabytes", 1e-3, "memory at the peak (GB)", SIZES)


def _draw(figure: Any, table: Table, column: str, unit: float, label: str, marks: dict[float, str]) -> None:
    panels = figure.subplots(2, 1, sharex=True, sharey=True)
    for axes, (task, title) in zip(panels, PANELS.items()):
        some = table.where(task=task)
        found, beyond, foreseen = (some.where(which=which) for which in ("measured", "extrapolated", "forecast"))
        exact, ours = beyond.rows[0][0], foreseen.rows[0][0]
        curve = found.where(machine=exact)
        axes.plot(
            curve.column("rows"),
            unit * curve.column(column),
            **LOOKS["exact"].both(label="exact (scikit-learn), measured", linestyle="-", markeredgewidth=1.8),
        )
        axes.plot(
            beyond.column("rows"),
            unit * beyond.column(column),
            **LOOKS["exact"].theory(label="exact, extrapolated", linestyle=DOTTED),
        )
        points = found.where(machine=ours)
        axes.plot(
            points.column("rows"),
            unit * points.column(column),
            **LOOKS["fourier"].measured(label="random features (bochner), measured"),
        )
        axes.plot(
            foreseen.column("rows"),
            unit * foreseen.column(column),
            **LOOKS["fourier"].theory(label="random features, forecast"),
        )
        axes.axvline(curve.column("rows")[-1], color="0.6", linewidth=0.8)
        axes.text(
            1.08 * curve.column("rows")[-1],
            0.03,
            "exact: extrapolated",
            transform=axes.get_xaxis_transform(),
            color="0.35",
            fontsize=9,
        )
        for height, words in marks.items():
            axes.axhline(height, color="0.6", linewidth=0.8)
            axes.text(0.01, 1.15 * height, words, transform=axes.get_yaxis_transform(), color="0.35", fontsize=9)
        axes.set_title(title)
        axes.set(xscale="log", yscale="log", ylabel=label)
    panels[-1].set_xlabel("number of rows")
    legend_below(figure, panels[0])

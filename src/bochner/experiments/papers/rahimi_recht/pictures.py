"""Errors against the width and against the time, one panel a set."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...result import Table
from ...style import DOTTED, LONG, LOOKS, PUBLISHED, legend_below
from .recalled import RECALLED
from .tasks import LEARNED, ONE

LABELS = {"Fourier": "Fourier features", "binning": "random binning"}
TITLES = {"CPU": "CPU (regression)", "Adult": "Adult (two classes)", "Forest": "Forest (two classes)"}
EXACT = {"exact Gaussian": LONG, "exact Laplace": DOTTED}
WIDTHS = (10, 30, 100, 300, 1000, 5000)
YLABELS = {"CPU": "relative error (%)"}


def draw_errors(figure: Any, table: Table) -> None:
    """Against D or P."""
    panels = figure.subplots(3, 1)
    for axes, name in zip(panels, table.values("set")):
        some = table.where(set=name)
        _features(axes, some, "D or P")
        for method, line in EXACT.items():
            for error in some.where(method=method, **{"length scales": ONE}).column("error, %"):
                look = LOOKS["exact"].theory(linestyle=line, linewidth=1.2)
                axes.axhline(error, label=f"{method.removeprefix('exact ')} kernel itself", **look)
        for method in LABELS:
            error, _, width = RECALLED[name, method]
            label = "published, as recalled" if method == "Fourier" else None
            axes.plot([width], [error], label=label, **PUBLISHED)
            axes.annotate(method, (width, error), (8, 6), textcoords="offset points", fontsize=9, color="0.3")
        _finish(axes, name)
        axes.set_xticks(WIDTHS, [str(width) for width in WIDTHS])
        axes.minorticks_off()
        axes.set_xlim(0.8 * np.nanmin(some.column("D or P")), 8000)
    panels[-1].set_xlabel("number of features D, or of grids P")
    legend_below(figure, panels[0])


def draw_times(figure: Any, table: Table) -> None:
    """Against seconds."""
    panels = figure.subplots(3, 1)
    for axes, name in zip(panels, table.values("set")):
        some = table.where(set=name)
        _features(axes, some, "training, seconds")
        for method, fill in (("exact Gaussian", "x"), ("exact Laplace", "+")):
            one = some.where(method=method, **{"length scales": ONE})
            look = LOOKS["exact"].measured(marker=fill, markersize=8, markeredgewidth=1.8)
            label = f"{method.removeprefix('exact ')} kernel itself"
            axes.plot(one.column("training, seconds"), one.column("error, %"), label=label, **look)
        _finish(axes, name)
    panels[-1].set_xlabel("time of the last fit (seconds)")
    legend_below(figure, panels[0])


def _features(axes: Any, some: Table, column: str) -> None:
    for method, label in LABELS.items():
        for scales, fill in ((ONE, None), (LEARNED, "#ffffff")):
            curve = some.where(method=method, **{"length scales": scales})
            look = LOOKS[method.lower()].both(
                markerfacecolor=fill or LOOKS[method.lower()].colour, linewidth=1.4 if fill is None else 0.8
            )
            words = label if scales == ONE else f"{label}, learned scales"
            axes.plot(curve.column(column), curve.column("error, %"), label=words, **look)


def _finish(axes: Any, name: str) -> None:
    axes.set_title(TITLES[name])
    axes.set(xscale="log", yscale="log" if name == "Forest" else "linear", ylabel=YLABELS.get(name, "error (%)"))
    if name == "Forest":
        axes.set_yticks([2, 5, 10, 20, 30], ["2", "5", "10", "20", "30"])
        axes.minorticks_off()

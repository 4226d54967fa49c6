"""How all pictures look: one colour, line and marker for one thing wherever it appears, readable in grey too.

Lines are theory, markers are measurements, stars are published numbers.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

from ..report.plots import pyplot
from .result import Picture

BLUE, ORANGE, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#aa4499"
GOLD, SKY, GREY, BLACK = "#c98a00", "#3a9bd9", "#7a7a7a", "#222222"
DOTS_PER_INCH = 120
PALETTE = 128  # colours of a PNG file: half the size, and the eye sees no difference


@dataclass(frozen=True)
class Look:
    """Colour, line and marker of one thing."""

    colour: str
    line: Any
    marker: str

    def theory(self, **other: Any) -> dict[str, Any]:
        """Options of ``axes.plot`` for a curve that was computed."""
        return {"color": self.colour, "linestyle": self.line, "linewidth": 1.8} | other

    def measured(self, **other: Any) -> dict[str, Any]:
        """Options of ``axes.plot`` and ``axes.errorbar`` for points that were measured."""
        return {"color": self.colour, "linestyle": "none", "marker": self.marker, "markersize": 5.5} | other

    def both(self, **other: Any) -> dict[str, Any]:
        """Options for measured points joined by a line."""
        return self.measured() | self.theory(linewidth=1.4) | other


DASHED, DOTTED, DASH_DOT, LONG = (0, (5, 2)), (0, (1, 1.6)), (0, (5, 1.5, 1, 1.5)), (0, (9, 3))

LOOKS = {
    "paired": Look(BLUE, "-", "o"),  # Sutherland and Schneider's phi
    "shifted": Look(ORANGE, DASHED, "s"),  # and psi
    "RBFSampler": Look(GOLD, DOTTED, "D"),
    "iid": Look(BLUE, "-", "o"),  # paired, independent frequencies
    "orthogonal": Look(GREEN, DASHED, "^"),
    "independent radii": Look(SKY, DASH_DOT, "v"),
    "fastfood": Look(PURPLE, DASH_DOT, "P"),
    "sobol": Look(GOLD, DOTTED, "D"),
    "exact": Look(BLACK, LONG, "x"),  # the kernel itself
    "fourier": Look(BLUE, "-", "o"),
    "binning": Look(PURPLE, DASH_DOT, "P"),
    "maclaurin": Look(ORANGE, DASHED, "s"),  # random features of dot products
    "h01": Look(GREEN, "-", "^"),  # with constant and linear terms exact
    "training": Look(GREY, DASHED, "s"),  # errors on rows seen and not seen
    "test": Look(BLUE, "-", "o"),
    "theta": Look(PURPLE, DASH_DOT, "P"),  # coefficients of waves that are not scaled
    "rahimi-recht": Look(PURPLE, DASH_DOT, "P"),  # bounds
    "sutherland-schneider": Look(GREEN, DASHED, "^"),
    "rigorous": Look(GOLD, DOTTED, "D"),
    "points": Look(SKY, LONG, "v"),
    "tail": Look(GREEN, DASH_DOT, "^"),
    "dudley": Look(PURPLE, DOTTED, "P"),
    "limit": Look(GREY, DOTTED, "None"),  # what something tends to
}
PUBLISHED = {
    "linestyle": "none",
    "marker": "*",
    "markersize": 13,
    "markerfacecolor": "#ffffff",
    "markeredgecolor": "#b3001b",
    "markeredgewidth": 1.4,
}  # options of a published point

RULES = {
    "font.size": 10.5,
    "font.family": "DejaVu Sans",
    "axes.titlesize": 11.5,
    "axes.titlelocation": "left",
    "axes.labelsize": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.7,
    "axes.axisbelow": True,
    "axes.edgecolor": "#555555",
    "xtick.color": "#444444",
    "ytick.color": "#444444",
    "legend.frameon": False,
    "legend.fontsize": 9.5,
    "legend.handlelength": 2.6,
    "lines.solid_capstyle": "round",
    "figure.facecolor": "#ffffff",
    "savefig.facecolor": "#ffffff",
}


def png(picture: Picture) -> bytes:
    """The picture as the bytes of a small PNG file."""
    plt = pyplot()
    from PIL import Image

    drawn, packed = io.BytesIO(), io.BytesIO()
    with plt.rc_context(RULES):
        figure = plt.Figure(figsize=picture.size, layout="constrained")
        figure.suptitle(picture.title, x=0.01, ha="left", fontsize=12.5, fontweight="bold")
        picture.draw(figure, picture.data)
        figure.savefig(drawn, format="png", dpi=DOTS_PER_INCH, metadata={"Software": None})
    with Image.open(drawn) as image:
        image.convert("RGB").quantize(PALETTE).save(packed, format="png", optimize=True)
    return packed.getvalue()


def shades(n: int) -> list[Look]:
    """Looks of things in an order, such as dimensions: from light to dark, with lines and markers of their own."""
    colours = ("#5ab4e5", "#2b7bba", "#7b3f98", "#2a1a4a", "#000000")
    lines, markers = ("-", DASHED, DASH_DOT, DOTTED, LONG), ("o", "s", "^", "D", "v")
    return [Look(*look) for look in zip(colours[:n], lines, markers)]


def plain_numbers(*axes: Any) -> None:
    """Ticks of logarithmic axes as 1, 2, 5, 10, or powers of ten where there are many."""
    from matplotlib.ticker import LogLocator, NullLocator

    for axis in axes:
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if high / low < 120.0 else (1.0,)))
        axis.set_major_formatter("{x:g}")
        axis.set_minor_locator(NullLocator())


def legend_below(figure: Any, axes: Any, columns: int = 2) -> None:
    """One legend under the axes, of all that is labelled there."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=columns)

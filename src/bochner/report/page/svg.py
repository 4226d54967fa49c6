"""Pictures as SVG: axes, marks that say their values, colours that follow the theme of the page."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any

import numpy as np

Numbers = Sequence[float] | np.ndarray

WIDTH, HEIGHT = 440, 290  # in the units of the picture, which the page stretches: text stays readable on a phone
RIGHT, TOP, BOTTOM = 14, 12, 46
NAME = 24  # room for the words of the vertical axis
CHARACTER = 6.6  # about the width of a character


def shown(value: float) -> str:
    """A number as people read it."""
    return f"{value:.4g}"


@dataclass(frozen=True)
class Axis:
    """One axis: its words, its range, whether it is logarithmic, names in place of numbers."""

    words: str
    low: float
    high: float
    log: bool = False
    names: tuple[str, ...] = ()

    @classmethod
    def of(cls, words: str, values: Any, *, log: bool = False, zero: bool = False) -> Axis:
        """An axis that holds these values, with a little room around them."""
        found = np.asarray(values, dtype=float)
        found = found[np.isfinite(found)]
        low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 1.0)
        if log:
            return cls(words, low / 1.15, high * 1.15, True)
        low, high = (min(low, 0.0), max(high, 0.0)) if zero else (low, high)
        room = 0.04 * (high - low) or 0.5 * abs(high) or 0.5
        return cls(words, low - (room if low < 0.0 or not zero else 0.0), high + room)

    def place(self, value: float) -> float:
        """From 0 to 1 along the axis."""
        if self.log:
            return float(np.log(value / self.low) / np.log(self.high / self.low))
        return (value - self.low) / (self.high - self.low)

    def ticks(self, most: int = 5) -> list[tuple[float, str]]:
        """Round values along the axis with their words."""
        if self.names:
            return [(float(place), name) for place, name in enumerate(self.names)]
        if self.log:
            return [(value, shown(value)) for value in _round_powers(self.low, self.high)]
        step = _round_step((self.high - self.low) / most)
        first = np.ceil(self.low / step) * step
        places = np.arange(first, self.high + 1e-9 * step, step)
        return [(float(value), _told_apart(_clean(float(value), step), step)) for value in places]


@dataclass
class Plot:
    """A picture that marks are added to."""

    x: Axis
    y: Axis
    title: str
    left: int = 0  # 0: as much as the words at the vertical axis take
    height: int = HEIGHT
    marks: list[str] = field(default_factory=list)
    legend: list[tuple[str, int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.left == 0:
            longest = max((len(words) for _, words in self.y.ticks()), default=1)
            self.left = int(NAME + 10 + CHARACTER * longest)

    def px(self, value: float) -> float:
        """The horizontal place of a value."""
        return self.left + self.x.place(value) * (WIDTH - self.left - RIGHT)

    def py(self, value: float) -> float:
        """The vertical place of a value."""
        return self.height - BOTTOM - self.y.place(value) * (self.height - BOTTOM - TOP)

    def line(self, xs: Numbers, ys: Numbers, series: int, words: str = "", dashed: bool = False) -> None:
        """A line through points."""
        points = " ".join(f"{self.px(x):.1f},{self.py(y):.1f}" for x, y in zip(xs, ys))
        dashes = ' stroke-dasharray="5 4"' if dashed else ""
        self.marks.append(f'<polyline class="line s{series}" points="{points}"{dashes}/>')
        if words:
            self.legend.append((words, series))

    def points(
        self,
        xs: Numbers,
        ys: Numbers,
        series: int,
        words: Callable[[int], str],
        name: str = "",
        size: float = 3.5,
    ) -> None:
        """Points that say what they are when they are pointed at."""
        for i, (x, y) in enumerate(zip(xs, ys)):
            self.marks.append(
                f'<circle class="mark s{series}" cx="{self.px(x):.1f}" cy="{self.py(y):.1f}" r="{size}" '
                f'tabindex="0"><title>{escape(words(i))}</title></circle>'
            )
        if name:
            self.legend.append((name, series))

    def bars_of_error(self, xs: Numbers, lows: Numbers, highs: Numbers, series: int) -> None:
        """Vertical intervals."""
        for x, low, high in zip(xs, lows, highs):
            self.marks.append(
                f'<line class="line s{series}" x1="{self.px(x):.1f}" x2="{self.px(x):.1f}" '
                f'y1="{self.py(low):.1f}" y2="{self.py(high):.1f}"/>'
            )

    def band(self, xs: Numbers, lows: Numbers, highs: Numbers, series: int) -> None:
        """A region between two curves."""
        there = [f"{self.px(x):.1f},{self.py(y):.1f}" for x, y in zip(xs, highs)]
        back = [f"{self.px(x):.1f},{self.py(y):.1f}" for x, y in zip(xs[::-1], lows[::-1])]
        self.marks.append(f'<polygon class="band s{series}" points="{" ".join([*there, *back])}"/>')

    def rows(self, values: Numbers, spreads: Numbers, words: Callable[[int], str], series: int = 0) -> None:
        """Horizontal bars, one for each name of the vertical axis, with what they may be off by."""
        thick = 0.6 * abs(self.py(1.0) - self.py(0.0)) if len(values) > 1 else 24.0
        for i, (value, spread) in enumerate(zip(values, spreads)):
            start, end = sorted((self.px(0.0), self.px(value)))
            place = f'x="{start:.1f}" y="{self.py(i) - thick / 2:.1f}" width="{max(end - start, 1):.1f}"'
            y = f"{self.py(i):.1f}"
            self.marks.append(
                f'<rect class="bar s{series}" {place} height="{thick:.1f}" tabindex="0">'
                f"<title>{escape(words(i))}</title></rect>"
                f'<line class="whisker" x1="{self.px(value - spread):.1f}" x2="{self.px(value + spread):.1f}" '
                f'y1="{y}" y2="{y}"/>'
            )

    def svg(self) -> str:
        """The whole picture."""
        return (
            f'<svg viewBox="0 0 {WIDTH} {self.height}" role="img" aria-label="{escape(self.title)}">'
            f"{self._axes()}{''.join(self.marks)}</svg>{self._legend()}"
        )

    def _axes(self) -> str:
        bottom, right, parts = self.height - BOTTOM, WIDTH - RIGHT, []
        x_ticks = self.x.ticks()
        wide = max((len(words) for _, words in x_ticks), default=1) * CHARACTER + 8
        every = max(1, int(np.ceil(len(x_ticks) * wide / (right - self.left))))
        for value, words in x_ticks[::every]:
            x = self.px(value)
            parts += [_grid(x, TOP, x, bottom), _text("tick", x, bottom + 16, words)]
        for value, words in self.y.ticks():
            y = self.py(value)
            parts += [_grid(self.left, y, right, y), _text("tick", self.left - 6, y + 4, words, "end")]
        parts.append(_text("name", (self.left + right) / 2, self.height - 8, self.x.words))
        turned = f'transform="translate(13 {(TOP + bottom) / 2:.0f}) rotate(-90)"'
        parts.append(f'<text class="name" {turned} text-anchor="middle">{escape(self.y.words)}</text>')
        return "".join(parts)

    def _legend(self) -> str:
        if not self.legend:
            return ""
        entries = "".join(
            f'<li><span class="key s{series}"></span>{escape(words)}</li>' for words, series in self.legend
        )
        return f'<ul class="legend">{entries}</ul>'


def _grid(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line class="grid" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def _text(kind: str, x: float, y: float, words: str, anchor: str = "middle") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def room_for(names: Sequence[str], most: int = 22) -> int:
    """How much room at the left the longest of some names takes."""
    return int(14 + CHARACTER * min(most, max(map(len, names), default=1)))


def shortened(name: str, most: int = 22) -> str:
    """A name that fits."""
    return name if len(name) <= most else name[: most - 1] + "…"


def _round_step(step: float) -> float:
    power = 10.0 ** np.floor(np.log10(step)) if step > 0 else 1.0
    return float(power * next(one for one in (1.0, 2.0, 2.5, 5.0, 10.0) if step <= one * power * 1.0000001))


def _told_apart(value: float, step: float) -> str:
    """A number with as many digits as its neighbours need."""
    digits = np.log10(abs(value) / step) if value else 0.0
    return f"{value:.{int(np.clip(np.ceil(digits) + 2, 1, 12))}g}"


def _clean(value: float, step: float) -> float:
    return 0.0 if abs(value) < 1e-9 * step else value


def _round_powers(low: float, high: float) -> list[float]:
    powers = range(int(np.floor(np.log10(low))), int(np.ceil(np.log10(high))) + 1)
    for factors in ((1.0,), (1.0, 3.0), (1.0, 2.0, 5.0), tuple(map(float, range(1, 10)))):
        found = [factor * 10.0**power for power in powers for factor in factors if low <= factor * 10.0**power <= high]
        if len(found) >= 3:
            break
    return found[:: -(-len(found) // 6)]

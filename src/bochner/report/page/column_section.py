"""Which columns count, and how the prediction goes along them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...tables.table import CategoryColumn, DataTable
from .markup import Section, figure, table
from .subject import Array, Subject, constant, replaced, said
from .svg import Axis, Plot, room_for, shortened, shown

SHUFFLED_ROWS, SHUFFLES = 2000, 5
SHOWN = 20
DEPENDENCES, GRID, AVERAGED_ROWS, MOST_LABELS = 6, 15, 200, 12


@dataclass(frozen=True)
class Importance:
    """What the loss rises by when a column is shuffled, and the standard deviation over shuffles."""

    name: str
    rise: float
    deviation: float


def section(subject: Subject, random_state: int) -> Section:
    """Importance of all columns, the course of the prediction along the first six."""
    rng = np.random.default_rng(random_state)
    found = importances(subject, rng)
    return Section("columns", "What counts", _bars(subject, found) + _courses(subject, found, rng))


def importances(subject: Subject, rng: np.random.Generator) -> list[Importance]:
    """Largest first: the rise of the squared error in units of the variance of y, or of the share of wrong labels."""
    at = np.sort(rng.permutation(len(subject.y))[:SHUFFLED_ROWS])
    rows = subject.rows[at]
    before = subject.losses(rows, at)
    unit = 1.0 if subject.classifies else max(float(np.var(subject.y[at].astype(float))), 1e-300)
    found = []
    for name, column in zip(rows.names, rows.columns):
        rises = []
        for _ in range(SHUFFLES):
            shuffled = replaced(rows, name, column[rng.permutation(rows.n_rows)])
            rises.append(float(np.mean(subject.losses(shuffled, at) - before)) / unit)
        found.append(Importance(name, float(np.mean(rises)), float(np.std(rises, ddof=1))))
    return sorted(found, key=lambda one: -one.rise)


def _bars(subject: Subject, found: list[Importance]) -> str:
    top = found[:SHOWN]
    names = [shortened(one.name) for one in top]
    what = (
        "rise of the share of wrong labels"
        if subject.classifies
        else "rise of the squared error / variance of the target"
    )
    reach = [value for one in top for value in (one.rise - one.deviation, one.rise + one.deviation)]
    y = Axis("", len(top) - 0.4, -0.6, names=tuple(names))
    plot = Plot(
        Axis.of(what, reach, zero=True), y, "Importance of columns", left=room_for(names), height=80 + 22 * len(top)
    )
    plot.rows(
        [one.rise for one in top],
        [one.deviation for one in top],
        lambda i: f"{top[i].name}: {shown(top[i].rise)}, off by {shown(top[i].deviation)}",
    )
    rows = [(one.name, one.rise, one.deviation) for one in found[:100]]
    caption = f"What the error rises by when a column is shuffled: mean and standard deviation of {SHUFFLES} shuffles."
    return figure(plot.svg(), caption, table("Importance of columns", ("column", what, "standard deviation"), rows))


def _courses(subject: Subject, found: list[Importance], rng: np.random.Generator) -> str:
    some = subject.rows[np.sort(rng.permutation(len(subject.y))[:AVERAGED_ROWS])]
    pictures = [_course(subject, some, one.name) for one in found[:DEPENDENCES]]
    return f'<h3>Along the columns that count most</h3><div class="several">{"".join(pictures)}</div>'


def _course(subject: Subject, rows: DataTable, name: str) -> str:
    """The mean answer when a column is set to a value in all rows, and where the middle eighty per cent lie."""
    column = subject.rows.column(name)
    answers, what = [], _what(subject)
    if isinstance(column, CategoryColumn):
        codes, counts = np.unique(column.codes[column.codes >= 0], return_counts=True)
        values: list[float] = codes[np.argsort(-counts)][:MOST_LABELS].tolist()
        words = [shortened(str(column.labels[int(code)]), 10) for code in values]
        places = [float(place) for place in range(len(values))]
        x = Axis(name, -0.5, len(values) - 0.5, names=tuple(words))
    else:
        numbers = column.plain().astype(float)
        numbers = numbers[np.isfinite(numbers)]
        values = np.unique(np.quantile(numbers, np.linspace(0.02, 0.98, GRID))).tolist() if len(numbers) else [0.0]
        words, places = [shown(value) for value in values], values
        x = Axis.of(name, values)
    for value in values:
        answer = _answers(subject, replaced(rows, name, constant(column, value, rows.n_rows)))
        answers.append((float(answer.mean()), *(float(one) for one in np.quantile(answer, [0.1, 0.9]))))
    mean, low, high = zip(*answers)
    plot = Plot(x, Axis.of(what, [*low, *high]), f"{what} along {name}", height=230)
    if isinstance(column, CategoryColumn):
        plot.bars_of_error(places, low, high, 0)
    else:
        plot.band(places, low, high, 0)
        plot.line(places, mean, 0)
    plot.points(places, mean, 0, lambda i: f"{name} {words[i]}: {shown(mean[i])} ({shown(low[i])} to {shown(high[i])})")
    numbers_table = table(
        f"{what} along {name}", (name, "mean", "10 %", "90 %"), [(words[i], *answers[i]) for i in range(len(values))]
    )
    return figure(plot.svg(), f"{name}: mean of {rows.n_rows} rows, and the middle 80 % of them.", numbers_table)


def _what(subject: Subject) -> str:
    if not subject.classifies:
        return "prediction"
    label = subject.model.classes_[1] if len(subject.model.classes_) == 2 else subject.model.classes_[0]
    return f"probability of {label}" if subject.probabilities is not None else f"share of {label}"


def _answers(subject: Subject, rows: DataTable) -> Array:
    if not subject.classifies:
        return said(subject.model, rows).astype(float)
    place = 1 if len(subject.model.classes_) == 2 else 0
    if subject.probabilities is not None:
        return said(subject.model, rows, "predict_proba")[:, place]
    return (said(subject.model, rows) == subject.model.classes_[place]).astype(float)

"""Where a classifier errs: which labels it takes for which, and what its probabilities are worth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from html import escape

import numpy as np
from sklearn.metrics import auc, confusion_matrix, precision_recall_curve, roc_curve

from .markup import Section, figure, paragraph, table
from .subject import Array, Subject
from .svg import Axis, Plot, shortened, shown

MOST_LABELS = 20  # in the table of confusions
MOST_CURVES = 10
CURVE_POINTS = 60
BINS = 10
UNIT = (0.0, 1.0)


@dataclass(frozen=True)
class Curve:
    """Points, words for the legend, and which of them are in the table."""

    x: Array
    y: Array
    words: str = ""
    every: int = 6


def section(subject: Subject) -> Section:
    """Confusions, and with probabilities three kinds of curves."""
    body = _confusions(subject)
    if subject.probabilities is None:
        body += paragraph("The model gives no probabilities: there are no curves of them.")
        return Section("errors", "Where it errs", body)
    kinds = _kinds(subject, subject.probabilities)
    body += _curves("ROC curves", "share of others taken for it", "share found", kinds, _roc, diagonal=True)
    body += _curves(
        "Precision and recall", "share found (recall)", "share of right answers (precision)", kinds, _precision
    )
    body += _curves(
        "Calibration", "probability said", "share that is so", kinds, _calibration, diagonal=True, marks=True
    )
    return Section("errors", "Where it errs", body)


def _kinds(subject: Subject, probabilities: Array) -> list[tuple[str, Array, Array]]:
    """Name, truth and probability of each class; of two classes only the second."""
    classes = subject.model.classes_
    places = range(1, 2) if len(classes) == 2 else range(min(len(classes), MOST_CURVES))
    return [(str(classes[j]), subject.y == classes[j], probabilities[:, j]) for j in places]


def _confusions(subject: Subject) -> str:
    labels = np.unique(np.concatenate([subject.y, subject.predicted]))[:MOST_LABELS]
    counts = confusion_matrix(subject.y, subject.predicted, labels=labels)
    names = [shortened(str(label), 12) for label in labels]
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    n, size = len(labels), max(16, min(46, 330 // len(labels)))
    left, top = 100, 26
    parts = []
    for i, label in enumerate(labels):
        middle = (i + 0.5) * size
        parts += [
            _word(left - 6, top + middle + 4, names[i], "end"),
            _word(left + middle, top + n * size + 14, names[i][: max(2, size // 7)]),
        ]
        for j, other in enumerate(labels):
            words = f"true {label}, predicted {other}: {counts[i, j]} rows, {shares[i, j]:.1%} of {label}"
            place = f'x="{left + j * size}" y="{top + i * size}" width="{size - 1}" height="{size - 1}"'
            strength = f'class="cell s{0 if i == j else 6}" fill-opacity="{0.06 + 0.94 * shares[i, j]:.2f}"'
            parts.append(f'<rect {strength} {place} tabindex="0"><title>{escape(words)}</title></rect>')
    width, height = max(440, left + n * size + 8), top + n * size + 34
    parts += [
        _word(left + n * size / 2, height - 4, "predicted", kind="name"),
        _word(left - 6, 16, "true", "end", "name"),
    ]
    start = f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Which labels are taken for which">'
    picture = f"{start}{''.join(parts)}</svg>"
    rows = [(str(label), *map(int, row)) for label, row in zip(labels, counts)]
    numbers = table("Rows by true label (down) and predicted label (across)", ("true", *map(str, labels)), rows)
    return figure(picture, "Which labels are taken for which: the stronger, the larger the share of the true.", numbers)


def _word(x: float, y: float, words: str, anchor: str = "middle", kind: str = "tick") -> str:
    return f'<text class="{kind}" x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}">{escape(words)}</text>'


def _curves(
    title: str,
    x_words: str,
    y_words: str,
    kinds: list[tuple[str, Array, Array]],
    curve: Callable[[Array, Array], Curve],
    *,
    diagonal: bool = False,
    marks: bool = False,
) -> str:
    plot = Plot(Axis(x_words, -0.02, 1.02), Axis(y_words, -0.02, 1.02), title)
    if diagonal:
        plot.line(UNIT, UNIT, 5, dashed=True)
    rows: list[tuple[str, float, float]] = []
    for series, (name, truth, probability) in enumerate(kinds):
        if not 0 < truth.sum() < len(truth):
            continue
        found = curve(truth, probability)
        plot.line(found.x, found.y, series, f"{shortened(name)}{found.words}")
        if marks:
            plot.points(found.x, found.y, series, partial(_said, name, found))
        rows += [(name, float(x), float(y)) for x, y in zip(found.x[:: found.every], found.y[:: found.every])]
    return figure(
        plot.svg(), f"{title}, one label against the others.", table(title, ("label", x_words, y_words), rows)
    )


def _said(name: str, curve: Curve, i: int) -> str:
    return f"{name}: said {shown(curve.x[i])}, is {shown(curve.y[i])}"


def _roc(truth: Array, probability: Array) -> Curve:
    x, y, _ = roc_curve(truth, probability)
    return Curve(*_thinned(x, y), f": area {auc(x, y):.3f}")


def _precision(truth: Array, probability: Array) -> Curve:
    precision, recall, _ = precision_recall_curve(truth, probability)
    return Curve(*_thinned(recall[::-1], precision[::-1]))


def _calibration(truth: Array, probability: Array) -> Curve:
    """Groups of equally many rows by what was said of them."""
    groups = np.array_split(np.argsort(probability, kind="stable"), min(BINS, len(truth)))
    x, y = (np.array([values[one].mean() for one in groups]) for values in (probability, truth))
    return Curve(x, y, every=1)


def _thinned(x: Array, y: Array) -> tuple[Array, Array]:
    keep = np.unique(np.linspace(0, len(x) - 1, min(len(x), CURVE_POINTS)).round().astype(int))
    return x[keep], y[keep]

"""How good the model is: its scores with intervals, beside the best constant answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sklearn.metrics import roc_auc_score

from .markup import Section, paragraph, table
from .subject import Array, Subject

REDRAWS = 400  # of the rows, for an interval of 95 %


@dataclass(frozen=True)
class Measure:
    """A score of some rows, and that of the best constant answer on them."""

    name: str
    of: Callable[[Array], float]
    baseline: float


def section(subject: Subject, random_state: int) -> Section:
    """The first measure in a sentence, all of them in a table."""
    rng = np.random.default_rng(random_state)
    draws = rng.integers(0, len(subject.y), size=(REDRAWS, len(subject.y)))
    every = np.arange(len(subject.y))
    rows = []
    for measure in measures(subject):
        found = np.array([measure.of(draw) for draw in draws[: REDRAWS if len(every) <= 5000 else 100]])
        low, high = np.nanquantile(found, [0.025, 0.975])
        rows.append((measure.name, float(measure.of(every)), f"{low:.4g} to {high:.4g}", measure.baseline))
    name, value, interval, baseline = rows[0]
    trivial = "the most frequent label" if subject.classifies else "the mean"
    words = f"{name} {value:.4g} on {len(every):,} rows that the model has not seen (95 % interval {interval})"
    words = f"{words}; always answering {trivial} gives {baseline:.4g}."
    head = ("measure", "model", "95 % interval", f"always {trivial}")
    return Section("verdict", "How good it is", paragraph(words, "verdict") + table("Scores", head, rows))


def measures(subject: Subject) -> list[Measure]:
    """What is told of labels, or of numbers."""
    return _of_labels(subject) if subject.classifies else _of_numbers(subject)


def _of_numbers(subject: Subject) -> list[Measure]:
    y, error = subject.y.astype(float), subject.predicted - subject.y
    spread = (y - y.mean()) ** 2

    def r_squared(rows: Array) -> float:
        return float(1.0 - np.sum(error[rows] ** 2) / max(np.sum((y[rows] - y[rows].mean()) ** 2), 1e-300))

    return [
        Measure("R²", r_squared, 0.0),
        Measure(
            "root mean squared error",
            lambda rows: float(np.sqrt(np.mean(error[rows] ** 2))),
            float(np.sqrt(spread.mean())),
        ),
        Measure(
            "mean absolute error",
            lambda rows: float(np.mean(np.abs(error[rows]))),
            float(np.mean(np.abs(y - np.median(y)))),
        ),
    ]


def _of_labels(subject: Subject) -> list[Measure]:
    y, right = subject.y, subject.predicted == subject.y
    labels, counts = np.unique(y, return_counts=True)
    share = counts / counts.sum()
    found = [Measure("accuracy", lambda rows: float(np.mean(right[rows])), float(share.max()))]
    if subject.probabilities is not None and np.isin(labels, subject.model.classes_).all():
        found += _of_probabilities(subject, subject.probabilities, share)
    return found


def _of_probabilities(subject: Subject, probabilities: Array, share: Array) -> list[Measure]:
    y, classes = subject.y, subject.model.classes_
    own = np.clip(probabilities[np.arange(len(y)), np.searchsorted(classes, y)], 1e-15, 1.0)
    trivial = float(-np.sum(share * np.log(share)))
    found = [Measure("log loss", lambda rows: float(-np.mean(np.log(own[rows]))), trivial)]
    if len(classes) == 2 and len(np.unique(y)) == 2:
        positive = y == classes[1]

        def area(rows: Array) -> float:
            return (
                float(roc_auc_score(positive[rows], probabilities[rows, 1]))
                if 0 < positive[rows].sum() < len(rows)
                else np.nan
            )

        found.append(Measure("area under the ROC curve", area, 0.5))
    return found

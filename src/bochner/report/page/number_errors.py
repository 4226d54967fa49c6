"""Where a regression errs: predicted against true values, and errors along the predictions."""

from __future__ import annotations

import numpy as np

from .markup import Section, figure, table
from .subject import Array, Subject
from .svg import Axis, Plot, shown

MOST_POINTS = 200
GROUPS = 10


def section(subject: Subject, random_state: int) -> Section:
    """Two pictures with their numbers."""
    y, predicted = subject.y.astype(float), subject.predicted.astype(float)
    some = np.random.default_rng(random_state).permutation(len(y))[:MOST_POINTS]
    return Section("errors", "Where it errs", _against(y, predicted, some) + _along(y, predicted, some))


def _against(y: Array, predicted: Array, some: Array) -> str:
    both = np.concatenate([y[some], predicted[some]])
    plot = Plot(Axis.of("predicted", both), Axis.of("true", both), "True against predicted values")
    ends = [both.min(), both.max()]
    plot.line(ends, ends, 5, "equal")
    plot.points(
        predicted[some], y[some], 0, lambda i: f"predicted {shown(predicted[some[i]])}, true {shown(y[some[i]])}"
    )
    return figure(plot.svg(), f"True against predicted values of {len(some)} rows.", _quantiles(predicted - y))


def _quantiles(error: Array) -> str:
    shares = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
    rows = [(f"{share:.0%}", float(value)) for share, value in zip(shares, np.quantile(error, shares))]
    return table("Quantiles of predicted less true", ("share of rows below", "error"), rows)


def _along(y: Array, predicted: Array, some: Array) -> str:
    error = predicted - y
    plot = Plot(Axis.of("predicted", predicted[some]), Axis.of("predicted less true", error[some], zero=True), "Errors")
    plot.points(
        predicted[some],
        error[some],
        0,
        lambda i: f"predicted {shown(predicted[some[i]])}, off by {shown(error[some[i]])}",
    )
    groups = np.array_split(np.argsort(predicted, kind="stable"), min(GROUPS, len(y)))
    rows = [
        (float(predicted[one].mean()), float(error[one].mean()), float(np.sqrt(np.mean(error[one] ** 2))), len(one))
        for one in groups
    ]
    inside = [row for row in rows if plot.x.low <= row[0] <= plot.x.high and plot.y.low <= row[1] <= plot.y.high]
    plot.line([row[0] for row in inside], [row[1] for row in inside], 1, "mean of a tenth of the rows")
    head = ("mean prediction", "mean error", "root mean squared error", "rows")
    caption = "Errors along the predictions: a line away from zero is a bias, a spread that grows a noise that grows."
    return figure(plot.svg(), caption, table("Tenths of the rows by prediction", head, rows))

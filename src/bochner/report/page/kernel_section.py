"""The error of the kernel under the model's random features: measured beside promised, against their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...maps.kernel_map import KernelMap
from ..error_report import ErrorReport, error_report
from .markup import Section, figure, paragraph, table
from .subject import Subject
from .svg import Axis, Plot, shown

ROWS, PAIRS, REDRAWS = 2000, 500, 10


def section(subject: Subject, random_state: int) -> Section | None:
    """None for a model without a random feature map of a kernel."""
    fitted = getattr(subject.model, "feature_map_", None)
    if not isinstance(fitted, KernelMap):
        return None
    report = error_report(
        fitted, _numbers(subject, random_state), n_pairs=PAIRS, n_redraws=REDRAWS, random_state=random_state
    )
    words = _words(report) + _against_width(report) + _quantities(report)
    return Section("kernel", "How wrong the kernel is", words)


def shown_alone(report: ErrorReport) -> str:
    """A report by itself, as a notebook shows it: in words and numbers."""
    return _words(report) + _quantities(report)


def _words(report: ErrorReport) -> str:
    return paragraph(report.verdict) + ("" if report.note is None else paragraph(report.note))


def _numbers(subject: Subject, random_state: int) -> Any:
    chosen = np.random.default_rng(random_state).permutation(len(subject.y))[:ROWS]
    rows = subject.rows[np.sort(chosen)]
    encoder = getattr(subject.model, "encoder_", None)
    if encoder is not None:
        return encoder.transform(rows)
    return np.column_stack([column.plain() for column in rows.columns]).astype(float)


def _against_width(report: ErrorReport) -> str:
    found = report.convergence
    widths = [float(width) for width in found.widths]
    lows = [max(one.low, 1e-12) for one in found.measured]
    highs = [max(one.high, 1e-12) for one in found.measured]
    values = [max(one.value, 1e-12) for one in found.measured]
    promised = [value for value in found.predicted if value is not None]
    y = Axis.of("root mean square error", [*lows, *highs, *(value for value in promised if value > 0.0)], log=True)
    words = {"n_grids": "number of random grids"}.get(found.parameter, "number of random features")
    plot = Plot(Axis.of(words, widths, log=True), y, "Error of the kernel against the number of features")
    if len(promised) == len(widths) and min(promised) > 0.0:
        plot.line(widths, promised, 1, "promised by theory")
    plot.bars_of_error(widths, lows, highs, 0)
    plot.points(
        widths,
        values,
        0,
        lambda i: f"{found.widths[i]}: {shown(values[i])} ({shown(lows[i])} to {shown(highs[i])})",
        "measured",
    )
    rows = [
        (int(width), one.value, f"{one.low:.4g} to {one.high:.4g}", "" if theory is None else float(theory))
        for width, one, theory in zip(found.widths, found.measured, found.predicted)
    ]
    head = (words, "measured", f"{report.confidence:.0%} interval", "promised")
    caption = "Error of kernel values between rows of these data, measured by drawing the features again."
    return figure(plot.svg(), caption, table("Error against width", head, rows))


def _quantities(report: ErrorReport) -> str:
    rows = [
        (
            one.name,
            one.measured.value,
            f"{one.measured.low:.3g} to {one.measured.high:.3g}",
            _or_empty(one.predicted),
            _or_empty(one.bound),
        )
        for one in report.quantities
    ]
    head = ("error of kernel values", "measured", f"{report.confidence:.0%} interval", "promised", "at most")
    return table(f"At the width of the model, {report.n_components} features", head, rows)


def _or_empty(value: float | None) -> float | str:
    return "" if value is None else float(value)

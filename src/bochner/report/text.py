"""A report as text and as plain data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .seen import name_of

if TYPE_CHECKING:
    from .error_report import ErrorReport
    from .intervals import Estimate


def as_text(report: ErrorReport) -> str:
    """The report as a page of text, 100 columns wide."""
    percent = f"{100 * report.confidence:g} %"
    lines = [
        f"{type(report.feature_map).__name__}, {report.n_components} components, "
        f"kernel {name_of(report.feature_map.kernel)}",
        f"{report.n_rows} rows x {report.n_columns} columns; {report.n_pairs} pairs of rows, {report.n_redraws} draws",
        "",
        f"{'error of kernel values':<26}{'middle draw':>12}{percent + ' interval':>26}{'predicted':>12}{'at most':>12}",
    ]
    for quantity in report.quantities:
        lines.append(
            f"{quantity.name:<26}{_number(quantity.measured.value):>12}{_interval(quantity.measured):>26}"
            f"{_number(quantity.predicted):>12}{_number(quantity.bound):>12}"
        )
    found = report.convergence
    lines += [
        "",
        f"{'root mean square':<26}{'middle draw':>12}{percent + ' interval':>26}{'all draws':>12}{'predicted':>12}",
    ]
    for width, middle, mean, theory in zip(found.widths, found.measured, found.averaged, found.predicted):
        lines.append(
            f"{f'{found.parameter} = {width}':<26}{_number(middle.value):>12}{_interval(middle):>26}"
            f"{_number(mean):>12}{_number(theory):>12}"
        )
    if report.needed is not None:
        reach = report.needed.by_measurement
        lines += ["", f"for an error of {report.needed.eps:g}"]
        lines.append(f"  {'root mean square, by measurement':<64}{report.needed.parameter} = {reach or 'out of reach'}")
        for name, width in report.needed.by_bound.items():
            lines.append(f"  {'largest, by bound, ' + name:<64}n_components = {width}")
    if report.note:
        lines += ["", f"No prediction: {report.note}."]
    return "\n".join([*lines, "", report.verdict])


def as_dict(report: ErrorReport) -> dict[str, Any]:
    """The report as numbers, words, lists and dicts."""
    return {
        "feature_map": " ".join(repr(report.feature_map).split()),
        "n_rows": report.n_rows,
        "n_columns": report.n_columns,
        "n_components": report.n_components,
        "n_pairs": report.n_pairs,
        "n_redraws": report.n_redraws,
        "confidence": report.confidence,
        "quantities": [
            {"quantity": q.name, **_parts(q.measured), "predicted": q.predicted, "bound": q.bound}
            for q in report.quantities
        ],
        "convergence": [
            {report.convergence.parameter: width, **_parts(found), "averaged": mean, "predicted": theory}
            for width, found, mean, theory in zip(
                report.convergence.widths,
                report.convergence.measured,
                report.convergence.averaged,
                report.convergence.predicted,
            )
        ],
        "needed": None
        if report.needed is None
        else {
            "eps": report.needed.eps,
            "parameter": report.needed.parameter,
            "by_measurement": report.needed.by_measurement,
            "by_bound": dict(report.needed.by_bound),
        },
        "note": report.note,
        "verdict": report.verdict,
    }


def _parts(estimate: Estimate) -> dict[str, float]:
    return {"measured": estimate.value, "low": estimate.low, "high": estimate.high}


def _interval(estimate: Estimate) -> str:
    return f"{_number(estimate.low)} to {_number(estimate.high)}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4g}"

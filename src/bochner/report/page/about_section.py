"""What the model is: its data column by column, its parameters, and how to make it again."""

from __future__ import annotations

import platform
from html import escape
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from ...tables.column_codes import NumberCode
from ...tables.table import CategoryColumn, Column
from .markup import Section, paragraph, table
from .subject import Subject
from .svg import shown

PACKAGES = ("bochner", "numpy", "scipy", "scikit-learn", "numba")
MOST_COLUMNS = 60
FOUND = ("alpha_", "C_", "held_out_error_", "noise_", "amplitude_", "n_iter_")


def data(subject: Subject) -> Section:
    """Each column, how it was read, what is missing among the rows of this page."""
    encoder = getattr(subject.model, "encoder_", None)
    codes = {} if encoder is None else {code.name: code for code in encoder.codes_}
    rows = [
        (name, _read_as(codes.get(name), column), f"{column.n_missing() / max(len(column), 1):.1%}")
        for name, column in list(zip(subject.rows.names, subject.rows.columns))[:MOST_COLUMNS]
    ]
    more = len(subject.rows.names) - len(rows)
    body = table("Columns", ("column", "read as", "missing here"), rows)
    return Section("data", "The data", body + (paragraph(f"And {more} more columns.") if more > 0 else ""))


def _read_as(code: Any, column: Column) -> str:
    if code is None:
        return "labels" if isinstance(column, CategoryColumn) else "numbers, as they are"
    if isinstance(code, NumberCode):
        words = f"numbers about {shown(code.centre)}, in units of {shown(code.scale)}"
        return words + (", missing values marked" if code.indicator else "")
    labels = ", ".join(str(label) for label in code.labels[:6])
    return f"{len(code.labels)} labels: {labels}{', …' if len(code.labels) > 6 else ''}"


def model(subject: Subject) -> Section:
    """Parameters, what was found in the fit, versions, and the code that makes the model again."""
    fitted = subject.model
    rows: list[tuple[str, object]] = []
    for name in FOUND:
        value = getattr(fitted, name, None)
        if value is not None:
            rows.append((name.rstrip("_").replace("_", " "), value if isinstance(value, int | float) else str(value)))
    features = getattr(fitted, "features_", None)
    if features is not None:
        rows.insert(0, ("random features", int(features.n_components)))
    versions = ", ".join(f"{name} {found}" for name in PACKAGES if (found := _version(name)))
    code = f"<pre><code>import bochner as bo\n\nmodel = bo.{escape(repr(fitted))}</code></pre>"
    body = table("Found in the fit", ("what", "value"), rows) if rows else ""
    return Section(
        "again",
        "How to make it again",
        code + body + paragraph(f"Python {platform.python_version()}, {versions}.", "made"),
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""

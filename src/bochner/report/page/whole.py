"""One page about a model: how good, where it errs, what counts, how wrong its kernel is."""

from __future__ import annotations

from typing import Any

from ...files import AnyPath, written_whole
from . import about_section, column_section, kernel_section, label_errors, number_errors, verdict_section
from .markup import page
from .subject import Subject


def report_page(
    model: Any, X_test: Any, y_test: Any, path: AnyPath, *, title: str | None = None, random_state: int = 0
) -> None:
    """Write one HTML file about a fitted model, from rows that it has not seen.

    The file needs no network and no other file: pictures are drawn inside it, each with its numbers in a table. It
    fits a phone, a dark theme and paper. Scores come with intervals beside the best constant answer; then where the
    model errs, which columns count, how wrong its kernel is beside what was promised, and how the data were read. Of
    more than 20,000 rows that many are drawn. The path holds what it held until the page is whole.

    Parameters
    ----------
    model : a fitted classifier or regressor
    X_test : rows as ``model.predict`` takes them: an array, a DataFrame, an Arrow table, a dict of columns
    y_test : array of shape (n_rows,)
    path : str, bytes or path
    title : str, default=None
        By default the class of the model.
    random_state : int, default=0
        Of the rows that are drawn, shuffled and resampled.

    Examples
    --------
    >>> import numpy as np, bochner as bo, tempfile, pathlib
    >>> X = np.random.default_rng(0).normal(size=(400, 2))
    >>> y = np.sin(X[:, 0])
    >>> model = bo.KernelRidge(bo.Gaussian(1.0), random_state=0).fit(X[:300], y[:300])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bo.report_page(model, X[300:], y[300:], pathlib.Path(folder) / "page.html")
    ...     (pathlib.Path(folder) / "page.html").read_text().splitlines()[0]
    '<!doctype html>'
    """
    subject = Subject.of(model, X_test, y_test, random_state)
    errs = label_errors.section(subject) if subject.classifies else number_errors.section(subject, random_state)
    sections = [
        verdict_section.section(subject, random_state),
        errs,
        column_section.section(subject, random_state),
        kernel_section.section(subject, random_state),
        about_section.data(subject),
        about_section.model(subject),
    ]
    made = f"{len(subject.y):,} rows; seed {random_state}."
    text = page(title or type(model).__name__, [one for one in sections if one is not None], made)
    with written_whole(path) as temporary, open(temporary, "w", encoding="utf-8") as file:
        file.write(text)

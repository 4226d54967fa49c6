"""Predictions for new rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import click

from ..data import Files, opened
from ..models import loaded, ready, rows_for
from ..options import DATA, FORMAT, Session, examples, session
from ..output import not_there, put_table
from ..problems import using


@click.command(
    epilog=examples(
        "bochner predict houses.model new.csv --keep id --out predictions.csv",
        "cat new.csv | bochner predict houses.model - | head",
    )
)
@click.argument("model")
@DATA
@click.option("--out", metavar="FILE", help="CSV or Parquet; default: CSV on standard output.")
@click.option("--probabilities", is_flag=True, help="A column for each class too.")
@click.option(
    "--interval",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    help="Of a Gaussian process: the share of new targets that lie between.",
)
@click.option("--keep", multiple=True, metavar="COL", help="A column to put out too; may be given again.")
@FORMAT
@session
def predict(
    model: str,
    data: tuple[str, ...],
    out: str | None,
    probabilities: bool,
    interval: float | None,
    keep: tuple[str, ...],
    data_format: str | None,
    session: Session,
) -> None:
    """Predictions for new rows, as a table."""
    not_there(out, session.force)
    fitted = ready(loaded(model), session)
    if probabilities and not hasattr(fitted, "predict_proba"):
        raise click.UsageError(f"{type(fitted).__name__} gives no probabilities: fit with --model logistic.")
    if interval is not None and not hasattr(fitted, "noise_"):
        raise click.UsageError("Only a Gaussian process gives intervals here: fit with --model gp.")
    rows = opened(data, data_format)
    n_rows = put_table(_predicted(fitted, rows, probabilities, interval, keep), out, session)
    if out is not None:
        session.say(f"{n_rows} rows are in {out}.")


def _predicted(
    model: Any, data: Files, probabilities: bool, interval: float | None, keep: tuple[str, ...]
) -> Iterator[Any]:
    import pyarrow as pa

    for X, kept in rows_for(model, data, keep):
        with using(data.words):
            columns = {} if kept is None else dict(zip(kept.column_names, kept.columns))
            found = _columns(model, X, probabilities, interval)
        yield pa.table({**columns, **found})


def _columns(model: Any, X: Any, probabilities: bool, interval: float | None) -> dict[str, Any]:
    if interval is not None:
        from scipy.stats import norm

        mean, deviation = model.predict(X, return_std=True, with_noise=True)
        reach = norm.ppf(0.5 + interval / 2.0) * deviation
        return {"prediction": mean, "lower": mean - reach, "upper": mean + reach}
    predicted = model.predict(X)
    if predicted.ndim == 2:
        return {f"prediction_{j}": column for j, column in enumerate(predicted.T)}
    if not probabilities:
        return {"prediction": predicted}
    every = model.predict_proba(X)
    return {"prediction": predicted, **{f"probability_{label}": every[:, j] for j, label in enumerate(model.classes_)}}

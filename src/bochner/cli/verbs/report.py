"""A page about a model, from rows that it has not seen."""

from __future__ import annotations

from typing import Any

import click

from ..data import Files, opened
from ..models import loaded, ready
from ..options import DATA, FORMAT, Session, examples, session
from ..output import not_there
from ..problems import using
from ..scored import some_rows


@click.command(epilog=examples("bochner report houses.model test.csv --target price --out houses.html"))
@click.argument("model")
@DATA
@click.option("--target", metavar="COL", required=True, help="The column with the targets.")
@click.option("--out", metavar="PAGE", required=True, help="The HTML file.")
@FORMAT
@session
def report(model: str, data: tuple[str, ...], target: str, out: str, data_format: str | None, session: Session) -> None:
    """A page about a model: how good, where it errs, what counts."""
    not_there(out, session.force)
    fitted = ready(loaded(model), session)
    written(fitted, opened(data, data_format), target, out, session)


def written(model: Any, data: Files, target: str | None, out: str, session: Session) -> None:
    """The page of a model on some rows of the data."""
    import bochner as bo

    X, y = some_rows(model, data, target, session.seed)
    with using(data.words):
        bo.report_page(model, X, y, out, random_state=session.seed)
    session.say(f"The page is in {out}.")

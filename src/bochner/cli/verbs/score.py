"""How good a model is on rows whose targets are known."""

from __future__ import annotations

import click

from ..data import opened
from ..models import loaded, ready
from ..options import DATA, FORMAT, Session, examples, session
from ..output import put_figures
from ..scored import figures


@click.command(epilog=examples("bochner score houses.model test.csv --target price"))
@click.argument("model")
@DATA
@click.option("--target", metavar="COL", help="The column with the targets.")
@FORMAT
@session
def score(model: str, data: tuple[str, ...], target: str | None, data_format: str | None, session: Session) -> None:
    """How good a model is on rows whose targets are known."""
    fitted = ready(loaded(model), session)
    put_figures(figures(fitted, opened(data, data_format), target), session)

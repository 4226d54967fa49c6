"""Time and memory of a fit, before the fit."""

from __future__ import annotations

import click

from ..choices import LEARNERS, learner_named
from ..options import Session, examples, session
from ..output import put_figures


@click.command(epilog=examples("bochner plan --rows 1e9 --columns 50 --components 4096"))
@click.option("--rows", type=float, required=True, help="Such as 1e9.")
@click.option("--columns", type=click.IntRange(min=1), required=True)
@click.option("--components", type=click.IntRange(min=1), help="Default: what the learner takes.")
@click.option("--model", type=click.Choice(list(LEARNERS)), default="ridge", show_default=True)
@session
def plan(rows: float, columns: int, components: int | None, model: str, session: Session) -> None:
    """Time and memory of a fit on this machine, before the fit."""
    import bochner as bo

    if not 1 <= rows <= 1e15:
        raise click.UsageError(f"--rows must be between 1 and 1e15, not {rows:g}.")
    task = "regression" if LEARNERS[model][0] is not None else "classification"
    learner = learner_named(model, task, "", None, session.engine(), session.seed)
    found = bo.plan(int(rows), columns, components, learner)
    figures = {"seconds": found.seconds, "memory, MB": found.memory / 1e6, "rows per second": found.rows_per_second}
    put_figures(figures, session)

"""Published results, found again."""

from __future__ import annotations

import click

from ..options import Session, examples, session


@click.command(epilog=examples("bochner reproduce kar-karnick --quick"))
@click.argument("name", nargs=-1)
@click.option("--quick", is_flag=True, help="Seconds: fewer draws, generated rows for missing sets.")
@click.option("--out", metavar="FOLDER", help="Write CSV files, pictures and an HTML page there.")
@session
def reproduce(name: tuple[str, ...], quick: bool, out: str | None, session: Session) -> None:
    """Published results, found again; without a NAME, those there are."""
    from ...experiments.catalogue import UnknownExperiment, experiment, experiments
    from ...experiments.experiment import bar
    from ...experiments.reproduce import reproduce as run

    if not name:
        width = max(map(len, experiments()))
        for one, found in experiments().items():
            click.echo(f"{one:<{width}}  {found.title}")
    try:
        for one in name:
            experiment(one)
    except UnknownExperiment as error:
        raise click.UsageError(str(error)) from error
    for one in name:
        click.echo(run(one, quick=quick, out=out, force=session.force, progress=bar))

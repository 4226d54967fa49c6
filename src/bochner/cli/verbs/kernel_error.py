"""How wrong the kernel is under a random feature map: measured on data, beside what was promised."""

from __future__ import annotations

import json

import click

from ..choices import map_named
from ..data import DATA_ROWS, opened, sampled
from ..options import DATA, DROP, FORMAT, Session, examples, kernel_options, session
from ..problems import using


@click.command(epilog=examples("bochner error houses.csv --drop price --kernel gaussian --components 1000"))
@DATA
@kernel_options
@click.option("--eps", type=click.FloatRange(min=0, min_open=True), help="Also: how many components this error takes.")
@DROP
@FORMAT
@session
def error(
    data: tuple[str, ...],
    kernel: str | None,
    length_scale: str,
    map_name: str | None,
    components: int | None,
    eps: float | None,
    drop: tuple[str, ...],
    data_format: str | None,
    session: Session,
) -> None:
    """How wrong the kernel is under random features: measured beside promised."""
    from ...report.error_report import error_report

    rows = sampled(opened(data, data_format), drop, DATA_ROWS)
    chosen = map_named(kernel or "gaussian", length_scale, map_name, components, None, session.seed)
    with using(" ".join(data)):
        found = error_report(chosen, rows, eps=eps, random_state=session.seed)
    click.echo(json.dumps(found.to_dict(), default=float) if session.json else str(found))

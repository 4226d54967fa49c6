"""Which map, and how wide, for a kernel and a tolerance on these data."""

from __future__ import annotations

import json

import click

from ..choices import KERNELS, kernel_named
from ..data import DATA_ROWS, opened, sampled
from ..options import DATA, DROP, FORMAT, Session, examples, session
from ..problems import using


@click.command(epilog=examples("bochner recommend houses.csv --drop price --kernel laplace --eps 0.05"))
@DATA
@click.option("--kernel", type=click.Choice(list(KERNELS), case_sensitive=False), default="gaussian", show_default=True)
@click.option("--length-scale", default="auto", show_default=True, help="A number, auto, median or std.")
@click.option(
    "--eps",
    type=click.FloatRange(min=0, min_open=True),
    required=True,
    help="The error of kernel values that is allowed.",
)
@DROP
@FORMAT
@session
def recommend(
    data: tuple[str, ...],
    kernel: str,
    length_scale: str,
    eps: float,
    drop: tuple[str, ...],
    data_format: str | None,
    session: Session,
) -> None:
    """Which map, and how wide, for a kernel and a tolerance."""
    from ...report.recommend import recommend as recommended

    rows = sampled(opened(data, data_format), drop, DATA_ROWS)
    with using(" ".join(data)):
        found = recommended(kernel_named(kernel, length_scale), rows, eps=eps, random_state=session.seed)
    click.echo(json.dumps(found.to_dict(), default=str) if session.json else str(found))

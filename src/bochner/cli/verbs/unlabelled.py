"""What rows without targets tell: which lie apart, which lie together, along which directions they vary."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import click

from ..choices import map_named
from ..data import Files, NamedColumns, SvmlightData, opened
from ..models import described, rows_for
from ..options import DATA, DROP, FORMAT, Session, examples, kernel_options, session, with_options
from ..output import not_there, put_table
from ..problems import using

OUT = (
    click.option("--out", metavar="FILE", help="CSV or Parquet; default: CSV on standard output."),
    click.option("--keep", multiple=True, metavar="COL", help="A column to put out too, and not to learn from."),
    click.option("--save", "model", metavar="MODEL", help="Keep the model too."),
)


def put_out(command: Any) -> Any:
    """Give a verb the options of what it puts out."""
    return with_options(command, OUT)


@click.command(epilog=examples("bochner outliers sensors.csv --share 0.01 --keep time --out marked.csv"))
@DATA
@click.option(
    "--share",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.01,
    show_default=True,
    help="Of the rows to be marked, at most.",
)
@kernel_options
@put_out
@DROP
@FORMAT
@session
def outliers(share: float, session: Session, **options: Any) -> None:
    """Rows that lie apart from the others, by a one-class support vector machine."""

    def found(model: Any, X: Any) -> dict[str, Any]:
        return {"score": model.decision_function(X), "outlier": model.predict(X) < 0}

    _run("OneClassSVM", {"nu": share}, found, session, **options)


@click.command(epilog=examples("bochner clusters customers.parquet --count 5 --out groups.parquet"))
@DATA
@click.option("--count", type=click.IntRange(min=2), default=8, show_default=True, help="Of clusters.")
@kernel_options
@put_out
@DROP
@FORMAT
@session
def clusters(count: int, session: Session, **options: Any) -> None:
    """Groups of rows that lie together, by k-means on random features."""
    _run("KernelMeans", {"n_clusters": count}, lambda model, X: {"cluster": model.predict(X)}, session, **options)


@click.command(epilog=examples("bochner components customers.csv --count 2 --out plane.csv"))
@DATA
@click.option("--count", type=click.IntRange(min=1), default=2, show_default=True, help="Of components.")
@kernel_options
@put_out
@DROP
@FORMAT
@session
def components(count: int, session: Session, **options: Any) -> None:
    """Kernel principal components of rows."""

    def found(model: Any, X: Any) -> dict[str, Any]:
        return {f"component_{j}": column for j, column in enumerate(model.transform(X).T)}

    _run("KernelPCA", {"n_components": count}, found, session, **options)


def _run(
    learner: str,
    arguments: dict[str, Any],
    found: Callable[[Any, Any], dict[str, Any]],
    session: Session,
    *,
    data: tuple[str, ...],
    kernel: str | None,
    length_scale: str,
    map_name: str | None,
    components: int | None,
    out: str | None,
    keep: tuple[str, ...],
    model: str | None,
    drop: tuple[str, ...],
    data_format: str | None,
) -> None:
    import bochner as bo

    not_there(out, session.force)
    not_there(model, session.force)
    feature_map = map_named(kernel, length_scale, map_name, components, None, session.seed)
    rows = opened(data, data_format)
    machine = getattr(bo, learner)(
        **arguments, feature_map=feature_map, engine=session.engine(), random_state=session.seed
    )
    with using(rows.words):
        machine.fit(_source(rows, (*drop, *keep)))
    if not isinstance(rows, SvmlightData):
        session.say(f"{described(machine)}.")
    if model is not None:
        bo.save(machine, model, statistics=False)
    n_rows = put_table(_tables(machine, rows, found, keep), out, session)
    session.say(f"{n_rows} rows{'' if out is None else f' are in {out}'}.")


def _source(data: Files, apart: tuple[str, ...]) -> Any:
    from ...tables import TableEncoder

    if not isinstance(data, NamedColumns):
        return data.source()
    data.known(apart)
    columns = [name for name in data.names if name not in apart]
    return data.source(columns=columns, encoder=TableEncoder(missing="indicator"))


def _tables(
    model: Any, data: Files, found: Callable[[Any, Any], dict[str, Any]], keep: tuple[str, ...]
) -> Iterator[Any]:
    import pyarrow as pa

    for X, kept in rows_for(model, data, keep):
        with using(data.words):
            columns = {} if kept is None else dict(zip(kept.column_names, kept.columns))
            yield pa.table({**columns, **found(model, X)})

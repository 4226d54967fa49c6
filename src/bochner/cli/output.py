"""What a command puts out: a table on standard output or in a file, whole or not at all; figures as lines or JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from .data import SUFFIXES
from .options import Session, rounded
from .problems import Problem


def not_there(path: str | None, force: bool) -> None:
    """Refuse an output that exists, before any work."""
    if path is not None and path != "-" and os.path.exists(path) and not force:
        raise Problem(f"{path} exists: name another file, or say --force to replace it.")
    if path is not None and path != "-" and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        raise Problem(f"There is no folder {os.path.dirname(os.path.abspath(path))!r} for {os.path.basename(path)}.")


def put_table(tables: Iterable[Any], path: str | None, session: Session) -> int:
    """Write Arrow tables of the same columns one after the other; the number of rows."""
    if path is None or path == "-":
        return _written(tables, _to_lines(sys.stdout) if session.json else _to_csv(sys.stdout.buffer))
    from ..files import written_whole

    not_there(path, session.force)
    with written_whole(path) as temporary:
        if path.lower().endswith(SUFFIXES["parquet"]):
            return _written(tables, _to_parquet(temporary))
        with open(temporary, "wb") as file:
            return _written(tables, _to_csv(file))


def put_figures(figures: Mapping[str, Any], session: Session) -> None:
    """Named values on standard output: lines for people, JSON for machines."""
    if session.json:
        click.echo(json.dumps(figures, default=float))
        return
    width = max(map(len, figures), default=0)
    for name, value in rounded(figures).items():
        click.echo(f"{name:<{width}}  {value}")


def _written(tables: Iterable[Any], sink: Any) -> int:
    n_rows = 0
    with sink as write:
        for table in tables:
            write(table)
            n_rows += table.num_rows
    return n_rows


@contextmanager
def _to_csv(file: Any) -> Iterator[Any]:
    import pyarrow
    import pyarrow.csv

    plain, quoted = (
        pyarrow.csv.WriteOptions(include_header=False, quoting_style=style) for style in ("none", "needed")
    )
    names: list[str] = []

    def write(table: Any) -> None:
        if not names:
            names.extend(table.column_names)
            line = io.StringIO()
            csv.writer(line, lineterminator="\n").writerow(names)
            file.write(line.getvalue().encode())
        lines = io.BytesIO()
        try:
            pyarrow.csv.write_csv(table, lines, plain)
        except pyarrow.ArrowInvalid:  # commas, quotes or ends of lines in words
            lines = io.BytesIO()
            pyarrow.csv.write_csv(table, lines, quoted)
        file.write(lines.getbuffer())

    yield write
    file.flush()


@contextmanager
def _to_lines(file: Any) -> Iterator[Any]:
    def write(table: Any) -> None:
        for row in table.to_pylist():
            file.write(json.dumps(row, default=str) + "\n")

    yield write
    file.flush()


@contextmanager
def _to_parquet(path: str) -> Iterator[Any]:
    import pyarrow.parquet as pq

    writers: list[Any] = []

    def write(table: Any) -> None:
        if not writers:
            writers.append(pq.ParquetWriter(path, table.schema))
        writers[0].write_table(table)

    try:
        yield write
    finally:
        for writer in writers:
            writer.close()

"""Data named on the command line: files by their suffix, several of them, or standard input."""

from __future__ import annotations

import gzip
import shutil
import sys
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .problems import DataProblem, using

if TYPE_CHECKING:
    from ..blocks import BlockSource
    from ..tables import TableEncoder

SUFFIXES = {
    "csv": (".csv", ".csv.gz", ".csv.bz2", ".tsv", ".tsv.gz"),
    "parquet": (".parquet", ".pq"),
    "svmlight": (".svm", ".svmlight", ".libsvm", ".svm.gz", ".svmlight.gz", ".libsvm.gz"),
    "npy": (".npy",),
}
BATCH_ROWS = 1 << 16
DATA_ROWS = 20_000  # as many as a kernel is looked at on
CSV_BLOCK_BYTES = 8 << 20
MISSING = ["", "NA", "N/A", "NaN", "nan", "null", "NULL", "?"]  # as bo.CsvBlocks has them


@dataclass(frozen=True)
class Files(ABC):
    """Files of one format.

    Attributes
    ----------
    paths : of the files, in order
    words : how messages call them
    """

    paths: tuple[str, ...]
    words: str

    @abstractmethod
    def source(
        self,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
    ) -> BlockSource:
        """The rows as learners take them."""


@dataclass(frozen=True)
class NamedColumns(Files):
    """Files of columns with names."""

    @abstractmethod
    def schema(self) -> Any:
        """Names and types of the columns, as Arrow has them."""

    @abstractmethod
    def batches(self, columns: Sequence[str], types: Mapping[str, Any]) -> Iterator[Any]:
        """These columns, some rows at a time, as Arrow tables; those in ``types`` are read as these types."""

    @property
    def names(self) -> list[str]:
        """Of the columns."""
        found: list[str] = self.schema().names
        return found

    def known(self, names: Sequence[str]) -> None:
        """Refuse names that no column has."""
        there = self.names
        for name in names:
            if name not in there:
                raise DataProblem(f"{self.words} has no column {name!r}: there are {listed(there)}.")


@dataclass(frozen=True)
class CsvData(NamedColumns):
    """CSV files with a header."""

    def schema(self) -> Any:
        import pyarrow as pa

        with using(self.paths[0]):
            found = self._opened(self.paths[0], [], {}).schema
        kinds = [pa.float64() if pa.types.is_integer(one) or pa.types.is_null(one) else one for one in found.types]
        return pa.schema(list(zip(found.names, kinds)))

    def batches(self, columns: Sequence[str], types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa

        from ..tables.arrow import in_names

        schema = self.schema()
        wanted = {name: _read_as(schema.field(name).type, types.get(name)) for name in columns}
        for path in self.paths:
            with using(path):
                try:
                    for batch in self._opened(path, list(columns), wanted):
                        yield pa.Table.from_batches([batch])
                except pa.ArrowInvalid as error:
                    raise ValueError(in_names(str(error), schema.names)) from error

    def _opened(self, path: str, columns: list[str], types: Mapping[str, Any]) -> Any:
        import pyarrow as pa
        import pyarrow.csv

        return pa.csv.open_csv(
            pa.input_stream(path, compression="detect"),
            pa.csv.ReadOptions(block_size=CSV_BLOCK_BYTES),
            pa.csv.ParseOptions(delimiter=self._delimiter, newlines_in_values=True),
            pa.csv.ConvertOptions(
                column_types=dict(types), include_columns=columns, null_values=MISSING, strings_can_be_null=True
            ),
        )

    def source(
        self,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
    ) -> BlockSource:
        from ..blocks import CsvBlocks

        roles = {"target": target, "columns": columns, "weight": weight}
        return CsvBlocks(list(self.paths), encoder=encoder, delimiter=self._delimiter, **roles)  # type: ignore[arg-type]

    @property
    def _delimiter(self) -> str:
        return "\t" if ".tsv" in Path(self.paths[0]).name else ","


@dataclass(frozen=True)
class ParquetData(NamedColumns):
    """Parquet files."""

    def schema(self) -> Any:
        import pyarrow.parquet as pq

        with using(self.paths[0]):
            return pq.read_schema(self.paths[0])

    def batches(self, columns: Sequence[str], types: Mapping[str, Any]) -> Iterator[Any]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        for path in self.paths:
            with using(path), pq.ParquetFile(path) as file:
                for batch in file.iter_batches(BATCH_ROWS, columns=list(columns)):
                    yield pa.Table.from_batches([batch])

    def source(
        self,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
    ) -> BlockSource:
        from ..blocks import ParquetBlocks

        return ParquetBlocks(list(self.paths), target=target, columns=columns, weight=weight, encoder=encoder)


@dataclass(frozen=True)
class SvmlightData(Files):
    """svmlight files: sparse rows with a target, without names."""

    def source(
        self,
        *,
        target: str | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
        n_features: int | None = None,
    ) -> BlockSource:
        from ..blocks import SvmlightBlocks

        return SvmlightBlocks(list(self.paths), n_features=n_features)


def _read_as(found: Any, wanted: Any) -> Any:
    """The type of a column of a CSV file: times and truth values are numbers already."""
    import pyarrow as pa

    settled = pa.types.is_temporal(found) or pa.types.is_boolean(found)
    return found if wanted is None or (settled and pa.types.is_floating(wanted)) else wanted


def opened(names: Sequence[str], data_format: str | None = None) -> Files:
    """The data of some paths, folders and globs, or of standard input ("-")."""
    words = names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"
    if list(names) == ["-"]:
        data_format = data_format or "csv"
        paths: list[str] = [_standard_input(data_format)]
        words = "standard input"
    else:
        paths = [path for name in names for path in _files(name)]
    formats = {data_format or _format_of(path) for path in paths}
    if len(formats) > 1:
        raise DataProblem(f"{words} are of several formats ({listed(sorted(formats))}): give files of one.")
    (found,) = formats
    if found == "npy":
        return ParquetData((_as_parquet(paths),), words)
    classes: dict[str, type[Files]] = {"csv": CsvData, "parquet": ParquetData, "svmlight": SvmlightData}
    return classes[found](tuple(paths), words)


def sampled(data: Files, drop: Sequence[str], n_rows: int) -> Any:
    """Some rows as numbers: numbers in standard units, a 0/1 column for each label."""
    from ..tables import TableEncoder

    with using(data.words):
        if not isinstance(data, NamedColumns):
            return data.source().sample(n_rows).X
        data.known(drop)
        columns = [name for name in data.names if name not in drop]
        return data.source(columns=columns, encoder=TableEncoder()).sample(n_rows).X


def listed(names: Sequence[str], most: int = 12) -> str:
    """Some names for a message."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def scratch() -> Path:
    """A folder that is gone when the command ends."""
    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory(prefix="bochner-"))
    return Path(folder)


def _files(name: str) -> list[str]:
    from ..blocks.paths import local_files

    every = tuple(suffix for some in SUFFIXES.values() for suffix in some)
    try:
        paths = local_files(name, every)
    except FileNotFoundError as error:
        raise DataProblem(
            f"There is no file {name!r}: give a file, a folder, a glob, or - for standard input."
        ) from error
    for path in paths:
        if Path(path).stat().st_size == 0:
            raise DataProblem(f"{path} is empty.")
    return paths


def _format_of(path: str) -> str:
    name = Path(path).name.lower()
    for found, suffixes in SUFFIXES.items():
        if name.endswith(suffixes):
            return found
    raise DataProblem(f"What {path} holds is not to be seen from its name: say --format csv, parquet, svmlight or npy.")


def _standard_input(data_format: str) -> str:
    """A copy of standard input: learning reads rows more than once."""
    path = scratch() / f"standard-input{SUFFIXES[data_format][0]}"
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    with path.open("rb") as file:
        start = file.read(2)
    if not start:
        raise DataProblem("Standard input is empty.")
    if start == b"\x1f\x8b":
        plain = path.with_name(f"plain-{path.name}")
        with gzip.open(path) as packed, plain.open("wb") as file:
            shutil.copyfileobj(packed, file)
        return str(plain)
    return str(path)


def _as_parquet(paths: Sequence[str]) -> str:
    """Arrays of numbers as a table with the columns x0, x1, ..."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer, file = None, scratch() / "rows.parquet"
    for path in paths:
        with using(path):
            rows = np.load(path, mmap_mode="r", allow_pickle=False)
            if rows.ndim != 2 or rows.dtype.kind not in "biuf" or rows.shape[0] == 0 or rows.shape[1] == 0:
                raise DataProblem(
                    f"{path} holds an array of shape {rows.shape} and type {rows.dtype}: rows of numbers are needed."
                )
            for start in range(0, len(rows), BATCH_ROWS):
                some = np.asarray(rows[start : start + BATCH_ROWS])
                columns = {f"x{j}": np.ascontiguousarray(column) for j, column in enumerate(some.T)}
                made = pa.table(columns)
                if writer is None:
                    writer = pq.ParquetWriter(file, made.schema)
                writer.write_table(made)
    if writer is not None:
        writer.close()
    return str(file)

"""Everything that is read with pyarrow: Parquet row groups, pieces of CSV, Arrow tables. Nobody else imports it."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .base import Block
from .paths import file_marks, local_files
from .stretch import Stretch
from .table import Array, CategoryColumn, Column, NumberColumn, Table

try:
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.csv
    import pyarrow.dataset
    import pyarrow.fs
    import pyarrow.parquet as pq
except ImportError as error:
    raise ImportError("Parquet and CSV files need pyarrow: pip install 'bochner[files]'.") from error

BATCH_ROWS = 8192
PAGE_BYTES = 1 << 20  # what writers put into one page of a column, which is decoded as a whole
BUFFER_BYTES = 1 << 16  # read ahead in each column of a row group, so that wide groups do not fill the memory


def table_from_arrow(data: Any) -> Table:
    """A Table from an Arrow table or record batch."""
    columns = tuple(arrow_column(name, data.column(i)) for i, name in enumerate(data.schema.names))
    return Table(tuple(data.schema.names), columns, data.num_rows)


def arrow_column(name: str, data: Any) -> Column:
    """One Arrow column as numbers or categories."""
    kind = data.type
    if isinstance(data, pa.ChunkedArray):
        data = data.combine_chunks() if data.num_chunks != 1 else data.chunk(0)
        if isinstance(data, pa.ChunkedArray):
            data = pa.concat_arrays([chunk.cast(kind) for chunk in data.chunks])
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        return NumberColumn(data.to_numpy(zero_copy_only=False))
    if pa.types.is_boolean(kind):
        return NumberColumn(data.cast(pa.int8()).to_numpy(zero_copy_only=False))
    if pa.types.is_null(kind):
        return NumberColumn(np.full(len(data), np.nan))
    if pa.types.is_decimal(kind):
        return NumberColumn(data.cast(pa.float64()).to_numpy(zero_copy_only=False))
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        return NumberColumn(data.cast(pa.timestamp("ms")).cast(pa.int64()).to_numpy(zero_copy_only=False) / 1e3)
    if pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind):
        encoded = data if pa.types.is_dictionary(kind) else data.dictionary_encode()
        return CategoryColumn(_codes(encoded.indices), tuple(encoded.dictionary.to_pylist()))
    raise ValueError(f"The column {name!r} has the type {kind}: numbers, text, dates and dictionaries can be used.")


def _codes(indices: Any) -> Array:
    return pc.fill_null(indices.cast(pa.int64()), -1).to_numpy(zero_copy_only=False)


class ParquetFiles:
    """Where Parquet files are: a file, a folder, a glob, or a list of these; local, or by an URI such as s3://."""

    def __init__(self, path: Any) -> None:
        self.filesystem: Any = None
        if isinstance(path, str) and "://" in path:
            self.filesystem, inner = pa.fs.FileSystem.from_uri(path)
            self.paths = self._listed(inner)
        else:
            self.paths = local_files(path, (".parquet", ".pq"))

    def _listed(self, inner: str) -> list[str]:
        if self.filesystem.get_file_info(inner).type == pa.fs.FileType.File:
            return [inner]
        found = pa.dataset.dataset(inner, filesystem=self.filesystem, format="parquet").files
        if not found:
            raise FileNotFoundError(f"There are no Parquet files under {inner!r}.")
        return sorted(found)

    def open(self, path: str) -> Any:
        """A Parquet file, its checksums verified where it has some."""
        return pq.ParquetFile(
            path,
            filesystem=self.filesystem,
            buffer_size=BUFFER_BYTES,
            pre_buffer=False,
            page_checksum_verification=True,
        )

    def footer(self, path: str) -> tuple[Any, list[int]]:
        """Schema of a file and the rows of each of its row groups."""
        try:
            with self.open(path) as file:
                metadata = file.metadata
                rows = [metadata.row_group(i).num_rows for i in range(metadata.num_row_groups)]
                return file.schema_arrow, rows
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"Cannot use {path}: it is not a whole Parquet file ({error}); write it again.") from error

    def identity(self) -> list[Any]:
        """What tells whether the files are still the same: pieces of local ones, size and time of those elsewhere."""
        if self.filesystem is None:
            return file_marks(self.paths)
        return [(found.path, found.size, found.mtime_ns) for found in self.filesystem.get_file_info(self.paths)]


class RowGroup(Stretch):
    """One row group of a Parquet file."""

    def __init__(self, files: ParquetFiles, path: str, group: int, n_rows: int, names: Sequence[str]) -> None:
        super().__init__(n_rows)
        self.files = files
        self.path = path
        self.group = group
        self.names = list(names)

    @property
    def reading_bytes(self) -> int:
        return len(self.names) * (PAGE_BYTES + BUFFER_BYTES + 8 * BATCH_ROWS)

    def place(self) -> str:
        return f"row group {self.group} of {self.path}"

    def batches(self) -> Iterator[Block]:
        try:
            with self.files.open(self.path) as file:
                for batch in file.iter_batches(
                    BATCH_ROWS, row_groups=[self.group], columns=self.names, use_threads=False
                ):
                    yield Block(table_from_arrow(batch))
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"it is damaged ({' '.join(str(error).split())}); write the file again") from error


def parquet_groups(
    files: ParquetFiles, names: Sequence[str], footers: Sequence[tuple[Any, list[int]]]
) -> list[RowGroup]:
    """The row groups of all files, after checking that every file has the columns, of the same types."""
    first = footers[0][0]
    groups = []
    for path, (schema, rows) in zip(files.paths, footers):
        for name in names:
            _check_field(f"{path} (row groups 0 to {len(rows) - 1})", schema, first, name)
        groups += [RowGroup(files, path, group, count, names) for group, count in enumerate(rows)]
    return groups


def _check_field(path: str, schema: Any, first: Any, name: str) -> None:
    if schema.get_field_index(name) < 0:
        raise ValueError(f"The column {name!r} is missing in {path}: every file must have the columns of the first.")
    if _is_text(schema.field(name).type) != _is_text(first.field(name).type):
        kind, kind_in_first = schema.field(name).type, first.field(name).type
        raise ValueError(f"The column {name!r} is {kind} in {path} but {kind_in_first} in the first file.")


def _is_text(kind: Any) -> bool:
    return pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)


class CsvFormat:
    """How pieces of CSV text become tables: separator, names and the types found in the first rows."""

    def __init__(self, delimiter: str, names: Sequence[str], missing: Sequence[str]) -> None:
        self.delimiter = delimiter
        self.names = list(names)
        self.missing = list(missing)
        self.types: dict[str, Any] = {}
        self.wanted: list[str] = []

    def learn_types(self, text: bytes) -> None:
        """Numbers are float64 whatever they look like in the first rows; the rest is text."""
        for name, kind in zip(self.names, self._read(text).schema.types):
            number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
            known = pa.types.is_boolean(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind)
            self.types[name] = pa.float64() if number else kind if known else pa.string()

    def parse(self, text: bytes) -> Table:
        """The table of some whole lines."""
        return table_from_arrow(self._read(text))

    def _read(self, text: bytes) -> Any:
        return pa.csv.read_csv(
            io.BytesIO(text),
            pa.csv.ReadOptions(column_names=self.names, use_threads=False, block_size=max(1 << 20, len(text) + 1)),
            pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
            pa.csv.ConvertOptions(
                column_types=self.types,
                include_columns=self.wanted or None,
                null_values=self.missing,
                strings_can_be_null=True,
            ),
        )

"""What is read with pyarrow: Arrow tables, row groups of Parquet files, pieces of CSV. Nobody else imports it."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from .table import Array, CategoryColumn, Column, DataTable, NumberColumn

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


def table_from_arrow(data: Any) -> DataTable:
    """A Table from an Arrow table or record batch, or from anything that gives its rows by the Arrow protocol."""
    if not isinstance(data, pa.Table | pa.RecordBatch):
        data = pa.table(data)
    columns = tuple(arrow_column(name, data.column(i)) for i, name in enumerate(data.schema.names))
    return DataTable(tuple(data.schema.names), columns, data.num_rows)


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
        kept = data if not data.null_count else data.cast(pa.int8())
        return NumberColumn(kept.to_numpy(zero_copy_only=False))
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
    """Parquet files on a file system, by their paths; that of this machine where none is given."""

    def __init__(self, paths: Sequence[str], filesystem: Any = None) -> None:
        self.paths = list(paths)
        self.filesystem = filesystem

    @classmethod
    def at(cls, uri: str) -> ParquetFiles:
        """The file, or all Parquet files of the folder, that an URI such as s3://bucket/folder names."""
        filesystem, inner = pa.fs.FileSystem.from_uri(uri)
        if filesystem.get_file_info(inner).type == pa.fs.FileType.File:
            return cls([inner], filesystem)
        found = pa.dataset.dataset(inner, filesystem=filesystem, format="parquet").files
        if not found:
            raise FileNotFoundError(f"There are no Parquet files under {inner!r}.")
        return cls(sorted(found), filesystem)

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

    def row_group(self, path: str, group: int, names: Sequence[str]) -> Iterator[DataTable]:
        """The columns of these names of a row group, a few rows at a time."""
        try:
            with self.open(path) as file:
                for batch in file.iter_batches(BATCH_ROWS, row_groups=[group], columns=list(names), use_threads=False):
                    yield table_from_arrow(batch)
        except (pa.ArrowException, OSError) as error:
            raise ValueError(f"it is damaged ({' '.join(str(error).split())}); write the file again") from error

    def sizes_and_times(self) -> list[tuple[str, int, int]]:
        """What is known of files without reading them."""
        return [(found.path, found.size, found.mtime_ns) for found in self.filesystem.get_file_info(self.paths)]


def row_group_bytes(n_columns: int) -> int:
    """Memory that reading a row group takes beside the rows read, about."""
    return n_columns * (PAGE_BYTES + BUFFER_BYTES + 8 * BATCH_ROWS)


def check_schema(place: str, schema: Any, first: Any, names: Sequence[str]) -> None:
    """Refuse a file that has not all columns, or text where the first has numbers."""
    for name in names:
        if schema.get_field_index(name) < 0:
            raise ValueError(
                f"The column {name!r} is missing in {place}: every file must have the columns of the first."
            )
        kind, kind_in_first = schema.field(name).type, first.field(name).type
        if _is_text(kind) != _is_text(kind_in_first):
            raise ValueError(f"The column {name!r} is {kind} in {place} but {kind_in_first} in the first file.")


def _is_text(kind: Any) -> bool:
    return pa.types.is_dictionary(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind)


class CsvFormat:
    """How pieces of CSV text become tables: separator, names and the types found in the first rows.

    Columns named in ``whole`` are integers where all their numbers are.
    """

    def __init__(self, delimiter: str, names: Sequence[str], missing: Sequence[str], whole: Sequence[str] = ()) -> None:
        self.delimiter = delimiter
        self.names = list(names)
        self.missing = list(missing)
        self.whole = list(whole)
        self.types: dict[str, Any] = {}
        self.wanted: list[str] = []

    def learn_types(self, text: bytes) -> None:
        """Numbers are float64 whatever they look like in the first rows; the rest is text."""
        for name, kind in zip(self.names, self._read(text, []).schema.types):
            number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_null(kind)
            known = pa.types.is_boolean(kind) or pa.types.is_date(kind) or pa.types.is_timestamp(kind)
            self.types[name] = pa.float64() if number else kind if known else pa.string()
            if name in self.whole and pa.types.is_integer(kind):
                self.types[name] = pa.int64()
        self.whole = [name for name in self.whole if self.types[name] == pa.int64()]

    def look(self, text: bytes) -> None:
        """Columns are float64 after all that hold more than integers in these lines."""
        for name in tuple(self.whole):
            try:
                self._read(text, [name])
            except ValueError:
                self.whole.remove(name)
                self.types[name] = pa.float64()

    def parse(self, text: bytes) -> DataTable:
        """The table of some whole lines."""
        return table_from_arrow(self._read(text, self.wanted))

    def _read(self, text: bytes, columns: list[str]) -> Any:
        try:
            return pa.csv.read_csv(
                io.BytesIO(text),
                pa.csv.ReadOptions(column_names=self.names, use_threads=False, block_size=max(1 << 20, len(text) + 1)),
                pa.csv.ParseOptions(delimiter=self.delimiter, newlines_in_values=True),
                pa.csv.ConvertOptions(
                    column_types=self.types,
                    include_columns=columns or None,
                    null_values=self.missing,
                    strings_can_be_null=True,
                ),
            )
        except pa.ArrowInvalid as error:
            raise ValueError(in_names(str(error), self.names)) from error


def in_names(words: str, names: Sequence[str]) -> str:
    """What the reader of CSV says, in one line, with the name of a column in place of its number."""
    number, value = re.search(r"In CSV column #(\d+): ", words), re.search(r"invalid value '(.*?)'", words)
    if number is None or value is None:
        return " ".join(words.split())
    return f"the column {names[int(number[1])]!r} holds {value[1]!r}, where numbers are expected"

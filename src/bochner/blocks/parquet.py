"""Rows in Parquet files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from ..tables import TableEncoder
from .base import Array, Block, DelegatingBlocks
from .forward import Stretch, StretchBlocks
from .paths import file_marks, local_files
from .table_blocks import Roles, TableBlocks

if TYPE_CHECKING:
    from ..tables.arrow import ParquetFiles


class ParquetBlocks(DelegatingBlocks):
    """Parquet files as a source: only the columns in use are read, row group by row group, in bounded memory.

    Blocks run across row groups and files, so that a model is the same, to the last bit, as from the same rows in an
    array. All files are checked when the source is made; a damaged one is named.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder, a glob such as "data/part-*.parquet", an URI such as "s3://bucket/folder", or a list.
    target : str or list of str, default=None
        The column(s) to predict.
    columns : list of str, default=None
        The features. None: all columns but target and weight.
    weight : str, default=None
        The column of sample weights.
    encoder : TableEncoder, default=None
        What becomes of labels and missing values; fitted in a first pass if it is not fitted yet. None takes numbers
        as they are, makes 0/1 columns of labels (of the 64 most frequent of a column), and refuses missing numbers.
    block_rows : int, default=4096

    Examples
    --------
    >>> import bochner as bo
    >>> source = bo.ParquetBlocks("data/*.parquet", target="price", encoder=bo.TableEncoder())  # doctest: +SKIP
    >>> model = bo.KernelRidge(random_state=0).fit(source)  # doctest: +SKIP
    """

    def __init__(
        self,
        path: Any,
        *,
        target: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
        block_rows: int = 4096,
    ) -> None:
        from ..tables.arrow import check_schema

        files, identity = _files_at(path)
        footers = [files.footer(file) for file in files.paths]
        schema = footers[0][0]
        roles = Roles.of(schema.names, columns, target, weight)
        groups: list[RowGroup] = []
        for file, (found, rows) in zip(files.paths, footers):
            check_schema(f"{file} (row groups 0 to {len(rows) - 1})", found, schema, roles.names)
            groups += [RowGroup(files, file, group, count, roles.names) for group, count in enumerate(rows)]
        raw = StretchBlocks(groups, identity, len(roles.names), block_rows)
        super().__init__(TableBlocks(raw, roles, encoder))

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {**{f"x{j}": column for j, column in enumerate(X.T)}, "y": y}
        pq.write_table(pa.table(columns), folder / "rows.parquet", row_group_size=70)
        return [cls(folder / "rows.parquet", target="y")]


def _files_at(path: Any) -> tuple[ParquetFiles, Callable[[], Any]]:
    """The files, and what tells whether they are still the same: pieces of local ones, size and time of others."""
    from ..tables.arrow import ParquetFiles

    if isinstance(path, str) and "://" in path:
        files = ParquetFiles.at(path)
        return files, files.sizes_and_times
    files = ParquetFiles(local_files(path, (".parquet", ".pq")))
    return files, partial(file_marks, files.paths)


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
        from ..tables.arrow import row_group_bytes

        return row_group_bytes(len(self.names))

    def place(self) -> str:
        return f"row group {self.group} of {self.path}"

    def batches(self) -> Iterator[Block]:
        return map(Block, self.files.row_group(self.path, self.group, self.names))

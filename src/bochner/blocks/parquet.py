"""Rows in Parquet files."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .base import Part
from .encoding import TableEncoder
from .memory import DEFAULT_MEMORY, bytes_of
from .stretch import StretchBlocks
from .tables import EncodedRows, Roles, TableBlocks


class ParquetBlocks(TableBlocks):
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
        as they are and refuses labels and missing values.
    block_rows : int, default=4096
    memory : int or str, default="2GB"
        What statistics, blocks and caches made from this source may take.

    Examples
    --------
    >>> import bochner as bo
    >>> source = bo.ParquetBlocks("data/*.parquet", target="price", encoder=bo.TableEncoder())  # doctest: +SKIP
    >>> model = bo.KernelRidge(random_state=0).fit_blocks(source)  # doctest: +SKIP
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
        memory: int | str = DEFAULT_MEMORY,
    ) -> None:
        from .arrow import ParquetFiles, parquet_groups

        files = ParquetFiles(path)
        footers = [files.footer(file) for file in files.paths]
        roles = Roles.of(footers[0][0].names, columns, target, weight)
        groups = parquet_groups(files, roles.names, footers)
        identity = files.identity
        raw = StretchBlocks(groups, identity, len(roles.names), block_rows, bytes_of(memory))
        super().__init__(raw, roles, encoder)

    def raw_parts(self, step: EncodedRows) -> Sequence[Part]:
        assert isinstance(self.raw, StretchBlocks)
        return self.raw.parts_through(step)

"""Rows in CSV files."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..tables import TableEncoder
from .base import Array, Block, DelegatingBlocks
from .forward import StretchBlocks
from .lines import LineRules, TextStretch, open_text, text_stretches, usable, whole_lines
from .paths import file_marks, local_files
from .table_blocks import Roles, TableBlocks

if TYPE_CHECKING:
    from ..tables.arrow import CsvFormat

RULES = LineRules(quotes=True, comments=False)
MISSING = ("", "NA", "N/A", "NaN", "nan", "null", "NULL", "?")


class CsvBlocks(DelegatingBlocks):
    """CSV files (plain, .gz or .bz2) as a source, with the columns named in the first line of each.

    One scan counts the lines; from then on any block is read without reading what is before it (compressed files
    excepted). A column holds numbers if it does in the first lines of the first file; text found in it later is an
    error that names file and place. Targets that are whole numbers in all lines come as integers. A line is at most
    32 MB long: a quote that is not closed does not swallow the rest of the file.

    Parameters
    ----------
    path : path or list of paths
        A file, a folder, a glob or a list.
    target, columns, weight, encoder, block_rows : see ParquetBlocks
    delimiter : str, default=","
    missing_marks : sequence of str
        What stands for a missing value: by default an empty field, NA, N/A, NaN, nan, null, NULL and ?.
    """

    def __init__(
        self,
        path: Any,
        *,
        target: str | Sequence[str] | None = None,
        columns: Sequence[str] | None = None,
        weight: str | None = None,
        encoder: TableEncoder | None = None,
        delimiter: str = ",",
        missing_marks: Sequence[str] = MISSING,
        block_rows: int = 4096,
    ) -> None:
        from ..tables.arrow import CsvFormat

        files = local_files(path, (".csv", ".csv.gz", ".csv.bz2", ".tsv", ".txt"))
        names, start = header(files[0], delimiter)
        roles = Roles.of(names, columns, target, weight)
        layout = CsvFormat(delimiter, names, missing_marks, whole=roles.target)
        layout.learn_types(first_lines(files[0], start))
        layout.wanted = roles.names
        stretches: list[TextStretch] = []
        for file in files:
            stretches += _stretches_of(file, names, layout, delimiter)
        identity = partial(file_marks, files)
        raw = StretchBlocks(stretches, identity, len(roles.names), block_rows)
        super().__init__(TableBlocks(raw, roles, encoder))

    @classmethod
    def examples(cls, X: Array, y: Array, folder: Path) -> list[Self]:
        names = ",".join([*(f"x{column}" for column in range(X.shape[1])), "y"])
        np.savetxt(folder / "rows.csv", np.column_stack([X, y]), "%.17g", ",", header=names, comments="")
        return [cls(folder / "rows.csv", target="y")]


class CsvParse:
    """Whole lines to a raw block."""

    def __init__(self, layout: CsvFormat) -> None:
        self.layout = layout

    def __call__(self, text: bytes) -> Block:
        return Block(self.layout.parse(text))


def _stretches_of(file: str, names: list[str], layout: CsvFormat, delimiter: str) -> list[TextStretch]:
    found, start = header(file, delimiter)
    if found != names:
        there = set(found)
        absent = [name for name in names if name not in there]
        reason = f"lacks the column(s) {', '.join(absent[:20])}" if absent else "has its columns in another order"
        raise ValueError(f"Cannot use {file}: it {reason} of the first file; every file must have the same header.")
    return text_stretches(file, start, RULES, CsvParse(layout), layout.look)


def header(file: str, delimiter: str) -> tuple[list[str], int]:
    """Names in the first line of a file, and the byte where the second begins."""
    with usable(file), open_text(file) as opened:
        text = next(whole_lines(opened, RULES), b"")
    if not text.strip():
        raise ValueError(f"Cannot use {file}: it is empty; the first line must name the columns.")
    end = int(RULES.ends(text)[0]) if len(RULES.ends(text)) else len(text)
    mark = b"\xef\xbb\xbf"
    with usable(file):
        line = text[:end].removeprefix(mark).decode()
        try:
            return next(csv.reader(io.StringIO(line), delimiter=delimiter)), end
        except csv.Error as error:
            raise ValueError(f"its first line does not name columns ({error})") from error


def first_lines(file: str, start: int) -> bytes:
    """Lines from which the types of columns are found."""
    with usable(file), open_text(file) as opened:
        opened.seek(start)
        text = b"".join(islice(whole_lines(opened, RULES), 1))
    if not text.strip():
        raise ValueError(f"Cannot use {file}: it has no rows, only names.")
    return text

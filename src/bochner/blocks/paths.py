"""Files named by a path, a folder, a glob or a list."""

from __future__ import annotations

import os
from collections.abc import Iterable
from glob import glob
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from .fingerprint import digest

MARKS = 64  # places in a file that tell whether it is the same
MARK_BYTES = 4096


def local_files(path: Any, suffixes: tuple[str, ...]) -> list[str]:
    """The files that a path, a folder (of files with these suffixes, at any depth), a glob or a list names, in order.

    Files in folders and globs come in the order of their names; a list keeps its own.
    """
    if not isinstance(path, str | PathLike | Iterable):
        raise TypeError(f"A source of files needs a path, a folder, a glob or a list of these, not {path!r}.")
    if not isinstance(path, str | PathLike):
        return [file for one in path for file in local_files(one, suffixes)]
    text = fspath(path)
    if Path(text).is_file():
        return [text]
    if Path(text).is_dir():
        inside = [file for file in Path(text).rglob("*") if file.name.endswith(suffixes) and file.is_file()]
        found = sorted(str(file) for file in inside if not file.name.startswith(("_", ".")))
    else:
        found = sorted(glob(text, recursive=True))
    if not found:
        raise FileNotFoundError(
            f"There is no file {text!r}: give a file, a folder with {', '.join(suffixes)}, or a glob."
        )
    return found


def file_marks(paths: list[str]) -> list[tuple[str, int, str]]:
    """Path, size and a digest of pieces from head to tail of each file: a file written anew has others.

    Not the time of change: a damaged file may be replaced by a whole copy of it, and the work goes on.
    """
    return [(path, *_marks(path)) for path in paths]


def _marks(path: str) -> tuple[int, str]:
    with open(path, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        last = max(0, size - MARK_BYTES)
        pieces = []
        for position in sorted({last * place // (MARKS - 1) for place in range(MARKS)}):
            file.seek(position)
            pieces.append(file.read(MARK_BYTES))
    return size, digest(pieces)

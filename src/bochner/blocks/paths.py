"""Files named by a path, a folder, a glob or a list."""

from __future__ import annotations

from glob import glob
from os import PathLike, fspath
from pathlib import Path
from typing import Any


def local_files(path: Any, suffixes: tuple[str, ...]) -> list[str]:
    """The files that a path, a folder (of files with these suffixes, at any depth), a glob or a list names, in order.

    Files in folders and globs come in the order of their names; a list keeps its own.
    """
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

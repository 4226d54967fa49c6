"""Arrays in files that are whole or absent, never half-written, and never hold code."""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import numpy as np

Array = np.ndarray


def write_arrays(path: Path, arrays: dict[str, Array]) -> None:
    """Write arrays to a file in one step: to a temporary file first, which then takes the place of the old one."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(temporary, "wb") as file:
            np.savez(file, allow_pickle=False, **arrays)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        remove(temporary)
        raise OSError(f"Cannot save {path} ({error.strerror}): what was saved before is intact.") from error


def read_arrays(path: Path, prefix: str = "") -> dict[str, Array]:
    """Read what ``write_arrays`` wrote, or the arrays whose names begin like this; pickles are refused."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return {name.removeprefix(prefix): file[name] for name in file.files if name.startswith(prefix)}
    except (ValueError, EOFError, zipfile.BadZipFile, KeyError) as error:
        raise ValueError(f"The checkpoint file {path} is damaged ({error}): delete it and call again.") from error


def remove(path: Path) -> None:
    """Remove a file if it is there."""
    path.unlink(missing_ok=True)

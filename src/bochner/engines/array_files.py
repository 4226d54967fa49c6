"""Arrays in files that are whole or absent, never half-written, and never hold code."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import numpy as np

from ..files import written_whole

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

Array = np.ndarray

MAGIC = b"bochner checkpoint 2\n"


def write_arrays(path: Path, arrays: dict[str, Array]) -> None:
    """Write arrays to a file in one step.

    The first line says what this is, the second where each array is (type, shape, offset, checksum), then their bytes
    follow. Hundreds of small arrays are the usual case: members of a zip archive would cost ten times as much.
    """
    ordered = {name: np.asarray(value, order="C") for name, value in arrays.items()}
    table, offset = {}, 0
    for name, value in ordered.items():
        if value.dtype.hasobject:
            raise ValueError(f"{name} holds Python objects, which only a pickle could save: give it as numbers.")
        table[name] = (value.dtype.str, value.shape, offset, zlib.crc32(value.data))
        offset += value.nbytes
    make_folder(path.parent)
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        file.write(MAGIC + json.dumps(table).encode() + b"\n")
        file.writelines(value.data for value in ordered.values())


def read_arrays(path: Path, prefix: str = "") -> dict[str, Array]:
    """Read what ``write_arrays`` wrote, or the arrays whose names begin like this."""
    try:
        with open(path, "rb") as file:
            if file.readline() != MAGIC:
                raise ValueError("it does not begin as one")
            table = json.loads(file.readline())
            start = file.tell()
            wanted = {name: place for name, place in table.items() if name.startswith(prefix)}
            return {name.removeprefix(prefix): _read(file, start, *place) for name, place in wanted.items()}
    except (ValueError, TypeError, AttributeError) as error:
        raise ValueError(f"The checkpoint file {path} is damaged ({error}): delete it and call again.") from error


def _read(file: BinaryIO, start: int, kind: str, shape: list[int], offset: int, checksum: int) -> Array:
    file.seek(start + offset)
    dtype = np.dtype(kind)
    content = bytearray(file.read(dtype.itemsize * int(np.prod(shape, dtype=np.int64))))
    if zlib.crc32(content) != checksum:
        raise ValueError("an array is not what was written")
    return np.frombuffer(content, dtype).reshape(shape)


def make_folder(path: Path) -> None:
    """Make a folder and those above it, or say why files cannot be saved there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(error.errno, f"the folder {path} cannot be made, {error.strerror}") from error


def remove(path: Path) -> None:
    """Remove a file if it is there."""
    path.unlink(missing_ok=True)


@contextmanager
def held(folder: str | PathLike[str]) -> Iterator[None]:
    """Hold a folder, which is made if need be, or say that another fit holds it; who is killed lets go of it.

    Where the system cannot do this (Windows, some network drives) nobody is kept away.
    """
    make_folder(Path(folder))
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise RuntimeError(
                    f"The checkpoint in {folder} is in use by another fit: give each fit a folder of its own."
                ) from error
        yield
    finally:
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_UN)  # a process that was just begun may still have a copy
        os.close(descriptor)

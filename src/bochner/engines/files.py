"""Arrays in files that are whole or absent, never half-written, and never hold code."""

from __future__ import annotations

import json
import os
import zlib
from pathlib import Path
from typing import BinaryIO

import numpy as np

Array = np.ndarray

MAGIC = b"bochner checkpoint 1\n"


def write_arrays(path: Path, arrays: dict[str, Array]) -> None:
    """Write arrays to a file in one step: to a temporary file first, which then takes the place of the old one.

    The first line says what this is, the second where each array is (type, shape, offset, checksum), then their bytes
    follow. Hundreds of small arrays are the usual case: members of a zip archive would cost ten times as much.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    ordered = {name: np.asarray(value, order="C") for name, value in arrays.items()}
    table, offset = {}, 0
    for name, value in ordered.items():
        if value.dtype.hasobject:
            raise ValueError(f"{name} holds Python objects, which only a pickle could save: give it as numbers.")
        table[name] = (value.dtype.str, value.shape, offset, zlib.crc32(value.data))
        offset += value.nbytes
    try:
        make_folder(path.parent)
        with open(temporary, "wb") as file:
            file.write(MAGIC + json.dumps(table).encode() + b"\n")
            file.writelines(value.data for value in ordered.values())
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        remove(temporary)
        raise OSError(f"Cannot save {path} ({error.strerror}): what was saved before is intact.") from error


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

"""The arrays of a safetensors file, read into memory of their own.

A memory map would be shorter, but a file that another process cuts while it is mapped ends this one. Here the file is
read once: whatever changes it meanwhile, the bytes at hand stay what they are, and the checksum tells a mixture.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np

from ..files import AnyPath
from .format import LARGEST_HEADER, Array, ModelFileError

TYPES = {
    **{f"I{bits}": np.dtype(f"<i{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"U{bits}": np.dtype(f"<u{bits // 8}") for bits in (8, 16, 32, 64)},
    **{f"F{bits}": np.dtype(f"<f{bits // 8}") for bits in (32, 64)},
    "BOOL": np.dtype(np.bool_),
}
MOST_AXES = 32  # of any array that numpy 1 or 2 can hold; a model has at most three


def read(path: AnyPath) -> tuple[dict[str, str], dict[str, Array], int]:
    """Metadata, arrays in the order of their names, and how many bytes the header takes."""
    with _regular_file(path) as (file, size):
        start, header = _header(file, size)
        metadata = header.pop("__metadata__", {})
        if not (isinstance(metadata, dict) and all(isinstance(value, str) for value in metadata.values())):
            raise ModelFileError("it is damaged: its metadata are not texts")
        places = sorted((*_place(entry), name) for name, entry in header.items())
        ends = [0, *(end for _, end, *_ in places)]
        if ends[:-1] != [begin for begin, *_ in places] or ends[-1] != size - start:
            raise ModelFileError("it is damaged or cut short: its arrays do not fill it side by side")
        tensors = {name: _array(file, code, shape) for _, _, code, shape, name in places}
    return metadata, dict(sorted(tensors.items())), start


@contextmanager
def _regular_file(path: AnyPath) -> Iterator[tuple[BinaryIO, int]]:
    """The file, and its size when it was opened: a device would never end, and a pipe would wait for a writer."""
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise ModelFileError("it is not a regular file")
    with open(path, "rb", opener=_without_waiting) as file:
        status = os.fstat(file.fileno())
        if not stat.S_ISREG(status.st_mode):  # it has become another since
            raise ModelFileError("it is not a regular file")
        yield file, status.st_size


def _without_waiting(path: Any, flags: int) -> int:
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _header(file: BinaryIO, size: int) -> tuple[int, dict[str, Any]]:
    """Where the arrays begin, and the table of them: no longer than the file, or a lie would be allocated."""
    length = int.from_bytes(file.read(8), "little")
    if size < 8 or length > size - 8:
        raise ModelFileError("it is cut short or not a model file")
    if length > LARGEST_HEADER:
        raise ModelFileError(f"its header takes {length} bytes, above the limit of {LARGEST_HEADER}")
    try:
        header = json.loads(file.read(length).decode())
    except (ValueError, RecursionError) as error:
        raise ModelFileError("it is damaged or not a model file: its header cannot be read") from error
    if not isinstance(header, dict):
        raise ModelFileError("it is damaged or not a model file: its header is not a table")
    return 8 + length, header


def _place(entry: Any) -> tuple[int, int, str, list[int]]:
    """Begin, end, type and shape of an array that fills its place exactly."""
    if not (isinstance(entry, dict) and set(entry) == {"dtype", "shape", "data_offsets"}):
        raise ModelFileError("it is damaged: an array in it has no type, shape and place")
    code, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not (isinstance(code, str) and code in TYPES):
        raise ModelFileError(f"it has an array of the unexpected type {str(code)[:50]!r}")
    whole = _whole_numbers(shape) and _whole_numbers(offsets)
    if not (whole and len(shape) <= MOST_AXES and len(offsets) == 2):
        raise ModelFileError("it is damaged: the shape or place of an array in it is not made of whole numbers")
    n_bytes = math.prod(shape) * TYPES[code].itemsize
    largest = math.prod(filter(None, shape)) * TYPES[code].itemsize  # numpy counts so where an axis has no entries
    if offsets[1] - offsets[0] != n_bytes or largest > np.iinfo(np.intp).max:
        raise ModelFileError("it is damaged: an array in it does not fill its place")
    return offsets[0], offsets[1], code, shape


def _whole_numbers(values: Any) -> bool:
    return isinstance(values, list) and all(type(value) is int and value >= 0 for value in values)


def _array(file: BinaryIO, code: str, shape: list[int]) -> Array:
    """The next array of the file, in native byte order; truth values are 0 or 1."""
    array = np.empty(shape, TYPES[code])
    if file.readinto(array.reshape(-1).view(np.uint8).data) != array.nbytes:  # type: ignore[attr-defined]
        raise ModelFileError("it was cut short while it was read")
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise ModelFileError("it has truth values other than 0 and 1")
    return array.astype(array.dtype.newbyteorder("="), copy=False)

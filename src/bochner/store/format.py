"""What a model file is: a safetensors file whose metadata hold one JSON document, a version and a digest.

The payload is arrays, the document says how they make up objects of the library's own classes. Nothing in a file is
code, and nothing in it is trusted: limits are below, the digest covers every byte that has a meaning.

Objects are stored by their attributes. Whoever renames, adds or drops an attribute of a stored class after a release
raises FORMAT_VERSION, makes ``load`` bring documents of the version before up to date, and adds files of the new
version to tests/store/files (python -m tests.store.make_files); those of every released version must still load.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping

import numpy as np

Array = np.ndarray
Node = None | bool | int | float | str | list["Node"] | dict[str, "Node"]

FORMAT = "bochner model"
FORMAT_VERSION = 3

LARGEST_DOCUMENT = 4 << 20  # bytes of JSON: parsed objects take some 50 times as much
LARGEST_HEADER = 16 << 20  # bytes: the document as a JSON string, and one line for each array
DEEPEST_NODE = 16  # lists in lists in one attribute
DEEPEST_OBJECT = 64  # objects in objects: a model, its map, its kernel, sums of kernels
MOST_OBJECTS = 10_000  # counted as often as they are referred to, so that shared parts cannot explode

DTYPES = {
    np.dtype(name)
    for name in ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64")
}


class ModelFileError(ValueError):
    """A file that cannot be loaded, or a model that cannot be stored, with the reason in one sentence."""


def document_text(document: Node) -> str:
    """The document as compact JSON."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def parsed_document(text: str) -> Node:
    """The document from JSON, within the limits of size and depth."""
    if len(text) > LARGEST_DOCUMENT:
        raise ModelFileError(f"its JSON document takes {len(text)} bytes, above the limit of {LARGEST_DOCUMENT}")
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError) as error:
        raise ModelFileError("its JSON document cannot be read") from error


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def digest(metadata: Mapping[str, str], tensors: Iterable[tuple[str, Array]]) -> str:
    """SHA-256 of the metadata and of every array with its name, dtype and shape, in the order of names."""
    sha = hashlib.sha256()
    for key in sorted(metadata):
        if key != "sha256":
            _add(sha, key.encode("utf-8", "surrogatepass"))
            _add(sha, metadata[key].encode("utf-8", "surrogatepass"))
    for name, array in tensors:
        _add(sha, f"{name} {array.dtype.name} {array.shape}".encode("utf-8", "surrogatepass"))
        _add(sha, np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return sha.hexdigest()


def _add(sha: hashlib._Hash, data: bytes | memoryview) -> None:
    """Length first, so that no two sequences of pieces are the same bytes."""
    sha.update(len(data).to_bytes(8, "little"))
    sha.update(data)

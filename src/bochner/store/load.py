"""Reading a model file, trusting nothing in it."""

from __future__ import annotations

import os
import stat
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open

from .checks import check_model
from .decode import Decoder
from .format import (
    DTYPES,
    FORMAT,
    FORMAT_VERSION,
    LARGEST_HEADER,
    Array,
    ModelFileError,
    digest,
    parsed_document,
)


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that ``bo.save`` wrote: it predicts the same bits.

    Loading runs no code from the file, and takes no more memory than the file is large (and a few megabytes), whoever
    wrote it.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    model : the learner or feature map

    Raises
    ------
    ModelFileError
        If the file is damaged, cut short, not a model file, from a newer version, or not consistent.
    """
    path = os.fspath(path)
    try:
        return _model(path)
    except ModelFileError as error:
        raise ModelFileError(f"The file {path} cannot be loaded: {error}.") from error


def _model(path: str) -> Any:
    _check_size(path)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            _check_format(metadata)
            names = sorted(file.keys())
            tensors = {name: _plain(file.get_tensor(name)) for name in names}
    except (SafetensorError, TypeError, KeyError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"it is damaged or not a model file ({error})") from error
    if metadata.get("sha256") != digest(metadata, tensors.items()):
        raise ModelFileError("it is damaged: its content does not agree with its checksum")
    decoder = Decoder(tensors)
    model = decoder.model(parsed_document(metadata.get("document", "")))
    check_model(model, decoder.objects)
    return model


def _check_size(path: str) -> None:
    """A regular file whose header is no longer than the file: a device would never end, a lie would be allocated."""
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        raise ModelFileError("it is not a regular file")
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
    if status.st_size < 8 or length > status.st_size - 8:
        raise ModelFileError("it is cut short or not a model file")
    if length > LARGEST_HEADER:
        raise ModelFileError(f"its header takes {length} bytes, above the limit of {LARGEST_HEADER}")


def _check_format(metadata: dict[str, str]) -> None:
    if metadata.get("format") != FORMAT:
        raise ModelFileError("it is not a model file of bochner")
    version = metadata.get("format_version", "")
    if not (version.isascii() and version.isdigit() and len(version) < 9):
        raise ModelFileError("it is damaged: it does not say in which format it is")
    if int(version) > FORMAT_VERSION:
        written_by = metadata.get("bochner_version", "?")[:20]
        raise ModelFileError(
            f"it is in format {version}, written by bochner {written_by}, and this version reads formats up to "
            f"{FORMAT_VERSION}: upgrade bochner"
        )
    if int(version) < 1:
        raise ModelFileError(f"it is in format {version}, which never existed")


def _plain(array: Array) -> Array:
    """An array of a known type that owns aligned, writable memory; truth values are 0 or 1."""
    if array.dtype not in DTYPES:
        raise ModelFileError(f"it has an array of the unexpected type {array.dtype}")
    if array.dtype == np.bool_ and (array.view(np.uint8) > 1).any():
        raise ModelFileError("it has truth values other than 0 and 1")
    return np.require(array, requirements=["C", "A", "W"])

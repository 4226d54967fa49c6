"""Reading a model file, trusting nothing in it."""

from __future__ import annotations

import os
from typing import Any

from ..files import AnyPath
from .allowance import Budget
from .checks import check_model
from .decode import Decoder
from .format import FORMAT, FORMAT_VERSION, ModelFileError, digest, parsed_document
from .tensors import read


def load(path: AnyPath) -> Any:
    """Read a model that ``bo.save`` wrote: it predicts the same bits.

    Loading runs no code from the file, and takes memory in proportion to it, whoever wrote it: at most 8 times the
    file, 100 times its header (the JSON that says what its arrays are; for a large model next to nothing) and 40 MB.
    A model saved by ``bo.save`` takes little more than its file. The file is read once and may change meanwhile.

    Parameters
    ----------
    path : str, bytes or path

    Returns
    -------
    model : the learner or feature map

    Raises
    ------
    ModelFileError
        If the file is damaged, cut short, not a model file, from a newer version, or not consistent; if it would
        take more memory than the above; and if the path is a folder, a pipe or a device.
    """
    try:
        return _model(path)
    except ModelFileError as error:
        raise ModelFileError(f"The file {os.fsdecode(path)} cannot be loaded: {error}.") from error


def _model(path: AnyPath) -> Any:
    metadata, tensors, header_bytes = read(path)
    version = _format_of(metadata)
    if metadata.get("sha256") != digest(metadata, tensors.items()):
        raise ModelFileError("it is damaged: its content does not agree with its checksum")
    budget = Budget(header_bytes + sum(tensor.nbytes for tensor in tensors.values()))
    decoder = Decoder(tensors, budget, version)
    model = decoder.model(parsed_document(metadata.get("document", "")))
    check_model(model, decoder.objects, budget)
    return model


def _format_of(metadata: dict[str, str]) -> int:
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
    return int(version)

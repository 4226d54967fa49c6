"""Writing a model file, whole or not at all."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

from safetensors import SafetensorError
from safetensors.numpy import save_file

from ..files import AnyPath, written_whole
from .allowance import Budget
from .checks import check_model, settled
from .decode import Decoder
from .encode import Encoder
from .format import FORMAT, FORMAT_VERSION, ModelFileError, digest, document_text, parsed_document
from .vocabulary import ROOTS, is_ours


def save(model: Any, path: AnyPath, *, statistics: bool = True) -> None:
    """Write a learner or a feature map to one file of arrays and JSON, without any code in it.

    The file takes the place of an existing one in a single step: whatever happens, the path holds the old model or
    the new one. Functions given by the user (the profile of ``ShiftInvariant``) and kernels of the user's own classes
    are not stored: the model loaded predicts as before, but is given them again before it is fitted again. Of an engine
    with a folder or a connection its threads and memory are stored.

    Parameters
    ----------
    model : learner or feature map of bochner, fitted or not
    path : str, bytes or path
        A new file, or an old one, which keeps its rights.
    statistics : bool, default=True
        Whether to store what ``partial_fit`` needs to go on: for ridge n_components² numbers, by far the largest part.

    Raises
    ------
    ModelFileError
        If the model holds something that predictions need and no file without code can hold.
    OSError
        If the file cannot be written, as on a full disk, or if the path is a folder, a pipe or a device. What was at
        the path is intact.

    Examples
    --------
    >>> import numpy as np, bochner as bo, tempfile, pathlib
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = bo.KernelRidge(random_state=0).fit(X, X[:, 0] ** 2)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bo.save(model, pathlib.Path(folder) / "model.bochner")
    ...     same = bo.load(pathlib.Path(folder) / "model.bochner")
    >>> bool((same.predict(X) == model.predict(X)).all())
    True
    """
    if not (isinstance(model, ROOTS) and is_ours(type(model))):
        raise ModelFileError(
            f"bo.save stores the learners and feature maps of bochner, not {type(model).__name__}: "
            "use pickle or joblib for others."
        )
    try:
        metadata, tensors = packed(model, statistics)
    except ModelFileError as error:
        raise ModelFileError(f"{type(model).__name__} cannot be stored: {error}.") from error
    with written_whole(path) as temporary:
        try:
            save_file(tensors, temporary, metadata=metadata)
        except SafetensorError as error:
            raise OSError(str(error)) from error


def packed(model: Any, statistics: bool) -> tuple[dict[str, str], dict[str, Any]]:
    """Metadata and arrays of the file, taken back to a model once: what could not be loaded is never written."""
    encoder = Encoder(statistics)
    text = document_text(encoder.document(settled(model)))
    budget = Budget(len(text) + sum(tensor.nbytes for tensor in encoder.tensors.values()))
    decoder = Decoder(encoder.tensors, budget)
    check_model(decoder.model(parsed_document(text)), decoder.objects, budget)
    metadata = {"format": FORMAT, "format_version": str(FORMAT_VERSION), "bochner_version": version("bochner")}
    metadata["document"] = text
    metadata["sha256"] = digest(metadata, sorted(encoder.tensors.items()))
    return metadata, encoder.tensors

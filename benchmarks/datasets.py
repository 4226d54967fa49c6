"""The sets of the benchmarks with their standard splits: those of the experiments, and some from BOCHNER_DATA alone."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from bochner.experiments.datasets import DataFile, DataMissing, Split
from bochner.experiments.datasets import load as load_published
from bochner.experiments.datasets.dataset import divided

Array = np.ndarray
__all__ = ["CLASSIFICATION", "REGRESSION", "Array", "DataMissing", "Split", "csv", "file", "load"]


def load(name: str) -> Split:
    """A data set by name, one of ``CLASSIFICATION`` and ``REGRESSION``; numbers are parsed once and kept."""
    if name in AS_TEXT:
        return AS_TEXT[name]()
    task = "classification" if name in CLASSIFICATION else "regression"
    kept = Path(tempfile.gettempdir()) / f"bochner-data-{os.getuid()}"
    kept.mkdir(exist_ok=True)
    files = [kept / f"{name}-{part}.npy" for part in ("X", "y", "X_test", "y_test")]
    if not all(one.exists() for one in files):
        for one, array in zip(files, _parsed(name)):
            unfinished = one.with_suffix(f".{os.getpid()}")
            with unfinished.open("wb") as stream:
                np.save(stream, array)
            unfinished.rename(one)
    return Split(name, task, *(np.load(one) for one in files))


def _parsed(name: str) -> tuple[Array, Array, Array, Array]:
    if name in PARSERS:
        return PARSERS[name]()
    split = load_published(name, download=False)
    return split.X, split.y, split.X_test, split.y_test


def file(*parts: str) -> Path:
    """A file of the folder BOCHNER_DATA."""
    return DataFile("/".join(parts)).located(download=False)


def csv(path: Path, separator: str = ",", header: int | None = None) -> Any:
    import pandas as pd

    return pd.read_csv(path, sep=separator, header=header, skipinitialspace=True)


def _mnist() -> tuple[Array, Array, Array, Array]:
    def images(name: str) -> Array:
        with gzip.open(file("mnist", f"{name}-images-idx3-ubyte.gz")) as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)

    def labels(name: str) -> Array:
        with gzip.open(file("mnist", f"{name}-labels-idx1-ubyte.gz")) as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=8).astype(int)

    return images("train"), labels("train"), images("t10k"), labels("t10k")


def _letter() -> tuple[Array, Array, Array, Array]:
    rows = csv(file("letter", "letter-recognition.data.gz"))
    X, y = rows.iloc[:, 1:].to_numpy(dtype=float), rows[0].to_numpy(dtype="U1")
    return X[:15000], y[:15000], X[15000:], y[15000:]


def _casp() -> tuple[Array, Array, Array, Array]:
    rows = csv(file("casp", "CASP.csv.gz"), header=0).to_numpy(dtype=float)
    return divided(rows[:, 1:], rows[:, 0], 0.2)


def _california() -> tuple[Array, Array, Array, Array]:
    rows = csv(file("california", "houses.tsv.gz"), "\t", 0).to_numpy(dtype=float)
    return divided(rows[:, :-1], rows[:, -1], 0.2)


def _uci(name: str) -> Callable[[], tuple[Array, Array, Array, Array]]:
    def parse() -> tuple[Array, Array, Array, Array]:
        rows = csv(file("uci_regression", name, "data.csv.gz")).to_numpy(dtype=float)
        test = csv(file("uci_regression", name, "test_mask.csv.gz")).to_numpy()[:, 0] > 0
        return rows[~test, :-1], rows[~test, -1], rows[test, :-1], rows[test, -1]

    return parse


def _nursery() -> Split:
    """As a table of labels."""
    import pandas as pd

    split = load_published("nursery", download=False)
    X, X_test = (pd.DataFrame(rows).rename(columns=str) for rows in (split.X, split.X_test))
    return Split(split.name, split.task, X, split.y, X_test, split.y_test)


AS_TEXT: dict[str, Callable[[], Split]] = {
    "nursery": _nursery,
    "adult-raw": lambda: load_published("adult-raw", download=False),
}
PARSERS: dict[str, Callable[[], tuple[Array, Array, Array, Array]]] = {
    "mnist": _mnist,
    "letter": _letter,
    "kin40k": _uci("kin40k"),
    "pol": _uci("pol"),
    "elevators": _uci("elevators"),
    "casp": _casp,
    "california": _california,
}
CLASSIFICATION = ("nursery", "ijcnn1", "cod-rna", "adult", "covertype", "mnist", "letter", "spambase", "adult-raw")
REGRESSION = ("kin40k", "pol", "elevators", "casp", "california", "cpu")

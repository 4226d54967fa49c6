"""The real data sets from the folder BOCHNER_DATA, with their standard splits; parsed once, kept in a temp folder."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

Array = np.ndarray
SEED = 0  # of the splits that no file gives


class DataMissing(RuntimeError):
    """A file of a data set is not there."""


@dataclass(frozen=True)
class Split:
    """Training and test rows of one data set."""

    name: str
    task: str  # "classification" or "regression"
    X: Any
    y: Array
    X_test: Any
    y_test: Array


def folder() -> Path:
    """The folder of the data sets."""
    place = os.environ.get("BOCHNER_DATA")
    if not place:
        raise DataMissing("BOCHNER_DATA is not set: give the folder of the data sets.")
    return Path(place)


def load(name: str) -> Split:
    """A data set by name, one of ``CLASSIFICATION`` and ``REGRESSION``."""
    if name in TABLES:  # columns of text: parsed each time
        return Split(name, "classification", *TABLES[name]())
    task = "classification" if name in CLASSIFICATION else "regression"
    kept = Path(tempfile.gettempdir()) / f"bochner-data-{os.getuid()}"
    kept.mkdir(exist_ok=True)
    files = [kept / f"{name}-{part}.npy" for part in ("X", "y", "X_test", "y_test")]
    if not all(file.exists() for file in files):
        for file, array in zip(files, PARSERS[name]()):
            unfinished = file.with_suffix(f".{os.getpid()}")
            with unfinished.open("wb") as stream:
                np.save(stream, array)
            unfinished.rename(file)
    return Split(name, task, *(np.load(file) for file in files))


def _file(*parts: str) -> Path:
    path = folder().joinpath(*parts)
    if not path.exists():
        raise DataMissing(f"The file {'/'.join(parts)} is not in the folder BOCHNER_DATA.")
    return path


def _divided(X: Any, y: Array, test_share: float) -> tuple[Any, Array, Any, Array]:
    order = np.random.RandomState(SEED).permutation(len(y))
    n_test = round(test_share * len(y))
    train, test = order[n_test:], order[:n_test]
    if isinstance(X, np.ndarray):
        return X[train], y[train], X[test], y[test]
    return X.iloc[train].reset_index(drop=True), y[train], X.iloc[test].reset_index(drop=True), y[test]


def _svmlight(train: Path, test: Path, n_features: int) -> tuple[Array, Array, Array, Array]:
    from sklearn.datasets import load_svmlight_file

    X, y = load_svmlight_file(str(train), n_features=n_features)
    X_test, y_test = load_svmlight_file(str(test), n_features=n_features)
    return X.toarray(), y.astype(int), X_test.toarray(), y_test.astype(int)


def _adult() -> tuple[Array, Array, Array, Array]:
    return _svmlight(_file("adult", "a9a.bz2"), _file("adult", "a9a.t.bz2"), 123)


def _ijcnn1() -> tuple[Array, Array, Array, Array]:
    return _svmlight(_file("ijcnn1", "ijcnn1.bz2"), _file("ijcnn1", "ijcnn1.t.bz2"), 22)


def _cod_rna() -> tuple[Array, Array, Array, Array]:
    return _svmlight(_file("cod-rna", "cod-rna.bz2"), _file("cod-rna", "cod-rna.r.bz2"), 8)


def _csv(path: Path, separator: str = ",", header: int | None = None) -> Any:
    import pandas as pd

    return pd.read_csv(path, sep=separator, header=header, skipinitialspace=True)


def _covertype() -> tuple[Array, Array, Array, Array]:
    rows = _csv(_file("covtype", "covtype.data.gz")).to_numpy(dtype=np.float32)
    return _divided(rows[:, :-1], (rows[:, -1] == 2).astype(int), 0.1)


def _spambase() -> tuple[Array, Array, Array, Array]:
    rows = _csv(_file("spambase", "spambase.data.gz")).to_numpy(dtype=float)
    return _divided(rows[:, :-1], rows[:, -1].astype(int), 0.2)


def _mnist() -> tuple[Array, Array, Array, Array]:
    def images(name: str) -> Array:
        with gzip.open(_file("mnist", f"{name}-images-idx3-ubyte.gz")) as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=16).reshape(-1, 784).astype(np.float32)

    def labels(name: str) -> Array:
        with gzip.open(_file("mnist", f"{name}-labels-idx1-ubyte.gz")) as stream:
            return np.frombuffer(stream.read(), np.uint8, offset=8).astype(int)

    return images("train"), labels("train"), images("t10k"), labels("t10k")


def _letter() -> tuple[Array, Array, Array, Array]:
    rows = _csv(_file("letter", "letter-recognition.data.gz"))
    X, y = rows.iloc[:, 1:].to_numpy(dtype=float), rows[0].to_numpy(dtype="U1")
    return X[:15000], y[:15000], X[15000:], y[15000:]


def _casp() -> tuple[Array, Array, Array, Array]:
    rows = _csv(_file("casp", "CASP.csv.gz"), header=0).to_numpy(dtype=float)
    return _divided(rows[:, 1:], rows[:, 0], 0.2)


def _california() -> tuple[Array, Array, Array, Array]:
    rows = _csv(_file("california", "houses.tsv.gz"), "\t", 0).to_numpy(dtype=float)
    return _divided(rows[:, :-1], rows[:, -1], 0.2)


def _cpu() -> tuple[Array, Array, Array, Array]:
    from scipy.io import loadmat

    stored = loadmat(_file("cpu", "rahimi_recht_2007_cpu.mat"))
    X, X_test = (_dense(stored[name]) for name in ("Xtrain", "Xtest"))
    y, y_test = (_dense(stored[name]).ravel() for name in ("ytrain", "ytest"))
    return X, y, X_test, y_test


def _dense(columns: Any) -> Array:
    """Samples as rows; the file keeps them as columns, some of its arrays sparse."""
    rows = columns.T
    return np.ascontiguousarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=float)


def _uci(name: str) -> Callable[[], tuple[Array, Array, Array, Array]]:
    def parse() -> tuple[Array, Array, Array, Array]:
        rows = _csv(_file("uci_regression", name, "data.csv.gz")).to_numpy(dtype=float)
        test = _csv(_file("uci_regression", name, "test_mask.csv.gz")).to_numpy()[:, 0] > 0
        return rows[~test, :-1], rows[~test, -1], rows[test, :-1], rows[test, -1]

    return parse


def _nursery() -> tuple[Any, Array, Any, Array]:
    rows = _csv(_file("nursery", "nursery.data.gz")).astype(str)
    return _divided(rows.iloc[:, :-1].rename(columns=str), rows[8].to_numpy(dtype=str), 0.2)


def _adult_raw() -> tuple[Any, Array, Any, Array]:
    import pandas as pd

    def table(name: str, skipped: int) -> tuple[Any, Array]:
        rows = pd.read_csv(
            _file("adult", name), header=None, skipinitialspace=True, na_values="?", skiprows=skipped
        ).rename(columns=str)
        return rows.iloc[:, :14], rows["14"].str.rstrip(".").to_numpy(dtype=str)

    X, y = table("adult.data.gz", 0)
    X_test, y_test = table("adult.test.gz", 1)
    return X, y, X_test, y_test


TABLES: dict[str, Callable[[], tuple[Any, Array, Any, Array]]] = {"nursery": _nursery, "adult-raw": _adult_raw}
PARSERS: dict[str, Callable[[], tuple[Array, Array, Array, Array]]] = {
    "ijcnn1": _ijcnn1,
    "cod-rna": _cod_rna,
    "adult": _adult,
    "covertype": _covertype,
    "mnist": _mnist,
    "letter": _letter,
    "spambase": _spambase,
    "kin40k": _uci("kin40k"),
    "pol": _uci("pol"),
    "elevators": _uci("elevators"),
    "casp": _casp,
    "california": _california,
    "cpu": _cpu,
}
CLASSIFICATION = ("nursery", "ijcnn1", "cod-rna", "adult", "covertype", "mnist", "letter", "spambase", "adult-raw")
REGRESSION = ("kin40k", "pol", "elevators", "casp", "california", "cpu")

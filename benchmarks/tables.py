"""Every set of the folder BOCHNER_DATA as one table: columns as they come, a target, a task, seeded splits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import datasets
from .datasets import Array, csv, file

NUMBERS, LABELS = "regression", "classification"


@dataclass(frozen=True)
class Table:
    """Rows of one set: columns of numbers, or a DataFrame where some are labels or missing."""

    name: str
    task: str
    X: Any
    y: Array

    @property
    def numbers(self) -> Array:
        """The columns as numbers: labels as 0/1 columns, missing numbers at the mean, nothing standardised."""
        if isinstance(self.X, np.ndarray):
            return self.X
        from bochner import TableEncoder

        return TableEncoder(standardise=False).fit_transform(self.X)

    def split(self, seed: int, most_rows: int) -> tuple[Array, Array]:
        """Training and test rows, three to one, of at most so many rows drawn with this seed."""
        order = np.random.default_rng(seed).permutation(len(self.y))[:most_rows]
        n_test = len(order) // 4
        return order[n_test:], order[:n_test]


def table(name: str) -> Table:
    """A set by name, one of ``NAMES``."""
    if name in READERS:
        task, read = READERS[name]
        X, y = read()
        return Table(name, task, X, y)
    split = datasets.load(name)
    if isinstance(split.X, np.ndarray):
        X = np.concatenate([split.X, split.X_test])
    else:
        import pandas as pd

        X = pd.concat([split.X, split.X_test], ignore_index=True)
    return Table(name, split.task, X, np.concatenate([split.y, split.y_test]))


def _target_last(rows: Any, kind: type) -> tuple[Any, Array]:
    """Columns, and the last of them as the target."""
    X = rows.iloc[:, :-1].rename(columns=str)
    numeric = all(dtype.kind in "iuf" for dtype in X.dtypes) and not X.isna().any().any()
    return (X.to_numpy(dtype=float) if numeric else X), rows.iloc[:, -1].to_numpy(dtype=kind)


def _tsv(name: str, kind: type, labels: tuple[str, ...] = ()) -> Callable[[], tuple[Any, Array]]:
    """A table with a header and tabs between columns; some columns of codes are labels."""

    def read() -> tuple[Any, Array]:
        rows = csv(file("tables", f"{name}.tsv.gz"), "\t", 0)
        every = rows.columns[:-1] if labels == ("*",) else labels
        return _target_last(rows.astype(dict.fromkeys(every, str)), kind)

    return read


def _abalone() -> tuple[Any, Array]:
    return _target_last(csv(file("tables", "abalone.data.gz")), float)


def _german() -> tuple[Any, Array]:
    return _target_last(csv(file("tables", "german.data.gz"), " "), int)


def _hypothyroid() -> tuple[Any, Array]:
    import pandas as pd

    rows = pd.read_csv(file("tables", "hypothyroid.data.gz"), header=None, na_values="?")
    return rows.iloc[:, 1:].rename(columns=str), rows[0].to_numpy(dtype=str)


def _satimage() -> tuple[Any, Array]:
    import pandas as pd

    files = [csv(file("tables", f"sat.{part}.txt.gz"), " ") for part in ("trn", "tst")]
    return _target_last(pd.concat(files, ignore_index=True), int)


def _wine() -> tuple[Any, Array]:
    return _target_last(csv(file("tables", "winequality-white.csv.gz"), ";", 0), float)


def _uci(name: str) -> Callable[[], tuple[Any, Array]]:
    def read() -> tuple[Any, Array]:
        return _target_last(csv(file("uci_regression", name, "data.csv.gz")), float)

    return read


READERS: dict[str, tuple[str, Callable[[], tuple[Any, Array]]]] = {
    "abalone": (NUMBERS, _abalone),
    "bike": (NUMBERS, _uci("bike")),
    "house_16H": (NUMBERS, _tsv("house_16H", float)),
    "house_8L": (NUMBERS, _tsv("house_8L", float)),
    "keggundirected": (NUMBERS, _uci("keggundirected")),
    "parkinsons": (NUMBERS, _uci("parkinsons")),
    "pumadyn32nm": (NUMBERS, _uci("pumadyn32nm")),
    "wine": (NUMBERS, _wine),
    "churn": (LABELS, _tsv("churn", int, ("state", "area code"))),
    "connect-4": (LABELS, _tsv("connect-4", int, ("*",))),
    "german": (LABELS, _german),
    "hypothyroid": (LABELS, _hypothyroid),
    "krkopt": (LABELS, _tsv("krkopt", int)),
    "optdigits": (LABELS, _tsv("optdigits", int)),
    "phoneme": (LABELS, _tsv("phoneme", int)),
    "ring": (LABELS, _tsv("ring", int)),
    "satimage": (LABELS, _satimage),
}
NAMES = (*datasets.REGRESSION, *datasets.CLASSIFICATION, *READERS)

"""Adult: census records, who earns more than 50,000 a year; as 123 columns of 0 and 1, and as it was recorded."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .dataset import Array, DataSet, signs_of_a_sum, svmlight
from .files import LIBSVM, UCI, DataFile, opened

GROUPS = (5, 8, 5, 16, 5, 7, 14, 6, 5, 2, 2, 2, 5, 41)  # columns for each of the fourteen questions


class Adult(DataSet):
    """LIBSVM's a9a: each answer, or fifth of a number, is a column of 0 and 1; its own split."""

    name = "adult"
    title = "Adult (a9a)"
    task = "classification"
    files = (
        DataFile("adult/a9a.bz2", "76b604b2c3f738783537bd3b32893eae66af54b8a41aee534fac1ecea45c1535", f"{LIBSVM}/a9a"),
        DataFile(
            "adult/a9a.t.bz2", "0c3135eb9b9d83a4fa007d6e1a3b719f029db78884dafd5a46a4d7eeb4c2b018", f"{LIBSVM}/a9a.t"
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        return svmlight(paths, n_features=123)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        X = np.concatenate([np.eye(size)[rng.integers(size, size=n_rows)] for size in GROUPS], axis=1)
        return X, signs_of_a_sum(X, rng)


class AdultRaw(DataSet):
    """UCI's files: fourteen columns of numbers and labels with gaps, as a DataFrame; their own split."""

    name = "adult-raw"
    title = "Adult (as recorded)"
    task = "classification"
    files = (
        DataFile(
            "adult/adult.data.gz",
            "df25a4e32ed6f1bd4b3910d21a7bd661a09061eced7cb45555a519d9667cc87b",
            f"{UCI}/adult/adult.data",
        ),
        DataFile(
            "adult/adult.test.gz",
            "ceb625d3b5aeddf1e04cd5eec3268e18af4140fbde5a853a11223deeebcfe0f5",
            f"{UCI}/adult/adult.test",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Any, Array, Any, Array]:
        X, y = self._table(paths[0], 0)
        X_test, y_test = self._table(paths[1], 1)
        return X, y, X_test, y_test

    def _table(self, path: Path, skipped: int) -> tuple[Any, Array]:
        with opened(path) as stream:
            rows = pandas().read_csv(stream, header=None, skipinitialspace=True, na_values="?", skiprows=skipped)
        rows = rows.rename(columns=str)
        return rows.iloc[:, :14], rows["14"].str.rstrip(".").to_numpy(dtype=str)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Any, Array]:
        hours, age = rng.integers(10, 70, size=n_rows), rng.integers(17, 80, size=n_rows)
        columns: dict[str, Any] = {"0": age, "2": rng.integers(10**4, 10**6, size=n_rows), "12": hours}
        columns |= {name: rng.integers(1, 17, size=n_rows) for name in ("4", "10", "11")}
        for name in ("1", "3", "5", "6", "7", "8", "9", "13"):
            columns[name] = np.array(["a", "b", "c", None], dtype=object)[rng.integers(4, size=n_rows)]
        pay = hours * (1.0 + 0.1 * columns["4"]) * (1.0 + (columns["3"] == "a")) - 0.02 * (age - 50.0) ** 2
        y = np.where(pay > np.quantile(pay, 0.75), ">50K", "<=50K")
        return pandas().DataFrame({str(at): columns[str(at)] for at in range(14)}), y


def pandas() -> Any:
    """The library, or one sentence that names the extra to install."""
    try:
        import pandas
    except ImportError:
        raise ImportError("Adult as recorded needs pandas: pip install 'bochner[files]'.") from None
    return pandas

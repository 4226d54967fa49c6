"""CPU: how busy a computer is, from 21 counts of its work; 6,554 + 819 rows, the file of the paper of 2007."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from .dataset import Array, DataSet
from .files import DataFile


class Cpu(DataSet):
    """Rahimi and Recht's own file and split; it has no public address any more."""

    name = "cpu"
    title = "CPU"
    task = "regression"
    files = (
        DataFile(
            "cpu/rahimi_recht_2007_cpu.mat",
            "c5f07c0c8f017985a8259430865c656a2d12558b2aa07d9caabc26cd07274ae2",
            text=False,
            origin="it is cpu.mat of the paper's own code, which repositories of papers on the Mondrian kernel keep",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        from scipy.io import loadmat

        stored = loadmat(paths[0])
        X, X_test = (_rows(stored[name]) for name in ("Xtrain", "Xtest"))
        y, y_test = (_rows(stored[name]).ravel() for name in ("ytrain", "ytest"))
        return X, y, X_test, y_test

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        load = rng.gamma(2.0, 0.6, size=n_rows)
        X = np.exp(rng.normal(3.0, 1.0, size=(n_rows, 21)) + load[:, None] * rng.uniform(0, 1, size=21))
        return X, 99.0 - 20.0 * load - 3.0 * np.sin(X[:, 0] / 50.0) + rng.normal(size=n_rows)


def _rows(columns: Any) -> Array:
    """Samples as rows; the file keeps them as columns, some of its arrays sparse."""
    rows = columns.T
    return np.ascontiguousarray(rows if isinstance(rows, np.ndarray) else rows.toarray(), dtype=float)

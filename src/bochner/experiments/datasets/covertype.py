"""Covertype: which trees grow on 581,012 squares of forest; 54 columns, class 2 against the rest."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .dataset import Array, DataSet, divided, numbers, signs_of_a_sum
from .files import UCI, DataFile


class Covertype(DataSet):
    """UCI's file, label last, in single precision. Nine tenths train, by a seeded permutation."""

    name = "covertype"
    title = "Covertype"
    task = "classification"
    files = (
        DataFile(
            "covtype/covtype.data.gz",
            "0a9371cef7c964b5475d6053cc3e0894a5aa6f65ad1ed3ecb01c45aa96217945",
            f"{UCI}/covtype/covtype.data.gz",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        rows = numbers(paths[0], np.float32)
        return divided(rows[:, :-1], (rows[:, -1] == 2).astype(int), 0.1)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        scale = np.array([3000, 360, 20, 600, 100, 5000, 250, 250, 250, 5000], dtype=np.float32)
        soils = np.concatenate([np.eye(size)[rng.integers(size, size=n_rows)] for size in (4, 40)], axis=1)
        X = np.concatenate([scale * rng.beta(3, 3, size=(n_rows, 10)), soils], axis=1).astype(np.float32)
        return X, (signs_of_a_sum(X[:, :10], rng) > 0).astype(int)

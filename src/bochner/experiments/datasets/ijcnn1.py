"""ijcnn1: ten successive values of an engine's signal; 49,990 + 91,701 rows, 22 columns, a tenth positive."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .dataset import Array, DataSet, signs_of_a_sum, svmlight
from .files import LIBSVM, DataFile


class Ijcnn1(DataSet):
    """LIBSVM's files and split."""

    name = "ijcnn1"
    title = "IJCNN"
    task = "classification"
    files = (
        DataFile(
            "ijcnn1/ijcnn1.bz2",
            "7fe291672c3fefe6a7e3c51529becd23f0e985ba05ffb8d53c9c648c1e91cc19",
            f"{LIBSVM}/ijcnn1.bz2",
        ),
        DataFile(
            "ijcnn1/ijcnn1.t.bz2",
            "e7b0bbd518641980dc322746c6bc59d019d3153934e6258e48f9d8cfae2c4bb8",
            f"{LIBSVM}/ijcnn1.t.bz2",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        return svmlight(paths, n_features=22)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        cylinder = np.eye(10)[rng.integers(10, size=n_rows)]
        X = np.concatenate([cylinder, rng.uniform(-1.0, 1.0, size=(n_rows, 12))], axis=1)
        return X, signs_of_a_sum(X, rng)

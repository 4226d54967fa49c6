"""cod-rna: which genome sequences are non-coding RNA; 59,535 + 157,413 rows, eight columns on unlike scales."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .dataset import Array, DataSet, signs_of_a_sum, svmlight
from .files import LIBSVM, DataFile


class CodRna(DataSet):
    """LIBSVM's training file, and its file of remaining rows as the test file."""

    name = "cod-rna"
    title = "Cod-RNA"
    task = "classification"
    files = (
        DataFile(
            "cod-rna/cod-rna.bz2",
            "b01d06f01717a22e37cf501700fcab32535a0fa7ec4e4bf30e181ac0cef7b1c8",
            f"{LIBSVM}/cod-rna",
        ),
        DataFile(
            "cod-rna/cod-rna.r.bz2",
            "b35b4d5b0d5f5c245ae1fda1e9880888200e1c5d6a4d3b2a856e313c472cb176",
            f"{LIBSVM}/cod-rna.r",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        return svmlight(paths, n_features=8)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        X = np.concatenate([-1400.0 * rng.beta(2, 5, size=(n_rows, 1)), rng.beta(4, 8, size=(n_rows, 7))], axis=1)
        return X, signs_of_a_sum(X, rng)

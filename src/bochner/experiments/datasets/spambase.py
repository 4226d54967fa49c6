"""Spambase: which of 4,601 letters are advertisements; 57 columns of frequencies of words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .dataset import Array, DataSet, divided, numbers, signs_of_a_sum
from .files import UCI, DataFile


class Spambase(DataSet):
    """UCI's file, label last. Four fifths train, by a seeded permutation."""

    name = "spambase"
    title = "Spambase"
    task = "classification"
    files = (
        DataFile(
            "spambase/spambase.data.gz",
            "ebec58cfca94ea61c77df632314acae15bad410f4769d38b1a66cb41050e3431",
            f"{UCI}/spambase/spambase.data",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        rows = numbers(paths[0])
        return divided(rows[:, :-1], rows[:, -1].astype(int), 0.2)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        X = rng.exponential(0.5, size=(n_rows, 57)) * (rng.uniform(size=(n_rows, 57)) < 0.3)
        return X, (signs_of_a_sum(X, rng) > 0).astype(int)

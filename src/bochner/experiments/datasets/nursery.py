"""Nursery: 12,960 applications, eight columns of labels, five classes."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .dataset import Array, DataSet, divided
from .files import UCI, DataFile, opened

LABELS = (
    ("usual", "pretentious", "great_pret"),
    ("proper", "less_proper", "improper", "critical", "very_crit"),
    ("complete", "completed", "incomplete", "foster"),
    ("1", "2", "3", "more"),
    ("convenient", "less_conv", "critical"),
    ("convenient", "inconv"),
    ("nonprob", "slightly_prob", "problematic"),
    ("recommended", "priority", "not_recom"),
)  # from harmless to grave in each column
CLASSES = ("very_recom", "priority", "spec_prior")


class Nursery(DataSet):
    """UCI's file: every combination of the labels once, the class last. Four fifths train, by a seeded permutation."""

    name = "nursery"
    title = "Nursery"
    task = "classification"
    files = (
        DataFile(
            "nursery/nursery.data.gz",
            "1f2ff809b36c4524f8619d9cf0952e9937ff9e281eab7b2784acf604b45df879",
            f"{UCI}/nursery/nursery.data",
        ),
    )

    def read(self, paths: Sequence[Path]) -> tuple[Array, Array, Array, Array]:
        with opened(paths[0]) as stream:
            rows = np.loadtxt(stream, delimiter=",", dtype=str)
        return divided(rows[:, :-1], rows[:, -1], 0.2)

    def generated(self, rng: np.random.Generator, n_rows: int) -> tuple[Array, Array]:
        codes = np.stack([rng.integers(len(labels), size=n_rows) for labels in LABELS], axis=1)
        share = codes / (np.array([len(labels) for labels in LABELS]) - 1)
        grave = share.sum(axis=1) + share[:, 1] * share[:, 0]
        y = np.array(CLASSES)[np.digitize(grave, np.quantile(grave, [0.3, 0.7]))]
        y[codes[:, -1] == 2] = "not_recom"
        return np.stack([np.array(labels)[codes[:, at]] for at, labels in enumerate(LABELS)], axis=1), y

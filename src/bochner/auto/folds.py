"""Rows for training and rows for judging: one hold-out where rows are many, folds where they are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

Array = np.ndarray

FEW_ROWS = 4_000  # below which every row is judged once
MOST_JUDGED = 20_000
N_FOLDS = 3


@dataclass(frozen=True)
class Fold:
    """Positions of rows: for training, in random order, so that the first m are a sample; for judging."""

    training: Array
    judged: Array


def make_folds(codes: Array | None, n_rows: int, rng: np.random.Generator) -> list[Fold]:
    """Folds for these rows; classes (given by codes) have the same share on both sides, as far as they go."""
    n_folds = min(N_FOLDS, n_rows)
    if n_folds < 2:
        raise ValueError(f"A search needs rows to judge by, but X has n_samples = {n_rows}: give at least 2 rows.")
    if n_rows < FEW_ROWS:
        return [Fold(rng.permutation(training), judged) for training, judged in _splits(codes, n_rows, n_folds, rng)]
    n_judged = min(n_rows // 5, MOST_JUDGED)
    order = rng.permutation(n_rows)
    return [Fold(order[n_judged:], order[:n_judged])]


def _splits(codes: Array | None, n_rows: int, n_folds: int, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    seed = int(rng.integers(2**31))
    if codes is None or np.bincount(codes).min() < n_folds:  # scikit-learn warns of classes smaller than the folds
        return list(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_rows)))
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_rows), codes))

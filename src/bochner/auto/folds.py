"""Rows for training and rows for judging: one hold-out where rows are many, folds where they are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sklearn.model_selection import KFold, StratifiedKFold

from ..blocks.sample import sample_rows

Array = np.ndarray

FEW_ROWS = 4_000  # below which every row is judged once
MOST_JUDGED = 20_000
MOST_COMPARED = 20_000  # pairs of neighbours
N_FOLDS = 3
IN_ORDER = 0.5


@dataclass(frozen=True)
class Fold:
    """Positions of rows: for training, in random order, so that the first m are a sample; for judging."""

    training: Array
    judged: Array


def make_folds(X: Array, y: Array, classes: bool, rng: np.random.Generator) -> list[Fold]:
    """Folds for these rows; classes (y in codes) have the same share on both sides, as far as they go.

    Many rows are judged by one sample of them; by the last ones where rows come in an order in which neighbours are
    alike, as those of a series in time are: judged at random, they would be known from their neighbours already.
    """
    n_rows = len(y)
    n_folds = min(N_FOLDS, n_rows)
    if n_folds < 2:
        raise ValueError(f"A search needs rows to judge by, but X has n_samples = {n_rows}: give at least 2 rows.")
    if n_rows < FEW_ROWS:
        splits = _splits(y if classes else None, n_rows, n_folds, rng)
        return [Fold(rng.permutation(training), judged) for training, judged in splits]
    n_judged = min(n_rows // 5, MOST_JUDGED)
    judged = _last(y, n_judged, classes) if in_order(X) else None
    if judged is not None:
        return [Fold(rng.permutation(np.setdiff1d(np.arange(n_rows), judged)), judged)]
    order = rng.permutation(n_rows)
    return [Fold(order[n_judged:], order[:n_judged])]


def in_order(X: Array) -> bool:
    """Whether neighbours are alike: von Neumann's ratio, mean (x_i+1 - x_i)² / (2 variance), is 1 without order.

    It is seen from some of the pairs of neighbours.
    """
    first = np.arange(len(X) - 1)[sample_rows(len(X) - 1, MOST_COMPARED)]
    left, right = X[first], X[first + 1]
    varies = ((left != left[:1]) | (right != left[:1])).any(axis=0)  # a constant may have a variance by rounding
    left, right = left[:, varies], right[:, varies]
    variance = np.concatenate([left, right]).var(axis=0, dtype=np.float64)
    steps = np.square(right - left).mean(axis=0, dtype=np.float64)
    return bool((steps < IN_ORDER * 2.0 * variance).any())


def _last(y: Array, n_judged: int, classes: bool) -> Array | None:
    """The last rows, of each class as many as its share is; None where they do not look like all, as in sorted rows."""
    if classes:
        share = n_judged / len(y)
        places = [np.flatnonzero(y == label) for label in np.unique(y)]
        return np.sort(np.concatenate([place[len(place) - round(share * len(place)) :] for place in places]))
    some, spread = y[-n_judged:], float(y.std())
    alike = abs(some.mean() - y.mean()) < 0.5 * spread and 0.5 * spread < some.std() < 2.0 * spread
    return np.arange(len(y) - n_judged, len(y)) if alike else None


def _splits(codes: Array | None, n_rows: int, n_folds: int, rng: np.random.Generator) -> list[tuple[Array, Array]]:
    seed = int(rng.integers(2**31))
    if codes is None or np.bincount(codes).min() < n_folds:  # scikit-learn warns of classes smaller than the folds
        return list(KFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_rows)))
    return list(StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(n_rows), codes))

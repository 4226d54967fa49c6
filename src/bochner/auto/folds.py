"""Rows for training and rows for judging: one hold-out where rows are many, folds where they are few."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

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
    n_rows, fewest = len(y), 3 if classes else 2  # of two labels a row is known by itself only
    if n_rows < fewest:
        raise ValueError(
            f"A search needs rows to judge by, but X has n_samples = {n_rows}: give at least {fewest} rows."
        )
    groups = y if classes else np.zeros(n_rows, dtype=int)
    if n_rows < FEW_ROWS:
        order, n_folds = by_group(groups, rng), min(N_FOLDS, n_rows)
        return [_fold(order[place::n_folds], n_rows, rng) for place in range(n_folds)]
    n_judged = min(n_rows // 5, MOST_JUDGED)
    judged = _last(y, n_judged, classes) if in_order(X) else None
    if judged is None:
        # Evenly, never two rows side by side, nor the first or the last: there is more of two classes to learn from.
        judged = by_group(groups, rng)[1 + np.arange(n_judged) * n_rows // n_judged]
    return [_fold(judged, n_rows, rng)]


def _fold(judged: Array, n_rows: int, rng: np.random.Generator) -> Fold:
    """These rows for judging, all others for training."""
    return Fold(rng.permutation(np.setdiff1d(np.arange(n_rows), judged)), np.sort(judged))


def by_group(groups: Array, rng: np.random.Generator) -> Array:
    """Rows group by group, in random order inside: every third has a third of each group, and never all of two."""
    order = rng.permutation(len(groups))
    return order[np.argsort(groups[order], kind="stable")]


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
    """The last rows, of each class as many as its share is; None where they do not look like all, as in sorted rows.

    None also where most classes are too small to have a share.
    """
    if classes:
        share = n_judged / len(y)
        places = [np.flatnonzero(y == label) for label in np.unique(y)]
        last = np.concatenate([place[len(place) - round(share * len(place)) :] for place in places])
        return last if len(last) > n_judged // 2 else None
    some, spread = y[-n_judged:], float(y.std())
    alike = abs(some.mean() - y.mean()) < 0.5 * spread and 0.5 * spread < some.std() < 2.0 * spread
    return np.arange(len(y) - n_judged, len(y)) if alike else None

"""Several of the best models together: weights from their predictions for held-out rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from .trial import Data, Trial, judge, judged_targets

Array = np.ndarray

GAIN = 0.005  # of the loss: for less, one model is better than several
LEAST_WEIGHT = 0.1


@dataclass(frozen=True)
class Stack:
    """Trials and the weights of their scores; of one trial with weight 1 where nothing is gained by more."""

    trials: tuple[Trial, ...]
    weights: tuple[float, ...]

    @property
    def scores(self) -> Array:
        """Weighted scores of the judged rows."""
        return _sum(self.weights, self.trials)


def stack_of(best: Trial, trials: Sequence[Trial], data: Data, most: int) -> Stack:
    """The best trial, or up to ``most`` of different kinds that saw as many rows.

    The weights are those of least squared error of the held-out targets, none negative (Breiman 1996). They are few,
    so that the rows that give them can also judge them.
    """
    alone = Stack((best,), (1.0,))
    kinds = {best.candidate.kind: best}
    for trial in sorted(trials, key=lambda trial: (-trial.rung, trial.loss)):
        if trial.n_rows >= best.n_rows:
            kinds.setdefault(trial.candidate.kind, trial)
    chosen = list(kinds.values())
    while len(chosen) > 1:
        weights = _weights(chosen, data)
        weakest = int(weights.argmin())
        if len(chosen) <= most and weights[weakest] >= LEAST_WEIGHT:
            together = Stack(tuple(chosen), tuple(float(weight) for weight in weights))
            better = judge(together.scores, data)[0] < (1.0 - GAIN) * judge(best.scores, data)[0]
            return together if better else alone
        del chosen[weakest]
    return alone


def _weights(trials: Sequence[Trial], data: Data) -> Array:
    """Argmin over w >= 0 of ||t - sum_m w_m s_m||² for centred scores s_m and targets t."""
    y = judged_targets(data)
    if data.n_classes == 2:
        targets = np.where(y == 1, 1.0, -1.0)[:, None]
    elif data.n_classes:
        targets = np.where(y[:, None] == np.arange(data.n_classes), 1.0, -1.0)
    else:
        targets = y[:, None]
    columns = np.stack([(trial.scores - trial.scores.mean(axis=0)).ravel() for trial in trials], axis=1)
    weights: Array = nnls(columns, (targets - targets.mean(axis=0)).ravel())[0]
    total = float(weights.sum())
    return weights / total if total > 0 else np.full(len(trials), 1.0 / len(trials))


def _sum(weights: Sequence[float], trials: Sequence[Trial]) -> Array:
    parts: list[Array] = [weight * trial.scores for weight, trial in zip(weights, trials)]
    return np.sum(parts, axis=0)

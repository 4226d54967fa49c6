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
    better: bool = False  # whether it is together that they are better; else they are as good as each other

    @property
    def scores(self) -> Array:
        """Weighted scores of the judged rows."""
        return _sum(self.weights, self.trials)


def stack_of(best: Trial, trials: Sequence[Trial], data: Data, most: int) -> Stack:
    """The best trial, or up to ``most`` of different kinds that saw as many rows.

    Together they have the weights of least squared error where these leave clearly less of the loss. Else labels are
    told by the mean of those that chance alone may have put behind the best: of such the best is the luckiest, and its
    lead is not seen again on other rows.
    """
    kinds = {best.candidate.kind: best}
    for trial in sorted(trials, key=lambda trial: (-trial.rung, trial.loss)):
        if trial.n_rows >= best.n_rows and not trial.candidate.solved:
            kinds.setdefault(trial.candidate.kind, trial)
    together = _least_squares(list(kinds.values()), data, most)
    if together.better and judge(together.scores, data)[0] < (1.0 - GAIN) * judge(best.scores, data)[0]:
        return together
    equals = [trial for trial in kinds.values() if trial is best or _chance(best, trial, data)][:most]
    return Stack(tuple(equals), (1.0 / len(equals),) * len(equals))


def _least_squares(trials: list[Trial], data: Data, most: int) -> Stack:
    """Weights of least squared error of the held-out targets, none negative (Breiman 1996).

    They are few, so that the rows that give them can also judge them.
    """
    while len(trials) > 1:
        weights = _weights(trials, data)
        weakest = int(weights.argmin())
        if len(trials) <= most and weights[weakest] >= LEAST_WEIGHT:
            return Stack(tuple(trials), tuple(float(weight) for weight in weights), better=True)
        trials = trials[:weakest] + trials[weakest + 1 :]
    return Stack(tuple(trials), (1.0,))


def _chance(best: Trial, other: Trial, data: Data) -> bool:
    """Whether the shares of labels that two got right differ by less than the standard error of one."""
    if not data.n_classes:
        return False
    error = np.sqrt(best.score * (1.0 - best.score) / len(best.scores))
    return bool(best.score - other.score < error)


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

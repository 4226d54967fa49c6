"""Which trials go on, and as what."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .candidates import Candidate
from .trial import Trial

FAR = 1.3  # a candidate whose loss is so many times the least does not catch up
FURTHEST = 3.0  # the same for the best of each family


def loss(trial: Trial) -> float:
    """What orders trials: less is better."""
    return trial.loss


def leaders(trials: Iterable[Trial]) -> list[Trial]:
    """The best of each family on its highest rung, in order."""
    first: dict[Any, Trial] = {}
    for trial in sorted(trials, key=lambda trial: (-trial.rung, trial.loss)):
        first.setdefault(trial.candidate.family, trial)
    return sorted(first.values(), key=loss)


def best_of_kinds(trials: Iterable[Trial]) -> list[Trial]:
    """The best of each kind of candidate, in order."""
    first: dict[Any, Trial] = {}
    for trial in sorted(trials, key=loss):
        first.setdefault(trial.candidate.kind, trial)
    return list(first.values())


def settled(trial: Trial) -> Candidate:
    """The candidate with the regularisation that was found: finding it again takes passes, or eigenvalues."""
    known = trial.candidate.alpha == trial.alpha  # then it is the same object, whose trials are not made again
    return trial.candidate if known else trial.candidate.with_alpha(trial.alpha)


def carried(trial: Trial) -> Candidate:
    """The candidate for more rows and features: GCV is asked again, a path is not."""
    return trial.candidate if trial.candidate.family.dense else settled(trial)


def better_half(trials: list[Trial], most: int) -> list[Trial]:
    """The better half, at most so many, without those that are far behind; the best of a family has more patience."""
    order = sorted(trials, key=loss)
    half = min(most, max(2, (len(order) + 1) // 2))
    first = [trial.candidate for trial in leaders(trials)]
    kept = []
    for place, trial in enumerate(order):
        leads = any(trial.candidate is candidate for candidate in first)
        if trial.loss <= order[0].loss * (FURTHEST if leads else FAR) and (leads or place < half):
            kept.append(trial)
    return kept

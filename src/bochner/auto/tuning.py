"""The details of a candidate: its metric, a common factor on its length scales, alpha, single columns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from .attempts import Attempts
from .candidates import Candidate
from .families import THIRD, Exact
from .proposals import MANY_ROWS, STEP
from .ranking import settled
from .trial import Trial

MOST_COLUMNS = 12  # whose length scales are refined one by one
PATIENCE = 3  # of them in a row without a gain
EQUAL = 1e-3  # a relative improvement below this is not one
WORTH = 4e-3  # and below this not worth another step of the same kind
MOST_STEPS = 4  # in one direction
SHARPER = 8  # metrics after the first, at most
ALPHA_STEP = 10.0**-0.5

Move = Callable[[Candidate, float], Candidate]


class Tuning:
    """Goes downhill in the loss of held-out rows from a trial on, with the same random draws throughout."""

    def __init__(self, attempts: Attempts) -> None:
        self.attempts = attempts

    def sharpen(self, trial: Trial) -> Trial:
        """The metric of the gradients of the model itself, again and again while it helps.

        Where the final machine ends after a few passes, the models of numbers that give the metrics are solved to the
        end: what few passes leave out is missing in their gradients. For labels nothing is gained by that.
        """
        task = self.attempts.task
        as_they_are = task.kept or task.classification or not task.keeps(trial.n_rows)
        if as_they_are or trial.sharper is None or not is_exact(trial):
            return self._sharpened(trial)
        first = self.attempts.attempt(trial.candidate.with_solution(True), trial.rung)
        best = first and self._sharpened(self._downhill(first, by_alpha, ALPHA_STEP**2, 1))
        if best is None or best is first:
            return trial
        tried = self.attempts.attempt(best.candidate.with_solution(False), trial.rung)
        return tried if tried is not None and tried.loss < trial.loss else trial

    def _sharpened(self, best: Trial) -> Trial:
        for _ in range(SHARPER):
            if best.sharper is None:
                break
            tried = self.attempts.attempt(best.candidate.with_matrix(best.sharper), best.rung)
            if tried is None or tried.loss > best.loss * (1.0 - EQUAL):
                break
            best = tried
        return best

    def tune(self, trial: Trial) -> Trial:
        """The common factor on the length scales, and alpha where no path chose it, while it helps."""
        if not trial.candidate.family.has_scales:
            return trial
        best = self._downhill(trial, by_factor, STEP, MOST_STEPS)
        if not is_exact(best):
            best = self._through_path(best)
        elif self.attempts.task.kept:  # without, a few passes over the rows are no solution for any alpha
            best = self._downhill(best, by_alpha, ALPHA_STEP, MOST_STEPS)
        return self._downhill(best, by_factor, STEP**0.5, 1)  # two of these would be where it was already

    def _through_path(self, best: Trial) -> Trial:
        """Several alphas on the same features."""
        if best.candidate.alpha == "path":
            return best
        tried = self.attempts.attempt(best.candidate.with_alpha("path"), best.rung)
        if tried is None or tried.loss > best.loss * (1.0 - EQUAL):
            return best
        best = replace(tried, candidate=settled(tried), seconds=best.seconds)
        trials = self.attempts.trials
        trials[next(place for place, trial in enumerate(trials) if trial is tried)] = best  # known from now on
        return best

    def _downhill(self, trial: Trial, move: Move, step: float, most: int) -> Trial:
        """One number downwards while it helps, or else upwards."""
        best = trial
        for direction in (step, 1.0 / step):
            for _ in range(most):
                tried = self.attempts.attempt(move(best.candidate, direction), trial.rung)
                if tried is None or tried.loss > best.loss * (1.0 - EQUAL):
                    break
                worth = tried.loss < best.loss * (1.0 - WORTH)
                best = tried
                if not worth:
                    break
            if best is not trial:
                break
        return best

    def refine(self, best: Trial) -> Trial:
        """One length scale at a time, those that matter most first, in the time left."""
        scales = best.candidate.kernel.get_params().get("length_scale")
        if np.ndim(scales) == 0:
            return best
        self.attempts.reserved = 1.5 * self.attempts.wide_seconds(best)
        first = self.attempts.attempt(settled(best), min(THIRD, best.rung))
        here = first and self._refined(first)
        self.attempts.reserved = 0.0
        if first is None or here is None or here.loss > first.loss * (1.0 - WORTH):
            return best
        return self.attempts.attempt(settled(here), best.rung) or best

    def _refined(self, here: Trial) -> Trial:
        groups, in_vain = self.attempts.data.groups, 0
        _, firsts = np.unique(groups, return_index=True)
        order = np.argsort(here.candidate.kernel.length_scale[firsts], kind="stable")
        for first in firsts[order[:MOST_COLUMNS]]:
            better = self._better_columns(here, groups == groups[first])
            here, in_vain = (here, in_vain + 1) if better is None else (better, 0)
            if in_vain == (PATIENCE if self.attempts.data.n_training <= MANY_ROWS else 1):
                break
        return here

    def _better_columns(self, here: Trial, columns: np.ndarray) -> Trial | None:
        """The same with a shorter length scale of some columns, or a longer one, if that is better."""
        for factor in (STEP**0.5, STEP**-0.5):
            tried = self.attempts.attempt(here.candidate.with_columns(columns, factor), here.rung)
            if tried is None or tried.loss < here.loss * (1.0 - EQUAL):
                return tried
        return None


def by_factor(candidate: Candidate, ratio: float) -> Candidate:
    """All length scales times this."""
    return candidate.at_factor(candidate.factor * ratio)


def by_alpha(candidate: Candidate, ratio: float) -> Candidate:
    """Alpha times this."""
    return candidate.with_alpha(float(candidate.alpha) * ratio)


def is_exact(trial: Trial) -> bool:
    """Whether it is one of the kernel itself."""
    return trial.candidate.family == Exact()

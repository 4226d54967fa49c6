"""The squared hinge loss in place of squares: whether it suits, and its details."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .attempts import Attempts
from .candidates import Candidate
from .families import LAST, SMOOTH, Fourier
from .proposals import OWN_UNITS, SPREAD
from .trial import Trial

LARGEST_C = 100.0  # for rows with ||z|| = 1: more of it takes long and brings nothing
MOVES = ((1.0, 0.1), (0.5, 1.0), (2.0, 1.0))  # factors on the length scales and on C that are tried


class HingeLook:
    """Trials with the squared hinge; ``chosen`` is the best of them that can be afforded."""

    def __init__(self, attempts: Attempts) -> None:
        self.attempts = attempts
        self.chosen: Trial | None = None

    def like(self, trial: Trial) -> Trial | None:
        """The same with the squared hinge. The ridge objective with alpha is that of C = 1/(2 alpha) without it."""
        return self._attempt(trial.candidate, float(np.clip(0.5 / trial.alpha, 1.0, LARGEST_C)), trial.rung)

    def _attempt(self, candidate: Candidate, penalty: float, rung: int) -> Trial | None:
        """A trial with C = penalty, which wins if it is better and can be afforded."""
        trial = self.attempts.attempt(candidate.with_loss("squared hinge").with_alpha(1.0 / penalty), rung)
        better = trial is not None and (self.chosen is None or trial.score > self.chosen.score)
        if trial is not None and better and self.attempts.afford([trial]):
            self.chosen = trial
        return trial

    def tune(self, hinge: Trial) -> None:
        """From there, or from plain length scales (what is fitted more closely bears others), downhill, then wide."""
        family, rung = hinge.candidate.family, hinge.rung
        made = [hinge]
        for word in (SPREAD, OWN_UNITS) if family in SMOOTH else ():
            trials = self.attempts.trials
            plain = [t for t in trials if t.candidate.scales == word and t.candidate.family == Fourier()]
            for trial in sorted(plain, key=lambda trial: trial.loss)[:1]:
                tried = self._attempt(replace(trial.candidate, family=family), 0.3 * LARGEST_C, rung)
                made += [] if tried is None else [tried]
        here = max(made, key=lambda trial: trial.score)
        # Some kernels have no length scales: of the moves, the one of C is left.
        for factor, more in MOVES if family in SMOOTH else MOVES[:1]:
            while True:
                moved = here.candidate.at_factor(here.candidate.factor * factor)
                tried = self._attempt(moved, min(more / here.alpha, LARGEST_C), rung)
                if tried is None or tried.score <= here.score:
                    break
                here = tried
        last = self._attempt(here.candidate, 1.0 / here.alpha, LAST)
        if last is not None:
            self.attempts.clock.keep(self.attempts.final_seconds(last))

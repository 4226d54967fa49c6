"""A look at the kernel itself, a coefficient for each row, where a fit of that kind can be afforded."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..kernels import Gaussian, Matern, Projected
from ..kernels.projected import unprojected
from .attempts import Attempts
from .candidates import Candidate
from .families import SECOND, Exact, Nystroem
from .hinge import SMOOTH
from .proposals import MANY_COLUMNS
from .ranking import settled
from .trial import Trial

MOST_EXACT = 2
MANY_EXACT = 100_000  # rows beyond which the exact machine is not tried
DEAREST = 1.0  # part of the time left that it may take for all rows
DEAR = 0.2  # the same where it has no clear lead: the time is worth more to the others
LEAD = 0.95  # what it must leave of the loss of the others for a clear one


class ExactLook:
    """The smooth kernels that did best, with all rows for landmarks."""

    def __init__(self, attempts: Attempts) -> None:
        self.attempts = attempts

    def trials(self, made: list[Trial]) -> list[Trial]:
        """Trials of the kernels themselves beside what was made; none where they are too dear."""
        attempts = self.attempts
        if len(attempts.data.y) > MANY_EXACT:
            return []
        found: list[Trial] = []
        for candidate in self._candidates(made):
            tried = attempts.attempt(replace(candidate, family=Exact(), alpha="gcv"), SECOND)
            if tried is None:
                break
            if self._too_dear(tried):  # the first pays for memory: once more
                attempts.attempt(settled(tried), SECOND)
            found.append(tried)
            if self._too_dear(tried):
                break
        if not found or not self._worth_it(found, made):
            attempts.trials = [trial for trial in attempts.trials if trial.candidate.family != Exact()]
            return []
        return found

    def _candidates(self, made: list[Trial]) -> list[Candidate]:
        """The best smooth candidates, and rougher ones: with all rows these are often better, whatever landmarks said.

        Where kernel values are kept there is time for one more, the roughest in its own metric.
        """
        smooth = [t for t in made if t.candidate.family in SMOOTH and fast_values(t.candidate)]
        best = [trial.candidate for trial in sorted(smooth, key=lambda trial: trial.loss)]
        if not best:
            return []
        rougher = [best[0].with_kernel(Matern(nu=1.5))] if is_gaussian(best[0]) else []
        if not self.attempts.task.kept:
            return (best[:1] + rougher + best[1:])[:MOST_EXACT]
        trials = self.attempts.trials
        roughest = [t.candidate for t in trials if t.candidate.family == Nystroem() and is_roughest(t.candidate)]
        known = {candidate.kernel_name for candidate in best[:1]}
        return (best[:1] + [c for c in roughest[:1] if c.kernel_name not in known] + best[1:] + rougher)[
            : MOST_EXACT + 1
        ]

    def _too_dear(self, exact: Trial, part: float = DEAREST) -> bool:
        return self.attempts.final_seconds(exact) > part * self.attempts.clock.left()

    def _worth_it(self, exact: list[Trial], others: list[Trial]) -> bool:
        """Whether the exact machine can be afforded, and leads clearly where it would take much of the time."""
        lead = min(trial.loss for trial in exact) < LEAD * min(trial.loss for trial in others)
        return not any(self._too_dear(trial, DEAREST if lead else DEAR) for trial in exact)


def fast_values(candidate: Candidate) -> bool:
    """Whether kernel values are made quickly."""
    kernel = candidate.kernel
    columns = len(kernel.matrix) if isinstance(kernel, Projected) else np.size(kernel.get_params()["length_scale"])
    return isinstance(unprojected(kernel), Gaussian | Matern) and columns <= MANY_COLUMNS


def is_gaussian(candidate: Candidate) -> bool:
    """Whether the kernel is the smoothest."""
    return isinstance(unprojected(candidate.kernel), Gaussian)


def is_roughest(candidate: Candidate) -> bool:
    """Whether the kernel is exp(-r) in a metric."""
    kernel = unprojected(candidate.kernel)
    return isinstance(candidate.kernel, Projected) and isinstance(kernel, Matern) and kernel.nu == 0.5

"""A look at the kernel itself, a coefficient for each row, where a fit of that kind can be afforded."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..kernels import Gaussian, Laplace, Matern, Metric
from .attempts import Attempts
from .candidates import Candidate
from .families import SECOND, SMOOTH, Exact, Nystroem
from .proposals import MANY_COLUMNS
from .ranking import loss, settled
from .trial import Trial

MOST_EXACT = 2
FEW_COLUMNS = 64  # of which sums of distances are made as quickly as products
MANY_EXACT = 100_000  # rows beyond which the exact machine is not tried
DEAREST = 1.0  # part of the time left that it may take for all rows
DEAR = 0.2  # the same where it has no clear lead: the time is worth more to the others
NEVER_DEAR = 2.0  # seconds
LEAD = 0.95  # what it must leave of the loss of the others for a clear one


class ExactLook:
    """The smooth kernels that did best, with all rows for landmarks."""

    def __init__(self, attempts: Attempts) -> None:
        self.attempts = attempts

    @property
    def early(self) -> bool:
        """Whether a trial costs no more than one at landmarks, so that these can wait."""
        return self.attempts.task.kept

    def trials(self, made: list[Trial]) -> list[Trial]:
        """Trials of the kernels themselves, of those that were made with features; as long as a final fit fits."""
        found: list[Trial] = []
        if len(self.attempts.data.y) > MANY_EXACT:
            return found
        for candidate in self._candidates(made):
            tried = self.attempts.attempt(candidate, SECOND)
            if tried is None:
                break
            if self._too_dear(tried):  # the first pays for memory: once more
                self.attempts.attempt(settled(tried), SECOND)
            found.append(tried)
            if self._too_dear(tried):
                break
        return found

    def worth(self, found: list[Trial], others: list[Trial]) -> list[Trial]:
        """These trials where the machine can be afforded; without a clear lead only where it takes little of the time.

        Where kernel values are not kept that is never so: a few passes vary by more than such leads.
        Else none, and they are forgotten.
        """
        losses = [trial.loss for trial in others]
        lead = min((trial.loss for trial in found), default=np.inf) < LEAD * min(losses, default=np.inf)
        if found and (lead or self.early):
            part = DEAREST if lead else DEAR
            if not any(self._too_dear(trial, part) for trial in found):
                return found
        self.attempts.trials = [trial for trial in self.attempts.trials if trial.candidate.family != Exact()]
        return []

    def _candidates(self, made: list[Trial]) -> list[Candidate]:
        """The best smooth candidates, rougher ones, and what binning comes near to with ever more grids.

        With all rows rougher kernels are often better, whatever landmarks said. Where kernel values are kept there is
        time for one more, the roughest in its own metric.
        """
        order = [trial.candidate for trial in sorted(made, key=loss) if fast_values(trial.candidate)]
        smooth = [as_exact(candidate) for candidate in order if candidate.family in SMOOTH]
        coded = [as_exact(candidate) for candidate in order if not candidate.family.dense]
        rougher = [smooth[0].with_kernel(Matern(nu=1.5))] if smooth and is_gaussian(smooth[0]) else []
        if not self.attempts.task.kept:
            return distinct(smooth[:1] + rougher + smooth[1:])[:MOST_EXACT] + coded[:1]
        trials = self.attempts.trials
        roughest = [t.candidate for t in trials if t.candidate.family == Nystroem() and is_roughest(t.candidate)]
        own = [as_exact(candidate) for candidate in roughest[:1]]
        return distinct(smooth[:1] + own + coded[:1] + smooth[1:] + rougher)[: MOST_EXACT + 2]

    def _too_dear(self, exact: Trial, part: float = DEAREST) -> bool:
        return self.attempts.final_seconds(exact) > max(part * self.attempts.clock.left(), NEVER_DEAR)


def as_exact(candidate: Candidate) -> Candidate:
    """The same kernel with a coefficient for each row."""
    return replace(candidate, family=Exact(), alpha="gcv")


def distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Each but once."""
    found: list[Candidate] = []
    for candidate in candidates:
        if not any(candidate.same_as(other) for other in found):
            found.append(candidate)
    return found


def fast_values(candidate: Candidate) -> bool:
    """Whether kernel values are made quickly."""
    kernel = candidate.kernel
    if not isinstance(kernel, Gaussian | Matern | Laplace):
        return False
    scale: Any = kernel.length_scale
    columns = scale.n_directions if isinstance(scale, Metric) else np.size(scale)
    return bool(columns <= (FEW_COLUMNS if isinstance(kernel, Laplace) else MANY_COLUMNS))


def is_gaussian(candidate: Candidate) -> bool:
    """Whether the kernel is the smoothest."""
    return isinstance(candidate.kernel, Gaussian)


def is_roughest(candidate: Candidate) -> bool:
    """Whether the kernel is exp(-r) in a metric."""
    kernel = candidate.kernel
    return isinstance(kernel, Matern) and kernel.nu == 0.5 and isinstance(kernel.length_scale, Metric)

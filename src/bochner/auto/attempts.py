"""The trials made so far, the next one where the budget allows it, and what it is expected to cost."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from tqdm.auto import tqdm

from ..engines.progress import watched
from .budget import Clock
from .candidates import Candidate, Task
from .families import LAST, SECOND, Exact
from .ranking import leaders, settled
from .trial import Data, Failure, Trial, run_trial

logger = logging.getLogger(__name__)

MORE_STEPS = 1.5  # time with the squared hinge over that of ridge regression, before it is known
CLEARLY = 0.3  # standard errors of the share of errors that make a difference, for rows that both losses are judged on


class Attempts:
    """Trials of one data set and task within a budget; none is made twice.

    What fails is kept apart with the reason, so that nothing is chosen from it; until a trial succeeds the budget does
    not end them.
    """

    def __init__(self, data: Data, task: Task, clock: Clock, progress: bool) -> None:
        self.data = data
        self.task = task
        self.clock = clock
        self.trials: list[Trial] = []
        self.failures: list[Failure] = []
        self.reserved = 0.0  # seconds
        self.bar = tqdm(desc="searching", unit=" trials", leave=False, disable=not (progress and watched()))

    def rows(self, candidate: Candidate, rung: int) -> int:
        """Rows that a candidate is fitted on."""
        return min(candidate.family.rows[rung], self.data.n_training)

    def attempt_all(self, candidates: Iterable[Candidate], rung: int) -> list[Trial]:
        """One trial after the other, as far as the budget goes."""
        made = (self.attempt(candidate, rung) for candidate in candidates)
        return [trial for trial in made if trial is not None]

    def attempt(self, candidate: Candidate, rung: int) -> Trial | None:
        """One trial, where the budget allows it and it does not fail; what is known already costs nothing."""
        n_rows = self.rows(candidate, rung)
        width = candidate.family.width(rung, n_rows)
        known = self._known(candidate, rung, n_rows, width)
        if known is not None:
            return known
        if self._known_to_fail(candidate, n_rows, width):
            return None
        if self.trials and not self.clock.allows(self.expected(candidate, n_rows, width) + self.reserved):
            return None
        start = time.perf_counter()
        self.clock.count()
        self.bar.update()
        try:
            trial = run_trial(candidate, self.data, self.task, rung, n_rows, width)
        except Exception as error:  # of any kind: one candidate's failure is no other's
            self.failed(candidate, rung, n_rows, width, time.perf_counter() - start, error)
            return None
        self.trials.append(trial)
        self.bar.set_postfix_str(f"best {self.best().score:.4f}, last {candidate.label}")
        logger.info("%s: %.5f on %d rows in %.1f s", candidate.label, trial.score, n_rows, trial.seconds)
        return trial

    def failed(
        self, candidate: Candidate, rung: int, n_rows: int, width: int, seconds: float, error: Exception
    ) -> None:
        """Keep what failed, and why."""
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        logger.info("%s failed on %d rows. %s", candidate.label, n_rows, reason)
        self.failures.append(Failure(candidate, rung, n_rows, width, seconds, reason, self.data.tail))

    def failed_at_last(self, trial: Trial, seconds: float, error: Exception) -> None:
        """Keep what failed on all rows."""
        self.failed(trial.candidate, LAST + 1, len(self.data.y), trial.width, seconds, error)

    def _known_to_fail(self, candidate: Candidate, n_rows: int, width: int) -> bool:
        """Whether the same failed before on the same rows."""
        return any(
            (failure.n_rows, failure.width, failure.tail) == (n_rows, width, self.data.tail)
            and failure.candidate.same_as(candidate)
            for failure in self.failures
        )

    def _known(self, candidate: Candidate, rung: int, n_rows: int, width: int) -> Trial | None:
        """The trial that this would be again, on its own rung; the same rows and width on a higher one say the same."""
        for trial in reversed(self.trials):
            if (trial.n_rows, trial.width) == (n_rows, width) and trial.candidate.same_as(candidate):
                if trial.rung < rung:
                    trial = replace(trial, rung=rung)
                    self.trials.append(trial)
                return trial
        return None

    def best(self) -> Trial:
        """The best trial, each family as far as it came, of those that came beyond the first look if there are any."""
        seen = self.comparable()
        beyond = [trial for trial in seen if trial.rung >= SECOND]
        return leaders(beyond or seen)[0]

    def comparable(self) -> list[Trial]:
        """Those whose losses say what a final model will do: with squares, and solved as it will be."""
        return [t for t in self.trials if t.candidate.loss == "squared" and not t.candidate.solved]

    def uncertainty(self, trial: Trial) -> float:
        """A part of the standard error of a share of rows."""
        return CLEARLY * float(np.sqrt(trial.score * (1.0 - trial.score) / len(trial.scores)))

    # -- seconds

    def expected(self, candidate: Candidate, n_rows: int, width: int) -> float:
        """Seconds that a trial will take, from the fastest of the same family and loss: first ones pay for memory."""
        work = candidate.family.work
        rates = [
            trial.seconds / work(trial.n_rows, trial.width)
            for trial in self.trials
            if trial.candidate.machine == candidate.machine and trial.candidate.alpha != "path"
        ]
        if rates:
            return min(rates) * work(n_rows, width)
        if candidate.solved:
            return self.expected(candidate.with_solution(False), n_rows, width)
        if candidate.loss == "squared":
            return 0.5
        return MORE_STEPS * self.expected(candidate.with_loss("squared"), n_rows, width)

    def wide_seconds(self, trial: Trial) -> float:
        """Time of the last, wide look."""
        n_rows = self.rows(trial.candidate, LAST)
        return self.expected(settled(trial), n_rows, trial.candidate.family.width(LAST, n_rows))

    def final_seconds(self, trial: Trial) -> float:
        """Time to fit on all rows at the width of a trial; conjugate gradients go on for longer than in the search."""
        if trial.candidate.family == Exact():
            name, work = trial.candidate.kernel_name, trial.candidate.family.work
            exact = [t for t in self.comparable() if t.candidate.family == Exact() and t.candidate.kernel_name == name]
            return min(t.fitting / work(t.n_rows, t.width) for t in exact) * work(len(self.data.y), trial.width)
        longer = 1.0 if trial.candidate.family.dense else 2.0
        return longer * self.expected(trial.candidate, len(self.data.y), trial.width)

    def afford(self, trials: Iterable[Trial]) -> bool:
        """Whether all of them can be fitted on all rows in the time left."""
        return sum(map(self.final_seconds, trials)) < self.clock.left()

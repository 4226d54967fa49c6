"""The search: successive halving over maps and length scales on growing samples, then the details of the best."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from ..compute.threads import thread_count
from ..learners.log_tail import LogTail
from .attempts import Attempts
from .budget import Clock
from .candidates import Candidate, Task
from .exact_look import ExactLook, as_exact
from .families import LAST, SECOND, THIRD, Exact, Fourier, Nystroem
from .hinge import HingeLook
from .lessons import Lessons
from .proposals import MANY_ROWS, Proposals
from .ranking import best_of_kinds, better_half, carried, leaders, loss, settled
from .trial import Data, Failure, Trial
from .tuning import EQUAL, Tuning

logger = logging.getLogger(__name__)

NEAR = 2.0  # a candidate whose loss is so many times the least is not tuned
CLEAR = 1.2  # a lead that the other families do not make up for
CHEAPER = 0.99  # what landmarks must leave of the loss of Fourier features, which cost less and are as smooth
MOST_AT_LANDMARKS = 3
TOO_FAR = 1.5  # times the least loss: what landmarks do not make up for
QUICK = 0.2  # part of the time left
MOST_LEARNED = 1 << 18  # rows from which length scales are learned


class Search:
    """Makes trials until the budget is spent or nothing is left to try; what it found so far is always at hand."""

    def __init__(
        self,
        data: Data,
        targets: np.ndarray,
        units: np.ndarray,
        task: Task,
        clock: Clock,
        progress: bool,
        tail: LogTail | None = None,
    ) -> None:
        self.tail = tail  # a transformation of the targets to try
        self.clock = clock
        self.attempts = Attempts(data, task, clock, progress)
        self.tuning = Tuning(self.attempts)
        self.hinge = HingeLook(self.attempts)
        self.exact = ExactLook(self.attempts)
        known = data.folds[0].training[:MOST_LEARNED]
        threads = thread_count(task.n_jobs)
        lessons = Lessons(
            data.X[known], targets[known], task.seed, threads, lambda: not clock.has_time(0.0), data.groups
        )
        self.proposals = Proposals(lessons, units, data, clock, self._lesson_failed)
        self.waiting: list[Trial] = []

    @property
    def trials(self) -> list[Trial]:
        """What was tried."""
        return self.attempts.trials

    def run(self) -> None:
        """Search; an interruption ends it early, with what was found."""
        try:
            self._run()
        except KeyboardInterrupt:
            if not self.trials:
                raise
            logger.warning("The search was interrupted: going on with the best of %d trials.", len(self.trials))
        finally:
            self.attempts.bar.close()

    def _lesson_failed(self, candidate: Candidate, error: Exception) -> None:
        """What was to be learned for a candidate could not be."""
        n_rows = self.attempts.rows(candidate, 0)
        self.attempts.failed(candidate, 0, n_rows, candidate.family.width(0, n_rows), 0.0, error)

    def _run(self) -> None:
        self._transform()
        survivors = self._first_look()
        if not self.trials:
            raise RuntimeError(nothing_fits(self.attempts.failures))
        if self.attempts.data.n_training > self.attempts.rows(self.proposals.first, 0):
            survivors = self._second_look(survivors)
        survivors = self._third_look(survivors)
        order = leaders(survivors)
        for trial in order:
            self._settle(trial, order)
        self._at_landmarks(self.attempts.attempt_all(map(carried, self.waiting), SECOND))
        for trial in self._runners_up(order):
            if trial.candidate.family == Exact():
                self._look_wide([self._tuned_exact(trial)])
            else:
                self._settle(trial, [self.attempts.best()])

    def _transform(self) -> None:
        """Keep the logarithm of a skewed target where the plainest candidate is better with it."""
        if self.tail is None:
            return
        plain, attempts = self.proposals.first, self.attempts
        bare, data = attempts.attempt(plain, 0), attempts.data
        without, attempts.trials = attempts.trials, []
        attempts.data = replace(data, y=self.tail.forward(data.y), tail=self.tail)
        tried = attempts.attempt(plain, 0)
        if tried is None or (bare is not None and tried.loss > bare.loss * (1.0 - EQUAL)):
            attempts.data, attempts.trials = data, without
        else:
            self.proposals = self.proposals.with_targets(self.tail.forward)

    # -- looks

    def _first_look(self) -> list[Trial]:
        """Every candidate on few rows, those without learning first; the better half goes on."""
        made = self.attempts.attempt_all(self.proposals.plain(), 0)
        made += self.attempts.attempt_all(self.proposals.learned(self._rough_is_clear), 0)
        return better_half(made, 6)

    def _rough_is_clear(self) -> bool:
        """Whether rows are so many that time is short, and binning leads already."""
        dense = min((t.loss for t in self.trials if t.candidate.family.dense), default=np.inf)
        coded = min((t.loss for t in self.trials if not t.candidate.family.dense), default=np.inf)
        return self.attempts.data.n_training > MANY_ROWS and dense > CLEAR * coded

    def _second_look(self, survivors: list[Trial]) -> list[Trial]:
        """The survivors on more rows, and smooth kernels with a coefficient for each row, where that can be afforded.

        These come first where they cost no more than landmarks; features of the same kernels then wait for time left.
        """
        exact = self.exact.trials(survivors) if self.exact.early else []
        known = [as_exact(trial.candidate) for trial in exact]
        self.waiting = [t for t in survivors if any(as_exact(t.candidate).same_as(other) for other in known)]
        others = [trial for trial in survivors if all(trial is not other for other in self.waiting)]
        made = self._at_landmarks(self.attempts.attempt_all(map(carried, others), SECOND))
        exact = exact if self.exact.early else self.exact.trials(made)
        return better_half(made + self.exact.worth(exact, made), 3) or survivors

    def _at_landmarks(self, made: list[Trial]) -> list[Trial]:
        """The best kernels of Fourier features at landmarks too, and in their place where that is better."""
        fourier = sorted((t for t in made if t.candidate.family == Fourier()), key=loss)
        near = [trial for trial in fourier if trial.loss < TOO_FAR * min(other.loss for other in made)]
        for trial in near[:MOST_AT_LANDMARKS]:
            at_landmarks = replace(trial.candidate, family=Nystroem())
            if any(other.candidate.label == at_landmarks.label for other in self.trials):
                continue
            tried = self.attempts.attempt(at_landmarks, SECOND)
            if tried is not None and tried.loss < CHEAPER * trial.loss:
                made = [tried if other is trial else other for other in made]
        return made

    def _third_look(self, survivors: list[Trial]) -> list[Trial]:
        """Codes on many more rows, where there are so many."""
        coded = [trial for trial in survivors if not trial.candidate.family.dense]
        if not coded or self.attempts.rows(coded[0].candidate, THIRD) <= coded[0].n_rows:
            return survivors
        made = self.attempts.attempt_all((settled(trial) for trial in coded), THIRD)
        return [trial for trial in survivors if trial.candidate.family.dense] + (made or coded)

    # -- details

    def _settle(self, trial: Trial, rivals: list[Trial]) -> None:
        """Tune the best of a family that is near, with the loss that suits it, and see it nearly at full width."""
        family = trial.candidate.family
        if family == Exact():
            self._settle_exact(trial, rivals)
            return
        better = [rival for rival in rivals if rival.loss * NEAR < trial.loss]
        better += [t for t in self.trials if t.candidate.family == Exact() and t.loss * CLEAR < trial.loss]
        if family == Fourier():  # of the same kind as what landmarks do
            better += [rival for rival in rivals if rival.candidate.family == Nystroem() and rival.loss < trial.loss]
        if better:
            return
        hinge = self.hinge.like(trial) if self.attempts.task.classification and family.dense else None
        if hinge is not None and hinge.score > trial.score + self.attempts.uncertainty(trial):
            self.hinge.tune(hinge)
            return
        self.attempts.reserved = 1.2 * self.attempts.wide_seconds(trial)  # a last look at what was tuned is worth more
        tuned = self.tuning.tune(self.tuning.sharpen(trial))
        self.attempts.reserved = 0.0
        last = self.attempts.attempt(settled(tuned), LAST)
        if last is not None:
            self.clock.keep(self.attempts.final_seconds(last))
            if not family.dense and self.attempts.best() is last:
                self.tuning.refine(last)

    def _settle_exact(self, trial: Trial, rivals: list[Trial]) -> None:
        """The same for exact machines of every kernel that is near, on more rows where that is quick or in doubt."""
        self.clock.keep(self.attempts.final_seconds(trial))
        if self.attempts.rows(trial.candidate, LAST) > trial.n_rows:
            self.attempts.reserved = 1.2 * self.attempts.wide_seconds(trial)
        tuned = [trial]
        for first in best_of_kinds(t for t in self.trials if t.candidate.family == Exact()):
            if first.loss < CLEAR * min(tuned, key=loss).loss:
                tuned.append(self._tuned_exact(first))
        tuned = best_of_kinds([self.tuning.refine(min(tuned, key=loss)), *tuned])
        self.attempts.reserved = 0.0
        self.clock.keep(self.attempts.final_seconds(tuned[0]))
        if any(t.loss < CLEAR * tuned[0].loss for t in rivals if t.candidate.family != Exact()):
            self.attempts.attempt(settled(tuned[0]), LAST)
        self._look_wide(tuned[:2])  # the second for a stack

    def _tuned_exact(self, trial: Trial) -> Trial:
        return self.tuning.tune(self.tuning.sharpen(replace(trial, candidate=settled(trial))))

    def _look_wide(self, trials: list[Trial]) -> None:
        """The last look of those for which it is quick."""
        for trial in trials:
            if self.attempts.wide_seconds(trial) < QUICK * self.clock.left():
                self.attempts.attempt(settled(trial), LAST)

    def _runners_up(self, leading: list[Trial]) -> Iterable[Trial]:
        """What was not the best of its family, the best first, in the time left: a stack may gain by it.

        Fourier features are much like others of them.
        """
        attempts, best = self.attempts, self.attempts.best()
        seen = {trial.candidate.kind for trial in leading}
        seen |= {trial.candidate.kind for trial in self.trials if trial.rung == LAST}
        second = [t for t in attempts.comparable() if t.rung == SECOND]
        for trial in sorted(second, key=loss):
            affordable = self.clock.allows(3.0 * trial.seconds + attempts.wide_seconds(trial))
            alike = trial.candidate.kind in seen or trial.candidate.family == Fourier()
            if affordable and not alike and trial.loss < TOO_FAR * best.loss:
                seen.add(trial.candidate.kind)
                yield trial

    def next_best(self, best: Trial) -> list[Trial]:
        """Others for the case that the best cannot be fitted on all rows: the best of each family, then all."""
        comparable = self.attempts.comparable()
        order = [*leaders(comparable), *sorted(comparable, key=lambda trial: (-trial.rung, trial.loss))]
        return [t for place, t in enumerate(order) if t is not best and all(t is not seen for seen in order[:place])]

    def winner(self) -> Trial:
        """What is fitted on all rows."""
        best, chosen = self.attempts.best(), self.hinge.chosen
        if chosen is None:
            return best
        rivals = [t.score for t in self.trials if t.n_rows >= chosen.n_rows and t.candidate.loss == "squared"]
        least = max(rivals, default=0.0) + self.attempts.uncertainty(chosen)
        return chosen if chosen.score > least else best


def nothing_fits(failures: Sequence[Failure]) -> str:
    """One sentence for a table that no candidate could be fitted to."""
    return (
        f"None of {len(failures)} models could be fitted, the first of them, {failures[0].candidate.label}, because of "
        f"{failures[0].reason} Look for columns or targets with extreme values, or give more memory."
    )

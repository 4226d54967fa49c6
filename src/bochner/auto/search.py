"""The search: successive halving over maps and length scales on growing samples, then the details of the best."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from tqdm import tqdm

from ..compute.threads import thread_count
from ..kernels import Gaussian, Matern, Projected
from ..kernels.projected import unprojected
from .budget import Clock
from .candidates import Candidate, Task
from .families import LAST, SECOND, THIRD, Exact, Fourier, Nystroem
from .proposals import MANY_COLUMNS, MANY_ROWS, OWN_UNITS, SPREAD, STEP, Proposals
from .ranking import best_of_kinds, better_half, carried, leaders, settled
from .scales import Learner
from .skew import LogTail
from .trial import Data, Trial, run_trial

logger = logging.getLogger(__name__)

NEAR = 2.0  # a candidate whose loss is so many times the least is not tuned
CLEAR = 1.2  # a lead that the other families do not make up for
MOST_COLUMNS = 12  # whose length scales are refined one by one
PATIENCE = 3  # of them in a row without a gain
LARGEST_C = 100.0  # for rows with ||z|| = 1: more of it takes long and brings nothing
MORE_STEPS = 1.5  # time with the squared hinge over that of ridge regression, before it is known
CHEAPER = 0.99  # what landmarks must leave of the loss of Fourier features, which cost less and are as smooth
MOST_AT_LANDMARKS = 3
TOO_FAR = 1.5  # times the least loss: what landmarks do not make up for
MOST_EXACT = 2
MANY_EXACT = 100_000  # rows beyond which the exact machine is not tried
DEAREST = 1.0  # part of the time left that it may take for all rows
DEAR = 0.2  # the same where it has no clear lead: the time is worth more to the others
LEAD = 0.95  # what it must leave of the loss of the others for a clear one
HINGE_MOVES = ((1.0, 0.1), (0.5, 1.0), (2.0, 1.0))  # factors on the length scales and on C that the squared hinge tries
CLEARLY = 0.3  # standard errors of the share of errors that make a difference, for rows that both losses are judged on
SMOOTH = (Fourier(), Nystroem())
EQUAL = 1e-3  # a relative improvement below this is not one
WORTH = 4e-3  # and below this not worth another step of the same kind
MOST_STEPS = 4  # in one direction
SHARPER = 6  # metrics after the first, at most
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
        self.data = data
        self.tail = tail  # a transformation of the targets to try
        self.task = task
        self.clock = clock
        self.trials: list[Trial] = []
        self.chosen: Trial | None = None
        self.reserved = 0.0  # seconds
        known = data.folds[0].training[:MOST_LEARNED]
        threads = thread_count(task.n_jobs)
        learner = Learner(data.X[known], targets[known], task.seed, threads, lambda: not clock.has_time(0.0))
        self.proposals = Proposals(learner, units, data, clock)
        self.bar = tqdm(desc="searching", unit=" trials", leave=False, disable=not (progress and sys.stderr.isatty()))

    def run(self) -> None:
        """Search; an interruption ends it early, with what was found."""
        try:
            self._run()
        except KeyboardInterrupt:
            if not self.trials:
                raise
            logger.warning("The search was interrupted: going on with the best of %d trials.", len(self.trials))
        finally:
            self.bar.close()

    def _run(self) -> None:
        self._transform()
        survivors = self._first_look()
        if self.data.n_training > self._rows(self.proposals.first, 0):
            survivors = self._second_look(survivors)
        survivors = self._third_look(survivors)
        order = leaders(survivors)
        for trial in order:
            self._settle(trial, order)
        for trial in self._runners_up(order):
            self._settle(trial, [self.best()])

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
        hinge = self._hinge(trial, trial.rung) if self.task.classification and family.dense else None
        if hinge is not None and hinge.score > trial.score + self._uncertainty(trial):
            self._tune_hinge(hinge)
            return
        self.reserved = 1.2 * self._wide_seconds(trial)  # a last look at what was tuned is worth more
        tuned = self._tune(self._sharpen(trial))
        self.reserved = 0.0
        last = self._try(settled(tuned), LAST)
        if last is not None:
            self.clock.keep(self._final_seconds(last))
            if not family.dense and self.best() is last:
                self._refine(last)

    def _settle_exact(self, trial: Trial, rivals: list[Trial]) -> None:
        """The same for the exact machine, on more rows only where its lead is in doubt: that takes as long as a fit."""
        self.clock.keep(self._final_seconds(trial))
        known = [t for t in self.trials if t.candidate.family == Exact() and t.loss < TOO_FAR * trial.loss]
        tuned = [self._tune(self._sharpen(replace(t, candidate=settled(t)))) for t in best_of_kinds(known)]
        best = min(tuned, key=lambda trial: trial.loss)
        self.clock.keep(self._final_seconds(best))
        others = [rival for rival in rivals if rival.candidate.family != Exact()]
        if any(rival.loss < CLEAR * best.loss for rival in others):
            self._try(settled(best), LAST)

    def _runners_up(self, leading: list[Trial]) -> Iterable[Trial]:
        """What was not the best of its family, the best first, in the time left: a stack may gain by it."""
        seen = {trial.candidate.kind for trial in leading}
        seen |= {trial.candidate.kind for trial in self.trials if trial.rung == LAST}
        second = [trial for trial in self.trials if trial.rung == SECOND and trial.candidate.loss == "squared"]
        for trial in sorted(second, key=lambda trial: trial.loss):
            wide = (
                self._rows(trial.candidate, LAST),
                trial.candidate.family.width(LAST, self._rows(trial.candidate, LAST)),
            )
            affordable = self.clock.allows(3.0 * trial.seconds + self._expected(settled(trial), *wide))
            if trial.candidate.kind not in seen and trial.candidate.family != Fourier() and affordable:
                seen.add(trial.candidate.kind)
                yield trial

    def _transform(self) -> None:
        """Keep the logarithm of a skewed target where the plainest candidate is better with it."""
        if self.tail is None:
            return
        plain = self.proposals.first
        bare = self._try(plain, 0)
        data, self.data = self.data, replace(self.data, y=self.tail.forward(self.data.y), tail=self.tail)
        again = replace(plain)  # another object: the same candidate is not tried twice
        tried = self._try(again, 0)
        if bare is None or tried is None or tried.loss > bare.loss * (1.0 - EQUAL):
            self.data = data
            self.trials = [trial for trial in self.trials if trial is not tried]
        else:
            self.trials = [trial for trial in self.trials if trial is not bare]
            self.proposals = self.proposals.with_targets(self.tail.forward, again)

    # -- rungs

    def _rows(self, candidate: Candidate, rung: int) -> int:
        return min(candidate.family.rows[rung], self.data.n_training)

    def _first_look(self) -> list[Trial]:
        """Every candidate on few rows, those without learning first; the better half goes on."""
        made = self._try_all(self.proposals.plain(), 0)
        made += self._try_all(self.proposals.learned(self._rough_is_clear), 0)
        return better_half(made, 6)

    def _second_look(self, survivors: list[Trial]) -> list[Trial]:
        """The survivors on more rows, and the kernels of Fourier features at landmarks too."""
        made = self._try_all((carried(trial) for trial in survivors), SECOND)
        fourier = sorted((t for t in made if t.candidate.family == Fourier()), key=lambda trial: trial.loss)
        near = [trial for trial in fourier if trial.loss < TOO_FAR * min(other.loss for other in made)]
        for trial in near[:MOST_AT_LANDMARKS]:
            at_landmarks = replace(trial.candidate, family=Nystroem())
            if any(other.candidate.label == at_landmarks.label for other in self.trials):
                continue
            tried = self._try(at_landmarks, SECOND)
            if tried is not None and tried.loss < CHEAPER * trial.loss:
                made = [tried if other is trial else other for other in made]
        return better_half(made + self._exact_look(made), 3) or survivors

    def _exact_look(self, made: list[Trial]) -> list[Trial]:
        """The smooth kernels that did best, with all rows for landmarks, where a fit of that kind can be afforded."""
        if len(self.data.y) > MANY_EXACT:
            return []
        found: list[Trial] = []
        for candidate in self._exact_candidates(made):
            tried = self._try(replace(candidate, family=Exact(), alpha="gcv"), SECOND)
            if tried is None:
                break
            if self._too_dear(tried):  # the first pays for memory: once more
                self._try(settled(tried), SECOND)
            found.append(tried)
            if self._too_dear(tried):
                break
        if not found or not self._worth_it(found, made):
            self.trials = [trial for trial in self.trials if trial.candidate.family != Exact()]
            return []
        return found

    def _exact_candidates(self, made: list[Trial]) -> list[Candidate]:
        """The best smooth candidates, and rougher ones: with all rows these are often better, whatever landmarks said.

        Where kernel values are kept there is time for one more, the roughest in its own metric.
        """
        smooth = [t for t in made if t.candidate.family in SMOOTH and fast_values(t.candidate)]
        best = [trial.candidate for trial in sorted(smooth, key=lambda trial: trial.loss)]
        if not best:
            return []
        rougher = [best[0].with_kernel(Matern(nu=1.5))] if is_gaussian(best[0]) else []
        if not self.task.kept:
            return (best[:1] + rougher + best[1:])[:MOST_EXACT]
        roughest = [t.candidate for t in self.trials if t.candidate.family == Nystroem() and is_roughest(t.candidate)]
        known = {candidate.kernel_name for candidate in best[:1]}
        return (best[:1] + [c for c in roughest[:1] if c.kernel_name not in known] + best[1:] + rougher)[: MOST_EXACT + 1]

    def _too_dear(self, exact: Trial, part: float = DEAREST) -> bool:
        return self._final_seconds(exact) > part * self.clock.left()

    def _worth_it(self, exact: list[Trial], others: list[Trial]) -> bool:
        """Whether the exact machine can be afforded, and leads clearly where it would take much of the time."""
        lead = min(trial.loss for trial in exact) < LEAD * min(trial.loss for trial in others)
        return not any(self._too_dear(trial, DEAREST if lead else DEAR) for trial in exact)

    def _third_look(self, survivors: list[Trial]) -> list[Trial]:
        """Codes on many more rows, where there are so many."""
        coded = [trial for trial in survivors if not trial.candidate.family.dense]
        if not coded or self._rows(coded[0].candidate, THIRD) <= coded[0].n_rows:
            return survivors
        made = self._try_all((settled(trial) for trial in coded), THIRD)
        return [trial for trial in survivors if trial.candidate.family.dense] + (made or coded)

    def _try_all(self, candidates: Iterable[Candidate], rung: int) -> list[Trial]:
        made = (self._try(candidate, rung) for candidate in candidates)
        return [trial for trial in made if trial is not None]

    def _try(self, candidate: Candidate, rung: int) -> Trial | None:
        """One trial, where the budget allows it."""
        n_rows = self._rows(candidate, rung)
        width = candidate.family.width(rung, n_rows)
        for trial in self.trials:
            if trial.candidate is candidate and trial.rung == rung:
                return trial
        if self.trials and not self.clock.allows(self._expected(candidate, n_rows, width) + self.reserved):
            return None
        trial = run_trial(candidate, self.data, self.task, rung, n_rows, width)
        self.trials.append(trial)
        self.clock.count()
        self.bar.update()
        self.bar.set_postfix_str(f"best {self.best().score:.4f}, last {candidate.label}")
        logger.info("%s: %.5f on %d rows in %.1f s", candidate.label, trial.score, n_rows, trial.seconds)
        return trial

    def _expected(self, candidate: Candidate, n_rows: int, width: int) -> float:
        """Seconds that a trial will take, from the fastest of the same family and loss: first ones pay for memory."""
        work = candidate.family.work
        kind = candidate.family, candidate.loss
        rates = [
            trial.seconds / work(trial.n_rows, trial.width)
            for trial in self.trials
            if (trial.candidate.family, trial.candidate.loss) == kind and trial.candidate.alpha != "path"
        ]
        if rates:
            return min(rates) * work(n_rows, width)
        if candidate.loss == "squared":
            return 0.5
        return MORE_STEPS * self._expected(candidate.with_loss("squared"), n_rows, width)

    def best(self) -> Trial:
        """The best trial, each family as far as it came, of those that came beyond the first look if there are any."""
        seen = [trial for trial in self.trials if trial.candidate.loss == "squared"]
        beyond = [trial for trial in seen if trial.rung >= SECOND]
        return leaders(beyond or seen)[0]

    def _rough_is_clear(self) -> bool:
        """Whether rows are so many that time is short, and binning leads already."""
        dense = [trial.loss for trial in self.trials if trial.candidate.family.dense]
        coded = [trial.loss for trial in self.trials if not trial.candidate.family.dense]
        return self.data.n_training > MANY_ROWS and min(dense) > CLEAR * min(coded, default=np.inf)

    # -- details

    def _sharpen(self, trial: Trial) -> Trial:
        """The metric of the gradients of the model itself, again and again while it helps."""
        best = trial
        for _ in range(SHARPER):
            tried = None if best.sharper is None else self._try(best.candidate.with_matrix(best.sharper), best.rung)
            if tried is None or tried.loss > best.loss * (1.0 - EQUAL):
                break
            best = tried
        return best

    def _tune(self, trial: Trial) -> Trial:
        """The common factor on the length scales, and alpha where no path chose it, while it helps.

        The random draws are the same throughout, so that what differs is what was changed.
        """
        if not trial.candidate.family.has_scales:
            return trial
        best = self._stepwise(trial, STEP, MOST_STEPS)
        if best.candidate.alpha != "path" and best.candidate.family != Exact():  # several alphas on the same features
            tried = self._try(best.candidate.with_alpha("path"), best.rung)
            if tried is not None and tried.loss < best.loss * (1.0 - EQUAL):
                best = replace(tried, candidate=settled(tried), seconds=best.seconds)
                self.trials[-1] = best  # which is then known, and not made again
        return self._stepwise(best, STEP**0.5, 1)  # two of these would be where it was already

    def _stepwise(self, trial: Trial, step: float, most: int) -> Trial:
        """A common factor on the length scales, downwards while it helps, or else upwards."""
        best = trial
        for direction in (step, 1.0 / step):
            for _ in range(most):
                candidate = best.candidate.at_factor(best.candidate.factor * direction)
                tried = self._try(candidate, trial.rung)
                if tried is None or tried.loss > best.loss * (1.0 - EQUAL):
                    break
                worth = tried.loss < best.loss * (1.0 - WORTH)
                best = tried
                if not worth:
                    break
            if best is not trial:
                break
        return best

    def _refine(self, best: Trial) -> None:
        """One length scale at a time, those that matter most first, with the same random draws, in the time left."""
        scales = best.candidate.kernel.get_params().get("length_scale")
        if np.ndim(scales) == 0:
            return
        rung = min(THIRD, best.rung)
        self.reserved = 1.5 * self._wide_seconds(best)
        first = self._try(settled(best), rung)
        if first is None:
            self.reserved = 0.0
            return
        here, in_vain = first, 0
        for column in np.argsort(scales, kind="stable")[:MOST_COLUMNS]:
            better = self._better_column(here, int(column))
            here, in_vain = (here, in_vain + 1) if better is None else (better, 0)
            if in_vain == (PATIENCE if self.data.n_training <= MANY_ROWS else 1):
                break
        self.reserved = 0.0
        if here.loss < first.loss * (1.0 - WORTH):
            self._try(settled(here), best.rung)

    def _better_column(self, here: Trial, column: int) -> Trial | None:
        """The same with a shorter length scale of one column, or a longer one, if that is better."""
        for factor in (STEP**0.5, STEP**-0.5):
            tried = self._try(here.candidate.with_column(column, factor), here.rung)
            if tried is None or tried.loss < here.loss * (1.0 - EQUAL):
                return tried
        return None

    def _hinge(self, trial: Trial, rung: int) -> Trial | None:
        """The same with the squared hinge. The ridge objective with alpha is that of C = 1/(2 alpha) without it."""
        return self._with_hinge(trial.candidate, float(np.clip(0.5 / trial.alpha, 1.0, LARGEST_C)), rung)

    def _with_hinge(self, candidate: Candidate, penalty: float, rung: int) -> Trial | None:
        """A trial with the squared hinge and C = penalty, which wins if it is better and can be afforded."""
        trial = self._try(candidate.with_loss("squared hinge").with_alpha(1.0 / penalty), rung)
        better = trial is not None and (self.chosen is None or trial.score > self.chosen.score)
        if trial is not None and better and self._final_seconds(trial) < self.clock.left():
            self.chosen = trial
        return trial

    def _tune_hinge(self, hinge: Trial) -> None:
        """From there, or from plain length scales (what is fitted more closely bears others), downhill, then wide."""
        family, rung = hinge.candidate.family, hinge.rung
        made = [hinge]
        for word in (SPREAD, OWN_UNITS) if family in SMOOTH else ():
            plain = [t for t in self.trials if t.candidate.scales == word and t.candidate.family == Fourier()]
            for trial in sorted(plain, key=lambda trial: trial.loss)[:1]:
                tried = self._with_hinge(replace(trial.candidate, family=family), 0.3 * LARGEST_C, rung)
                made += [] if tried is None else [tried]
        here = max(made, key=lambda trial: trial.score)
        # Some kernels have no length scales: of the moves, the one of C is left.
        for factor, more in HINGE_MOVES if family in SMOOTH else HINGE_MOVES[:1]:
            while True:
                moved = here.candidate.at_factor(here.candidate.factor * factor)
                tried = self._with_hinge(moved, min(more / here.alpha, LARGEST_C), rung)
                if tried is None or tried.score <= here.score:
                    break
                here = tried
        last = self._with_hinge(here.candidate, 1.0 / here.alpha, LAST)
        if last is not None:
            self.clock.keep(self._final_seconds(last))

    def _uncertainty(self, trial: Trial) -> float:
        """A part of the standard error of a share of rows."""
        return CLEARLY * float(np.sqrt(trial.score * (1.0 - trial.score) / len(trial.scores)))

    def _wide_seconds(self, trial: Trial) -> float:
        """Time of the last, wide look."""
        n_rows = self._rows(trial.candidate, LAST)
        return self._expected(settled(trial), n_rows, trial.candidate.family.width(LAST, n_rows))

    def affords(self, trials: Iterable[Trial]) -> bool:
        """Whether all of them can be fitted on all rows in the time left."""
        return sum(map(self._final_seconds, trials)) < self.clock.left()

    def _final_seconds(self, trial: Trial) -> float:
        """Time to fit on all rows at the width of a trial; conjugate gradients go on for longer than in the search."""
        if trial.candidate.family == Exact():
            work = trial.candidate.family.work
            alike = [t.fitting / work(t.n_rows, t.width) for t in self.trials if t.candidate.family == Exact()]
            return min(alike) * work(len(self.data.y), trial.width)
        longer = 1.0 if trial.candidate.family.dense else 2.0
        return longer * self._expected(trial.candidate, len(self.data.y), trial.width)

    def winner(self) -> Trial:
        """What is fitted on all rows."""
        best = self.best()
        if self.chosen is None:
            return best
        rivals = [t.score for t in self.trials if t.n_rows >= self.chosen.n_rows and t.candidate.loss == "squared"]
        least = max(rivals, default=0.0) + self._uncertainty(self.chosen)
        return self.chosen if self.chosen.score > least else best


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

"""What the search looks at first: kernels and maps with length scales by rule, then with learned ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..compute.threads import single_threaded_blas
from ..kernels import (
    AdditiveChi2,
    Gaussian,
    Intersection,
    Laplace,
    Matern,
    Metric,
    Polynomial,
    RationalQuadratic,
    ScaledKernel,
    StretchedExponential,
)
from ..scales.neighbourhoods import LEAF_ROWS
from ..scales.rules import by_spread, in_units, principal_directions
from .budget import Clock
from .candidates import Candidate
from .families import Additive, Binning, Fourier, Maclaurin, Nystroem, Sketch
from .lessons import EVIDENCE_ROWS, Lessons
from .trial import Data

Array = np.ndarray

MANY_ROWS = 48_000
MANY_COLUMNS = 200  # beyond which tensor sketches, metrics and neighbourhoods are not tried
ALPHA = 0.1  # regularisation of binning to begin with
STEP = 0.5  # of the common factor on length scales
LEARNING = 1.5  # seconds that learning length scales takes, roughly
SPREAD = "scales by spread"
OWN_UNITS = "one scale for all columns"
METRIC = "learned metric"
LEARNED = "learned scales"
LOCAL = "scales learned locally"
UNITS = "unit scales"
PRINCIPAL = "principal directions"


@dataclass(frozen=True)
class Proposals:
    """Candidates for rows in the units of a table's encoder; learning goes on while the clock allows it."""

    lessons: Lessons
    units: Array  # what the columns were divided by
    data: Data
    clock: Clock
    failed: Callable[[Candidate, Exception], None]  # told what could not be learned

    def with_targets(self, forward: Callable[[Array], Array]) -> Proposals:
        """The same for transformed targets."""
        lessons = replace(self.lessons, targets=forward(self.lessons.targets))
        return replace(self, lessons=lessons)

    @cached_property
    def first(self) -> Candidate:
        """The plainest candidate."""
        kernel = Gaussian(self.spread)
        return Candidate(Fourier(), kernel, SPREAD)

    @cached_property
    def spread(self) -> Array:
        """Length scales of Gaussians by rule; infinite where a column is constant."""
        return by_spread(Gaussian(), self.lessons.X)

    @property
    def binning(self) -> Binning:
        """Binning for so many outputs."""
        return Binning(outputs=self.data.n_classes if self.data.n_classes > 2 else 1)

    def plain(self) -> Iterable[Candidate]:
        """What needs no learning."""
        yield self.first
        if np.isinf(self.spread).all():  # no column varies: there is nothing more to learn
            return
        for factor in (STEP, STEP**2):
            yield self.first.at_factor(factor)
        yield from self._lesson(self._common, self.lessons, Candidate(Fourier(), Gaussian(), OWN_UNITS))
        yield from self._lesson(self._plain_rough, self.lessons, Candidate(self.binning, Laplace(), SPREAD))
        columns = self.data.X.shape[1]
        if self.data.counts and Additive(columns).order > 0:
            for kernel in (AdditiveChi2(), Intersection()):
                yield Candidate(Additive(columns), kernel, "columns one by one")
        if columns > MANY_COLUMNS:
            yield from self._lesson(self._principal, self.lessons, Candidate(Nystroem(), Gaussian(), PRINCIPAL))
        else:
            yield from self._products(columns)

    def _common(self, lessons: Lessons) -> list[Candidate]:
        kernel = Gaussian(in_units(Gaussian(), lessons.X, self.units))
        return [Candidate(Fourier(), kernel, OWN_UNITS, factor) for factor in (1.0, STEP, STEP**2)]

    def _plain_rough(self, lessons: Lessons) -> list[Candidate]:
        kernel = Laplace(by_spread(Laplace(), lessons.X))
        return [Candidate(self.binning, kernel, SPREAD, factor, alpha=ALPHA) for factor in (1.0, STEP)]

    def _principal(self, lessons: Lessons) -> list[Candidate]:
        matrices = [principal_directions(lessons.X, units) for units in (np.ones(len(self.units)), self.units)]
        return [Candidate(Nystroem(), Gaussian(Metric(matrix)), PRINCIPAL, STEP) for matrix in matrices]

    def _products(self, columns: int) -> Iterable[Candidate]:
        """Polynomials: sketched, or drawn with their linear part exact where columns are few."""
        drawn = Maclaurin().suits(columns, self.data.n_training)
        square, cube = (Polynomial(degree, 1.0, 1.0 / columns) for degree in (2, 3))
        if drawn:
            yield from (Candidate(Maclaurin(), kernel, UNITS) for kernel in (square, cube))
        yield from (Candidate(Sketch(), kernel, UNITS) for kernel in ((cube,) if drawn else (square, cube)))

    def learned(self, rough_is_clear: Callable[[], bool]) -> Iterable[Candidate]:
        """Scales by evidence for binning and for smoother maps, and metrics for these: side by side."""
        if not (self.clock.allows(0.0) and self._may_learn()):
            return
        smooth, rough = Candidate(Fourier(), Gaussian(), LEARNED), Candidate(self.binning, Laplace(), LEARNED)
        metric = Candidate(Nystroem(), Matern(nu=1.5), METRIC)
        if self.data.n_training > MANY_ROWS:  # time is short: what is smooth only where it may win
            yield from self._lesson(self._rough, self.lessons, rough)
            if not rough_is_clear():
                yield from self._lesson(self._smooth, self.lessons, smooth)
                yield from self._lesson(self._metric, self.lessons, metric)
            return
        alone = replace(self.lessons, threads=1)
        with single_threaded_blas(), ThreadPoolExecutor(min(2, self.lessons.threads)) as pool:
            longest = pool.submit(self._lesson, self._smooth, alone, smooth)
            others = [
                pool.submit(self._lesson, self._rough, alone, rough),
                pool.submit(self._lesson, self._metric, alone, metric),
            ]
            for found in (others[0], longest, others[1]):
                yield from found.result()

    def _lesson(
        self, lesson: Callable[[Lessons], list[Candidate]], lessons: Lessons, wanted: Candidate
    ) -> list[Candidate]:
        """What a lesson gives; nothing where it fails, which is told as a failure of what was wanted."""
        try:
            return lesson(lessons)
        except Exception as error:  # of any kind: what cannot be learned is left out
            self.failed(wanted, error)
            return []

    def _rough(self, lessons: Lessons) -> list[Candidate]:
        scales = lessons.learned(Laplace())
        found = [self._binned(Laplace(), scales, LEARNED)]
        found.append(Candidate(Fourier(), Laplace(scales), LEARNED))
        if self._has_neighbourhoods():
            local = lessons.local(Laplace(), scales)
            found += [self._binned(kernel, local, LOCAL) for kernel in (Laplace(), StretchedExponential())]
        return found

    def _smooth(self, lessons: Lessons) -> list[Candidate]:
        scales = lessons.learned(Gaussian())
        kernels = (Gaussian(), Matern(nu=1.5), RationalQuadratic(alpha=1.0))
        found = [Candidate(Fourier(), kernel.with_length_scale(scales), LEARNED) for kernel in kernels]
        if self._has_neighbourhoods() and self._may_learn():
            local = lessons.local(Matern(nu=1.5), scales)
            found.append(Candidate(Fourier(), Matern(local, nu=1.5), LOCAL))
        return found

    def _metric(self, lessons: Lessons) -> list[Candidate]:
        if not self._may_learn():
            return []
        smooth, rough = (lessons.metric(Matern(nu=nu)) for nu in (1.5, 0.5))
        return [
            Candidate(Fourier(), Gaussian(Metric(smooth)), METRIC),
            Candidate(Fourier(), Matern(Metric(smooth), nu=1.5), METRIC),
            Candidate(Nystroem(), Matern(Metric(rough), nu=0.5), METRIC),
            Candidate(Nystroem(), Matern(Metric(smooth), nu=1.5), METRIC),
        ]

    def _has_neighbourhoods(self) -> bool:
        return self.data.n_training >= 4 * LEAF_ROWS

    def _binned(self, kernel: ScaledKernel, scales: Array, word: str) -> Candidate:
        return Candidate(self.binning, kernel.with_length_scale(scales), word, STEP, alpha=ALPHA)

    def _may_learn(self) -> bool:
        """Whether there is time to learn, something to learn from, and not too many columns."""
        few = self.data.X.shape[1] <= MANY_COLUMNS
        return few and self.clock.has_time(self._learning()) and not np.isinf(self.spread).all()

    def _learning(self) -> float:
        """Seconds that learning length scales will take, roughly."""
        size = min(EVIDENCE_ROWS, self.data.n_training) / EVIDENCE_ROWS
        return LEARNING * size**2 * (1.0 + self.data.X.shape[1] / 100.0)

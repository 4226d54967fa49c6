"""The search of ``recommend`` keeps to its time, by a clock that only work moves."""

import numpy as np
import pytest

import bochner as bo
from bochner.maps import KernelMap, NystroemFeatures
from bochner.report.ladder import Ladder, Rung
from bochner.report.probes import Measurement, Probe, TimedProbe
from bochner.report.redraws import PairSample
from bochner.report.schedule import DRAWS_PER_RUNG, LOADING, RUNGS, Deadline, climb_all

KERNEL = bo.Gaussian(1.0)
MAPS = {
    "first": bo.FourierFeatures(KERNEL),
    "refused": bo.BinningFeatures(KERNEL),
    "cubic": NystroemFeatures(KERNEL),
    "last": bo.FourierFeatures(KERNEL, embedding="shifted"),
}


class Simulated(Probe):
    """Takes time as maps do: drawing and mapping in proportion to the width, Nystroem's drawing with its cube."""

    def __init__(self, unit: float, loading: float = 0.0) -> None:
        self.now, self.unit, self.loading = 0.0, unit, loading
        self.loaded: set[int] = set()
        self.steps: list[tuple[str, int, int]] = []

    def clock(self) -> float:
        return self.now

    def __call__(self, feature_map: KernelMap, width: int, draw: int) -> Measurement:
        power = 3 if isinstance(feature_map, NystroemFeatures) else 1
        drawing, mapping = self.unit * (width / 16) ** power, self.unit * (1 + width / 16)
        self.now += drawing + mapping
        self.steps.append((type(feature_map).__name__, width, draw))
        return Measurement(1.0 / width, drawing + mapping, drawing, drawing + mapping)

    def is_loaded(self, feature_map: KernelMap) -> bool:
        return id(feature_map) in self.loaded

    def warm_up(self, feature_map: KernelMap) -> None:
        if not self.is_loaded(feature_map):
            self.now += self.loading
            self.loaded.add(id(feature_map))


@pytest.mark.parametrize("unit", [1e-4, 1e-3, 1e-2])
@pytest.mark.parametrize("seconds", [0.3, 1.0, 3.0, 10.0])
def test_the_deadline_is_kept_and_the_time_is_used(unit, seconds):
    probe = Simulated(unit, loading=0.9 * LOADING)
    deadline = Deadline(seconds, probe.clock)
    ladders, skipped = climb_all(MAPS, probe, 1.0, deadline)
    assert "cannot serve the kernel Gaussian" in skipped["refused"]
    assert probe.now <= seconds
    for ladder in ladders:  # whoever is not at the top had no time for one more step
        last = ladder.rungs[-1].width
        assert last == RUNGS[-1] or not deadline.allows(ladder.estimate(4 * last))


def test_low_rungs_of_all_come_before_high_ones_of_any():
    probe = Simulated(1e-4)
    ladders, _ = climb_all(MAPS, probe, 1.0, Deadline(1e9, probe.clock))
    widths = [width for _, width, _ in probe.steps]
    assert widths == sorted(widths)
    assert len(probe.steps) == len(ladders) * len(RUNGS) * DRAWS_PER_RUNG
    assert all(ladder.widths == list(RUNGS) for ladder in ladders)


def test_there_is_an_answer_when_there_is_no_time():
    probe = Simulated(1.0, loading=5.0)
    ladders, skipped = climb_all(MAPS, probe, 1.0, Deadline(0.0, probe.clock))
    assert [ladder.name for ladder in ladders] == ["first"]
    assert set(skipped.values()) == {"no time was left to try it"}
    assert len(probe.steps) == 1


def test_estimates_are_not_below_what_steps_take():
    probe = Simulated(1e-3)
    for feature_map in (MAPS["first"], MAPS["cubic"]):
        ladder = Ladder("any", feature_map, 1.0, probe)
        ladder.step(RUNGS[0], 0)
        for width in RUNGS[1:]:
            expected, begin = ladder.estimate(width), probe.now
            ladder.step(width, 0)
            assert probe.now - begin <= expected


def test_rungs_average_squares_and_keep_the_best_time():
    ladder = Ladder("any", MAPS["first"], 2.0, Simulated(1.0))
    for square, seconds in ((0.04, 3.0), (0.16, 2.0)):
        ladder.probe = Fixed(Measurement(square, seconds, 0.0, 1.0))
        ladder.step(16, 0)
    assert ladder.errors == [pytest.approx(np.sqrt(0.1) / 2)]
    assert ladder.seconds == [2.0]


class Fixed(Simulated):
    """Measures the same whatever it is asked."""

    def __init__(self, measured: Measurement) -> None:
        super().__init__(0.0)
        self.measured = measured

    def __call__(self, feature_map: KernelMap, width: int, draw: int) -> Measurement:
        return self.measured


def test_times_go_on_by_the_power_that_they_show():
    """Learning from D features costs D²: what a width takes, and which width a time affords, agree beyond the rungs."""
    ladder = Ladder("map", bo.FourierFeatures(), 1.0, Simulated(1.0))
    for width in (64, 256, 1024):
        ladder.rungs.append(Rung(width, [Measurement(1.0 / width, 1e-6 * width**2, 0.0, 0.0)]))
    assert ladder.time_at(4096) == pytest.approx(1e-6 * 4096**2, rel=1e-3)
    for width in (16.0, 100.0, 700.0, 5000.0):
        assert ladder.width_for_time(ladder.time_at(width)) == pytest.approx(width, rel=1e-6)


def test_learning_counts_where_it_is_asked_for():
    """Clock readings by turns: mapping takes one tick and so does the product of the features with themselves."""
    rows = np.random.default_rng(0).normal(size=(200, 2))
    sample = PairSample.of(bo.Gaussian(1.0), rows, 20, 0)
    seconds = {}
    for learning in (False, True):
        ticks = iter(range(100))
        probe = TimedProbe(rows, 1000, sample, 0, learning, lambda ticks=ticks: float(next(ticks)))
        seconds[learning] = probe(bo.FourierFeatures(bo.Gaussian(1.0)), 30, 0).seconds
    assert seconds[False] == pytest.approx(1.0 + 1000 / 200)
    assert seconds[True] == pytest.approx(seconds[False] + (1000 + 30 / 3) / 200)

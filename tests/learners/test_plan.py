"""Forecasts have the right form and count every piece; how near they come is measured by make bench."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.engines.timed import TimedEngine
from bochner.learners.costs import FitModel, Machine, PassModel, grown, power
from bochner.learners.ridge_machine import LEFT_OUT
from bochner.solvers.kept_kernel import kept_bytes

PASS = PassModel("Moments", 1.0, 1000, 800, False, 1e-6, 3e-6, 0.01, 0.02)


def test_forecast_has_its_parts() -> None:
    small, large = bo.plan(1_000_000, 5, 64), bo.plan(10_000_000, 5, 64)
    assert min(small.seconds, large.seconds) > 0
    assert small.memory == large.memory
    assert small.state_bytes == 12 * 64**2 + 2 * 8 * LEFT_OUT * 64  # moments, and rows to be left out
    assert "rows per second" in str(large)
    with pytest.raises(ValueError, match="n_rows must be a whole number of at least 1"):
        bo.plan(0, 5, 64)


@pytest.mark.parametrize(
    "learner",
    [
        bo.KernelSVC(bo.FourierFeatures(random_state=0)),
        bo.KernelRidge(bo.BinningFeatures(bo.Laplace(2.0), n_grids=10, random_state=0), alpha=1.0),
        bo.KernelRidge(bo.AdditiveFeatures(bo.Hellinger()), alpha=1.0),
        bo.KernelPCA(2),
    ],
)
def test_every_kind_of_learner_and_map(learner) -> None:
    forecast = bo.plan(20_000, 4, 128, learner)
    assert forecast.seconds > 0
    assert forecast.memory > 0
    assert np.isfinite(forecast.rows_per_second)


def test_a_pass_is_its_rows_over_threads_and_its_merges() -> None:
    # 8 blocks in 8 lanes on 2 threads: 8000 rows of 4 us and 8 states, shared by two; then 7 merges.
    seconds = PASS.seconds(8000, Machine(2, 10**9), PASS.reading)
    np.testing.assert_allclose(seconds, (8000 * 4e-6 + 8 * 0.01) / 2 + 7 * 0.02)
    # 9 blocks: one thread works on a fifth block while the other waits.
    seconds = replace(PASS, opening=0.0, merging=0.0).seconds(9000, Machine(2, 10**9), PASS.reading)
    np.testing.assert_allclose(seconds, 5000 * 4e-6)


def test_waiting_makes_every_piece_of_a_pass_longer() -> None:
    machine = Machine(2, 10**9)
    longer = PASS.slower(1.7)
    np.testing.assert_allclose(
        longer.seconds(8000, machine, longer.reading), 1.7 * PASS.seconds(8000, machine, PASS.reading)
    )
    assert FitModel((PASS,), 0.1, 0.0, 800.0).seconds(9000, machine) > FitModel((PASS,), 0.1, 0.0, 800.0).seconds(
        8000, machine
    )


def test_designs_without_room_are_made_in_each_pass() -> None:
    first = replace(PASS, kept=True, opening=0.0, merging=0.0)
    again = replace(first, reading=0.0)
    model = FitModel((first, again, again), 0.5, 0.0, row_bytes=100.0)
    all_fit, half_fit = Machine(1, 2 * 8000 * 100), Machine(1, 8000 * 100)
    np.testing.assert_allclose(model.seconds(8000, all_fit), 0.5 + 8000 * (1e-6 + 3 * 3e-6))
    np.testing.assert_allclose(model.seconds(8000, half_fit), 0.5 + 8000 * (2e-6 + 3 * 3e-6))


def test_pieces_grow_by_the_powers_they_show() -> None:
    half = FitModel((replace(PASS, reading=5e-7, gathering=0.75e-6, state_bytes=200),), 0.125, 0.0, 400.0)
    wide = FitModel((PASS,), 1.0, 0.0, 800.0).widened(half, 4.0)
    one = wide.passes[0]
    np.testing.assert_allclose([one.reading, one.gathering, one.merging], [4e-6, 48e-6, 0.32])
    np.testing.assert_allclose([one.state_bytes, wide.solving, wide.row_bytes], [12800, 64.0, 3200.0])
    assert [power(1.0, 1.1), power(1.0, 1.8), power(1.0, 4.4), power(1.0, 8.0)] == [0, 1, 2, 2]
    np.testing.assert_allclose([grown(1.0, 1.0, 8.0), grown(1.0, 2.0, 8.0), grown(1.0, 5.0, 8.0)], [1, 16, 2560])


def test_the_timed_engine_counts_each_piece_and_changes_no_bit() -> None:
    """A clock that ticks at every look: each piece takes one tick."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1000, 3)), rng.normal(size=1000)
    ticks = itertools.count()
    engine = TimedEngine(bo.SerialEngine(10**6), clock=lambda: float(next(ticks)))
    learner = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(1.0), n_components=20, random_state=0), alpha=1.0)
    learner.set_params(engine=bo.ThreadEngine(memory=10**6))  # blocks of 390 rows
    expected = learner.fit(X, y).coef_
    np.testing.assert_array_equal(learner.set_params(engine=engine).fit(X, y).coef_, expected)
    (cost,) = engine.passes
    assert (cost.kind, cost.n_rows, cost.block_rows, cost.kept) == ("Moments", 1000, 390, False)
    assert cost.state_bytes == learner.statistic_.nbytes
    assert cost.reading == [1.0] * 3
    assert cost.gathering == [1.0] * 6  # three blocks, and what waited in three lanes
    assert cost.opening == [1.0] * 3
    assert cost.merging == [1.0] * 2
    model = PassModel.of(cost, 2000)
    assert (model.share, model.reading, model.gathering, model.merging) == (0.5, 0.003, 0.006, 1.0)


def test_calibration_is_never_a_single_fit_nor_of_few_rows_per_component(monkeypatch) -> None:
    """A first fit may wait for memory; with few rows per component iterations take longer than they will."""
    from bochner.learners.plan import Calibration, TimedFit

    seen = []

    def timed(self: Calibration, n_rows: int, width: int) -> TimedFit:
        seen.append((n_rows, width))
        slow = 10.0 if len(seen) == 2 else 1.0  # the first fit counts the columns, the second is the first timed one
        return TimedFit((PASS.slower(slow),), np.array([slow, slow]), 1e-9, 8 * width)

    monkeypatch.setattr(Calibration, "fit", timed)
    monkeypatch.setitem(Calibration.model.__globals__, "ENOUGH_SECONDS", -1.0)
    model = Calibration(bo.KernelSVC(engine=1), 5, 10**6).model(1024)
    assert seen[1:] == [(16 * 1024, 1024)] * 2
    assert (model.solving, model.passes[0].reading) == (1.0, PASS.reading)


@pytest.mark.parametrize("learner", [bo.ExactKernelRidge(), bo.ExactKernelRidgeClassifier(), bo.ExactKernelSVC()])
def test_machines_with_the_kernel_itself(learner) -> None:
    forecast = bo.plan(400, 3, learner=learner)
    assert forecast.seconds > 0
    assert forecast.rows_per_second == pytest.approx(400 / forecast.seconds)
    assert forecast.memory >= 8 * 400**2
    assert forecast.state_bytes == 0


def test_kernel_values_of_many_rows(monkeypatch) -> None:
    """20,000 rows in single precision: half of K takes 800 MB; twice the rows take four times as long."""
    seen = []

    def timed(learner, n_rows, fewer, dim, dtype):
        seen.append((fewer, learner.memory_for_fewer(n_rows, dtype)))
        return 0.3 + 5e-9 * fewer**2 + 1e-11 * learner.preconditioner_work(n_rows, fewer, dtype)

    monkeypatch.setattr("bochner.learners.exact_plan._least_seconds", timed)
    monkeypatch.setattr("bochner.learners.exact_plan.landmark_seconds", lambda dtype, threads: 1e-11)
    learner = bo.ExactKernelRidge(alpha=1.0, engine=bo.ThreadEngine(memory="20GB"))
    here, there = (bo.plan(n, 5, learner=learner, dtype=np.float32) for n in (20_000, 40_000))
    preconditioner = 2 * 1250 * 20_000 * 4
    assert here.memory - preconditioner == pytest.approx(800e6, rel=0.03)
    assert bo.plan(20_000, 5, learner=learner).memory == 2 * here.memory
    assert here.seconds == pytest.approx(0.3 + 5e-9 * 20_000**2 + 1e-11 * 1250**2 * 20_000)
    assert [fewer for fewer, _ in seen[:3]] == [300, 3900, 7800]
    assert seen[1][1] >= kept_bytes(7800, np.dtype(np.float32))  # kept there too
    many, more = (bo.plan(n, 5, learner=learner, dtype=np.float32) for n in (40_000, 80_000))
    assert 3.5 < more.seconds / many.seconds < 4.0  # the preconditioner no longer grows, for all its landmarks
    assert there.memory / here.memory == pytest.approx(4.0, rel=0.05)
    seen.clear()
    tight = bo.plan(20_000, 5, learner=learner.set_params(engine=bo.ThreadEngine(2, "100MB")), dtype=np.float32)
    assert 60e6 < tight.memory < 110e6
    assert tight.seconds == pytest.approx(0.3 + 5e-9 * 20_000**2)  # values made in each pass, no landmarks
    assert {memory for _, memory in seen} == {1}


def test_words_for_what_has_no_plan() -> None:
    with pytest.raises(ValueError, match="has no features: leave n_components out"):
        bo.plan(1000, 5, 64, bo.ExactKernelRidge())
    with pytest.raises(ValueError, match="Give n_components"):
        bo.plan(1000, 5)
    with pytest.raises(ValueError, match=r"20000 rows takes 3\.2 GB.*KernelSVC"):
        bo.plan(20_000, 5, learner=bo.ExactKernelSVC())


def test_single_precision_takes_less() -> None:
    learner = bo.KernelSVC(bo.FourierFeatures(random_state=0))
    double, single = (bo.plan(30_000, 4, 64, learner, dtype=dtype) for dtype in (np.float64, np.float32))
    assert single.memory < double.memory

"""The one maximisation: a known maximum, its box, groups of columns, an early end, and places without evidence."""

import numpy as np
import pytest
from scipy.linalg import LinAlgError

from bochner.scales.maximise import FURTHEST, Box, maximise

BOX = Box((1e-3, 1e3), (1e-3, 1e3))
TOP = np.array([0.5, -1.0, 0.3, np.log(0.2), np.log(3.0)])  # three log scales, log noise, log amplitude


def bowl(log_scales, log_noise, log_amplitude):
    """7 - |p - top|²."""
    apart = np.r_[log_scales, log_noise, log_amplitude] - TOP
    return 7.0 - float(apart @ apart), -2.0 * apart


def found(evidence=bowl, start=(0.0, 0.0, 0.0), groups=(0, 1, 2), size=1.0, box=BOX, **settings):
    settings = {"max_iter": 100, "gain": 1e-12, **settings}
    return maximise(evidence, np.array(start), np.array(groups), size, box, **settings)


def test_finds_the_maximum_and_says_so():
    best = found()
    np.testing.assert_allclose(best.log_scales, TOP[:3], atol=1e-4)
    assert (best.noise, best.amplitude) == pytest.approx((0.2, 3.0), rel=1e-4)
    assert best.value == pytest.approx(7.0)
    assert best.converged


def test_the_value_is_that_of_one_number():
    assert found(size=14.0).value == pytest.approx(0.5)


def test_columns_of_a_group_meet_in_the_middle():
    best = found(start=(0.0, 0.0), groups=(0, 1, 0))
    np.testing.assert_allclose(best.log_scales, [(TOP[0] + TOP[2]) / 2, TOP[1]], atol=1e-4)


def test_nothing_leaves_the_box():
    best = found(start=(-FURTHEST - 5.0, 0.0, 0.0), box=Box((1.0, 2.0), (0.5, 0.5)), amplitude=0.5, noise=1.0)
    assert best.log_scales[0] == pytest.approx(-5.0)  # a thousand times where it began
    assert (best.noise, best.amplitude) == pytest.approx((1.0, 0.5))


def test_ends_when_told_with_the_best_place_so_far():
    begun, steps = bowl(np.zeros(3), np.log(0.1), 0.0)[0], []

    def ill(log_scales, log_noise, log_amplitude):
        """Steep along the first, so that more than one step is needed."""
        value, slope = bowl(log_scales, log_noise, log_amplitude)
        apart = log_scales[0] - TOP[0]
        return value - 50.0 * apart**2, slope - np.r_[100.0 * apart, np.zeros(4)]

    best = found(ill, stop=lambda: bool(steps.append(1)) or len(steps) == 2)
    assert len(steps) == best.n_iter == 2
    assert begun - 50.0 * TOP[0] ** 2 < best.value < 7.0 - 1e-9


def test_too_few_iterations_are_told():
    best = found(max_iter=1)
    assert best.n_iter == 1
    assert not best.converged


def test_steps_back_where_rounding_leaves_no_evidence():
    def cliff(log_scales, log_noise, log_amplitude):
        if log_scales[1] < -1.2:
            raise LinAlgError("not positive definite")
        return bowl(log_scales, log_noise, log_amplitude)

    met = []

    def watched(log_scales, *others):
        met.append(log_scales[1] < -1.2)
        return cliff(log_scales, *others)

    best = found(watched, start=(0.0, 3.0, 0.0))
    assert any(met)
    np.testing.assert_allclose(best.log_scales, TOP[:3], atol=1e-3)

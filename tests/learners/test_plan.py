"""Forecasts have the right form; how near they come is measured by make bench."""

import numpy as np
import pytest

import bochner as bo
from bochner.learners.plan import _grown


def test_forecast_grows_with_rows_and_width() -> None:
    small, large = bo.plan(1_000_000, 5, 64), bo.plan(10_000_000, 5, 64)
    assert 0 < small.seconds < large.seconds
    assert small.memory == large.memory
    assert small.state_bytes == 12 * 64**2
    assert "rows per second" in str(large)
    with pytest.raises(ValueError, match="n_rows must be at least 1"):
        bo.plan(0, 5, 64)


def test_costs_of_a_row_grow_by_their_law() -> None:
    linear, quadratic, width, factor = 3e-9, 2e-11, 512.0, 4.0
    cost = lambda w: linear * w + quadratic * w**2  # noqa: E731
    np.testing.assert_allclose(_grown(cost(width / 2), cost(width), factor), cost(factor * width))

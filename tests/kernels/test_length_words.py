"""Length scales from the data, where rows are alike but for a few, or far from zero."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo
from bochner.kernels.length_words import MEDIAN_ROWS, median_distance, robust_scales


@pytest.mark.parametrize("metric", ["euclidean", "cityblock"])
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_rows_that_hardly_ever_differ(metric, form):
    """An evenly spaced sample of them is all zeros: those that are not decide."""
    rows = np.zeros((3 * MEDIAN_ROWS, 2))
    rows[1, 0], rows[-2, 1] = 3.0, 4.0
    distances = {"euclidean": [3.0, 4.0, 5.0], "cityblock": [3.0, 4.0, 7.0]}
    assert median_distance(form(rows), np.ones(len(rows)), metric) == np.median(distances[metric])
    assert np.isfinite(robust_scales(form(rows), None, metric)).all()
    with pytest.raises(ValueError, match="all rows are equal"):
        median_distance(form(rows[2:-2]), np.ones(len(rows) - 4), metric)


@pytest.mark.parametrize("offset", [1e4, 1e8])
def test_an_offset_changes_nothing(offset):
    """A median distance in units of 1, far from zero: squares of the offset would swallow it."""
    rows = np.random.default_rng(0).integers(-50, 50, size=(300, 3)).astype(float)
    near, far = (bo.Gaussian("median").resolve(X).length_scale for X in (rows, rows + offset))
    np.testing.assert_allclose(far, near, rtol=1e-12)

"""Factors of matrices that are positive definite, nearly so, and not at all."""

import numpy as np
import pytest
from scipy.linalg import cho_solve, cholesky

from bochner.compute.cholesky import STEPS, from_eigenvalues, jittered_cholesky, lower_factor, plain_cholesky

BASIS = np.linalg.qr(np.random.default_rng(0).normal(size=(6, 6)))[0]


def with_eigenvalues(*values: float) -> np.ndarray:
    matrix = (BASIS * values) @ BASIS.T
    return 0.5 * (matrix + matrix.T)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_a_positive_definite_matrix_has_the_factor_of_lapack_and_stays_as_it_is(dtype):
    matrix = with_eigenvalues(3, 2, 1, 1, 0.5, 0.1).astype(dtype)
    before = matrix.copy()
    factor = lower_factor(matrix, 1e-3)
    np.testing.assert_array_equal(np.tril(factor), cholesky(matrix, lower=True))
    np.testing.assert_array_equal(matrix, before)
    assert factor.dtype == dtype


@pytest.mark.parametrize(("lowest", "step"), [(-0.5e-6, 0), (-5e-6, 1), (-50e-6, 2), (-500e-6, 3), (-5e-3, 4)])
def test_the_least_jitter_that_is_enough_is_added(lowest, step):
    matrix = with_eigenvalues(3, 2, 1, 1, 0.5, lowest)
    factor = np.tril(lower_factor(matrix, 1e-6))
    np.testing.assert_allclose(factor @ factor.T, matrix + STEPS[step] * 1e-6 * np.eye(6), atol=1e-14)
    assert plain_cholesky(matrix) is None


def test_where_no_jitter_is_enough_eigenvalues_are_raised():
    matrix = with_eigenvalues(3, 2, 1, 1, 0.5, -0.7)
    assert jittered_cholesky(matrix.copy(), 1e-6) is None
    for least, floor in ((1e-6, 0.1), (0.0, 6 * np.finfo(float).eps * 3)):
        factor = lower_factor(matrix, least)
        np.testing.assert_array_equal(factor, np.tril(factor))
        assert (np.diagonal(factor) > 0).all()
        np.testing.assert_allclose(factor @ factor.T, with_eigenvalues(3, 2, 1, 1, 0.5, floor), atol=1e-14)


def test_only_the_lower_triangle_is_read():
    for lowest in (0.1, -1e-6, -0.7):
        matrix = with_eigenvalues(3, 2, 1, 1, 0.5, lowest)
        lower = np.tril(matrix) + np.triu(np.full((6, 6), 77.0), 1)
        np.testing.assert_array_equal(np.tril(lower_factor(lower, 1e-6)), np.tril(lower_factor(matrix, 1e-6)))


def test_nothing_can_be_divided_by():
    factor = lower_factor(np.zeros((3, 3)), 0.0)
    assert np.isfinite(cho_solve((factor, True), np.full(3, 1e-9))).all()


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_not_finite_is_refused(wrong):
    matrix = np.eye(3)
    matrix[2, 0] = wrong
    assert plain_cholesky(matrix) is None
    assert jittered_cholesky(matrix.copy(), 1e-6) is None
    with pytest.raises(ValueError, match="entries that are not finite"):
        from_eigenvalues(matrix, 1e-6)

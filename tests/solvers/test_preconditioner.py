"""Newton-CG: factors divide by what they claim, and a sample saves products."""

from dataclasses import replace

import numpy as np
import pytest

import bochner as bo
from bochner.learners.passes import Passes, objective_for
from bochner.learners.targets import Signs
from bochner.losses import Logistic, SquaredHinge
from bochner.solvers.conjugate_gradients import SmallResidual, conjugate_gradients
from bochner.solvers.factors import DualFactor, PrimalFactor, factor_of, stable_cholesky
from bochner.solvers.newton_cg import newton_direction, newton_equations
from bochner.solvers.preconditioner import Jacobi, SampledCholesky


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize(("n_rows", "kind"), [(10, DualFactor), (200, PrimalFactor)])
def test_factors_divide_by_identity_plus_gram(n_rows, kind, noise):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(n_rows, 40))
    column = rng.normal(size=40)
    factor = factor_of(iter([[rows[:3], rows[3:3], rows[3:]]]), 1, noise, threads=2)
    assert type(factor) is kind
    shift = 1.0 + noise * np.square(rows).sum() / n_rows
    exact = np.linalg.solve(shift * np.eye(40) + rows.T @ rows, column)
    np.testing.assert_allclose(factor.divide(column), exact, atol=1e-5 * np.abs(column).max())


def test_rows_in_several_rounds_are_the_same_matrix():
    rng = np.random.default_rng(0)
    rows, column = rng.normal(size=(200, 40)), rng.normal(size=40)
    rounds = [[rows[:50], rows[50:90]], [rows[90:]]]
    whole = factor_of(iter([[rows]]), 1, 0.3, threads=1).divide(column)
    np.testing.assert_allclose(factor_of(iter(rounds), 2, 0.3, threads=1).divide(column), whole, rtol=1e-10)


def test_cholesky_of_an_indefinite_matrix_is_finite():
    matrix = np.ones((50, 50), dtype=np.float32)
    matrix[0, 1] = matrix[1, 0] = 1.0001
    assert np.isfinite(stable_cholesky(matrix)).all()


def problem(C, loss, fit_intercept=True):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 3))
    y = np.sin(3 * X[:, 0]) + X[:, 1] > 0
    machine = bo.KernelSVC(bo.FourierFeatures(bo.Gaussian(0.8), 200, random_state=0))
    passes = machine._passes(bo.ArrayBlocks(X, y).mapped(Signs(np.array([False, True]))))
    assert isinstance(passes, Passes)
    return objective_for(passes, loss, C, 1, fit_intercept)


@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic()])
def test_conjugate_gradients_solve_the_equations_of_newton(loss):
    objective = problem(10.0, loss)
    here = objective.evaluate(0.1 * np.random.default_rng(1).normal(size=(201, 1)))
    counts = {}
    for name, preconditioner in (("jacobi", Jacobi()), ("sample", SampledCholesky(200, 3000, 1, 2))):
        preconditioner.n_rows = 3000  # the exact matrix, where it is one
        preconditioner.rebuild(objective, here)
        direction, counts[name], _ = newton_direction(objective, here, preconditioner, 0.0)
        residual = objective.curvature_times(here, direction) + here.gradient
        assert np.linalg.norm(residual) < 0.5 * np.linalg.norm(here.gradient)
    assert counts["sample"] <= 3 < counts["jacobi"]


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kind", [Jacobi, lambda: SampledCholesky(200, 3000, 1, 2)], ids=["jacobi", "sample"])
@pytest.mark.parametrize("loss", [SquaredHinge(), Logistic()])
def test_the_equations_of_newton_are_those_of_the_second_derivative(loss, kind, fit_intercept):
    """With the intercept eliminated, and with it kept: the same step as from the matrix written out."""
    objective = problem(1.0, loss, fit_intercept)
    here = objective.evaluate(0.1 * np.random.default_rng(1).normal(size=(201, 1)))
    size = 201 if fit_intercept else 200
    matrix = np.column_stack([objective.curvature_times(here, column[:, None])[:, 0] for column in np.eye(201)[:size]])
    exact = np.zeros(201)
    exact[:size] = np.linalg.solve(matrix[:size], -here.gradient[:size, 0])
    preconditioner = kind()
    preconditioner.rebuild(objective, here)
    system, shift = newton_equations(objective, here, preconditioner)
    found = conjugate_gradients(system, stop=SmallResidual(1e-9, 0.0), max_iter=3000).solution[:, 0]
    found[-1] += shift[0]
    np.testing.assert_allclose(found, exact, atol=1e-7 * np.abs(exact).max())


def test_what_was_made_for_some_rows_serves_all_of_them_while_as_many_have_curvature():
    objective = problem(10.0, SquaredHinge())
    start = objective.evaluate(objective.start())
    preconditioner = SampledCholesky(200, 3000, 1, 1)
    assert not preconditioner.serves(objective, start)
    preconditioner.rebuild(objective, start)
    fewer = replace(start, active=start.active / 4)  # one row in four, each with four times the weight
    assert preconditioner.serves(objective.with_penalty(40.0), fewer)
    assert not preconditioner.serves(objective.with_penalty(40.0), start)
    assert not preconditioner.serves(objective, fewer)
    assert not preconditioner.serves(replace(objective, loss=SquaredHinge()), start)


def test_the_gain_that_a_poor_preconditioner_hides_is_seen():
    objective = problem(10.0, SquaredHinge())
    here = objective.evaluate(objective.start())
    preconditioner = SampledCholesky(200, 3000, 1, 1)
    preconditioner.n_rows = 6000
    preconditioner.rebuild(objective, here)
    assert newton_direction(objective, here, preconditioner, 0.0)[2] == pytest.approx(1.0, rel=0.01)
    preconditioner.divide = lambda residual: 0.1 * SampledCholesky.divide(preconditioner, residual)
    assert newton_direction(objective, here, preconditioner, 0.0)[2] == pytest.approx(10.0, rel=0.01)


def test_a_preconditioner_grows_its_sample_where_it_was_not_good_enough():
    preconditioner = SampledCholesky(2000, 3000, 1, 1)
    assert preconditioner.n_rows == 2000
    assert not preconditioner.judge(5)
    assert preconditioner.judge(40)
    assert preconditioner.n_rows == 3000

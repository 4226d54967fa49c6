"""Kernel ridge regression in the dual: few rows exactly, more by the solver that memory allows."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import dual
from bochner.solvers.dual_problem import DualProblem, kernel_product

from .test_eigenpro import problem


def test_few_rows_are_solved_exactly():
    case = problem(bo.Matern(1.0), [0.0, 0.1], n=400)
    found = dual.solve_dual(case, tol=1e-2, max_iter=5, threads=2, memory=10**9, rng=np.random.default_rng(0))
    matrix = bo.Matern(1.0)(case.rows)
    for target, penalty in enumerate(case.penalties.T):
        left = (matrix + np.diag(penalty)) @ found.coefficients[:, target]
        np.testing.assert_allclose(left, case.targets[:, target], atol=1e-8)
    assert found.converged
    assert found.n_iter == 1


@pytest.mark.parametrize(("memory", "name"), [(10**9, "kept_kernel"), (10**6, "eigenpro")])
def test_memory_decides_whether_kernel_values_are_kept(monkeypatch, memory, name):
    called = []
    for solver in ("kept_kernel", "eigenpro"):
        monkeypatch.setattr(dual, solver, lambda problem, solver=solver, **settings: called.append(solver))
    dual.solve_dual(problem(bo.Matern(1.0), [0.1]), tol=1e-2, max_iter=5, threads=2, memory=memory, rng=None)
    assert called == [name]


def test_products_with_the_kernel_are_added_up_tile_by_tile():
    case = problem(bo.Matern(1.0), [0.1, 1.0])
    kernel = bo.Matern(1.0)
    product, tiles = kernel_product(kernel, case.rows[:50], case.rows, case.targets, 2, kept=2)
    np.testing.assert_allclose(product, kernel(case.rows[:50], case.rows) @ case.targets, atol=1e-10)
    np.testing.assert_allclose(np.hstack(tiles), kernel(case.rows[:50], case.rows[:2048]), atol=1e-12)


def test_the_solution_is_least_in_the_objective_of_ridge_regression():
    case = problem(bo.Gaussian(0.7), [0.3], n=300)
    assert isinstance(case, DualProblem)
    found = dual.solve_dual(case, tol=1e-2, max_iter=5, threads=1, memory=10**9, rng=np.random.default_rng(0))
    gram = bo.Gaussian(0.7)(case.rows)

    def objective(a):
        return case.weight @ np.square(case.targets[:, 0] - gram @ a) + 0.3 * a @ gram @ a

    a = found.coefficients[:, 0]
    rng = np.random.default_rng(1)
    for _ in range(20):
        assert objective(a) < objective(a + 1e-3 * rng.normal(size=len(a)))

"""EigenPro: the solution of (K + alpha V^-1) a = y, whatever the kernel, alpha, the weights and the threads."""

import numpy as np
import pytest

import bochner as bo
from bochner.solvers import eigenpro as module
from bochner.solvers.dual_problem import DualProblem
from bochner.solvers.eigenpro import EigenPreconditioner, eigenpro, largest


def problem(kernel, alphas, n=2600, dtype=np.float64):
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(n, 3)).astype(dtype)
    y = np.sin(2 * X[:, :1]) * X[:, 1:2] + 0.3 * rng.normal(size=(n, 1))
    targets = np.repeat(y - y.mean(), len(alphas), axis=1).astype(dtype)
    weight = 1.0 / rng.uniform(0.5, 2.0, size=n)
    return DualProblem(kernel.single if dtype == np.float32 else kernel, X, targets, weight, np.array(alphas))


def solved(case, seed=0, threads=2, **options):
    settings = {"tol": 1e-6, "max_iter": 200} | options
    return eigenpro(case, threads=threads, rng=np.random.default_rng(seed), **settings)


def errors(kernel, case, found):
    """Of the fitted values of each target, relative to those of the solution by LAPACK."""
    gram = kernel(case.rows)
    for target, penalty in enumerate(case.penalties.T):
        fitted = gram @ np.linalg.solve(gram + np.diag(penalty), case.targets[:, target])
        yield np.linalg.norm(gram @ found.coefficients[:, target] - fitted) / np.linalg.norm(fitted)


@pytest.mark.parametrize("kernel", [bo.Gaussian(0.7), bo.Matern(1.0, nu=1.5), bo.Matern(1.0, nu=0.5)])
def test_passes_end_at_the_solution_for_every_penalty_at_once(kernel):
    case = problem(kernel, [0.3, 3.0, 30.0])
    found = solved(case)
    assert found.converged
    assert max(errors(kernel, case, found)) < 1e-4


def test_two_passes_are_much_nearer_with_the_preconditioner_than_without(monkeypatch):
    case = problem(bo.Gaussian(1.0), [0.3])
    exact = np.linalg.solve(bo.Gaussian(1.0)(case.rows) + np.diag(case.penalties[:, 0]), case.targets)
    wanted = bo.Gaussian(1.0)(case.rows) @ exact

    def error():
        fitted = bo.Gaussian(1.0)(case.rows) @ solved(case, max_iter=2).coefficients
        return np.linalg.norm(fitted - wanted) / np.linalg.norm(wanted)

    with_it = error()
    monkeypatch.setattr(EigenPreconditioner, "weights", lambda self, penalties: np.zeros((len(self.leading), 1)))
    plain = bo.Gaussian(1.0)(case.rows[:800])
    monkeypatch.setattr(
        module.Leading, "of", classmethod(lambda cls, s, v, q, whole, seen: without(cls, s, v, q, plain))
    )
    assert with_it < 0.5 * error()


def without(cls, spectrum, vectors, q, whole):
    return cls(vectors[:, :q], spectrum[:q], largest(whole) / len(whole), 1.0)


def test_the_bits_do_not_depend_on_threads():
    case = problem(bo.Matern(1.0), [0.5])
    one, two = (solved(case, threads=threads, max_iter=3) for threads in (1, 2))
    np.testing.assert_array_equal(one.coefficients, two.coefficients)


def test_single_precision_is_near_double_precision():
    double, single = (problem(bo.Matern(1.0), [0.5], dtype=dtype) for dtype in (np.float64, np.float32))
    fitted = [bo.Matern(1.0)(case.rows) @ solved(case, tol=1e-4).coefficients for case in (double, single)]
    np.testing.assert_allclose(fitted[0], fitted[1], atol=2e-3)
    assert solved(single, max_iter=1).coefficients.dtype == np.float32


def test_the_largest_eigenvalue_is_met_from_above_by_a_tenth():
    rng = np.random.default_rng(0)
    for size in (5, 60):
        root = rng.normal(size=(size, 2 * size))
        matrix = root @ root.T
        top = np.linalg.eigvalsh(matrix)[-1]
        assert top <= largest(matrix) * 1.01 <= 1.2 * top


def test_what_is_left_curves_by_no_more_than_the_tail_on_rows_not_seen():
    kernel = bo.Matern(1.0)
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(2400, 3))
    made = EigenPreconditioner(kernel, X[:1024], X[1024:1824])
    weights = made.weights(np.zeros((len(X), 1)))[:, 0]
    others = X[1824:]
    seen = kernel(others, X[:1024]) @ made.vectors
    left = kernel(others) - (seen * weights) @ seen.T
    values = np.linalg.eigvalsh(left)
    assert values[0] > -1e-8
    assert values[-1] / len(others) < 1.5 * made.tail
    assert made.tail < 0.05 * largest(kernel(others)) / len(others)

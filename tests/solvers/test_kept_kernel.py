"""Conjugate gradients on a kept kernel: the solution for every alpha at once, with few products."""

import numpy as np
import pytest

import bochner as bo
from bochner.compute.triangle import Triangle
from bochner.solvers.kept_kernel import Landmarks, kept_bytes, kept_kernel

from .test_eigenpro import errors, problem


def solved(case, threads=2, **options):
    settings = {"tol": 1e-7, "max_iter": 50} | options
    return kept_kernel(case, threads=threads, rng=np.random.default_rng(0), **settings)


@pytest.mark.parametrize("kernel", [bo.Gaussian(0.7), bo.Matern(1.0, nu=1.5), bo.Matern(1.0, nu=0.5)])
def test_it_ends_at_the_solution_for_every_alpha_at_once(kernel):
    case = problem(kernel, [1e-3, 0.3, 30.0])
    found = solved(case)
    assert found.converged
    assert max(errors(kernel, case, found)) < 1e-6


def test_weights_that_differ_a_thousandfold_need_hardly_more_products():
    case = problem(bo.Matern(1.0), [0.1])
    uneven = 10.0 ** np.random.default_rng(1).uniform(-3, 0, size=len(case.rows))
    other = type(case)(case.values, case.rows, case.targets, uneven, case.alphas)
    assert solved(other).n_iter < 1.5 * solved(case).n_iter
    gram = bo.Matern(1.0)(case.rows)
    left = gram @ (a := solved(other).coefficients[:, 0]) + 0.1 * a / uneven
    np.testing.assert_allclose(left, case.targets[:, 0], atol=1e-4)


def test_landmarks_divide_by_the_nystroem_approximation_and_what_it_leaves_of_the_trace():
    rng = np.random.default_rng(0)
    X = rng.uniform(-2, 2, size=(700, 3))
    gram = bo.Matern(1.0)(X)
    alphas = np.array([1e-2, 1.0])
    made = Landmarks(Triangle(lambda i, j: gram[i, j].copy(), len(gram), 2), 100, alphas)
    near = gram[:, :100] @ np.linalg.solve(gram[:100, :100], gram[:100])
    left = np.trace(gram - near) / len(gram)
    vectors = rng.normal(size=(700, 2))
    for target, alpha in enumerate(alphas):
        expected = np.linalg.solve(near + (alpha + left) * np.eye(700), vectors[:, target])
        np.testing.assert_allclose(made.divide(vectors)[:, target], expected, rtol=1e-4, atol=1e-6 / alpha)


def test_landmarks_save_most_products(monkeypatch):
    case = problem(bo.Matern(1.0), [1e-2])
    with_them = solved(case, tol=1e-4).n_iter
    monkeypatch.setattr(Landmarks, "divide", lambda self, residual: residual.copy())
    assert with_them < 0.2 * solved(case, tol=1e-4).n_iter


def test_the_bits_do_not_depend_on_threads():
    case = problem(bo.Matern(1.0), [0.5], dtype=np.float32)
    one, two = (solved(case, threads=threads, max_iter=3) for threads in (1, 2))
    np.testing.assert_array_equal(one.coefficients, two.coefficients)
    assert one.coefficients.dtype == np.float32


@pytest.mark.parametrize("kernel", [bo.Gaussian(2.0), bo.Matern(1.0, nu=0.5)])
def test_single_precision_is_near_double_precision_even_for_a_smooth_kernel(kernel):
    for alpha in (1e-4, 0.1):
        double, single = (problem(kernel, [alpha], n=2200, dtype=dtype) for dtype in (np.float64, np.float32))
        exact = kernel(double.rows) @ solved(double, tol=1e-3).coefficients
        near = kernel(double.rows) @ solved(single, tol=1e-3).coefficients
        assert np.linalg.norm(near - exact) < 0.02 * np.linalg.norm(exact), alpha


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_singular_kernel_without_a_penalty_gives_no_nonsense(dtype):
    case = problem(bo.Gaussian(5.0), [0.0], n=2200, dtype=dtype)
    fitted = bo.Gaussian(5.0)(case.rows) @ solved(case, tol=1e-3).coefficients
    assert np.linalg.norm(fitted - case.targets) < np.linalg.norm(case.targets)


def test_memory_is_known_before():
    assert kept_bytes(10_000, np.dtype(np.float32)) == pytest.approx(2.1e8 + 5e7, rel=0.02)
    assert kept_bytes(10_000, np.dtype(np.float64)) == 2 * kept_bytes(10_000, np.dtype(np.float32))

"""Conjugate gradients and the iterative ridge solver against dense solutions, optimality conditions and themselves."""

import numpy as np
import pytest

import bochner as bo
from bochner.blocks import ArrayBlocks, Block
from bochner.compute.krylov import Vectors
from bochner.engines import SerialEngine, ThreadEngine
from bochner.learners.base import ToDesign
from bochner.learners.ridge_rows import ridge_passes
from bochner.solvers import solve_ridge, solve_ridge_by_passes
from bochner.solvers.conjugate_gradients import GeneralSystem, LittleMoved, conjugate_gradients
from bochner.solvers.normal_equations import Diagonal, NormalEquations, SampledGram
from bochner.statistics import GramProduct, LinearMoments, Moments


def spd(rng, size, condition=1e3):
    vectors = np.linalg.qr(rng.normal(size=(size, size)))[0]
    return vectors * np.geomspace(1.0, condition, size) @ vectors.T


def test_solves_systems_with_several_right_hand_sides():
    rng = np.random.default_rng(0)
    A, B = spd(rng, 60), rng.normal(size=(60, 3))
    B[:, 1] = 0.0
    found = conjugate_gradients(
        GeneralSystem(lambda X: A @ X, lambda X: X / np.diag(A)[:, None], B), stop=LittleMoved(1e-12), max_iter=500
    )
    assert found.converged
    np.testing.assert_allclose(found.solution, np.linalg.solve(A, B), rtol=1e-8, atol=1e-10)
    assert (found.solution[:, 1] == 0).all()


def test_tolerance_is_the_error_in_the_energy_norm_and_warm_starts_save_iterations():
    rng = np.random.default_rng(1)
    A, b = spd(rng, 300, 1e4), rng.normal(size=(300, 1))
    exact = np.linalg.solve(A, b)
    product, divide = (lambda X: A @ X), (lambda X: X / np.diag(A)[:, None])
    for tol in (1e-1, 1e-2, 1e-4):
        found = conjugate_gradients(GeneralSystem(product, divide, b), stop=LittleMoved(tol), max_iter=3000)
        error = found.solution - exact
        assert (error.T @ A @ error).item() < (10 * tol) ** 2 * (exact.T @ A @ exact).item()
    cold = conjugate_gradients(GeneralSystem(product, divide, b), stop=LittleMoved(1e-4), max_iter=3000)
    warm = conjugate_gradients(
        GeneralSystem(product, divide, b), start=exact + 1e-6, stop=LittleMoved(1e-4), max_iter=3000
    )
    assert warm.n_iter <= 2 < cold.n_iter
    assert not conjugate_gradients(GeneralSystem(product, divide, b), stop=LittleMoved(1e-8), max_iter=5).converged


def test_vector_work_does_not_depend_on_threads():
    rng = np.random.default_rng(2)
    left, right = rng.normal(size=(2, 400_001, 2)).astype(np.float32)
    one, many = (Vectors(400_001, 2, threads) for threads in (1, 3))
    assert np.array_equal(one.dots(left, right), many.dots(left, right))
    exact = (left.astype(np.float64) * right).sum(axis=0)
    np.testing.assert_allclose(one.dots(left, right), exact, rtol=1e-10)


def coded(n_rows=400, seed=0, dtype=np.float64, weighted=True, n_targets=2):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).astype(dtype)
    y = rng.normal(size=(n_rows, n_targets)) + X[:, :1] + 5.0
    weight = rng.integers(0, 4, size=n_rows).astype(float) if weighted else None
    features = bo.BinningFeatures(bo.Laplace(2.0), 12, 12 * 32, random_state=seed).fit(X).features_
    return features, ArrayBlocks(X, y, weight, block_rows=150).mapped(ToDesign(features))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_solution_of_the_normal_equations(fit_intercept, weighted):
    features, source = coded(weighted=weighted)
    engine = SerialEngine()
    passes = ridge_passes(engine, source, features.n_components, 2, features.dtype)
    found = solve_ridge_by_passes(passes, 0.7, fit_intercept, tol=1e-13, max_iter=2000)
    dense = solve_ridge(engine.fold(Moments(features.n_components, 2), source), 0.7, fit_intercept)
    np.testing.assert_allclose(found.coefficients, dense.coefficients, atol=1e-10)
    np.testing.assert_allclose(found.intercept, dense.intercept, atol=1e-10)
    # Optimality: the gradient of sum v (y - Wz - b)² + alpha ||W||² vanishes.
    block = next(iter(source))
    rows = [part() for part in source.parts()]
    gradient, slack = 0.7 * found.coefficients, 0.0
    for block in rows:
        weight = np.ones(block.n_rows) if block.weight is None else block.weight
        residual = weight[:, None] * (block.X.scores(found.coefficients) + found.intercept - block.y)
        gradient = gradient + block.X.adjoint(residual)
        slack = slack + residual.sum(axis=0)
    assert np.abs(gradient).max() < 1e-9
    if fit_intercept:
        assert np.abs(slack).max() < 1e-8


def test_product_is_centred_and_regularised():
    features, source = coded()
    engine = SerialEngine()
    moments = engine.fold(LinearMoments(features.n_components, 2), source)
    equations = NormalEquations(lambda s: engine.fold(s, source), moments, True, np.dtype(np.float64), 1)
    exact = engine.fold(Moments(features.n_components, 2), source)
    S = np.tril(exact.feature_moment) + np.tril(exact.feature_moment, -1).T
    P = np.random.default_rng(3).normal(size=(features.n_components, 2))
    np.testing.assert_allclose(equations.times(P, 0.3), S @ P + 0.3 * P, atol=1e-9)
    np.testing.assert_allclose(equations.diagonal, np.diag(S), atol=1e-9)
    np.testing.assert_allclose(equations.cross, exact.cross_moment, atol=1e-9)
    system = Diagonal(equations).system(0.3)
    direction, size = system.begin(P)
    np.testing.assert_allclose(direction, P / (np.diag(S) + 0.3)[:, None], atol=1e-12)
    np.testing.assert_allclose(size, (P * direction).sum(axis=0), rtol=1e-10)
    image, bend = system.image(direction)
    A = S + 0.3 * np.eye(len(S))
    np.testing.assert_allclose(bend, (direction * (A @ direction)).sum(axis=0), rtol=1e-9)
    solution, residual, length = np.zeros_like(P), P.copy(), np.array([0.2, 0.4])
    size = system.advance(solution, residual, direction, image, length)
    np.testing.assert_allclose(residual, P - A @ direction * length, atol=1e-9)
    np.testing.assert_allclose(solution, direction * length, atol=1e-12)
    np.testing.assert_allclose(size, (residual**2 / np.diag(A)[:, None]).sum(axis=0), rtol=1e-9)
    before = direction.copy()
    system.turn(direction, residual, length)
    np.testing.assert_allclose(direction, residual / np.diag(A)[:, None] + length * before, atol=1e-12)


@pytest.mark.parametrize("n_rows", [60, 400])
def test_sampled_gram_of_all_rows_is_the_inverse(n_rows):
    """With the whole data as the sample, fewer or more rows than features: (S + alpha I)^{-1} up to the jitter."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n_rows, 3)), rng.normal(size=(n_rows, 1))
    weight = rng.uniform(0.5, 2.0, size=n_rows)
    features = bo.FourierFeatures(bo.Gaussian(2.0), 100, random_state=0).fit(X).features_
    source = ArrayBlocks(X, y, weight).mapped(ToDesign(features))
    engine = SerialEngine()
    moments = engine.fold(LinearMoments(100, 1), source)
    equations = NormalEquations(lambda s: engine.fold(s, source), moments, True, np.dtype(np.float64), 1)
    P = rng.normal(size=(100, 2))
    divide = SampledGram(source.sample(n_rows), equations).at(5.0)
    np.testing.assert_allclose(divide(equations.times(P, 5.0)), P, rtol=1e-4, atol=1e-4)


def test_gram_product_merges_like_it_updates():
    features, source = coded()
    P = np.random.default_rng(3).normal(size=(features.n_components, 2))
    whole = SerialEngine().fold(GramProduct(P), source)
    Z = np.concatenate([part().X.dense() for part in source.parts()])
    v = np.concatenate([part().weight for part in source.parts()])[:, None]
    np.testing.assert_allclose(whole.product, Z.T @ (v * (Z @ P)), atol=1e-9)
    np.testing.assert_allclose(whole.score_sum, (v * (Z @ P)).sum(axis=0), atol=1e-9)
    empty = GramProduct(P)
    empty.update(Block(features.design(np.empty((0, 3))), np.empty((0, 2))))
    assert not empty.product.any()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_same_bits_for_any_number_of_threads(dtype):
    found = []
    for n_jobs in (1, 2, 3):
        features, source = coded(20_000, dtype=dtype)
        engine = ThreadEngine(n_jobs)
        designs = source.source.rechunked(6000).mapped(ToDesign(features.on_threads(n_jobs)))
        passes = ridge_passes(engine, designs, features.n_components, 2, features.dtype)
        found.append(solve_ridge_by_passes(passes, "gcv", True, tol=1e-3, max_iter=100))
    for other in found[1:]:
        assert other.alpha == found[0].alpha
        assert np.array_equal(other.coefficients, found[0].coefficients)
        assert other.coefficients.dtype == dtype

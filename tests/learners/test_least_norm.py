"""alpha = 0 is the least-squares solution of least norm, by each solver, and it interpolates where it can."""

import numpy as np
import pytest

import bochner as bo
from tests.engines.saved import saving

THREE = np.array([[0.0], [1.0], [2.5]]), np.array([1.0, -1.0, 2.0])


def data(n, d, seed=0):
    X = np.random.default_rng(seed).uniform(-3, 3, size=(n, d))
    return X, np.sin(X[:, 0]) + X[:, -1] ** 2


def test_norms_tend_to_that_of_the_kernel_machine():
    """||f_K|| = 3.697089042, and the mean of ||w||² is at least its square (Jensen); 100 draws of 1024 frequencies."""
    norms = []
    for seed in range(100):
        given = bo.FourierFeatures(bo.Gaussian(1.0), 2048, directions="iid", random_state=seed)
        solver = "cholesky" if seed == 0 else "cg"
        model = bo.KernelRidge(given, alpha=0.0, fit_intercept=False, solver=solver, tol=1e-14).fit(*THREE)
        assert np.abs(model.predict(THREE[0]) - THREE[1]).max() < 1e-8
        assert solver == "cg" or model.rank_ == 3
        norms.append(np.linalg.norm(model.coef_))
    assert abs(np.median(norms) - 3.697089042) < 0.05
    squares = np.square(norms)
    assert squares.mean() > 3.697089042**2 - 5 * squares.std() / np.sqrt(len(squares))


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("dim", [1, 2])
def test_the_pseudoinverse_with_its_own_cut(dim, fit_intercept):
    """In one dimension the condition of the features is 1e16 and that of their moments would be 1e32."""
    X, y = data(30, dim)
    weight = np.random.default_rng(1).uniform(0.5, 2.0, size=30)
    given = bo.FourierFeatures(bo.Gaussian(1.0), 300, random_state=0)
    model = bo.KernelRidge(given, alpha=0.0, fit_intercept=fit_intercept).fit(X, y, weight)
    Z = model.feature_map_.transform(X)
    mean = weight @ Z / weight.sum() * fit_intercept
    left = np.sqrt(weight)[:, None] * (Z - mean)
    right = np.sqrt(weight) * (y - fit_intercept * np.average(y, weights=weight))
    exact, _, rank, _ = np.linalg.lstsq(left, right, rcond=300 * np.finfo(float).eps)
    np.testing.assert_allclose(left @ model.coef_, left @ exact, atol=1e-8)
    if dim == 2:
        assert model.rank_ == rank == 30 - fit_intercept
        np.testing.assert_allclose(model.coef_, exact, atol=1e-9)
        np.testing.assert_allclose(model.predict(X), y, atol=1e-10)
    else:  # singular values near the cut are rounding themselves, but moments would hide those below 1e-8
        assert abs(model.rank_ - rank) <= 1
        assert model.rank_ > np.linalg.lstsq(left, right, rcond=1e-8)[2] + 2
        np.testing.assert_allclose(model.predict(X), y, atol=1e-8)


def test_fewer_directions_than_rows():
    X, y = data(200, 2)
    given = bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0)
    model = bo.KernelRidge(given, alpha=0.0).fit(X, y)
    assert model.rank_ == 40
    residual = y - model.predict(X)
    Z = model.feature_map_.transform(X)
    assert np.abs(Z.T @ residual).max() < 1e-9 * np.linalg.norm(Z) * np.linalg.norm(residual)
    assert abs(residual.sum()) < 1e-9
    twice = bo.KernelRidge(given, alpha=0.0).fit(np.vstack([X[:9], X[:9]]), np.concatenate([y[:9], y[:9] + 2.0]))
    assert twice.rank_ == 8  # nine rows, less the intercept
    np.testing.assert_allclose(twice.predict(X[:9]), y[:9] + 1.0, atol=1e-8)


def test_moments_serve_where_the_rows_do_not_fit():
    X, y = data(300, 2)
    given = bo.FourierFeatures(bo.Gaussian(1.0), 40, random_state=0)
    rows = bo.KernelRidge(given, alpha=0.0).fit(X, y)
    moments = bo.KernelRidge(given, alpha=0.0, engine=bo.ThreadEngine(memory="300KB")).fit(X, y)
    pieces = bo.KernelRidge(given, alpha=0.0).partial_fit(X, y)
    assert rows.rank_ == moments.rank_ == pieces.rank_ == 40
    for model in (moments, pieces):
        np.testing.assert_allclose(model.predict(X), rows.predict(X), atol=1e-6)
    with pytest.raises(AttributeError, match="only where alpha=0"):
        _ = bo.KernelRidge(given, alpha=1.0).fit(X, y).rank_


@pytest.mark.parametrize(("n", "width", "dim"), [(30, 300, 2), (200, 1000, 5)])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 1e-16])
def test_conjugate_directions_do_not_drift(n, width, dim, fit_intercept, alpha):
    """The norm of the solution for tolerances from 1e-8 on is that of the pseudoinverse."""
    X, y = data(n, dim)
    targets = np.column_stack([y, X[:, 0]])
    given = bo.FourierFeatures(bo.Gaussian(1.0), width, random_state=0)
    settings = {"fit_intercept": fit_intercept}
    exact = bo.KernelRidge(given, alpha=0.0, solver="cholesky", **settings).fit(X, targets)
    for tol in (1e-8, 1e-12, 1e-16):
        model = bo.KernelRidge(given, alpha=alpha, solver="cg", tol=tol, max_iter=2000, **settings).fit(X, targets)
        np.testing.assert_allclose(np.linalg.norm(model.coef_, axis=1), np.linalg.norm(exact.coef_, axis=1), rtol=1e-5)
        np.testing.assert_allclose(model.predict(X), targets, atol=1e3 * tol + 1e-10)


def test_norms_never_exceed_least_norm_where_the_condition_is_hopeless():
    """Condition 1e16: however long it goes on, what rounding hides is not entered."""
    X, y = data(30, 1)
    given = bo.FourierFeatures(bo.Gaussian(1.0), 300, random_state=0)
    exact = bo.KernelRidge(given, alpha=0.0).fit(X, y)
    model = bo.KernelRidge(given, alpha=0.0, solver="cg", tol=1e-16, max_iter=3000).fit(X, y)
    assert np.linalg.norm(model.coef_) < 2.0 * np.linalg.norm(exact.coef_)
    np.testing.assert_allclose(model.predict(X), y, atol=1e-6)


def test_binned_features_too_and_the_same_bits_for_any_blocks_and_threads():
    X, y = data(150, 2)
    binning = bo.BinningFeatures(bo.Laplace(1.0), 30, 30 * 64, random_state=0)
    settings = {"alpha": 0.0, "solver": "cg", "tol": 1e-14, "max_iter": 3000}
    model = bo.KernelRidge(binning, engine=1, **settings).fit(X, y)
    Z = model.feature_map_.transform(X).toarray()
    centred = Z - Z.mean(axis=0)
    exact = np.linalg.lstsq(centred, y - y.mean(), rcond=1e-12)[0]
    np.testing.assert_allclose(model.coef_, exact, atol=1e-8)
    again = bo.KernelRidge(binning, engine=3, **settings).fit(X, y)
    np.testing.assert_array_equal(again.coef_, model.coef_)
    blocks = bo.KernelRidge(binning, **settings).fit(bo.ArrayBlocks(X, y, block_rows=32))
    np.testing.assert_allclose(blocks.coef_, exact, atol=1e-8)


def test_a_checkpoint_gives_the_same_bits(tmp_path):
    X, y = data(150, 2)
    given = bo.FourierFeatures(bo.Gaussian(1.0), 60, random_state=0)
    settings = {"alpha": 0.0, "solver": "cg", "tol": 1e-2, "random_state": 0}
    source = bo.ArrayBlocks(X, y, block_rows=40)
    plain = bo.KernelRidge(given, **settings).fit(source)
    for _ in range(2):  # the second call takes up what the first has left
        kept = saving(bo.KernelRidge(given, **settings), tmp_path / "work").fit(source)
        np.testing.assert_array_equal(kept.coef_, plain.coef_)


def test_single_precision_is_cut_at_its_own_rounding():
    X, y = data(60, 2)
    given = bo.FourierFeatures(bo.Gaussian(2.0), 200, random_state=0)
    double = bo.KernelRidge(given, alpha=0.0).fit(X, y)
    single = bo.KernelRidge(given, alpha=0.0).fit(X.astype(np.float32), y)
    assert single.rank_ < double.rank_
    np.testing.assert_allclose(single.predict(X.astype(np.float32)), y, atol=0.05)
    iterated = bo.KernelRidge(given, alpha=0.0, solver="cg", tol=1e-6, max_iter=2000).fit(X.astype(np.float32), y)
    assert iterated.coef_.dtype == np.float32
    np.testing.assert_allclose(iterated.predict(X.astype(np.float32)), y, atol=0.05)

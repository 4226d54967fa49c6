"""On problems where a kind of map is known to win, it is chosen."""

import numpy as np
import pytest

import bochner as bo


def smooth(rng, n):
    X = rng.uniform(-2, 2, size=(n, 4))
    return X, np.sin(2 * X[:, 0]) * np.cos(X[:, 1]) + np.sin(X[:, 2] + X[:, 3])


def steps(rng, n):
    X = rng.uniform(-1, 1, size=(n, 3))
    heights = np.random.default_rng(7).normal(size=(3, 8))
    return X, sum(heights[j][np.floor(4 * X[:, j] + 4).astype(int)] for j in range(3))


def products(rng, n):
    X = rng.normal(size=(n, 14))  # so many columns that rows have no neighbours
    return X, (X[:, ::2] * X[:, 1::2]).sum(axis=1) + 0.1 * rng.normal(size=n)


def counts(rng, n):
    X = rng.poisson(rng.gamma(0.5, 2.0, size=(n, 30)))
    return X, np.sqrt(X) @ np.random.default_rng(7).normal(size=30) + 0.3 * rng.normal(size=n)


@pytest.mark.parametrize(
    ("problem", "family"),
    [(smooth, "Fourier"), (steps, "binning"), (products, "Maclaurin"), (counts, "additive")],
    ids=["smooth", "steps", "products", "counts"],
)
def test_the_right_map_wins(problem, family):
    rng = np.random.default_rng(0)
    X, y = problem(rng, 1500)
    model = bo.AutoKernelRegressor(budget=30, random_state=0, progress=False).fit(X[:1000], y[:1000])
    assert model.leaderboard_[0]["map"] == family
    assert model.score(X[1000:], y[1000:]) > 0.9
    assert family in model.explain()


def test_learned_scales_win_where_columns_do_not_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 25))
    y = np.sin(2 * X[:, 0]) + np.sin(2 * X[:, 1])
    model = bo.AutoKernelRegressor(budget=30, random_state=0, progress=False).fit(X[:1000], y[:1000])
    assert "learned" in model.leaderboard_[0]["scales"]
    assert model.score(X[1000:], y[1000:]) > 0.9
    assert "x0" in model.explain()
    assert "hardly count" in model.explain()


def test_the_kernel_itself_wins_where_every_row_counts():
    rng = np.random.default_rng(0)
    centres, labels = rng.normal(size=(400, 6)), rng.integers(0, 5, size=400)
    chosen = rng.integers(0, 400, size=7000)
    X, y = centres[chosen] + 0.25 * rng.normal(size=(7000, 6)), labels[chosen]
    model = bo.AutoKernelClassifier(budget=32, ensemble=1, random_state=0, progress=False).fit(X[:6000], y[:6000])
    assert isinstance(model.best_estimator_.estimators_[0], bo.ExactKernelRidgeClassifier)
    assert model.score(X[6000:], y[6000:]) > 0.9
    assert "The best is exact" in model.explain()

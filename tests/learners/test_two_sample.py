"""The two-sample test: estimates by definition, splits uniform, level right, power there."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import chi2
from sklearn.kernel_approximation import Nystroem

import bochner as bo
from bochner.compute.selection import random_subsets
from bochner.learners.samples import permutation_p_value
from bochner.learners.two_sample import split_counts

FOURIER = bo.FourierFeatures(bo.Gaussian(1.5), 64, random_state=0)
SERIAL = bo.SerialEngine()


def samples(n=60, m=45, shift=0.0, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, 2)), rng.normal(shift, 1, size=(m, 2))


def test_estimates_are_those_of_the_kernel_matrices():
    X, Y = samples(shift=0.4)
    result = bo.mmd_test(X, Y, FOURIER, n_permutations=0)
    Z, T = FOURIER.fit(X).transform(X), FOURIER.transform(Y)
    xx, yy, xy = Z @ Z.T, T @ T.T, Z @ T.T
    np.testing.assert_allclose(result.squared_mmd, xx.mean() + yy.mean() - 2 * xy.mean(), rtol=1e-10)
    off = [(kernel.sum() - np.trace(kernel)) / (len(kernel) * (len(kernel) - 1)) for kernel in (xx, yy)]
    np.testing.assert_allclose(result.squared_mmd_unbiased, sum(off) - 2 * xy.mean(), rtol=1e-10)
    assert result.p_value is None
    both = np.vstack([X, Y])
    error = np.abs(FOURIER.transform(both) @ FOURIER.transform(both).T - bo.Gaussian(1.5)(both)).max()
    kernel = bo.Gaussian(1.5)
    exact = kernel(X).mean() + kernel(Y).mean() - 2 * kernel(X, Y).mean()
    assert abs(result.squared_mmd - exact) <= 4 * error  # the perturbation bound of the theory
    new = np.random.default_rng(3).normal(size=(7, 2))
    np.testing.assert_allclose(
        result.witness(new), FOURIER.transform(new) @ (Z.mean(axis=0) - T.mean(axis=0)), atol=1e-12
    )
    gap = result.witness(X).mean() - result.witness(Y).mean()
    np.testing.assert_allclose(gap, result.squared_mmd, rtol=1e-10)


def test_the_unbiased_estimate_has_mean_zero_under_the_null_hypothesis():
    values = [bo.mmd_test(*samples(12, 9, seed=seed), FOURIER, n_permutations=0, engine=SERIAL) for seed in range(400)]
    unbiased = np.array([value.squared_mmd_unbiased for value in values])
    assert abs(unbiased.mean()) < 5 * unbiased.std() / 20
    biased = np.array([value.squared_mmd for value in values])
    assert biased.mean() > 20 * unbiased.std() / 20  # the biased one does not


def test_every_split_of_a_small_pool_is_equally_likely():
    X, Y = samples(3, 2)
    result = bo.mmd_test(X, Y, FOURIER, n_permutations=5000, random_state=1)
    pool = FOURIER.fit(X).transform(np.vstack([X, Y]))
    possible = []
    for chosen in combinations(range(5), 3):
        inside = np.isin(np.arange(5), chosen)
        possible.append(np.sum((pool[inside].mean(axis=0) - pool[~inside].mean(axis=0)) ** 2))
    nearest = np.abs(result.permuted[:, None] - np.array(possible)[None, :]).argmin(axis=1)
    np.testing.assert_allclose(result.permuted, np.array(possible)[nearest], rtol=1e-8)
    counts = np.bincount(nearest, minlength=10)
    assert np.sum((counts - 500) ** 2 / 500) < chi2(9).isf(1e-6)
    reached = np.sum(np.array(possible) >= possible[0] * (1 - 1e-9)) / 10  # ties with the observed split count
    assert abs(result.p_value - reached) < 5 * np.sqrt(reached * (1 - reached) / 5000) + 1e-3


def test_splits_over_blocks_are_uniform():
    sizes, n = np.array([2, 0, 3, 1]), 3
    rng = np.random.default_rng(0)
    counts = split_counts(sizes, n, 20_000, rng)
    assert (counts.sum(axis=0) == n).all()
    rows = [random_subsets(counts[block], size, rng, np.dtype(np.float32)) for block, size in enumerate(sizes)]
    chosen = np.vstack(rows).T.astype(int)
    assert (chosen.sum(axis=1) == n).all()
    found = np.array(list(Counter(map(tuple, chosen.tolist())).values()))
    assert len(found) == 20
    assert np.sum((found - 1000) ** 2 / 1000) < chi2(19).isf(1e-6)


def null_p_values(n_tests):
    settings = {"n_permutations": 99, "engine": SERIAL}
    feature_map = bo.FourierFeatures(bo.Gaussian(1.0), 16, random_state=0)
    results = (
        bo.mmd_test(*samples(16, 11, seed=seed), feature_map, random_state=seed, **settings) for seed in range(n_tests)
    )
    return np.array([result.p_value for result in results])


def assert_level(p_values, levels=(0.05, 0.2, 0.5)):
    for level in levels:
        error = np.sqrt(level * (1 - level) / len(p_values))
        assert abs(np.mean(p_values <= level) - level) < 5 * error


def test_the_level_is_right_on_null_data():
    assert_level(null_p_values(600))


@pytest.mark.slow
def test_the_level_is_right_to_two_per_cent():
    assert_level(null_p_values(4000))


@pytest.mark.parametrize("change", ["mean", "spread"])
def test_power_against_a_known_alternative(change):
    rejected = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 2))
        Y = rng.normal(0.5, 1, size=(120, 2)) if change == "mean" else rng.normal(0, 1.7, size=(120, 2))
        rejected += bo.mmd_test(X, Y, FOURIER, n_permutations=99, random_state=seed, engine=SERIAL).p_value <= 0.05
    assert rejected >= 38


def test_sources_engines_sparse_rows_and_tables_give_the_same_estimates():
    X, Y = samples(100, 80, shift=0.2)
    expected = bo.mmd_test(X, Y, FOURIER, n_permutations=50, random_state=0)
    blocks = bo.mmd_test(
        bo.ArrayBlocks(X, np.arange(100.0), block_rows=7),
        bo.ArrayBlocks(Y, block_rows=9),
        FOURIER,
        n_permutations=50,
        random_state=0,
    )
    sparse = bo.mmd_test(sp.csr_matrix(X), Y, FOURIER, n_permutations=50, random_state=0)
    serial = bo.mmd_test(X, Y, FOURIER, n_permutations=50, random_state=0, engine=SERIAL)
    for result in (blocks, sparse, serial):
        np.testing.assert_allclose(result.squared_mmd, expected.squared_mmd)
        np.testing.assert_allclose(result.squared_mmd_unbiased, expected.squared_mmd_unbiased)
    np.testing.assert_array_equal(serial.permuted, expected.permuted)
    assert str(expected).startswith("Two-sample test of 100 and 80 rows: MMD² = ")
    assert "50 permutations" in str(expected)
    other = bo.mmd_test(X, Y, Nystroem(n_components=20, random_state=0), n_permutations=50, random_state=0)
    assert 0 < other.p_value <= 1


def test_many_blocks_give_the_sums_of_one():
    X, Y = (rows.astype(np.float32) for rows in samples(3000, 2000, shift=0.05))
    small = bo.mmd_test(X, Y, FOURIER, n_permutations=200, random_state=0, engine=bo.ThreadEngine(memory="1MB"))
    large = bo.mmd_test(X, Y, FOURIER, n_permutations=200, random_state=0)
    np.testing.assert_allclose(small.squared_mmd, large.squared_mmd, rtol=1e-4)
    error = np.hypot(*(result.permuted.std() / np.sqrt(200) for result in (small, large)))
    assert abs(small.permuted.mean() - large.permuted.mean()) < 5 * error


def test_bad_input_gets_one_sentence():
    X, Y = samples(20, 20)
    with pytest.raises(ValueError, match="at least 2 of each"):
        bo.mmd_test(X[:1], Y, FOURIER)
    with pytest.raises(ValueError, match="2 and 1 columns"):
        bo.mmd_test(X, Y[:, :1], FOURIER)
    with pytest.raises(ValueError, match="NaN"):
        bo.mmd_test(X, np.full_like(Y, np.nan), FOURIER)
    with pytest.raises(ValueError, match="n_permutations must be"):
        bo.mmd_test(X, Y, FOURIER, n_permutations=-1)
    with pytest.raises(ValueError, match="sample weights"):
        bo.mmd_test(bo.ArrayBlocks(X, None, np.ones(20)), Y, FOURIER)
    with pytest.raises(TypeError, match="feature_map must be"):
        bo.mmd_test(X, Y, "rbf")


def test_p_value_counts_the_observed_split_and_ties():
    assert permutation_p_value(1.0, np.array([0.5, 0.9, 0.2]), 1e-16) == 1 / 4
    assert permutation_p_value(1.0, np.array([0.5, 1.0, 2.0]), 1e-16) == 3 / 4
    assert permutation_p_value(1.0, np.array([1.0 - 1e-15]), 1e-16) == 1.0  # equal but for rounding
    assert permutation_p_value(1.0, np.array([]), 1e-16) is None

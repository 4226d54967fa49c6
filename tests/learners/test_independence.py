"""The independence test: estimates by definition, level right, power there."""

import numpy as np
import pytest
import scipy.sparse as sp

import bochner as bo

LEFT = bo.FourierFeatures(bo.Gaussian(1.5), 24, random_state=0)
RIGHT = bo.FourierFeatures(bo.Gaussian(1.0), 17, random_state=1)
SERIAL = bo.SerialEngine()


def pairs(n=60, dependent=True, seed=0):
    rng = np.random.default_rng(seed)
    X, noise = rng.normal(size=(n, 2)), rng.normal(size=(n, 1))
    return X, X[:, :1] ** 2 + noise if dependent else noise


def test_estimates_are_those_of_the_kernel_matrices():
    X, Y = pairs()
    n = len(X)
    result = bo.hsic_test(X, Y, LEFT, RIGHT, n_permutations=0)
    Z, T = LEFT.fit(X).transform(X), RIGHT.fit(Y).transform(Y)
    K, L = Z @ Z.T, T @ T.T
    centring = np.eye(n) - 1 / n
    np.testing.assert_allclose(result.hsic, np.trace(K @ centring @ L @ centring) / n**2, rtol=1e-10)
    np.fill_diagonal(K, 0), np.fill_diagonal(L, 0)
    expected = np.trace(K @ L) + K.sum() * L.sum() / ((n - 1) * (n - 2)) - 2 * (K @ L).sum() / (n - 2)
    np.testing.assert_allclose(result.hsic_unbiased, expected / (n * (n - 3)), rtol=1e-9)
    assert result.p_value is None
    mean = result.witness(X, Y).mean()
    np.testing.assert_allclose(mean, result.hsic, rtol=1e-10)  # the witness is the gradient of HSIC


def test_the_unbiased_estimate_has_mean_zero_under_the_null_hypothesis():
    results = [
        bo.hsic_test(*pairs(12, False, seed), LEFT, RIGHT, n_permutations=0, engine=SERIAL) for seed in range(400)
    ]
    unbiased = np.array([result.hsic_unbiased for result in results])
    assert abs(unbiased.mean()) < 5 * unbiased.std() / 20
    assert np.mean([result.hsic for result in results]) > 20 * unbiased.std() / 20


def null_p_values(n_tests):
    left, right = (bo.FourierFeatures(bo.Gaussian(1.0), 8, random_state=seed) for seed in (0, 1))
    return np.array(
        [
            bo.hsic_test(
                *pairs(20, False, seed), left, right, n_permutations=99, random_state=seed, engine=SERIAL
            ).p_value
            for seed in range(n_tests)
        ]
    )


def assert_level(p_values, levels=(0.05, 0.2, 0.5)):
    for level in levels:
        assert abs(np.mean(p_values <= level) - level) < 5 * np.sqrt(level * (1 - level) / len(p_values))


def test_the_level_is_right_on_null_data():
    assert_level(null_p_values(500))


@pytest.mark.slow
def test_the_level_is_right_to_two_per_cent():
    assert_level(null_p_values(4000))


def test_the_level_is_right_with_shuffles_within_blocks(monkeypatch):
    monkeypatch.setattr("bochner.learners.independence.BLOCK_ROWS", 6)
    assert_level(null_p_values(500))


def test_power_against_dependence_without_correlation():
    rejected = sum(
        bo.hsic_test(*pairs(150, True, seed), n_permutations=99, random_state=seed, engine=SERIAL).p_value <= 0.05
        for seed in range(20)
    )
    assert rejected >= 19


def test_sorted_arrays_lose_no_power_to_blocks(monkeypatch):
    monkeypatch.setattr("bochner.learners.independence.BLOCK_ROWS", 50)
    X, Y = pairs(400)
    order = np.argsort(X[:, 0])
    assert bo.hsic_test(X[order], Y[order], LEFT, RIGHT, n_permutations=99, random_state=0).p_value <= 0.02


def test_sources_engines_and_sparse_rows_give_the_same_estimates():
    X, Y = pairs(100)
    expected = bo.hsic_test(X, Y, LEFT, RIGHT, n_permutations=20, random_state=0)
    blocks = bo.hsic_test(
        bo.ArrayBlocks(X, block_rows=30), bo.ArrayBlocks(Y, block_rows=30), LEFT, RIGHT, n_permutations=20
    )
    sparse = bo.hsic_test(X, sp.csr_matrix(Y), LEFT, RIGHT, n_permutations=20, random_state=0)
    serial = bo.hsic_test(X, Y, LEFT, RIGHT, n_permutations=20, random_state=0, engine=SERIAL)
    for result in (blocks, sparse, serial):
        np.testing.assert_allclose(result.hsic, expected.hsic)
        np.testing.assert_allclose(result.hsic_unbiased, expected.hsic_unbiased)
    np.testing.assert_array_equal(serial.permuted, expected.permuted)
    assert str(expected).startswith("Independence test of 100 rows: HSIC = ")


def test_bad_input_gets_one_sentence():
    X, Y = pairs(20)
    with pytest.raises(ValueError, match="each row of X needs its row of Y"):
        bo.hsic_test(X, Y[:10], LEFT, RIGHT)
    with pytest.raises(ValueError, match="at least 4"):
        bo.hsic_test(X[:3], Y[:3], LEFT, RIGHT)
    with pytest.raises(ValueError, match="n_permutations must be"):
        bo.hsic_test(X, Y, n_permutations=1.5)


def test_a_vector_is_a_single_column():
    X = np.random.default_rng(0).normal(size=(200, 2))
    options = {"n_permutations": 50, "random_state": 0}
    vector = bo.hsic_test(X, np.sin(X[:, 0]), **options)
    assert vector.p_value == bo.hsic_test(X, np.sin(X[:, :1]), **options).p_value < 0.05
    assert bo.mmd_test(X[:, 0], X[:, 0] + 2.0, **options).p_value < 0.05

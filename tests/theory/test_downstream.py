"""Outputs of learners under an approximate kernel: bounds that random problems do not violate."""

import numpy as np
import pytest
from scipy.linalg import cho_factor, cho_solve

import bochner as bo
from bochner import theory

GAUSSIAN = bo.Gaussian(1.0)


def perturbed(width=200, n=60):
    rng = np.random.default_rng(4)
    X = rng.normal(size=(n + 1, 2))
    features = bo.FourierFeatures(GAUSSIAN, width, random_state=0).fit(X)
    Z = features.transform(X)
    return GAUSSIAN(X), Z @ Z.T, np.sign(X[:n, 0] * X[:n, 1]) + 0.1


def test_ridge_reference_values():
    """eps = .01, λ = .1: sigma_y eps [1/λ + 1/(2 λ^{3/2})], where the bound in print has 1/λ + 1/λ²."""
    assert theory.ridge_perturbation(eps=0.01, alpha=100.0, n_rows=1000) == pytest.approx(0.2581138830, rel=1e-9)
    for share in (1e-3, 0.1, 3.9, 4.1, 100.0):
        found = theory.ridge_perturbation(eps=0.01, alpha=share * 50, n_rows=50, target_rms=2.0)
        forms = [1 / share + 0.5 * share**-1.5, 1 / share + share**-2.0]
        assert found == pytest.approx(0.02 * min(forms))
    with pytest.raises(ValueError, match="Give eps"):
        theory.ridge_perturbation(alpha=1.0, n_rows=10, spectral=0.1)
    known = {"alpha": 2.0, "n_rows": 10, "spectral": 0.3, "row_error": 0.1, "dual_norm": 1.5, "largest_diagonal": 1.7}
    assert theory.ridge_perturbation(**known) == pytest.approx(1.5 * (0.1 + 0.3 * np.sqrt(1.7 / 2.0) / 2))


def test_what_is_known_of_the_errors_makes_the_ridge_bound_sharper():
    """n = 200, sin 2x, D = 2000: two to four powers of ten below the form in print at small λ."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-3, 3, size=(201, 1))
    y = np.sin(2 * X[:200, 0])
    K = GAUSSIAN(X)
    Z = bo.FourierFeatures(GAUSSIAN, 2000, directions="iid", random_state=0).fit_transform(X)
    difference = K - Z @ Z.T
    eps, eta = np.abs(difference).max(), np.abs(np.linalg.eigvalsh(difference[:200, :200])).max()
    for share, gain in ((1e-3, 200), (0.01, 30), (0.1, 5)):
        alpha = 200 * share
        dual = cho_solve(cho_factor(K[:200, :200] + alpha * np.eye(200)), y)
        approximate = cho_solve(cho_factor((Z @ Z.T)[:200, :200] + alpha * np.eye(200)), y)
        moved = abs(K[200, :200] @ dual - (Z @ Z.T)[200, :200] @ approximate)
        given = {"alpha": alpha, "n_rows": 200, "target_rms": float(np.sqrt(np.mean(y**2)))}
        loose = theory.ridge_perturbation(eps=eps, **given)
        known = {
            "spectral": eta,
            "row_error": float(np.linalg.norm(difference[200, :200])),
            "dual_norm": float(np.linalg.norm(dual)),
        }
        sharp = theory.ridge_perturbation(**known, **given)
        printed = given["target_rms"] * eps * (1 / share + share**-2.0)
        assert moved <= sharp < loose < printed
        assert sharp < printed / gain


def test_svm_does_not_move_further_than_the_bound():
    K, K_hat, y = perturbed()
    n, C = len(y), 0.02
    labels = np.sign(y)
    # Without intercept: the dual by coordinate ascent, 0 <= a_i <= C.
    outputs = []
    for gram in (K, K_hat):
        a = np.zeros(n)
        for _ in range(100):
            for i in range(n):
                gradient = 1 - labels[i] * (gram[i, :n] @ (a * labels))
                a[i] = np.clip(a[i] + gradient / gram[i, i], 0, C)
        outputs.append(gram[n, :n] @ (a * labels))
    eta = np.abs(np.linalg.eigvalsh(K - K_hat)).max()
    bound = theory.svm_perturbation(C=C, n_rows=n, spectral=eta)
    assert abs(outputs[0] - outputs[1]) <= bound
    assert theory.svm_perturbation(C=C, n_rows=n, eps=np.abs(K - K_hat).max()) >= bound
    with pytest.raises(ValueError, match="one of eps"):
        theory.svm_perturbation(C=C, n_rows=n)


def test_mmd_does_not_move_further_than_the_bound():
    K, K_hat, _ = perturbed()
    weights = np.where(np.arange(61) < 30, 1 / 30, -1 / 31)
    eps = np.abs(K - K_hat).max()
    squares = [weights @ gram @ weights for gram in (K, K_hat)]
    assert abs(squares[0] - squares[1]) <= theory.mmd_perturbation(eps=eps)
    assert abs(np.sqrt(squares[0]) - np.sqrt(squares[1])) <= theory.mmd_perturbation(eps=eps, squared=False)


def test_mmd_concentration_reference_values():
    """X = {0, 1}, Y = {.5, 2}, Gaussian, D = 1000: where both bounds are 5 %, and the law that they bound."""
    X, Y = np.array([0.0, 1.0]), np.array([0.5, 2.0])
    weights, points = np.array([0.5, 0.5, -0.5, -0.5]), np.concatenate([X, Y])
    squared = weights @ GAUSSIAN(points[:, None]) @ weights
    assert squared == pytest.approx(0.2121616895, rel=1e-9)
    assert theory.mmd_concentration(excess=0.2429, n_components=1000) == pytest.approx(0.05, abs=2e-4)
    found = theory.mmd_concentration(excess=0.1222, n_components=1000, squared=squared)
    assert found == pytest.approx(0.05, abs=2e-4)
    rng = np.random.default_rng(0)
    values = np.empty(4000)
    for repeat in range(len(values)):
        waves = np.exp(1j * np.outer(rng.normal(size=500), points)) @ weights
        values[repeat] = np.mean(np.abs(waves) ** 2)
    error = values.std() / np.sqrt(len(values))
    assert abs(values.mean() - squared) < 5 * error
    assert values.std() == pytest.approx(np.sqrt(0.0261973143 / 500), rel=0.06)  # five standard errors of 4000 draws
    assert np.quantile(np.abs(values - squared), 0.95) == pytest.approx(0.0142, abs=0.001)
    for excess in (0.005, 0.01, 0.02, 0.05):
        share = np.mean(np.abs(values - squared) >= excess)
        for given in ({}, {"squared": squared}):
            assert share <= theory.mmd_concentration(excess=excess, n_components=1000, **given)

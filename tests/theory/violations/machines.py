"""How far outputs of learners move, and how MMD² concentrates."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.linalg import cho_factor, cho_solve

import bochner as bo
from bochner import theory

from .check import GAUSSIAN, Check, Checks, share


def ridge(effort: int) -> Checks:
    """Ridge regression on random problems, with paired features and with shifted ones, whose rows are longer."""
    rng = np.random.default_rng(6)
    for case in range(60 * effort):
        n, width, penalty = int(rng.integers(5, 61)), int(2 * rng.integers(5, 200)), 10 ** rng.uniform(-4, 0.5)
        X, y = rng.normal(size=(n + 1, 2)), rng.normal(size=n)
        if case % 2:
            turns = X @ GAUSSIAN.sample_frequencies(2, width, rng).T + rng.uniform(0, 2 * np.pi, size=width)
            Z = np.sqrt(2 / width) * np.cos(turns)
        else:
            turns = X @ GAUSSIAN.sample_frequencies(2, width // 2, rng).T
            Z = np.sqrt(2 / width) * np.hstack([np.cos(turns), np.sin(turns)])
        K, K_hat = GAUSSIAN(X), Z @ Z.T
        difference, alpha = K - K_hat, penalty * n
        duals = [cho_solve(cho_factor(gram[:n, :n] + alpha * np.eye(n)), y) for gram in (K, K_hat)]
        moved = abs(K[n, :n] @ duals[0] - K_hat[n, :n] @ duals[1])
        eps, eta = float(np.abs(difference).max()), float(np.linalg.norm(difference[:n, :n], 2))
        longest = max(1.0, float(np.diag(K_hat).max()))
        given = {"alpha": alpha, "n_rows": n, "largest_diagonal": longest, "target_rms": float(np.sqrt(np.mean(y**2)))}
        loose = theory.ridge_perturbation(eps=eps, **given)
        spectral = theory.ridge_perturbation(eps=eps, spectral=eta, **given)
        row, norm = float(np.linalg.norm(difference[n, :n])), float(np.linalg.norm(duals[0]))
        sharp = theory.ridge_perturbation(spectral=eta, row_error=row, dual_norm=norm, **given)
        yield Check("ridge, largest error", moved, loose)
        yield Check("ridge, spectral", moved, spectral)
        yield Check("ridge, all known", moved, sharp)
        yield Check("ridge, spectral is not above", spectral, loose * (1 + 1e-12))
        yield Check("ridge, all known is not above", sharp, spectral * (1 + 1e-12))
        half = (n + 1) // 2
        signs = np.where(np.arange(n + 1) < half, 1 / half, -1 / (n + 1 - half))
        exact, found = signs @ K @ signs, signs @ K_hat @ signs
        yield Check("MMD²", abs(exact - found), theory.mmd_perturbation(eps=eps))
        yield Check("MMD", abs(np.sqrt(exact) - np.sqrt(found)), theory.mmd_perturbation(eps=eps, squared=False))


def support_vectors(effort: int) -> Checks:
    """Support vector machines without intercept, by coordinate ascent."""
    rng = np.random.default_rng(15)
    for _ in range(12 * effort):
        X = rng.normal(size=(13, 2))
        labels, C = np.sign(X[:12, 0] * X[:12, 1]), 10 ** rng.uniform(-3, 0)
        turns = X @ GAUSSIAN.sample_frequencies(2, 50, rng).T
        Z = np.hstack([np.cos(turns), np.sin(turns)]) / np.sqrt(50)
        K, K_hat = GAUSSIAN(X), Z @ Z.T
        moved = abs(_svm_output(K, labels, C) - _svm_output(K_hat, labels, C))
        eta, eps = float(np.linalg.norm(K - K_hat, 2)), float(np.abs(K - K_hat).max())
        yield Check("SVM, spectral", moved, theory.svm_perturbation(C=C, n_rows=12, spectral=eta))
        yield Check("SVM, largest error", moved, theory.svm_perturbation(C=C, n_rows=12, eps=eps))


def _svm_output(gram: np.ndarray, labels: np.ndarray, C: float) -> float:
    """The dual without intercept by coordinate ascent, 0 <= a_i <= C; the output at the last row."""
    n, a = len(labels), np.zeros(len(labels))
    for _ in range(150):
        for i in range(n):
            gradient = 1 - labels[i] * (gram[i, :n] @ (a * labels))
            a[i] = np.clip(a[i] + gradient / gram[i, i], 0, C)
    return float(gram[n, :n] @ (a * labels))


def coin(dim: int, n: int, rng: np.random.Generator) -> np.ndarray:
    """Frequencies 0 or π: |mean_X - mean_Y|² of X = {0}, Y = {1} is 0 or 4, which is as far apart as can be."""
    return np.pi * rng.integers(0, 2, size=(n, dim))


def discrepancies(effort: int) -> Checks:
    """MMD² of random features about that of the kernel; the last case is the worst there is."""
    rng = np.random.default_rng(7)
    near, far = np.concatenate([rng.normal(size=(8, 1)), rng.normal(size=(10, 1)) + 0.3]), np.array([[0.0], [1.0]])
    halves, apart = np.repeat([1 / 8, -1 / 10], [8, 10]), np.array([1.0, -1.0])
    two = bo.Spectral(coin, value=lambda delta: 0.5 + 0.5 * np.cos(np.pi * delta[:, 0]))
    cases = (
        (GAUSSIAN, near, halves),
        (bo.Laplace(1.0), 3 * near, halves),
        (GAUSSIAN, 3 * far, apart),
        (two, far, apart),
    )
    for (kernel, points, signs), width in product(cases, (10, 40, 160)):
        squared, repeats = float(signs @ kernel(points) @ signs), 2000 * effort * 10 // width
        w = kernel.sample_frequencies(1, repeats * (width // 2), rng)
        terms = np.abs(np.exp(1j * w @ points.T) @ signs) ** 2
        off = np.abs(terms.reshape(repeats, -1).mean(axis=1) - squared)
        for excess in np.array([0.8, 1.0, 1.2, 1.5, 2.0, 3.0]) * np.sqrt(16 * np.log(2.0) / width):
            yield share("MMD Hoeffding", off, excess, theory.mmd_concentration(excess=excess, n_components=width))
            bound = theory.mmd_concentration(excess=excess, n_components=width, squared=squared)
            yield share("MMD Bernstein", off, excess, bound)

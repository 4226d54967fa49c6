"""Statements about any kernel: Hoeffding, Johnson and Lindenstrauss, sample paths, and one sphere."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.special import eval_gegenbauer

import bochner as bo
from bochner import theory
from tests.helpers import assert_mean, assert_variance


def test_hoeffding():
    assert theory.hoeffding([0.02] * 100, 0.1) == pytest.approx(2 * np.exp(-0.5), rel=1e-12)
    # The cosines of paired Fourier features: D/2 terms of range 4/D
    for width in (20, 500):
        bound = theory.pointwise_bound(bo.Gaussian(1.0), eps=0.3, n_components=width)
        assert theory.hoeffding([4 / width] * (width // 2), 0.3) == pytest.approx(bound, rel=1e-12)
    assert theory.hoeffding([0.0, 0.0], 0.1) == 0.0
    with pytest.raises(ValueError, match="ranges must be"):
        theory.hoeffding([-1.0], 0.1)
    rng = np.random.default_rng(0)
    for ranges in (np.ones(10), np.geomspace(0.1, 3, 12)):
        sums = (rng.integers(0, 2, size=(100_000, len(ranges))) - 0.5) @ ranges  # the worst terms there are
        for deviation in (0.5, 1.0, 2.0, 3.0):
            assert np.mean(np.abs(sums) >= deviation) <= theory.hoeffding(ranges, deviation)


def test_johnson_lindenstrauss():
    """The smallest width at which the union bound over pairs is below 1; one less is not enough."""
    assert theory.johnson_lindenstrauss(1000, 0.1) == 5921
    for n, eps in ((1000, 0.1), (50, 0.3), (10**6, 0.5)):
        found = theory.johnson_lindenstrauss(n, eps)

        def failure(width, n=n, eps=eps):
            return n**2 / 2 * 2 * np.exp(-width * (eps**2 / 2 - eps**3 / 3) / 2)  # n² for n(n - 1)

        assert failure(found) <= 1 < failure(found - 1)
    with pytest.raises(ValueError, match="at least 2"):
        theory.johnson_lindenstrauss(1, 0.1)
    # Points in the space of a kernel: squared distances k(x,x) + k(y,y) - 2k(x,y), images by sample paths
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    root = np.linalg.cholesky(bo.Laplace(1.0)(X) + 1e-12 * np.eye(50))
    exact = pdist(root, "sqeuclidean")
    width = theory.johnson_lindenstrauss(50, 0.3)
    kept = []
    for _ in range(100):
        images = root @ rng.normal(size=(50, width)) / np.sqrt(width)
        kept.append(np.abs(pdist(images, "sqeuclidean") / exact - 1).max() <= 0.3)
    assert np.mean(kept) > 0.5  # promised: more than 0


def test_sample_paths():
    assert theory.sample_path_variance(bo.Gaussian(1.0), [0.0], [1.0], 1)[0] == pytest.approx(1.3678794, abs=1e-7)
    rng = np.random.default_rng(0)
    kernel, x, y = bo.ArcCosine(order=1), rng.normal(size=(3, 2)), rng.normal(size=(3, 2))
    for row, other in zip(x, y):
        root = np.linalg.cholesky(kernel(np.stack([row, other])))
        paths = rng.normal(size=(40_000, 5, 2)) @ root.T
        values = np.mean(paths[:, :, 0] * paths[:, :, 1], axis=1)[:, None]
        variance = theory.sample_path_variance(kernel, row, other, 5)
        assert_mean(values, kernel.rowwise(row[None], other[None]), variance)
        assert_variance(values, variance)


def legendre(t):
    return (3 * t**2 - 1) / 2


def test_gegenbauer_reference_values():
    assert theory.gegenbauer_coefficients(legendre, 3, 4) == pytest.approx([0, 0, 1, 0], abs=1e-13)
    assert theory.gegenbauer_coefficients(legendre, 4, 4) == pytest.approx([-0.125, 0, 1.125, 0], abs=1e-13)
    assert theory.gegenbauer_coefficients(lambda t: np.cos(3 * np.arccos(t)), 2, 5) == pytest.approx(
        [0, 0, 0, 1, 0], abs=1e-12
    )
    with pytest.raises(ValueError, match=r"a_0 = -0\.5"):  # in every dimension neither will do
        bo.DotProduct(legendre).coefficients(4)
    with pytest.raises(ValueError, match="at least 2"):
        theory.gegenbauer_coefficients(legendre, 1)
    with pytest.raises(ValueError, match="as many finite values"):
        theory.gegenbauer_coefficients(lambda t: 1.0, 3)


@pytest.mark.parametrize("dim", [2, 3, 5, 30])
def test_the_series_is_the_function_and_its_signs_decide(dim):
    """sum b_n P_n gives f back; kernel matrices on the sphere are positive semidefinite iff no b_n is negative."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, dim))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    products = np.clip(X @ X.T, -1, 1)
    for function in (np.exp, legendre, lambda t: t**3 - 0.3 * t, lambda t: 1 / (1.3 - t)):
        b = theory.gegenbauer_coefficients(function, dim, 60)
        t, order, found = np.linspace(-0.9, 0.9, 7), 0.5 * dim - 1, np.zeros(7)
        for n in range(60):
            if dim == 2:
                found += b[n] * np.cos(n * np.arccos(t))
            else:
                found += b[n] * eval_gegenbauer(n, order, t) / eval_gegenbauer(n, order, 1.0)
        assert found == pytest.approx(function(t), abs=1e-8)
        smallest = np.linalg.eigvalsh(function(products)).min()
        negative = b.min() < -1e-10
        assert negative == (smallest < -1e-6)

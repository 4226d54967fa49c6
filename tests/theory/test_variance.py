"""Variances of Fourier features: reference values, simulation at five standard errors, where the embeddings swap."""

import numpy as np
import pytest

import bochner as bo
from bochner import theory
from tests.helpers import assert_variance, distant_pairs
from tests.theory.reference import VALUES, error_by_definition


@pytest.mark.parametrize(
    ("key", "kernel"),
    [("D*Var gaussian", bo.Gaussian(1.0)), ("D*Var cauchy1d", bo.Cauchy(1.0)), ("D*Var laplace1d", bo.Laplace(1.0))],
)
def test_reference_values(key, kernel):
    for z, expected in VALUES[key].items():
        for embedding, name in (("paired", "phi"), ("shifted", "psi")):
            value = theory.variance(kernel, [float(z)], 100, embedding=embedding)[0]
            assert 100 * value == pytest.approx(expected[name], rel=1e-12)


@pytest.mark.parametrize("embedding", ["paired", "shifted"])
@pytest.mark.parametrize("kernel", [bo.Gaussian(1.3), bo.Laplace(1.5), bo.Cauchy(0.7), bo.Matern(1.3, 1.5)])
def test_simulated_variance(kernel, embedding):
    for dim in (1, 3, 8):
        x, y = distant_pairs(dim, (0.4, 1.0, 2.2))
        values = np.stack([error_by_definition(kernel, d, 4, embedding, 10_000) for d in x - y], axis=1)
        assert_variance(values, theory.variance(kernel, x - y, 4, embedding=embedding))


def drawn(feature_map, kernel, x, y, repeats):
    """z(x)'z(y) under independent draws of the library's map."""
    rng, both = np.random.default_rng(3), np.concatenate([x, y])
    values = np.empty((repeats, len(x)))
    for repeat in range(repeats):
        Z = feature_map.draw(kernel, both, feature_map.n_components, rng)(both)
        values[repeat] = (Z[: len(x)] * Z[len(x) :]).sum(axis=1)
    return values


@pytest.mark.parametrize(
    ("kernel", "embedding", "directions", "width"),
    [
        (bo.Gaussian(1.3), "paired", "orthogonal", 20),
        (bo.Gaussian(1.3), "shifted", "orthogonal", 11),
        (bo.Gaussian(1.3), "paired", "orthogonal", 15),
        (bo.Gaussian([0.7, 1.5, 4.0]), "paired", "orthogonal", 12),
        (bo.Gaussian(1.3), "paired", "hadamard", 9),
        (bo.Matern([0.7, 1.5, 4.0], 1.5), "paired", "orthogonal", 21),
        (bo.Matern(1.3, 0.5), "shifted", "orthogonal", 16),
        (bo.RationalQuadratic(1.3, 0.5), "paired", "orthogonal", 40),
        (bo.RadialProfile(bo.Matern(1.0, nu=1.5).profile, length_scale=1.3), "paired", "orthogonal", 20),
        (bo.Matern(1.3, 1.5), "paired", "iid", 7),
    ],
)
def test_variance_of_the_map(kernel, embedding, directions, width):
    x, y = distant_pairs(3, (0.4, 1.0, 2.2))
    values = drawn(bo.FourierFeatures(kernel, width, embedding=embedding, directions=directions), kernel, x, y, 4000)
    directions = "orthogonal" if directions == "hadamard" else directions  # the same for few columns
    assert_variance(values, theory.variance(kernel, x - y, width, embedding=embedding, directions=directions))


def test_which_embedding_is_better():
    assert theory.flip_distance(bo.Cauchy(1.0)) == pytest.approx(np.sqrt(3 + np.sqrt(10)), abs=1e-9)
    assert theory.flip_distance(bo.Cauchy(2.0)) == pytest.approx(2 * np.sqrt(3 + np.sqrt(10)), abs=1e-9)
    assert theory.better_embedding(bo.Cauchy(1.0), [[2.48], [2.49]]).tolist() == ["paired", "shifted"]
    for kernel in (bo.Gaussian(1.0), bo.Laplace(1.0), bo.Matern(1.0, nu=2.5)):
        assert np.isinf(theory.flip_distance(kernel))


def test_largest_variance_within_a_diameter():
    assert theory.variance_supremum(bo.Gaussian(2.0), 3, 1.5) == pytest.approx((1 - np.exp(-(1.5**2) / 4)) ** 2)
    assert theory.variance_supremum(bo.Cauchy(1.0), 1, 30.0) == pytest.approx(1.0086700, abs=1e-7)
    assert theory.variance_supremum(bo.RationalQuadratic(1.0, alpha=0.5), 2, 300.0) == pytest.approx(
        1.0316298, abs=1e-7
    )
    sinc = bo.ProductProfile(lambda r: np.sinc(r / np.pi), 1.0)
    assert theory.variance_supremum(sinc, 1, 30.0) == pytest.approx(1.0809396, abs=1e-7)
    assert theory.variance_supremum(bo.Laplace(1.0), 5, 6.0) == pytest.approx(1.0, abs=1e-6)
    assert theory.variance_supremum(bo.Gaussian(1.0) * bo.Laplace(1.0), 2, 6.0) == 2.0
    # nothing that is too far to be reached counts
    assert theory.variance_supremum(bo.Cauchy(1.0), 2, 0.1) == pytest.approx(0.0025955, abs=1e-7)


def test_the_supremum_over_a_small_box_is_small():
    """1 + k(2Δ) - 2k(Δ)² at the corner of the box, where nothing but small differences can be reached."""
    assert theory.variance_supremum(bo.Cauchy(1.0), 2, 0.1) == pytest.approx(0.00259552, abs=1e-8)
    for kernel in (bo.Cauchy(1.0), bo.Laplace(1.0), bo.ProductProfile(bo.Matern(1.0, nu=1.5).profile, 1.0)):
        for dim in (2, 3, 16, 64):
            for diameter in (0.01, 0.1, 0.4):
                corner = 2 * theory.frequency_variance(kernel, np.full(dim, diameter))[0]
                found = theory.variance_supremum(kernel, dim, diameter)
                assert corner * (1 - 1e-9) <= found <= max(1.02, 1.01 * corner)
                if corner < 0.5:
                    assert found == pytest.approx(corner, rel=0.01)
    wave = bo.ProductProfile(lambda r: np.cos(3 * r) * np.exp(-r), 1.0)  # not monotone
    corner = 2 * theory.frequency_variance(wave, [0.05, 0.05])[0]
    assert corner <= theory.variance_supremum(wave, 2, 0.05) == pytest.approx(corner, rel=0.02)


@pytest.mark.parametrize(
    "kernel", [bo.Cauchy(1.0), bo.ProductProfile(bo.Matern(1.0, nu=1.5).profile, 1.0), bo.Laplace(1.0)]
)
def test_no_difference_within_the_box_exceeds_the_supremum(kernel):
    rng = np.random.default_rng(0)
    for dim in (2, 4):
        supremum = theory.variance_supremum(kernel, dim, 8.0)
        delta = rng.uniform(0, 8, size=(200_000, dim)) * rng.integers(0, 2, size=(200_000, dim))
        largest = 2 * theory.frequency_variance(kernel, delta).max()
        assert largest <= supremum <= largest + 0.02

"""Nystroem features: exact on landmarks, robust to dependent ones, better with chosen landmarks."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.kernel_approximation import Nystroem

import bochner as bo
from bochner.maps.changed_rows import ChangedFeatures, behind_changes
from bochner.maps.nystroem import TILE_BYTES

WAYS = ["uniform", "kmeans++", "leverage"]
KERNELS = [bo.Gaussian(1.3), bo.Polynomial(2), bo.Laplace(2.0) + bo.ExponentialDot(), bo.ArcCosine(1)]


def rows(n=300, dim=3):
    return np.random.default_rng(0).normal(size=(n, dim))


def landmarks_of(fitted):
    """The rows that were chosen: landmarks lie where the kernel of length scale 1 sees them."""
    features = fitted.features_
    if not isinstance(features, ChangedFeatures):
        return features.landmarks
    return features.inner.landmarks * features.change.scales + features.change.origin


@pytest.mark.parametrize("landmarks", WAYS)
@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_exact_on_its_landmarks_for_any_kernel(kernel, landmarks):
    fitted = bo.NystroemFeatures(kernel, 25, landmarks=landmarks, random_state=0).fit(rows())
    chosen = landmarks_of(fitted)
    assert len(np.unique(chosen, axis=0)) == 25
    Z, at_landmarks = fitted.transform(rows()), fitted.transform(chosen)
    exact = kernel(rows(), chosen)
    np.testing.assert_allclose(Z @ at_landmarks.T, exact, atol=2e-5 * np.abs(exact).max())
    assert (np.square(Z).sum(axis=1) <= kernel.diagonal(rows()) * (1 + 1e-6) + 1e-6).all()


def test_the_same_approximation_as_scikit_learn_for_the_same_landmarks():
    fitted = bo.NystroemFeatures(bo.Gaussian(1.0), 20, random_state=0).fit(rows())
    chosen = landmarks_of(fitted)
    theirs = Nystroem(gamma=0.5, n_components=20).fit(chosen)
    ours, other = fitted.transform(rows()), theirs.transform(rows())
    np.testing.assert_allclose(ours @ ours.T, other @ other.T, atol=1e-5)


@pytest.mark.parametrize("landmarks", WAYS)
def test_equal_and_dependent_landmarks_do_no_harm(landmarks):
    repeated = np.repeat(rows(10), 5, axis=0)
    Z = bo.NystroemFeatures(bo.Gaussian(1.0), 40, landmarks=landmarks, random_state=0).fit_transform(repeated)
    assert Z.shape == (50, 10 if landmarks == "uniform" else 40)
    np.testing.assert_allclose(Z @ Z.T, bo.Gaussian(1.0)(repeated), atol=1e-6)
    Z = bo.NystroemFeatures(bo.Polynomial(1), 40, landmarks=landmarks, random_state=0).fit_transform(rows(60))
    np.testing.assert_allclose(Z @ Z.T, bo.Polynomial(1)(rows(60)), atol=1e-6)


@pytest.mark.parametrize("landmarks", ["kmeans++", "leverage"])
def test_chosen_landmarks_find_a_rare_group(landmarks):
    """Ten rows far from two thousand others: uniform landmarks mostly miss them."""
    rng = np.random.default_rng(1)
    X = np.concatenate([rng.normal(size=(2000, 2)), rng.normal(size=(10, 2)) * 0.1 + 12.0])
    kernel = bo.Gaussian(1.5)

    def worst(way):
        errors = []
        for seed in range(12):
            Z = bo.NystroemFeatures(kernel, 40, landmarks=way, random_state=seed).fit(X).transform(X[-10:])
            errors.append(np.abs(1 - np.square(Z).sum(axis=1)).max())
        return np.mean(errors)

    assert worst(landmarks) < 0.6 * worst("uniform")


def test_fewer_rows_than_components_and_float32_and_sparse():
    X = rows(20).astype(np.float32)
    fitted = bo.NystroemFeatures(bo.Gaussian(1.0), 256, random_state=0).fit(X)
    Z = fitted.transform(X)
    assert Z.shape == (20, 20)
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z @ Z.T, bo.Gaussian(1.0)(X), atol=1e-5)
    np.testing.assert_allclose(fitted.transform(sp.csr_array(X)), Z, atol=1e-5)
    with pytest.raises(ValueError, match="landmarks"):
        bo.NystroemFeatures(landmarks="best").fit(X)


def test_memory_of_transform_is_bounded_by_tiles():
    X = rows(40_000).astype(np.float32)
    fitted = bo.NystroemFeatures(bo.Gaussian(1.0), 50, random_state=0, n_jobs=1).fit(X)
    tracemalloc.start()
    Z = fitted.transform(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < Z.nbytes + 12e6


@pytest.mark.parametrize(("length_scale", "precision"), [(0.3, np.float32), (30.0, np.float64)])
def test_float32_rows_lose_no_more_than_their_rounding(length_scale, precision):
    kernel, X = bo.Gaussian(length_scale), rows()
    single = bo.NystroemFeatures(kernel, 60, random_state=0).fit(X.astype(np.float32))
    double = bo.NystroemFeatures(kernel, 60, random_state=0).fit(X.astype(np.float32).astype(float))
    assert (
        behind_changes(single.features_).weights.dtype == precision
    )  # float64 where the kernel matrix is nearly singular
    difference = single.transform(X.astype(np.float32)) - double.transform(X.astype(np.float32).astype(float))
    assert np.sqrt(np.square(difference).sum(axis=1).mean()) < 1e-5


@pytest.mark.parametrize("length_scale", [0.3, 30.0])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_folded_coefficients_give_the_same_scores(length_scale, dtype):
    X = rows().astype(dtype)
    features = bo.NystroemFeatures(bo.Gaussian(length_scale), 60, random_state=0).fit(X).features_
    coefficients = np.random.default_rng(1).normal(size=(60, 2)).astype(dtype)
    values, folded = features.folded(coefficients)
    tolerance = {np.float32: 2e-5, np.float64: 1e-6}[dtype]
    np.testing.assert_allclose(values(X) @ folded, features(X) @ coefficients, atol=tolerance)
    many = np.tile(X, (1 + TILE_BYTES // (8 * 60 * len(X)), 1))  # more than one tile
    np.testing.assert_allclose(values.scores(many, folded), values(many) @ folded, atol=1e-9)


def test_predictions_are_the_same_row_by_row_and_together():
    X = rows()
    model = bo.KernelRidge(bo.NystroemFeatures(bo.Gaussian(2.0), 60, random_state=0)).fit(X, np.sin(X[:, 0]))
    one_by_one = np.concatenate([model.predict(X[i : i + 1]) for i in range(20)])  # a single row is not folded
    np.testing.assert_allclose(model.predict(X[:20]), one_by_one, atol=1e-9)
    assert np.abs(one_by_one - np.sin(X[:20, 0])).max() < 0.05

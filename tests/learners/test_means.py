"""Kernel k-means: fixed point of Lloyd's algorithm, agreement with k-means on the features, streams and weights."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import bochner as bo
from bochner.blocks import Block
from bochner.maps import DenseDesign
from bochner.solvers.lloyd import lloyd, seeds
from bochner.statistics.clusters import ClusterSums

FOURIER = bo.FourierFeatures(bo.Gaussian(1.0), 48, random_state=0)


def rows(n=500, seed=0):
    return np.random.default_rng(seed).normal(size=(n, 2))


def test_without_tolerance_the_result_is_a_fixed_point():
    X = rows()
    model = bo.KernelMeans(5, FOURIER, tol=0, random_state=0).fit(X)
    Z = model.feature_map_.transform(X)
    squared = ((Z[:, None, :] - model.cluster_centers_[None]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(model.labels_, squared.argmin(axis=1))
    for cluster in range(5):
        mean = Z[model.labels_ == cluster].mean(axis=0)
        np.testing.assert_allclose(model.cluster_centers_[cluster], mean, atol=1e-10)
    np.testing.assert_allclose(model.inertia_, squared.min(axis=1).sum(), rtol=1e-10)
    np.testing.assert_allclose(model.transform(X), np.sqrt(squared), atol=1e-10)
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(model.score(X), -model.inertia_, rtol=1e-10)


def test_is_as_good_as_k_means_on_the_features():
    X = rows()
    reference = KMeans(5, n_init=10, random_state=0).fit(FOURIER.fit(X).transform(X)).inertia_
    assert bo.KernelMeans(5, FOURIER, random_state=0).fit(X).inertia_ < 1.02 * reference


def test_finds_clusters_that_are_not_convex():
    rng = np.random.default_rng(0)
    angle, ring = rng.uniform(0, 2 * np.pi, 600), np.arange(600) % 2
    X = np.column_stack([np.cos(angle), np.sin(angle)]) * np.where(ring, 3.0, 0.3)[:, None]
    X += 0.1 * rng.normal(size=X.shape)
    feature_map = bo.FourierFeatures(bo.Gaussian(1.5), 300, random_state=0)
    found = bo.KernelMeans(2, feature_map, random_state=0).fit_predict(X)
    plain = KMeans(2, n_init=10, random_state=0).fit_predict(X)
    assert adjusted_rand_score(ring, found) > 0.95
    assert adjusted_rand_score(ring, plain) < 0.5


def test_blocks_engines_and_sparse_rows_give_the_same_clusters():
    X = rows()
    expected = bo.KernelMeans(4, FOURIER, random_state=0).fit(X)
    blocks = bo.KernelMeans(4, FOURIER, random_state=0, engine=bo.SerialEngine())
    blocks.fit(bo.ArrayBlocks(X, np.zeros(500), block_rows=37))
    sparse = bo.KernelMeans(4, FOURIER, random_state=0).fit(sp.csr_matrix(X))
    small = bo.KernelMeans(4, FOURIER, random_state=0, engine=bo.ThreadEngine(memory="300kB")).fit(
        X
    )  # features do not fit: made anew
    for model in (blocks, sparse, small):
        np.testing.assert_array_equal(model.labels_, expected.labels_)
        np.testing.assert_allclose(model.inertia_, expected.inertia_)


def test_weights_are_copies_and_the_order_of_rows_does_not_matter():
    X = rows(200)
    weight = np.arange(200) % 3
    order = np.random.default_rng(1).permutation(200)
    weighted = bo.KernelMeans(4, FOURIER, tol=0, random_state=0).fit(X[order], sample_weight=weight[order])
    repeated = bo.KernelMeans(4, FOURIER, tol=0, random_state=0).fit(X.repeat(weight, axis=0))
    np.testing.assert_allclose(weighted.cluster_centers_, repeated.cluster_centers_, atol=1e-10)
    np.testing.assert_allclose(weighted.inertia_, repeated.inertia_)


def test_an_empty_cluster_starts_again_from_a_far_row():
    values = rows(50)
    centres = np.array([[0.0, 0.0], [100.0, 100.0]]).T
    block = Block(DenseDesign(values))
    sums = ClusterSums(centres, values.dtype)
    sums.update(block)
    assert sums.weights.tolist() == [50, 0]
    assert any((sums.means()[:, 1] == row).all() for row in values)

    def take(statistic):
        statistic.update(block)
        return statistic

    assert lloyd(take, centres, values.dtype, 100, 0).inertia < 0.8 * (values**2).sum()


def test_seeds_spread_as_their_law_says():
    values = np.array([[0.0], [1.0], [3.0]])
    rng = np.random.default_rng(0)
    pairs = [tuple(sorted(seeds(values, np.array([1.0, 0.0, 1.0]), 2, rng)[0])) for _ in range(200)]
    assert set(pairs) == {(0.0, 3.0)}  # the row of weight 0 is never a seed


def test_float32_and_bad_input():
    X = rows(100).astype(np.float32)
    model = bo.KernelMeans(3, FOURIER, random_state=0).fit(X)
    assert model.transform(X).dtype == np.float32
    assert model.n_iter_ >= 1
    with pytest.raises(ValueError, match="n_clusters=101 is more than the 100"):
        bo.KernelMeans(101, FOURIER).fit(X)
    with pytest.raises(ValueError, match="n_clusters must be"):
        bo.KernelMeans(0).fit(X)
    with pytest.raises(ValueError, match="tol must be"):
        bo.KernelMeans(2, tol=-1).fit(X)
    with pytest.raises(ValueError, match="No row counts"):
        bo.KernelMeans(2, FOURIER).fit(bo.ArrayBlocks(X, None, np.zeros(100)))
    with pytest.warns(ConvergenceWarning, match="did not converge in 1 iterations"):
        bo.KernelMeans(8, FOURIER, max_iter=1, tol=0, random_state=0).fit(X)

"""Random binning: unbiased at five standard errors of the exact variance, the codes are the matrix, bad input."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import kstest

import bochner as bo
from bochner.compute.bins import PARTIAL, SIGNED
from bochner.maps.binned import BinningFunction
from bochner.maps.grids import HashedBins
from tests.helpers import assert_mean, assert_variance, distant_pairs

KERNELS = [
    bo.Laplace(1.5),
    bo.StretchedExponential(1.5, 0.5),
    bo.StretchedExponential(1.5, 0.1),
    bo.Reciprocal(1.5),
    bo.ProductProfile(lambda r: np.exp(-(r**0.7)), length_scale=1.5),
]
DISTANCES = (0.0, 0.2, 0.7, 2.0)


def grid_by_grid(kernel, hashing, bins, pairs, n_grids, pitches="iid"):
    """z_g(x)'z_g(y) times the number of grids, for each grid by itself: shape (grids, pairs)."""
    X, Y = pairs
    both = np.concatenate([X, Y])
    width = None if bins is None else n_grids * bins
    mapped = bo.BinningFeatures(kernel, n_grids, width, hashing=hashing, pitches=pitches, random_state=5).fit(both)
    features = mapped.features_
    codes = features.codes(both).astype(np.int64)
    x, y = codes[:, : len(X)], codes[:, len(X) :]
    if features.mode == SIGNED:
        return (x >> 1 == y >> 1) * (1.0 - 2.0 * ((x ^ y) & 1))
    return (x == y) * 1.0


@pytest.mark.parametrize("kernel", KERNELS, ids=["laplace", "stretched", "very stretched", "reciprocal", "profile"])
@pytest.mark.parametrize("dim", [1, 3, 10])
def test_each_grid_is_a_bernoulli_variable_of_mean_k(kernel, dim):
    pairs = distant_pairs(dim, DISTANCES)
    k = kernel.rowwise(*pairs)
    values = grid_by_grid(kernel, "exact", None, pairs, 20_000)
    assert_mean(values, k, k * (1 - k))
    assert_variance(values, k * (1 - k))


@pytest.mark.parametrize("dim", [1, 3, 10])
@pytest.mark.parametrize("bins", [2, 7, 16])
def test_hashing_has_the_mean_and_variance_of_theory(dim, bins):
    """Plain: mean k + (1 - k)/M. Signed: mean k and variance k + (1 - k)/M - k²."""
    kernel = bo.Laplace(1.5)
    pairs = distant_pairs(dim, DISTANCES)
    k = kernel.rowwise(*pairs)
    collide = k + (1 - k) / bins
    plain = grid_by_grid(kernel, "plain", bins, pairs, 40_000)
    assert_mean(plain, collide, collide * (1 - collide))
    signed = grid_by_grid(kernel, "signed", bins, pairs, 40_000)
    assert_mean(signed, k, collide - k**2)
    assert_variance(signed, collide - k**2)


@pytest.mark.parametrize("dim", [1, 3, 10])
def test_stratified_pitches_are_unbiased_and_vary_less(dim):
    kernel, repeats, n_grids = bo.Laplace(1.5), 800, 25
    pairs = distant_pairs(dim, DISTANCES[1:])
    both = np.concatenate(pairs)
    k = kernel.rowwise(*pairs)
    means = {"iid": [], "stratified": []}
    for pitches, found in means.items():
        mapped = bo.BinningFeatures(kernel, n_grids, n_grids << 12, hashing="plain", pitches=pitches)
        for repeat in range(repeats):
            codes = mapped.draw(kernel, both, n_grids, np.random.default_rng([3, repeat])).codes(both)
            found.append((codes[:, : len(k)] == codes[:, len(k) :]).mean(axis=0))
    collide = k + (1 - k) / (1 << 12)
    variance = collide * (1 - collide) / n_grids
    assert_mean(np.array(means["iid"]), collide, variance)
    assert_mean(np.array(means["stratified"]), collide, variance * n_grids / (n_grids - 1))
    assert np.var(means["stratified"], axis=0).mean() < 0.95 * np.var(means["iid"], axis=0).mean()


@pytest.mark.parametrize(
    ("kernel", "distribution"),
    [
        (bo.Laplace(0.5), lambda d: 1 - np.exp(-2 * d) * (1 + 2 * d)),
        (bo.StretchedExponential(2.0, 0.4), lambda d: 1 - np.exp(-((d / 2) ** 0.4)) * (1 + 0.4 * (d / 2) ** 0.4)),
        (bo.Reciprocal(3.0), lambda d: (d / 3 / (1 + d / 3)) ** 2),
        (bo.ProductProfile(lambda r: 1 / (1 + r), 1.0), lambda d: (d / (1 + d)) ** 2),
    ],
    ids=["laplace", "stretched", "reciprocal", "profile"],
)
def test_pitches_have_the_law_one_minus_k_plus_delta_k_prime(kernel, distribution):
    rng = np.random.default_rng(0)
    assert kstest(kernel.sample_pitches(2, 20_000, rng)[:, 1], distribution).pvalue > 1e-4
    u = np.array([[1e-10, 1e-6], [1e-3, 0.2], [0.5, 0.9], [0.999, 1 - 1e-7]])
    np.testing.assert_allclose(distribution(kernel.pitches(u)), u, rtol=1e-3, atol=1e-6)


def test_profiles_without_a_pitch_law_are_refused():
    X = np.zeros((5, 1))
    for profile in (lambda r: np.exp(-(r**2)), lambda r: 1 / (1 + r**2), np.cos):
        with pytest.raises(ValueError, match=r"no pitch law.*use FourierFeatures"):
            bo.BinningFeatures(bo.ProductProfile(profile, 1.0), 3).fit(X)
    with pytest.raises(ValueError, match=r"cannot serve the kernel Gaussian.*use FourierFeatures"):
        bo.BinningFeatures(bo.Gaussian(1.0), 3).fit(X)


@pytest.mark.parametrize("hashing", ["signed", "plain", "exact"])
def test_sums_and_scalings(hashing):
    X = np.random.default_rng(0).normal(size=(40, 2))
    kernel = bo.Laplace(1.0) + 0.25 * bo.Reciprocal([2.0, np.inf])
    Z = bo.BinningFeatures(kernel, 20_000, None, hashing=hashing, random_state=0).fit(X).transform(X)
    np.testing.assert_allclose(Z.multiply(Z).sum(axis=1), 1.25, rtol=1e-9)
    assert np.abs((Z @ Z.T).toarray() - kernel(X)).max() < 0.03


def test_columns_of_infinite_length_scale_do_not_count():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    changed = X.copy()
    changed[:, 1] = 1e300 * rng.normal(size=50)
    mapped = bo.BinningFeatures(bo.Laplace([1.0, np.inf, 2.0]), 30, random_state=0).fit(X)
    assert (mapped.transform(X) != mapped.transform(changed)).nnz == 0
    everything = bo.BinningFeatures(bo.Laplace([np.inf] * 3), 30, random_state=0).fit(X)
    np.testing.assert_allclose((everything.transform(X) @ everything.transform(changed).T).toarray(), 1.0)


def test_units_and_offsets_of_columns_do_not_matter():
    """A time stamp in seconds and a length in metres: relative to its centre each column keeps seven digits."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    moved = X * [1e-30, 100.0] + [0.0, 1.7e9]
    here = bo.BinningFeatures(bo.Laplace([1.0, 1.0]), 200, hashing="exact", random_state=0).fit(X)
    there = bo.BinningFeatures(bo.Laplace([1e-30, 100.0]), 200, hashing="exact", random_state=0).fit(moved)
    K, L = (mapped.transform(rows) for mapped, rows in ((here, X), (there, moved)))
    assert np.abs((K @ K.T - L @ L.T).toarray()).max() <= 2.5 / 200
    far = np.array([[0.0, 1e30], [0.0, -1e30], [3e38, 0.0]], dtype=np.float32)
    Z = here.transform(far)
    assert np.isfinite(Z.data).all()


def test_exact_vocabulary_has_a_column_for_each_bin_and_no_entry_for_unknown_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    mapped = bo.BinningFeatures(bo.Laplace(2.0), 20, hashing="exact", random_state=0).fit(X)
    Z = mapped.transform(X)
    assert Z.nnz == 300 * 20
    assert mapped.features_.mode == PARTIAL
    assert (Z.getnnz(axis=0) > 0).all()
    assert mapped.transform(X + 1e5).nnz == 0
    with pytest.raises(ValueError, match="vocabulary sets the width"):
        bo.BinningFeatures(bo.Laplace(1.0), 5, 100, hashing="exact").fit(X)


def test_sparse_rows_have_the_codes_of_dense_ones():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 30)) * (rng.random((500, 30)) < 0.2) + 0.0
    for dtype in (np.float32, np.float64):
        features = bo.BinningFeatures(bo.Laplace(3.0), 40, random_state=0).fit(X.astype(dtype)).features_
        np.testing.assert_array_equal(features.codes(sp.csr_matrix(X.astype(dtype))), features.codes(X.astype(dtype)))


@pytest.mark.parametrize(
    ("n_components", "n_grids", "sizes"), [(10, 4, [3, 3, 2, 2]), (3, 5, [1, 1, 1]), (64, 4, [16] * 4)]
)
def test_columns_are_shared_out_among_grids(n_components, n_grids, sizes):
    X = np.random.default_rng(0).normal(size=(50, 2))
    mapped = bo.BinningFeatures(bo.Laplace(1.0), n_grids, n_components, random_state=0).fit(X)
    assert np.diff(mapped.features_.edges).tolist() == sizes
    assert mapped.transform(X).shape == (50, n_components)


def test_default_width_follows_the_bins_that_occur():
    X = np.random.default_rng(0).normal(size=(2000, 3))
    few = bo.BinningFeatures(bo.Laplace(1e4), 10, random_state=0).fit(X).features_
    many = bo.BinningFeatures(bo.Laplace(0.01), 10, random_state=0).fit(X).features_
    assert few.n_components <= 10 * 64
    assert many.n_components == 10 * 8192
    assert few.codes(X).dtype == np.uint16


@pytest.mark.parametrize("size", [2**15, 2**15 + 1, 2**16])
def test_codes_fit_their_integers(size):
    X = np.random.default_rng(0).normal(size=(20_000, 2))
    drawn = bo.BinningFeatures(bo.Laplace(1e-4), 2, 2 * size, random_state=0).fit(X).features_
    assert drawn.code_dtype == (np.uint16 if size == 2**15 else np.uint32)
    codes = drawn.codes(X)
    assert 1.9 * size < codes.max() < 2 * size
    assert isinstance(drawn, BinningFunction)
    assert isinstance(drawn.coders[0], HashedBins)


def test_bad_parameters():
    X = np.zeros((5, 2))
    for options, message in (
        ({"n_grids": 0}, "n_grids must be a whole number"),
        ({"hashing": "none"}, "hashing must be"),
        ({"pitches": "even"}, "pitches must be"),
        ({"kernel": bo.StretchedExponential(1.0, exponent=1.5)}, "exponent must be"),
        ({"kernel": bo.Laplace(1e-320)}, "rescale the columns"),
    ):
        with pytest.raises(ValueError, match=message):
            bo.BinningFeatures(**options).fit(X)

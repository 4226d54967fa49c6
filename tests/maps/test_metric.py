"""Features of kernels in a metric: those of the unit kernel at A x, through every door that features go through."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV

import bochner as bo
from bochner.kernels import Reciprocal, ScaledKernel
from bochner.kernels.scaling import middle_row
from bochner.maps.changed_rows import behind_changes
from bochner.maps.measure import estimated_values, exact_values, sample_pairs
from bochner.maps.nystroem import NystroemFunction
from tests.helpers import assert_mean, distant_pairs, estimates

RNG = np.random.default_rng(0)
X = RNG.uniform(-0.7, 0.7, size=(300, 3))
MATRIX = np.array([[0.8, 0.3, -0.4], [-0.2, 0.5, 0.9]])
TARGET = np.sin(3 * X @ MATRIX[0]) + X[:, 2]

MAPS = [
    bo.FourierFeatures(bo.Gaussian(0.8), 41, random_state=3),
    bo.FourierFeatures(bo.Laplace(1.5), 40, embedding="shifted", random_state=3),
    bo.FourierFeatures(bo.Gaussian(0.7) + 0.5 * bo.Laplace(2.0), 40, random_state=3),
    bo.BinningFeatures(bo.Laplace(1.0), 20, random_state=3),
    bo.BinningFeatures(bo.Laplace(1.0) + 2.0 * Reciprocal(1.0), 20, hashing="plain", random_state=3),
    bo.BinningFeatures(bo.Laplace(1.0), 20, hashing="exact", random_state=3),
    bo.NystroemFeatures(bo.Matern(0.6, 1.5), 40, random_state=3),
    bo.NystroemFeatures(bo.Laplace(1.0), 30, landmarks="leverage", random_state=3),
]


def short(feature_map):
    return " ".join(repr(feature_map).split())[:70]


def in_metric(kernel, matrix):
    """The kernel of rows A x."""
    if isinstance(kernel, ScaledKernel):
        return kernel.with_length_scale(bo.Metric(matrix / kernel.length_scale))
    (one, first), (two, second) = kernel.terms()
    return one * in_metric(first, matrix) + two * in_metric(second, matrix)


def under(feature_map, matrix):
    return clone(feature_map).set_params(kernel=in_metric(feature_map.kernel, matrix))


def dense(Z):
    return Z.toarray() if sp.issparse(Z) else Z


@pytest.mark.parametrize("feature_map", MAPS, ids=short)
def test_features_are_those_of_the_kernel_at_changed_rows(feature_map):
    """From the origin of the fit, which changes no kernel value."""
    outer = under(feature_map, MATRIX).fit(X)
    rows = (X - middle_row(X)) @ MATRIX.T
    inner = clone(feature_map).fit(rows)
    assert outer.n_components_ == inner.n_components_
    expected = dense(inner.transform(rows))
    np.testing.assert_allclose(dense(outer.transform(X)), expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(dense(outer.features_(X)), expected, rtol=1e-12, atol=1e-12)
    weights = np.ones((expected.shape[1], 1))
    np.testing.assert_allclose(outer.features_.scores(X, weights), expected @ weights, rtol=1e-9, atol=1e-9)


def rounding(fitted):
    """What rounding of kernel values may become where features are those values times weights of any size."""
    inner = behind_changes(fitted.features_)
    if not isinstance(inner, NystroemFunction):
        return 0.0
    return np.finfo(float).eps * np.linalg.norm(inner.kernel(inner.landmarks)) * np.linalg.norm(inner.weights)


@pytest.mark.parametrize("feature_map", MAPS, ids=short)
def test_sparse_and_single_precision_rows(feature_map):
    outer = under(feature_map, MATRIX).fit(X)
    rows = X[:50] * (X[:50] > 0)
    for kind in (sp.csr_matrix, sp.csr_array):
        np.testing.assert_allclose(
            dense(outer.transform(kind(rows))), dense(outer.transform(rows)), atol=1e-12 + rounding(outer)
        )
    single = under(feature_map, MATRIX).fit(X.astype(np.float32))
    Z = single.transform(X.astype(np.float32))
    assert Z.dtype == np.float32
    values, exact = dense(Z) @ dense(Z).T, dense(outer.transform(X)) @ dense(outer.transform(X)).T
    # A row beside the edge of a bin may fall on its other side in single precision: one grid of 20.
    allowed = 0.16 if isinstance(feature_map, bo.BinningFeatures) else 1e-3
    assert np.abs(values - exact).max() < allowed
    assert np.abs(values - exact).mean() < 1e-4


DIRECTIONS = ["iid", "orthogonal"]


def oblique(dim):
    """Fewer directions than columns, none along a column."""
    return np.random.default_rng(dim).normal(size=(dim - 1, dim)) / np.sqrt(dim)


@pytest.mark.parametrize("dim", [3, 10])
@pytest.mark.parametrize("directions", DIRECTIONS)
def test_fourier_features_are_unbiased(directions, dim):
    X, Y = distant_pairs(dim, (0.5, 1.0, 2.0))
    matrix = oblique(dim)
    for inner in (bo.Gaussian(1.0), bo.Matern(1.0, nu=1.5)):
        kernel = inner.with_length_scale(bo.Metric(matrix))
        values = estimates(bo.FourierFeatures(kernel, 512, directions=directions), (X, Y), repeats=400)
        exact = inner.profile(np.linalg.norm((X - Y) @ matrix.T, axis=1))
        assert 5 * np.sqrt(values.var(axis=0).max() / 400) < 0.02
        assert_mean(values, exact, values.var(axis=0))


@pytest.mark.parametrize("dim", [3, 10])
@pytest.mark.parametrize("hashing", ["signed", "plain"])
def test_random_binning_is_unbiased(hashing, dim):
    """Plain hashes collide with probability 1 / bins: m = 2^14 leaves less than a standard error of bias."""
    X, Y = distant_pairs(dim, (0.3, 0.8, 1.5))
    matrix = oblique(dim)
    fitted = bo.BinningFeatures(bo.Laplace(bo.Metric(matrix)), 64, 64 << 14, hashing=hashing).fit(np.vstack([X, Y]))
    values = np.empty((400, len(X)))
    for repeat in range(len(values)):
        features = fitted._draw_terms(fitted.kernel_, np.vstack([X, Y]), 64, np.random.default_rng([1, repeat]))
        values[repeat] = features(X).multiply(features(Y)).sum(axis=1).ravel()
    exact = np.exp(-np.abs((X - Y) @ matrix.T).sum(axis=1))
    assert 5 * np.sqrt(values.var(axis=0).max() / 400) < 0.02
    assert_mean(values, exact, values.var(axis=0))


def test_sums_may_mix_metrics_in_dense_features():
    kernel = bo.Gaussian(bo.Metric(MATRIX)) + 0.5 * bo.Laplace(2.0) + bo.Matern(bo.Metric([[1.0, 0.0, 1.0]]))
    Z = bo.FourierFeatures(kernel, 6000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - kernel(X)).max() < 0.2


def test_products_mix_metrics():
    """Frequencies of a product are sums, each turned by the matrix of its factor."""
    kernel = bo.Gaussian(bo.Metric(MATRIX)) * bo.Laplace(2.0)
    Z = bo.FourierFeatures(kernel, 6000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - kernel(X)).max() < 0.2


def test_series_of_a_kernel_in_a_metric():
    kernel = bo.Composed(bo.Polynomial(2), bo.Gaussian(bo.Metric(MATRIX)))
    Z = bo.MaclaurinFeatures(kernel, 20_000, random_state=0).fit_transform(X)
    assert np.abs(Z @ Z.T - kernel(X)).max() < 0.35


@pytest.mark.parametrize(
    "kernel",
    [
        bo.Laplace(bo.Metric(MATRIX)) + bo.Laplace(bo.Metric(2 * MATRIX)),
        bo.Laplace(bo.Metric(MATRIX)) + bo.Laplace(1.0),
        bo.Laplace(1.0) + bo.Laplace(bo.Metric(MATRIX)),
    ],
    ids=["two matrices", "one, first", "one, last"],
)
def test_codes_refuse_sums_under_several_matrices(kernel):
    with pytest.raises(ValueError, match=r"whose terms share one bo\.Metric"):
        bo.BinningFeatures(kernel).fit(X)


def test_refusals_name_the_kernel():
    for kernel in (bo.Gaussian(bo.Metric(MATRIX)), bo.Laplace(bo.Metric(MATRIX)) + bo.Gaussian(bo.Metric(MATRIX))):
        with pytest.raises(ValueError, match=r"^BinningFeatures cannot serve the kernel Gaussian: .* FourierFeatures"):
            bo.BinningFeatures(kernel).fit(X)


def test_matrices_for_other_data_get_a_sentence():
    for cls in (bo.FourierFeatures, bo.NystroemFeatures):
        with pytest.raises(ValueError, match=r"^matrix has 2 columns but"):
            cls(bo.Gaussian(bo.Metric([[1.0, 2.0]]))).fit(X)


@pytest.mark.parametrize("scale", [0.8, [0.5, 1.0, 2.0], bo.Metric(MATRIX)], ids=["number", "vector", "metric"])
def test_landmarks_lie_in_scaled_space_from_an_origin(scale):
    """Rows at 10^4 spreads from 0 in single precision: as good as the same rows about 0 in double precision."""
    exact = np.round(X * 2.0**9) / 2.0**9
    kernel = bo.Gaussian(scale)
    near = bo.NystroemFeatures(kernel, 40, random_state=3).fit(exact)
    far = bo.NystroemFeatures(kernel, 40, random_state=3).fit((exact + 2.0**13).astype(np.float32))
    inner = behind_changes(far.features_)
    assert inner.kernel.length_scale == 1.0
    assert np.abs(inner.landmarks).max() < 10.0
    Z, expected = far.transform((exact + 2.0**13).astype(np.float32)), near.transform(exact)
    np.testing.assert_allclose(Z @ Z.T, expected @ expected.T, atol=1e-4)


@pytest.mark.parametrize("feature_map", MAPS, ids=short)
def test_files_keep_the_bits(feature_map, tmp_path):
    fitted = under(feature_map, MATRIX).fit(X)
    bo.save(fitted, tmp_path / "map.bochner")
    other = bo.load(tmp_path / "map.bochner")
    np.testing.assert_array_equal(dense(other.transform(X)), dense(fitted.transform(X)))
    model = bo.KernelRidge(under(feature_map, MATRIX)).fit(X, TARGET)
    bo.save(model, tmp_path / "model.bochner")
    np.testing.assert_array_equal(bo.load(tmp_path / "model.bochner").predict(X), model.predict(X))


@pytest.mark.parametrize("feature_map", [MAPS[0], MAPS[2], MAPS[6], MAPS[7]], ids=short)
def test_graphs_agree(feature_map, tmp_path):
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    model = bo.KernelRidge(under(feature_map, MATRIX), alpha=1e-2).fit(X, TARGET)
    for exported, expected in ((model, model.predict(X)), (model.feature_map_, dense(model.feature_map_.transform(X)))):
        bo.to_onnx(exported, tmp_path / "graph.onnx")
        session = runtime.InferenceSession(tmp_path / "graph.onnx", providers=["CPUExecutionProvider"])
        (found,) = session.run(None, {session.get_inputs()[0].name: X})
        np.testing.assert_allclose(found.reshape(expected.shape), expected, atol=1e-5)


@pytest.mark.parametrize("feature_map", [MAPS[0], MAPS[3], MAPS[6]], ids=short)
def test_a_tolerance_is_met(feature_map):
    wide = under(feature_map, MATRIX)
    if not isinstance(feature_map, bo.BinningFeatures):
        wide.set_params(n_components=None)
    fitted = wide.set_params(eps=0.04).fit(X)
    pairs = sample_pairs(X, 2000, np.random.default_rng(9))
    errors = estimated_values(fitted.features_, pairs) - exact_values(fitted.kernel_, pairs)
    assert 0.002 < np.sqrt(np.mean(errors**2)) < 0.055


def test_grid_search_chooses_among_metrics():
    model = bo.KernelRidge(bo.FourierFeatures(bo.Gaussian(bo.Metric(MATRIX)), 100, random_state=0))
    name = "feature_map__kernel__length_scale"
    metrics = [bo.Metric(MATRIX / scale) for scale in (0.02, 0.5)]
    found = GridSearchCV(model, {name: metrics}, cv=3).fit(X, TARGET)
    assert found.best_estimator_.feature_map_.kernel_.length_scale == metrics[1]


@pytest.mark.parametrize("feature_map", MAPS[:4] + MAPS[6:7], ids=short)
def test_blocks_and_partial_fits_give_the_same(feature_map):
    model = bo.KernelRidge(under(feature_map, MATRIX), alpha=1e-2)
    whole = clone(model).fit(X, TARGET)
    blocks = clone(model).fit(bo.ArrayBlocks(X, TARGET, block_rows=77))
    np.testing.assert_allclose(blocks.predict(X), whole.predict(X), atol=1e-8)
    parts, inner, middle = clone(model), bo.KernelRidge(clone(feature_map), alpha=1e-2), middle_row(X[:100])
    for rows in np.array_split(np.arange(len(X)), 3):
        parts.partial_fit(X[rows], TARGET[rows])
        inner.partial_fit((X[rows] - middle) @ MATRIX.T, TARGET[rows])
    np.testing.assert_allclose(parts.predict(X), inner.predict((X - middle) @ MATRIX.T), atol=1e-8)

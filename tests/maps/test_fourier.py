"""Fourier features: what the contracts do not ask of every map and kernel."""

import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from scipy.stats import chi

import bochner as bo
from bochner.maps.directions import orthogonal
from bochner.maps.projections import DenseProjection
from tests.helpers import assert_mean, assert_variance, distant_pairs, estimates

DISTANCES = (0.4, 1.0, 2.2)


def test_the_mean_test_sees_a_bias_of_two_per_cent():
    """The sample is large enough: frequencies too long by 2 % shift k by more than five standard errors."""
    X, Y = distant_pairs(3, (1.0,))
    values = estimates(bo.FourierFeatures(bo.Gaussian(1 / 1.02), 2048, directions="iid"), (X, Y), repeats=600)
    with pytest.raises(AssertionError):
        assert_mean(values, bo.Gaussian(1.0).at(X - Y), bo.theory.variance(bo.Gaussian(1.0), X - Y, 2048))


@pytest.mark.parametrize("dim", [2, 4, 8, 16])
def test_orthogonal_gaussian_has_the_exact_mean_and_variance(dim):
    X, Y = distant_pairs(dim, (0.5, 1.0, 2.0))
    values = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 2 * dim, directions="orthogonal"), (X, Y), repeats=4000)
    z = np.linalg.norm(X - Y, axis=1)
    exact = bo.theory.orthogonal_variance(z, dim, dim)
    assert_mean(values, np.exp(-(z**2) / 2), exact)
    assert_variance(values, exact)


def test_every_radius_is_in_a_stratum_of_its_own():
    """Radii of 100 frequencies, by the kernel's distribution function: one in each hundredth, in no order."""
    rng, kernel = np.random.default_rng(0), bo.Gaussian([0.5, 2.0, 4.0])
    projection, _ = orthogonal(kernel, 3, 100, rng, np.dtype(float))
    radii = np.linalg.norm(2 * np.pi * projection.matrix * np.array([[0.5], [2.0], [4.0]]), axis=0)
    strata = np.floor(100 * chi.cdf(radii, 3)).astype(int)
    assert sorted(strata) == list(range(100))
    assert abs(np.corrcoef(strata, np.arange(100))[0, 1]) < 0.4


def test_wide_rows_need_no_square_matrix():
    """Sparse rows of 100,000 columns, all defaults: a d x d matrix would be 80 GB."""
    X = sp.random(40, 100_000, density=1e-3, format="csr", random_state=0)
    for directions in ("auto", "hadamard", "fastfood"):
        tracemalloc.start()
        fitted = bo.FourierFeatures(n_components=32, directions=directions, random_state=0).fit(X)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 4 * 8 * 16 * 100_000  # four times the frequencies
        assert fitted.transform(X[:3]).shape == (3, 32)


def test_quasi_random_error_is_well_below_independent():
    """Gaussian, d = 4, 256 frequencies: root mean square error .0072 with Sobol against .0356 (theory.md, C)."""
    X, Y = distant_pairs(4, (1.5,))
    exact = bo.Gaussian(1.0).rowwise(X, Y)
    sobol = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 512, directions="sobol"), (X, Y), repeats=60)
    independent = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 512, directions="iid"), (X, Y), repeats=60)
    assert np.sqrt(((sobol - exact) ** 2).mean()) < 0.4 * np.sqrt(((independent - exact) ** 2).mean())


def test_fastfood_variance_is_below_independent_along_an_axis_and_above_along_the_diagonal():
    """Simulated from the dense product S H G P H B, 20,000 draws: .0420, .1707 (d = 4) and .0169, .0858 (d = 8)."""
    for dim, along_axis, along_diagonal in ((4, 0.0420, 0.1707), (8, 0.0169, 0.0858)):
        X = np.zeros((2, dim))
        Y = 1.5 * np.stack([np.eye(dim)[0], np.full(dim, dim**-0.5)])
        values = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 2 * dim, directions="fastfood"), (X, Y), repeats=4000)
        assert_mean(values, np.exp(-1.125), values.var(axis=0))
        np.testing.assert_allclose(values.var(axis=0), [along_axis, along_diagonal], rtol=0.1)


@pytest.mark.parametrize("dim", [1, 2, 4, 16, 32])
def test_hadamard_is_exact_for_few_columns(dim):
    """Structured signs give finitely many directions: at five length scales .477 for 4e-6 along the diagonal, d = 2."""
    X = np.zeros((6, dim))
    Y = np.concatenate([z * np.stack([np.eye(dim)[0], np.full(dim, dim**-0.5)]) for z in (1.5, 3.0, 5.0)])
    values = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 64, directions="hadamard"), (X, Y), repeats=1000)
    assert_mean(values, bo.Gaussian(1.0).rowwise(X, Y), values.var(axis=0))


@pytest.mark.parametrize("dim", [33, 64])
def test_hadamard_bias_is_as_documented(dim):
    """Along an axis, the diagonal and between two axes: below .002, where 1,000 draws of 640 frequencies can see it."""
    X = np.zeros((9, dim))
    between = np.eye(dim)[0] * 0.5**0.5 + np.eye(dim)[1] * 0.5**0.5
    Y = np.concatenate([z * np.stack([np.eye(dim)[0], np.full(dim, dim**-0.5), between]) for z in (1.5, 3.0, 5.0)])
    values = estimates(bo.FourierFeatures(bo.Gaussian(1.0), 1280, directions="hadamard"), (X, Y), repeats=1000)
    error = values.std(axis=0) / np.sqrt(len(values))
    assert error.max() < 0.001
    assert (np.abs(values.mean(axis=0) - bo.Gaussian(1.0).rowwise(X, Y)) < 0.002 + 5 * error).all()


@pytest.mark.parametrize("directions", ["hadamard", "fastfood"])
def test_structured_projections_equal_their_matrix(directions):
    rng = np.random.default_rng(0)
    for dim in (1, 3, 5, 16, 33, 70):
        X = rng.normal(size=(50, dim))
        scales = rng.uniform(0.5, 2.0, size=dim)
        fitted = bo.FourierFeatures(bo.Gaussian(scales), 45, directions=directions, random_state=1).fit(X)
        projection = fitted.features_.projection
        assert isinstance(projection, DenseProjection) == (directions == "hadamard" and dim <= 32)
        turns = np.empty((50, projection.n_frequencies))
        projection.write(X, turns)
        np.testing.assert_allclose(turns, X @ projection.weights(), atol=1e-12)


def test_any_width_has_exactly_that_many_columns_and_unit_length():
    X = np.random.default_rng(0).normal(size=(20, 3))
    for D in (1, 2, 3, 7, 64, 129):
        for embedding in ("paired", "shifted"):
            Z = bo.FourierFeatures(bo.Gaussian(1.0), D, embedding=embedding, random_state=0).fit_transform(X)
            assert Z.shape == (20, D)
            if embedding == "paired" and D % 2 == 0:
                np.testing.assert_allclose((Z**2).sum(axis=1), 1.0, rtol=1e-12)


def test_sums_and_scalings_are_concatenated():
    kernel = 2.0 * bo.Gaussian(1.5) + bo.Laplace(2.0) * bo.Gaussian(3.0)
    X, Y = distant_pairs(3, DISTANCES)
    values = estimates(bo.FourierFeatures(kernel, 101), (X, Y), repeats=600)
    assert_mean(values, kernel.rowwise(X, Y), values.var(axis=0))
    with pytest.raises(ValueError, match="at least 2"):
        bo.FourierFeatures(kernel, 1).fit(X)


def test_ard_is_the_isotropic_kernel_on_scaled_columns():
    X = np.random.default_rng(0).normal(size=(30, 3))
    scales = np.array([0.5, 2.0, 4.0])
    for directions in ("iid", "orthogonal", "hadamard", "fastfood", "sobol"):
        one = bo.FourierFeatures(bo.Gaussian(scales), 40, directions=directions, random_state=0).fit_transform(X)
        two = bo.FourierFeatures(bo.Gaussian(1.0), 40, directions=directions, random_state=0).fit_transform(X / scales)
        np.testing.assert_allclose(one, two, atol=1e-12)


def test_words_are_resolved_from_the_data():
    X = np.random.default_rng(0).normal(size=(500, 3)) * [1.0, 10.0, 100.0]
    median = bo.FourierFeatures(bo.Gaussian("median"), 8).fit(X).kernel_.length_scale
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert median == pytest.approx(np.median(distances[np.triu_indices(500, 1)]), rel=1e-2)
    std = bo.FourierFeatures(bo.Matern("std"), 8).fit(X).kernel_.length_scale
    standard = X / X.std(axis=0)
    apart = np.linalg.norm(standard[:, None] - standard[None], axis=2)[np.triu_indices(500, 1)]
    np.testing.assert_allclose(std, X.std(axis=0) * np.median(apart), rtol=1e-2)
    np.testing.assert_allclose(bo.FourierFeatures(n_components=8).fit(X).kernel_.length_scale, std)


def test_frames_sparse_and_names():
    X = np.random.default_rng(0).normal(size=(20, 2))
    fitted = bo.FourierFeatures(bo.Gaussian(1.0), 3, random_state=0).fit(pd.DataFrame(X, columns=["a", "b"]))
    assert fitted.feature_names_in_.tolist() == ["a", "b"]
    names = ["fourierfeatures0", "fourierfeatures1", "fourierfeatures2"]
    assert fitted.get_feature_names_out().tolist() == names
    Z = fitted.transform(pd.DataFrame(X, columns=["a", "b"]))
    as_frame = fitted.set_output(transform="pandas").transform(pd.DataFrame(X, columns=["a", "b"]))
    assert as_frame.columns.tolist() == names
    np.testing.assert_array_equal(as_frame.to_numpy(), Z)
    polars = bo.FourierFeatures(bo.Gaussian(1.0), 3, random_state=0).set_output(transform="polars")
    np.testing.assert_array_equal(polars.fit_transform(pl.DataFrame(X, schema=["a", "b"])).to_numpy(), Z)
    for directions in ("iid", "fastfood"):
        mapped = bo.FourierFeatures(bo.Gaussian(1.0), 6, directions=directions, random_state=0)
        np.testing.assert_allclose(mapped.fit_transform(sp.csr_matrix(X)), mapped.fit_transform(X), atol=1e-12)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: bo.FourierFeatures(bo.Gaussian(0.0)), "greater than 0"),
        (lambda: bo.FourierFeatures(bo.Gaussian(-1.0)), "greater than 0"),
        (lambda: bo.FourierFeatures(bo.Gaussian([1.0, 2.0])), "2,.* but the data have 3 columns"),
        (lambda: bo.FourierFeatures(bo.Gaussian("mean")), "'median', 'std', 'auto' or a bo.Metric"),
        (lambda: bo.FourierFeatures(bo.Laplace(1.0), directions="orthogonal"), "radial kernel"),
        (lambda: bo.FourierFeatures(bo.Gaussian(1.0), directions="sideways"), "directions must be"),
        (lambda: bo.FourierFeatures(bo.Gaussian(1.0), embedding="both"), "embedding must be"),
        (lambda: bo.FourierFeatures(bo.Gaussian(1.0), n_components=2.5), "whole number"),
        (lambda: bo.FourierFeatures(bo.ProductProfile(lambda r: np.exp(-(r**4)), 1.0)), "negative mass"),
        (lambda: bo.FourierFeatures(bo.Matern(1.0, nu=0.0)), "nu > 0"),
        (lambda: bo.FourierFeatures(-1.0 * bo.Gaussian(1.0)), "scaled by a finite number > 0"),
    ],
)
def test_bad_parameters_get_one_sentence(make, message):
    X = np.random.default_rng(0).normal(size=(20, 3))
    feature_map = make()
    with pytest.raises(ValueError, match=message) as caught:
        feature_map.fit(X)
    assert "\n" not in str(caught.value)
    assert "features_" not in vars(feature_map)


def test_constant_columns_and_words():
    X = np.random.default_rng(0).normal(size=(20, 3))
    X[:, 1] = 7.0
    with pytest.raises(ValueError, match="column 1 is constant"):
        bo.FourierFeatures(bo.Gaussian("std")).fit(X)
    assert np.isinf(bo.FourierFeatures().fit(X).kernel_.length_scale[1])
    named = pd.DataFrame({"size": [1.0, 2.0], "colour": ["red", "blue"]})
    with pytest.raises(ValueError, match="colour"):
        bo.FourierFeatures().fit(named)
